package machine

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Real resolves every symbolic link of a path inside the machine. If a part does not exist, that part and the rest are
// unchanged, and there is no error.
func (m *Machine) Real(name string) (string, error) {
	switch {
	case m.Tree != nil:
		return links{m.Tree.Lstat, m.Tree.Readlink}.resolve(name)
	case m.Foreign():
		return links{m.Lstat, m.Readlink}.resolve(path.Clean("/" + name))
	}
	full, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	return links{m.Lstat, m.Readlink}.resolve(full)
}

// target returns the path below the root to which a path leads: os.Root refuses links with absolute targets.
func (m *Machine) target(name string) string {
	if real, err := m.Real(name); err == nil {
		return real
	}
	return name
}

// Attribute reads an extended attribute of the file behind a path, on the running system.
func (m *Machine) Attribute(name, attribute string) ([]byte, error) {
	if m.Foreign() {
		return nil, &fs.PathError{Op: "getxattr", Path: name, Err: errors.ErrUnsupported}
	}
	value := make([]byte, 4096)
	n, err := unix.Getxattr(name, attribute, value)
	if err != nil {
		return nil, &fs.PathError{Op: "getxattr", Path: name, Err: err}
	}
	return value[:n], nil
}
