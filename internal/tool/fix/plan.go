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

// Edit is a new content for a file of the user, or its removal.
type Edit struct {
	Path   string
	Remove bool
	Text   string // the new content
}

// ownFile is the file for variables that are not set anywhere yet.
const ownFile = "90-vkloader.conf"

// Edits returns the edits of the user's own files that make a change; none if the change needs other files. The machine's
// environment gives the home directory.
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

// Own reports whether all files are the user's own: below the home directory, also after symbolic links are resolved.
func Own(m *machine.Machine, files ...string) bool {
	p := &planner{machine: m, home: homeOf(m)}
	return p.home != "" && !slices.ContainsFunc(files, func(file string) bool { return !p.own(file) })
}

// planner collects the edits of a change.
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
	// If another file sets the variable, or its origin is unknown, a change here has no effect.
	if len(places) == 0 || slices.ContainsFunc(places, func(at doctor.FileLine) bool { return path.Dir(at.File) != p.directory() }) {
		return false
	}
	for i := len(places) - 1; i >= 0; i-- { // backwards, so that line numbers stay valid
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

// directory returns the directory of the user's session variables. Only systemd reads its files.
func (p *planner) directory() string { return p.home + "/.config/environment.d" }

// rewrite plans a change of a user file's content.
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

// own reports whether a file is below the home directory, also after symbolic links are resolved.
func (p *planner) own(file string) bool {
	home, err := p.machine.Real(p.home)
	if err != nil {
		return false
	}
	real, err := p.machine.Real(file)
	return err == nil && below(real, home)
}

// plainValue reports whether a value needs no quoting in a file of environment.d(5).
func plainValue(value string) bool {
	return value != "" && strings.IndexFunc(value, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("$\\\"'#", r)
	}) < 0
}
