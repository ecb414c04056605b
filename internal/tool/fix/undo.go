package fix

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
)

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
	SavedFile
	After string `json:"after"` // SHA-256 of the content after the change; "": removed
}

// Do makes edits. It saves the old contents in the undo file before the first edit.
func Do(m *machine.Machine, edits []Edit) error {
	kept, err := readOrBegin(m)
	if err != nil {
		return err
	}
	for _, e := range edits {
		now, err := kept.enter(m, e.Path)
		if err != nil {
			return err
		}
		if now.After = ""; !e.Remove {
			now.After = sum([]byte(e.Text))
		}
	}
	if err := kept.write(m); err != nil {
		return err
	}
	for _, e := range edits {
		if e.Remove {
			err = remove(m, e.Path)
		} else {
			mode := fs.FileMode(0o644)
			if now, err := Keep(m, e.Path); err == nil && now.There {
				mode = now.Mode
			}
			err = write(m, e.Path, []byte(e.Text), mode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Around calls a function that changes files of the user. It saves the old contents in the undo file before the call.
func Around(m *machine.Machine, files []string, change func() error) error {
	kept, err := readOrBegin(m)
	if err != nil {
		return err
	}
	for _, file := range files {
		if _, err := kept.enter(m, file); err != nil {
			return err
		}
	}
	if err := kept.write(m); err != nil {
		return err
	}
	err = change()
	for i := range kept.Files {
		if c := &kept.Files[i]; slices.Contains(files, c.Path) {
			now, unread := Keep(m, c.Path)
			if unread != nil {
				return errors.Join(err, unread)
			}
			c.After = now.state()
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

// enter records a file's content. If the file is unchanged since an earlier run, its content before that run stays recorded.
func (u *undo) enter(m *machine.Machine, file string) (*changed, error) {
	now, err := Keep(m, file)
	if err != nil {
		return nil, err
	}
	entry := changed{now, now.state()}
	if at := slices.IndexFunc(u.Files, func(c changed) bool { return c.Path == file }); at >= 0 {
		if earlier := &u.Files[at]; entry.After == earlier.After {
			entry = *earlier
		}
		u.Files = slices.Delete(u.Files, at, at+1)
	}
	u.Files = append(u.Files, entry)
	return &u.Files[len(u.Files)-1], nil
}

func (u *undo) write(m *machine.Machine) error {
	text, err := json.MarshalIndent(u, "", "    ")
	if err != nil {
		return err
	}
	return write(m, UndoFile(m), append(text, '\n'), 0o600)
}

// Undo reverts the changes of Do, Around and Change, and returns the restored files and values. It refuses if others have
// changed one of them since, unless force is set. registry is nil on systems without one.
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
		now, err := Keep(m, c.Path)
		if err != nil {
			return nil, err
		}
		// A file with its old content, for example after a failed edit, needs no restoration.
		if is := now.state(); is != c.After && is != c.state() {
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
	if len(values) > 0 {
		if err := remove(m, ExportFile(m)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return given, err
		}
	}
	return given, remove(m, file)
}

// sum returns a content's SHA-256.
func sum(text []byte) string {
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:])
}

// state returns the file's state in the notation of changed.After.
func (k SavedFile) state() string {
	if !k.There {
		return ""
	}
	return sum(k.Text)
}

func readUndo(m *machine.Machine, file string) (*undo, error) {
	if file == "" {
		return nil, exit.Unable("the home directory is unknown, so there is no place for the undo file")
	}
	now, err := Keep(m, file)
	if err == nil && !now.There {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	kept := &undo{}
	if err := json.Unmarshal(now.Text, kept); err != nil || kept.Schema != undoSchema {
		return nil, exit.Unable("%s is not an undo file of this vkloader: %w", file, errors.Join(err, fmt.Errorf("schema %d", kept.Schema)))
	}
	return kept, nil
}

// write replaces a file in one step and creates missing directories.
func write(m *machine.Machine, file string, text []byte, mode fs.FileMode) error {
	at, err := m.PlaceOf(file, true)
	if err != nil {
		return err
	}
	defer at.Close()
	return at.Replace("", text, mode)
}

func remove(m *machine.Machine, file string) error {
	at, err := m.PlaceOf(file, false)
	if err != nil {
		return err
	}
	defer at.Close()
	return at.Remove()
}

// SavedFile is the saved state of a file.
type SavedFile struct {
	Path  string      `json:"path"`
	There bool        `json:"was"`
	Text  []byte      `json:"before"` // its content
	Mode  fs.FileMode `json:"mode"`
}

// Keep reads the state of a file. A missing file is a valid state.
func Keep(m *machine.Machine, path string) (SavedFile, error) {
	k := SavedFile{Path: path}
	at, err := m.PlaceOf(path, false)
	if err == nil {
		defer at.Close()
		k.Text, k.Mode, err = at.Read("")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	k.There = err == nil
	return k, err
}

// Same reports whether two states of a file have the same content.
func (k SavedFile) Same(o SavedFile) bool { return k.There == o.There && bytes.Equal(k.Text, o.Text) }

// Restore restores the file's state in one step.
func (k SavedFile) Restore(m *machine.Machine) error {
	if k.There {
		return write(m, k.Path, k.Text, k.Mode)
	}
	err := remove(m, k.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
