// Package edit saves, writes, removes and restores single files, each in one step. It changes no file through a link.
package edit

import (
	"bytes"
	"cmp"
	"errors"
	"io/fs"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
)

// Edit is a new content for a file, or its removal.
type Edit struct {
	Path   string
	Remove bool
	Text   string      // the new content
	Mode   fs.FileMode `json:",omitempty"` // of a new file; 0: 0644
}

// Do makes the edit. An existing file keeps its permissions.
func (e Edit) Do(m *machine.Machine) error {
	if e.Remove {
		return m.Remove(e.Path)
	}
	now, err := Keep(m, e.Path)
	if err != nil {
		return err
	}
	return m.Replace(e.Path, []byte(e.Text), cmp.Or(now.Mode, e.Mode, 0o644), true)
}

// Overlay returns the files that edits write, by their paths, and those that they remove.
func Overlay(edits []Edit) (added map[string]string, without []string) {
	added = map[string]string{}
	for _, e := range edits {
		if e.Remove {
			without = append(without, e.Path)
		} else {
			added[e.Path] = e.Text
		}
	}
	return added, without
}

// State is the saved state of a file.
type State struct {
	Path  string      `json:"path"`
	There bool        `json:"was"`
	Text  []byte      `json:"before"` // its content
	Mode  fs.FileMode `json:"mode"`
}

// Keep reads the state of a file. A missing file is a valid state, and a link is an error.
func Keep(m *machine.Machine, path string) (State, error) {
	k := State{Path: path}
	at, err := m.PlaceOf(path, false)
	if err == nil {
		defer at.Close()
		k.Text, k.Mode, err = at.Read()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if errors.Is(err, machine.ErrLink) {
		err = exit.Unable("%w", err)
	}
	k.There = err == nil
	return k, err
}

// Same reports whether two states of a file have the same content.
func (k State) Same(o State) bool { return k.There == o.There && bytes.Equal(k.Text, o.Text) }

// Restore restores the file's state in one step.
func (k State) Restore(m *machine.Machine) error {
	if k.There {
		return m.Replace(k.Path, k.Text, k.Mode, true)
	}
	err := m.Remove(k.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
