package machine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// Machine is a file system and an environment: those of the running system, or what lies below a directory, such as a
// container's or a sysroot. Every path that goes in or comes out is one as seen on that machine.
type Machine struct {
	Root    string   // the directory that stands for "/"; "" or "/": the running system
	Environ []string // NAME=VALUE; of a name the first counts, as for getenv
}

// Foreign tells whether the machine is another than the running system: its libraries cannot be loaded, its devices
// are not those of this kernel, and its programs do not run here.
func (m *Machine) Foreign() bool { return m.Root != "" && m.Root != "/" }

// Lookup reads a variable.
func (m *Machine) Lookup(name string) (value string, set bool) {
	for _, pair := range m.Environ {
		if value, found := strings.CutPrefix(pair, name+"="); found {
			return value, true
		}
	}
	return "", false
}

// linksMost is how many symbolic links a path may lead through, as in the kernel.
const linksMost = 40

// Real resolves every symbolic link of a path, inside the machine: a link to an absolute path starts again at Root.
// When a part does not exist, the rest is left as it is written, and there is no error.
func (m *Machine) Real(name string) (string, error) { return m.resolve(name, true) }

func (m *Machine) resolve(name string, follow bool) (string, error) {
	if !m.Foreign() && !path.IsAbs(name) {
		directory, err := os.Getwd()
		if err != nil {
			return "", err
		}
		name = directory + "/" + name
	}
	current, rest, links := "/", strings.Split(name, "/"), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			current = path.Dir(current)
			continue
		}
		next := path.Join(current, part)
		info, err := os.Lstat(m.Root + next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 || !follow && strings.Join(rest, "") == "" {
			current = next
			continue
		}
		if links++; links > linksMost {
			return "", &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
		}
		target, err := os.Readlink(m.Root + next)
		if err != nil {
			return "", fmt.Errorf("%s: %w", next, err)
		}
		if path.IsAbs(target) {
			current = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return current, nil
}

// Host is where a file of the machine lies for this process, to be given to the operating system at once: links are
// resolved already when the machine is a foreign one.
func (m *Machine) Host(name string) (string, error) { return m.host(name, true) }

func (m *Machine) host(name string, follow bool) (string, error) {
	if !m.Foreign() {
		return name, nil
	}
	inside, err := m.resolve(name, follow)
	if err != nil {
		return "", err
	}
	return m.Root + inside, nil
}

// inside gives errors the machine's own path.
func inside(name string, err error) error {
	if wrong, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: wrong.Op, Path: name, Err: wrong.Err}
	}
	return err
}

// ErrNotRegular is why a pipe, a socket or a device is not opened: who opens a pipe waits for its other end, and a device
// may act.
var ErrNotRegular = errors.New("not a regular file")

func openFile(where string) (*os.File, error) {
	if info, err := os.Stat(where); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: where, Err: ErrNotRegular}
	}
	return os.Open(where)
}

// Open opens a file, or a directory, for reading.
func (m *Machine) Open(name string) (*os.File, error) {
	where, err := m.Host(name)
	if err != nil {
		return nil, err
	}
	f, err := openFile(where)
	return f, inside(name, err)
}

// ReadFile reads a whole file.
func (m *Machine) ReadFile(name string) ([]byte, error) {
	where, err := m.Host(name)
	if err != nil {
		return nil, err
	}
	f, err := openFile(where)
	if err != nil {
		return nil, inside(name, err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	return data, inside(name, err)
}

// Stat describes what a path leads to.
func (m *Machine) Stat(name string) (fs.FileInfo, error) {
	where, err := m.Host(name)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(where)
	return info, inside(name, err)
}

// Lstat describes what has this name, a symbolic link as such.
func (m *Machine) Lstat(name string) (fs.FileInfo, error) {
	where, err := m.host(name, false)
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(where)
	return info, inside(name, err)
}

// Readlink gives what a symbolic link says.
func (m *Machine) Readlink(name string) (string, error) {
	where, err := m.host(name, false)
	if err != nil {
		return "", err
	}
	target, err := os.Readlink(where)
	return target, inside(name, err)
}

// ReadDir lists a directory, sorted by name.
func (m *Machine) ReadDir(name string) ([]fs.DirEntry, error) {
	where, err := m.Host(name)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(where)
	return entries, inside(name, err)
}

// Exists tells whether a path leads to something.
func (m *Machine) Exists(name string) bool {
	_, err := m.Stat(name)
	return err == nil
}
