package emit

import (
	"fmt"
	"strings"

	"vkloader/tools/vkgen/loader"
	"vkloader/tools/vkgen/registry"
)

// kinds are the kinds of machines whose words are compared: with 64-bit pointers, i386, and 32-bit Windows, where
// numbers are aligned to their size.
var kinds = [3]machine{lp64, ilp32, wide32}

// resultsOn returns the results of a function for each of these kinds. of is the subject of its errors.
func resultsOn[T any](of string, f func(on machine) (T, error)) (list [3]T) {
	for i, on := range kinds {
		var err error
		if list[i], err = f(on); err != nil {
			fail("%s: %w", of, err)
		}
	}
	return list
}

// run is a range of consecutive bytes of a structure on each kind of machine: where it begins, and its size.
type run struct{ at, size [3]int }

// add appends a run, and joins it with the run before if no byte is between them on any machine.
func add(list []run, r run) []run {
	if n := len(list); n > 0 {
		last := &list[n-1]
		joined := last.size[0] == last.size[1] && r.size[0] == r.size[1]
		for k := range kinds {
			joined = joined && last.at[k]+last.size[k] == r.at[k]
		}
		if joined {
			for k := range kinds {
				last.size[k] += r.size[k]
			}
			return list
		}
	}
	return append(list, r)
}

// sizes returns the size of a type on each kind of machine.
func (c *closure) sizes(name string) [3]int {
	return resultsOn(name, func(on machine) (int, error) {
		e, err := c.measure(on, name)
		return e.size, err
	})
}

// runs appends the byte ranges of a type that begins at an offset on each kind of machine.
func (c *closure) runs(list []run, name string, at [3]int) []run {
	size := c.sizes(name)
	size[2] = size[1]
	t := c.r.Type(name)
	for t != nil && t.Alias != "" {
		t = c.r.Type(t.Alias)
	}
	if t != nil && t.Category == "union" {
		least := min(size[0], size[1])
		return add(list, run{at, [3]int{least, least, least}})
	}
	if t == nil || t.Category != "struct" {
		return add(list, run{at, size})
	}
	offsets := resultsOn(name, func(on machine) ([]int, error) {
		offsets, _, err := c.layout(on, t)
		return offsets, err
	})
	for i, m := range t.Members {
		if offsets[0][i] < 0 { // bit fields: structures with them have no pointers
			return add(list, run{at, size})
		}
		begins := at
		for k := range kinds {
			begins[k] += offsets[k][i]
		}
		list = c.memberRuns(list, m, begins)
	}
	return list
}

func (c *closure) memberRuns(list []run, m registry.Member, at [3]int) []run {
	extents := func(on machine) (extent, error) { return c.memberExtent(on, m) }
	all := resultsOn(m.Name, extents)
	m.Dims = nil
	each := resultsOn(m.Name, extents)
	for range all[0].size / each[0].size {
		if m.Pointers > 0 {
			list = add(list, run{at, [3]int{each[0].size, each[1].size, each[1].size}})
		} else {
			list = c.runs(list, m.Type, at)
		}
		for k := range kinds {
			at[k] += each[k].size
		}
	}
	return list
}

// width returns how an argument is passed: 4 or 8 bytes of any number, f and d floating point, p a pointer's word.
func (c *closure) width(m registry.Member) string {
	switch passed := passedType(c.r, m); passed {
	case "void *", "size_t", "unsigned long":
		return "p"
	case "int64_t", "uint64_t":
		return "8"
	case "float", "double", "void":
		return passed[:1]
	}
	return "4"
}

// interfaces writes test/lib/zinterfaces.inc: the types of commands and structures, for the tests' host and fakes on
// machines whose words are shorter than the handles.
func (c *closure) interfaces(s *loader.Set) []byte {
	var t text
	t.f("/* %s */", mark(s))
	t.f(
		"/* SIGNATURE(command, result and arguments, structures that arguments point to): 4, 8: bytes; p: a pointer; f, " +
			"d:\n" +
			" * floating point; v: no result.\n" +
			" * STRUCTURE(name, sType, size with 64-bit pointers, on i386, on 32-bit ARM and Windows, {place and size, place " +
			"and size on\n" +
			" * i386, place on 32-bit ARM and Windows}, ...). */")
	for _, cmd := range s.Commands {
		root := s.Registry.Root(cmd.Command)
		signature := c.width(registry.Member{Type: root.Return})
		var types []string
		for _, p := range root.Params {
			signature += c.width(p)
			name := "-"
			if x := c.r.Type(p.Type); p.Pointers == 1 && x != nil && x.Category == "struct" {
				name = p.Type
				if x.Alias != "" {
					name = x.Alias
				}
			}
			types = append(types, name)
		}
		t.f("SIGNATURE(%s, \"%s\", \"%s\")", cmd.Name, signature, strings.Join(types, " "))
	}
	values := c.structureTypes()
	for _, x := range c.sortedTypes() {
		if x.Category != "struct" {
			continue
		}
		list, size := c.runs(nil, x.Name, [3]int{}), c.sizes(x.Name)
		kind := int64(-1)
		if len(x.Members) > 0 && x.Members[0].Name == "sType" {
			if v, ok := values[x.Members[0].Value]; ok {
				kind = v
			}
		}
		var parts []string
		for _, r := range list {
			parts = append(parts, fmt.Sprintf("{%d, %d, %d, %d, %d}", r.at[0], r.size[0], r.at[1], r.size[1], r.at[2]))
		}
		t.f("STRUCTURE(%s, %d, %d, %d, %d, %s)", x.Name, kind, size[0], size[1], size[2], strings.Join(parts, ", "))
	}
	return t.Bytes()
}
