package fix

import (
	"bytes"
	"errors"
	"io/fs"

	"vkloader/internal/tool/machine"
)

// Kept is a file as it was.
type Kept struct {
	Path  string      `json:"path"`
	There bool        `json:"was"`
	Text  []byte      `json:"before"` // what was in it
	Mode  fs.FileMode `json:"mode"`
}

// Keep reads a file of the machine. One that is not there is kept as that.
func Keep(m *machine.Machine, path string) (Kept, error) {
	k := Kept{Path: path}
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

// Same tells whether a file is the same at two times.
func (k Kept) Same(o Kept) bool { return k.There == o.There && bytes.Equal(k.Text, o.Text) }

// Restore makes the file what it was, in one step.
func (k Kept) Restore(m *machine.Machine) error {
	if k.There {
		return write(m, k.Path, k.Text, k.Mode)
	}
	err := remove(m, k.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
