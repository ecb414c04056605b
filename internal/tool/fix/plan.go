package fix

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/doctor"
)

// Edit is a file of the user's that gets another content, or goes.
type Edit struct {
	Path   string
	Remove bool
	Text   string // the new content
}

// ownFile is where variables go that are set nowhere yet.
const ownFile = "90-vkloader.conf"

// Edits are what makes a change in the user's own files; none where it cannot be made there. Of a machine the home
// directory is what its environment says.
func Edits(m *machine.Machine, change explain.Change) []Edit {
	if !Own(m) {
		return nil
	}
	p := &planner{machine: m, home: homeOf(m)}
	for part := &change; part != nil; part = part.And {
		if !p.part(part) {
			return nil
		}
	}
	return p.edits
}

// Own tells whether files are the user's own: below the home directory, also where links lead.
func Own(m *machine.Machine, files ...string) bool {
	p := &planner{machine: m, home: homeOf(m)}
	return p.home != "" && !slices.ContainsFunc(files, func(file string) bool { return !p.own(file) })
}

// planner gathers the edits of a change.
type planner struct {
	machine *machine.Machine
	home    string
	edits   []Edit
}

// part plans one part of a change; false: it cannot be made.
func (p *planner) part(c *explain.Change) bool {
	if c.Text != "" {
		if !p.own(c.File) || p.machine.Exists(c.File) {
			return false
		}
		p.edits = append(p.edits, Edit{Path: c.File, Text: c.Text})
		return true
	}
	if c.File != "" {
		if !p.own(c.File) || p.machine.Owners([]string{c.File})[c.File] != "" {
			return false
		}
		if _, err := p.machine.ReadFile(c.File); err != nil {
			return false
		}
		p.edits = append(p.edits, Edit{Path: c.File, Remove: true})
		return true
	}
	line := ""
	if c.Set {
		if !plainValue(c.Value) {
			return false
		}
		line = c.Variable + "=" + c.Value + "\n"
	}
	_, set := p.machine.Lookup(c.Variable)
	places := doctor.SetIn(p.machine, c.Variable)
	if !set && c.Set && len(places) == 0 {
		return p.rewrite(path.Join(p.directory(), ownFile), func(text string) string {
			if text != "" && !strings.HasSuffix(text, "\n") {
				text += "\n"
			}
			return text + line
		})
	}
	// Where it is set elsewhere, too, or nobody knows where, a change here would do nothing.
	if len(places) == 0 || slices.ContainsFunc(places, func(at doctor.Line) bool { return path.Dir(at.File) != p.directory() }) {
		return false
	}
	for i := len(places) - 1; i >= 0; i-- { // from the end, so that numbers of lines stay true
		if !p.rewrite(places[i].File, func(text string) string {
			lines := strings.SplitAfter(text, "\n")
			lines[places[i].Number-1] = line
			return strings.Join(lines, "")
		}) {
			return false
		}
	}
	return true
}

// directory is where variables of the user's sessions are set, in files that nobody but systemd reads.
func (p *planner) directory() string { return p.home + "/.config/environment.d" }

// rewrite changes the content of a file of the user's.
func (p *planner) rewrite(file string, how func(text string) string) bool {
	if !p.own(file) {
		return false
	}
	for i := range p.edits {
		if p.edits[i].Path == file {
			p.edits[i].Text = how(p.edits[i].Text)
			return true
		}
	}
	text, err := p.machine.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	p.edits = append(p.edits, Edit{Path: file, Text: how(string(text))})
	return true
}

// own tells whether a file is below the home directory, also where links lead.
func (p *planner) own(file string) bool {
	home, err := p.machine.Real(p.home)
	if err != nil {
		return false
	}
	real, err := p.machine.Real(file)
	return err == nil && below(real, home)
}

// plainValue tells whether a value means itself in a file of environment.d(5): nothing in it is expanded or quoted.
func plainValue(value string) bool {
	return value != "" && strings.IndexFunc(value, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("$\\\"'#", r)
	}) < 0
}
