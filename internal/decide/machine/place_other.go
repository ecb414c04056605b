//go:build !linux

package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Destination is a file to write: a directory, and a name in it.
type Destination struct {
	directory string
	base      string
	lock      *os.File // nil: not locked
}

// PlaceOf returns the place of a file of the running system for a write or a removal. A link is ErrLink. make creates
// missing directories.
func (m *Machine) PlaceOf(name string, make bool) (*Destination, error) {
	if m.Foreign() {
		return nil, &fs.PathError{Op: "write", Path: name, Err: errors.ErrUnsupported}
	}
	full, err := filepath.Abs(name)
	if err == nil {
		err = refuseLink(full)
	}
	if err != nil {
		return nil, err
	}
	directory := filepath.Dir(full)
	if make {
		err = os.MkdirAll(directory, 0o755)
	} else {
		_, err = os.Stat(directory)
	}
	return &Destination{directory: directory, base: filepath.Base(full)}, err
}

// refuseLink returns ErrLink for a link.
func refuseLink(name string) error {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return fmt.Errorf("%s %w", name, ErrLink)
	}
	return nil
}

// Close ends the lock.
func (p *Destination) Close() {
	if p.lock != nil {
		p.lock.Close()
	}
}

// Lock waits until no other process has the place locked, and locks it. Close ends the lock. The lock is a file beside
// the place, which is not deleted.
func (p *Destination) Lock() error {
	f, err := os.OpenFile(filepath.Join(p.directory, p.base+".lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := lockFile(f); err != nil {
		f.Close()
		return fmt.Errorf("lock on %s: %w", f.Name(), err)
	}
	p.lock = f
	return nil
}

// Directory returns the file's directory.
func (p *Destination) Directory() string { return p.directory }

func (p *Destination) path() string { return filepath.Join(p.directory, p.base) }

// Read reads the file.
func (p *Destination) Read() (data []byte, mode fs.FileMode, err error) {
	f, err := (&Machine{}).Open(p.path())
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return readRegular(f)
}

// Replace writes the file in one step.
func (p *Destination) Replace(data []byte, _ fs.FileMode) error {
	if err := refuseLink(p.path()); err != nil {
		return err
	}
	f, err := os.CreateTemp(p.directory, ".vk_loader_settings.*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), p.path())
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// Remove removes the file.
func (p *Destination) Remove() error { return os.Remove(p.path()) }
