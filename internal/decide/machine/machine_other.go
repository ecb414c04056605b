//go:build !linux

package machine

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
)

// maxLinks is how many symbolic links a path may lead through.
const maxLinks = 40

// roots are the directories that stand for "/". Each is opened once and stays open.
var roots sync.Map // path: func() (*os.Root, error)

// RootDirectory is a directory that stands for "/", open until it is closed.
type RootDirectory struct{ root *os.Root }

// OpenRoot opens a directory until Close, for a process that examines many roots.
func OpenRoot(directory string) (*RootDirectory, error) {
	root, err := os.OpenRoot(directory)
	if err != nil {
		return nil, err
	}
	return &RootDirectory{root}, nil
}

// Close closes the directory. Machines with it can then read nothing.
func (o *RootDirectory) Close() error { return o.root.Close() }

func (m *Machine) root() (*os.Root, error) {
	if m.Opened != nil {
		return m.Opened.root, nil
	}
	open, _ := roots.LoadOrStore(m.Root, sync.OnceValues(func() (*os.Root, error) { return os.OpenRoot(m.Root) }))
	return open.(func() (*os.Root, error))()
}

// open opens the file that was described before.
func (m *Machine) open(name string, _ fs.FileInfo) (*os.File, error) {
	if m.Foreign() {
		root, err := m.root()
		if err != nil {
			return nil, err
		}
		return root.Open(below(m.target(name)))
	}
	return os.Open(name)
}

// Stat describes the file behind a path.
func (m *Machine) Stat(name string) (fs.FileInfo, error) {
	return m.describe(name, true, os.Stat, (*os.Root).Stat)
}

// Lstat describes the file of this name. For a symbolic link, it describes the link.
func (m *Machine) Lstat(name string) (fs.FileInfo, error) {
	return m.describe(name, false, os.Lstat, (*os.Root).Lstat)
}

func (m *Machine) describe(name string, follow bool, here func(string) (fs.FileInfo, error),
	beneath func(*os.Root, string) (fs.FileInfo, error)) (fs.FileInfo, error) {
	switch {
	case m.isHidden(name):
		return nil, m.absent(name)
	case m.Tree != nil:
		_, info, err := m.resolveInTree(name, follow)
		return info, err
	case !m.Foreign():
		return here(name)
	}
	root, err := m.root()
	if err != nil {
		return nil, err
	}
	if follow {
		name = m.target(name)
	}
	return beneath(root, below(name))
}

// Readlink returns the target of a symbolic link.
func (m *Machine) Readlink(name string) (string, error) {
	switch {
	case m.isHidden(name):
		return "", m.absent(name)
	case m.Tree != nil:
		real, _, err := m.resolveInTree(name, false)
		if err != nil {
			return "", err
		}
		return m.Tree.Readlink(real)
	case !m.Foreign():
		return os.Readlink(name)
	}
	root, err := m.root()
	if err != nil {
		return "", err
	}
	if _, err := root.Lstat(below(name)); err != nil { // no part of the path leads out
		return "", err
	}
	return os.Readlink(filepath.Join(root.Name(), below(name))) // os.Root.Readlink needs Go 1.25
}

// below returns a path in the form of os.Root, which rejects links that lead out of the root.
func below(name string) string {
	if name = strings.Trim(path.Clean("/"+filepath.ToSlash(name)), "/"); name == "" {
		return "."
	}
	return name
}
