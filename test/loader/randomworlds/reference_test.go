package randomworlds

import (
	"os"
	"slices"
	"strings"

	"vkloader/test/lib/world"
)

// contrast is the first difference between this loader and the reference. Later differences may follow from it, and
// are not compared.
type contrast struct {
	d            *description
	ours, theirs observation
	open         map[string]bool // parts that the statements leave open
	difference
}

// hasReference reports whether the distribution's loader is installed, in the version whose differences are known.
func hasReference() bool {
	file, err := os.Readlink(world.SystemLibrary)
	return err == nil && file == "libvulkan.so.1.3.239"
}

// likened returns an observation without the parts in which two loaders may differ: the time of reading, and the log.
func likened(o observation) (out observation) {
	for _, s := range o {
		switch {
		case strings.HasSuffix(s.name, ": messages"), strings.HasSuffix(s.name, ": read"):
			continue
		case strings.HasPrefix(s.name, "extensions"): // INS-006: the reference is older than it
			s.lines = slices.DeleteFunc(slices.Clone(s.lines), func(line string) bool { return line == "VK_LUNARG_direct_driver_loading" })
		}
		out = append(out, s)
	}
	return out
}

// contrasted runs the world with the reference, too. It returns nil if both behave alike, exactly or except for a known difference,
// which is then also returned.
func (w *worker) contrasted(d *description, seen observation, open map[string]bool) (*contrast, *knownDifference) {
	w.build(d)
	theirs := w.show(d, world.SystemLibrary)
	list := compared(likened(seen), likened(theirs), open)
	if len(list) == 0 {
		return nil, nil
	}
	c := &contrast{d, seen, theirs, open, list[0]}
	for i := range knownDifferences {
		if knownDifferences[i].explains(c) {
			return nil, &knownDifferences[i]
		}
	}
	return c, nil
}

// imposes reports whether a fake's script sets such a result for a function.
func (c *contrast) imposes(function string, is func(code string) bool) bool {
	for _, lines := range c.d.scripts {
		for _, line := range lines {
			words := strings.Fields(line)
			if (words[0] == "result" || words[0] == "error") && strings.HasPrefix(words[1], function) && is(words[2]) {
				return true
			}
		}
	}
	return false
}

func positive(code string) bool { return code[0] != '-' }
func whatever(code string) bool { return true }
func code(want string) func(string) bool {
	return func(code string) bool { return code == want }
}

// in reports whether the difference is in a part of that name, in any try.
func (c *contrast) in(names ...string) bool {
	part := c.section
	if _, of, ok := strings.Cut(part, ": "); ok && strings.HasPrefix(part, "create ") {
		part = of
	}
	return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(part, name) })
}

// has reports whether a file of the world contains a text.
func (c *contrast) has(text string) bool {
	for _, file := range c.d.files {
		if strings.Contains(file, text) {
			return true
		}
	}
	return false
}

// hasFile reports whether a path of the world contains a text.
func (c *contrast) hasFile(text string) bool {
	for path := range c.d.files {
		if strings.Contains(path, text) {
			return true
		}
	}
	return false
}

// died reports whether the reference's process ended abnormally.
func (c *contrast) died() bool {
	lines, _ := c.theirs.find("end")
	return !slices.Equal(lines, []string{"exit 0, signal 0"})
}
