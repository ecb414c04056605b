package fix

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// ownFile is the file for variables that are not set anywhere yet.
const ownFile = "90-vkloader.conf"

// Edits returns the edits of the user's own files that make a change; none if the change needs other files. The
// machine's environment gives the home directory.
func Edits(m *machine.Machine, change explain.Change) []edit.Edit {
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
	edits   []edit.Edit
}

// part plans one part of a change; false: it cannot be made.
func (p *planner) part(c *explain.Change) bool {
	if c.Text != "" {
		if !p.own(c.File) || p.machine.Exists(c.File) {
			return false
		}
		p.edits = append(p.edits, edit.Edit{Path: c.File, Text: c.Text})
		return true
	}
	if c.File != "" {
		if !p.own(c.File) || p.machine.Owners([]string{c.File})[c.File] != "" {
			return false
		}
		if now, err := edit.Keep(p.machine, c.File); err != nil || !now.There {
			return false
		}
		p.edits = append(p.edits, edit.Edit{Path: c.File, Remove: true})
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
	if len(places) == 0 ||
		slices.ContainsFunc(places, func(at doctor.FileLine) bool { return path.Dir(at.File) != p.directory() }) {
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
	now, err := edit.Keep(p.machine, file)
	if err != nil {
		return false
	}
	p.edits = append(p.edits, edit.Edit{Path: file, Text: how(string(now.Text))})
	return true
}

// own reports whether a file is below the home directory, also after symbolic links are resolved.
func (p *planner) own(file string) bool {
	home, err := p.machine.Real(p.home)
	if err != nil {
		return false
	}
	real, err := p.machine.Real(file)
	if err != nil {
		return false
	}
	below, err := filepath.Rel(home, real)
	return err == nil && below != "." && filepath.IsLocal(below)
}

// plainValue reports whether a value needs no quoting in a file of environment.d(5).
func plainValue(value string) bool {
	return value != "" && strings.IndexFunc(value, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune("$\\\"'#", r)
	}) < 0
}

// undoName is the name of the undo file.
const undoName = "undo.json"

// undoSchema is the version of the undo file's format.
const undoSchema = 1

// undo is the content of the undo file.
type undo struct {
	Schema int       `json:"schema"`
	Files  []changed `json:"files"`

	Values []keptValue `json:"values,omitempty"` // registry values
}

// changed is a file before a change, and its content afterwards.
type changed struct {
	edit.State
	After string `json:"after"` // SHA-256 of the content after the change; "": removed
}

// Do makes edits. It saves the old contents in the undo file before the first edit.
func Do(m *machine.Machine, edits []edit.Edit) error {
	return Around(m, term.Words(edits, func(e edit.Edit) string { return e.Path }), func() error {
		for _, e := range edits {
			if err := e.Do(m); err != nil {
				return err
			}
		}
		return nil
	})
}

// Around calls a function that changes files of the user. It saves the old contents in the undo file before the call.
func Around(m *machine.Machine, files []string, change func() error) error {
	kept, err := readOrBegin(m)
	if err != nil {
		return err
	}
	for _, file := range files {
		if err := kept.enter(m, file); err != nil {
			return err
		}
	}
	if err := kept.write(m); err != nil {
		return err
	}
	err = change()
	for i := range kept.Files {
		if c := &kept.Files[i]; slices.Contains(files, c.Path) {
			now, unread := edit.Keep(m, c.Path)
			if unread != nil {
				return errors.Join(err, unread)
			}
			c.After = stateOf(&now)
		}
	}
	return errors.Join(err, kept.write(m))
}

// readOrBegin returns the undo file's content, or a new one.
func readOrBegin(m *machine.Machine) (*undo, error) {
	kept, err := readUndo(m, UndoFile(m))
	if errors.Is(err, fs.ErrNotExist) {
		return &undo{Schema: undoSchema}, nil
	}
	return kept, err
}

// enter records a file's content. If the file is unchanged since an earlier run, its content before that run stays
// recorded.
func (u *undo) enter(m *machine.Machine, file string) error {
	now, err := edit.Keep(m, file)
	if err != nil {
		return err
	}
	entry := changed{now, stateOf(&now)}
	if at := slices.IndexFunc(u.Files, func(c changed) bool { return c.Path == file }); at >= 0 {
		if earlier := &u.Files[at]; entry.After == earlier.After {
			entry = *earlier
		}
		u.Files = slices.Delete(u.Files, at, at+1)
	}
	u.Files = append(u.Files, entry)
	return nil
}

func (u *undo) write(m *machine.Machine) error {
	text, err := json.MarshalIndent(u, "", "    ")
	if err != nil {
		return err
	}
	return m.Replace(UndoFile(m), append(text, '\n'), 0o600, true)
}

// Undo reverts the changes of Do, Around and Change, and returns the restored files and values. It refuses if others
// have changed one of them since, unless force is set. registry is nil on systems without one.
func Undo(m *machine.Machine, registry Registry, force bool) (given []string, err error) {
	file := UndoFile(m)
	kept, err := readUndo(m, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Problem("there is nothing to undo")
	}
	if err != nil {
		return nil, err
	}
	if registry == nil && len(kept.Values) > 0 {
		return nil, exit.Unable("%s names values of a registry, and there is none", file)
	}
	since, err := kept.changedValues(registry)
	if err != nil {
		return nil, exit.Unable("%w", err)
	}
	for _, c := range kept.Files {
		if !Own(m, c.Path) {
			return nil, exit.Unable("%s names %s, which is not below the home directory", file, c.Path)
		}
		now, err := edit.Keep(m, c.Path)
		if err != nil {
			return nil, err
		}
		// A file with its old content, for example after a failed edit, needs no restoration.
		if is := stateOf(&now); is != c.After && is != stateOf(&c.State) {
			since = append(since, c.Path)
		}
	}
	if len(since) > 0 && !force {
		return nil, exit.Problem("%s changed since: nothing is undone; to restore it anyway: --undo --force",
			strings.Join(since, ", "))
	}
	for _, c := range kept.Files {
		if err := c.Restore(m); err != nil {
			return given, err
		}
		given = append(given, c.Path)
	}
	values, err := kept.restore(registry)
	given = append(given, values...)
	if err != nil {
		return given, exit.Unable("%w", err)
	}
	return given, m.Remove(file)
}

// Undone returns the edits of files that Undo would make.
func Undone(m *machine.Machine) (edits []edit.Edit, err error) {
	kept, err := readOrBegin(m)
	if err != nil {
		return nil, err
	}
	for _, c := range kept.Files {
		edits = append(edits, edit.Edit{Path: c.Path, Remove: !c.There, Text: string(c.Text)})
	}
	return edits, nil
}

// stateOf returns a file's state in the notation of changed.After.
func stateOf(k *edit.State) string {
	if !k.There {
		return ""
	}
	hash := sha256.Sum256(k.Text)
	return hex.EncodeToString(hash[:])
}

func readUndo(m *machine.Machine, file string) (*undo, error) {
	if file == "" {
		return nil, exit.Unable("there is no place for the undo file: the home directory is unknown")
	}
	now, err := edit.Keep(m, file)
	if err == nil && !now.There {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	kept := &undo{}
	if err := json.Unmarshal(now.Text, kept); err != nil || kept.Schema != undoSchema {
		return nil, exit.Unable("%s is not an undo file of this vkloader: %w", file,
			errors.Join(err, fmt.Errorf("schema %d", kept.Schema)))
	}
	return kept, nil
}
