package machine

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
)

// Real returns the full form of a path. On the running system it follows no links, because the loader compares the path
// with the one that started its program.
func (m *Machine) Real(name string) (string, error) {
	switch {
	case m.Tree != nil:
		return links{m.Tree.Lstat, m.Tree.Readlink}.resolve(name)
	case m.Foreign():
		return path.Clean("/" + filepath.ToSlash(name)), nil
	}
	return filepath.Abs(name)
}

// target returns a path below the root unchanged: os.Root follows its links.
func (m *Machine) target(name string) string { return name }

// Attribute returns an error: the tool reads no extended attributes on Windows.
func (m *Machine) Attribute(name, attribute string) ([]byte, error) {
	return nil, &fs.PathError{Op: "getxattr", Path: name + ":" + attribute, Err: errors.ErrUnsupported}
}
