package ui

import (
	"bytes"
	"errors"
	"io/fs"

	"vkloader/internal/tool/machine"
)

// kept is a file as it was.
type kept struct {
	Path  string
	There bool
	Text  []byte
	mode  fs.FileMode
}

// keep reads a file of the machine.
func keep(m *machine.Machine, path string) (kept, error) {
	k := kept{Path: path}
	at, err := m.PlaceOf(path, false)
	if err == nil {
		defer at.Close()
		k.Text, k.mode, err = at.Read("")
	}
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	k.There = err == nil
	return k, err
}

func (k kept) same(o kept) bool { return k.There == o.There && bytes.Equal(k.Text, o.Text) }

// restore makes the file what it was, in one step.
func (k kept) restore(m *machine.Machine) error {
	at, err := m.PlaceOf(k.Path, k.There)
	if err == nil {
		defer at.Close()
		if k.There {
			return at.Replace("", k.Text, k.mode)
		}
		err = at.Remove()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
