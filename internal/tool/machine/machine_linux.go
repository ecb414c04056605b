package machine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Machine is a file system and an environment: those of the running system, or what lies below a directory, such as a
// container's or a sysroot. Every path that goes in or comes out is one as seen on that machine.
type Machine struct {
	Root    string   // the directory that stands for "/"; "" or "/": the running system
	Tree    Tree     // not nil: what stands for the file system instead; Root is then its name for people
	Environ []string // NAME=VALUE; of a name the first counts, as for getenv
	Without []string // files that count as not there, by their clean paths
}

// Foreign tells whether the machine is another than the running system: its libraries cannot be loaded, its devices
// are not those of this kernel, and its programs do not run here.
func (m *Machine) Foreign() bool { return m.Tree != nil || m.Root != "" && m.Root != "/" }

// Lookup reads a variable.
func (m *Machine) Lookup(name string) (value string, set bool) {
	for _, pair := range m.Environ {
		if value, found := strings.CutPrefix(pair, name+"="); found {
			return value, true
		}
	}
	return "", false
}

// maxLinks is how many symbolic links a path may lead through, as in the kernel.
const maxLinks = 40

// Real resolves every symbolic link of a path, inside the machine: a link to an absolute path starts again at Root.
// When a part does not exist, the rest is left as it is written, and there is no error.
func (m *Machine) Real(name string) (string, error) {
	if m.Tree != nil {
		return links{m.Tree.Lstat, m.Tree.Readlink}.resolve(name)
	}
	if m.Foreign() {
		w, err := m.walk(name, true)
		if err != nil {
			return "", err
		}
		defer w.close()
		return w.real(), nil
	}
	if !path.IsAbs(name) {
		directory, err := os.Getwd()
		if err != nil {
			return "", err
		}
		name = directory + "/" + name
	}
	return links{os.Lstat, os.Readlink}.resolve(name)
}

// hidden tells whether a file counts as not there.
func (m *Machine) hidden(name string) bool {
	return len(m.Without) > 0 && slices.Contains(m.Without, path.Clean(name))
}

func (m *Machine) absent(name string) error {
	return &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
}

// ErrNotRegular is why a pipe, a socket or a device is not opened: who opens a pipe waits for its other end, and a device
// may act.
var ErrNotRegular = errors.New("not a regular file")

// maxFile is how much of one file is read: more is no manifest, no settings and no list of packages.
const maxFile = 256 << 20

func readAll(f *os.File) ([]byte, error) { return io.ReadAll(io.LimitReader(f, maxFile)) }

// Open opens an ordinary file, or a directory, for reading.
func (m *Machine) Open(name string) (*os.File, error) {
	if m.hidden(name) {
		return nil, m.absent(name)
	}
	if m.Tree != nil {
		return m.openTree(name)
	}
	// What it is, is asked of a descriptor that does nothing, and then this very thing is opened.
	handle, err := m.handle(name, 0)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	info, err := handle.Stat()
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	var f *os.File
	if m.Foreign() {
		if f, err = m.beneath(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY); err != nil {
			return nil, err
		}
	} else if f, err = os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0); err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) { // it was put in its place meanwhile
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	return f, nil
}

// handle is a descriptor by which a file can be described, and nothing else.
func (m *Machine) handle(name string, flags int) (*os.File, error) {
	if m.hidden(name) {
		return nil, m.absent(name)
	}
	if m.Foreign() {
		return m.beneath(name, unix.O_PATH|flags)
	}
	return os.OpenFile(name, unix.O_PATH|flags, 0)
}

// ReadFile reads a whole file.
func (m *Machine) ReadFile(name string) ([]byte, error) {
	f, err := m.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := readAll(f)
	return data, err
}

// Stat describes what a path leads to.
func (m *Machine) Stat(name string) (fs.FileInfo, error) { return m.describe(name, 0) }

// Lstat describes what has this name, a symbolic link as such.
func (m *Machine) Lstat(name string) (fs.FileInfo, error) { return m.describe(name, unix.O_NOFOLLOW) }

func (m *Machine) describe(name string, flags int) (fs.FileInfo, error) {
	if m.Tree != nil {
		_, info, err := m.inTree(name, flags&unix.O_NOFOLLOW == 0)
		return info, err
	}
	handle, err := m.handle(name, flags)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	return handle.Stat()
}

// Readlink gives what a symbolic link says.
func (m *Machine) Readlink(name string) (string, error) {
	if m.Tree != nil {
		real, _, err := m.inTree(name, false)
		if err != nil {
			return "", err
		}
		return m.Tree.Readlink(real)
	}
	handle, err := m.handle(name, unix.O_NOFOLLOW)
	if err != nil {
		return "", err
	}
	defer handle.Close()
	target, err := readlinkat(int(handle.Fd()), "")
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return target, nil
}

// Attribute reads an extended attribute of what a path leads to.
func (m *Machine) Attribute(name, attribute string) ([]byte, error) {
	if m.Tree != nil {
		return nil, &fs.PathError{Op: "getxattr", Path: name, Err: unix.ENODATA}
	}
	handle, err := m.handle(name, 0)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	value := make([]byte, 4096)
	n, err := unix.Getxattr(fmt.Sprintf("/proc/self/fd/%d", handle.Fd()), attribute, value)
	if err != nil {
		return nil, &fs.PathError{Op: "getxattr", Path: name, Err: err}
	}
	return value[:n], nil
}

// ReadDir lists a directory, sorted by name.
func (m *Machine) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := m.list(name)
	return slices.DeleteFunc(ByName(entries), func(e fs.DirEntry) bool { return m.hidden(name + "/" + e.Name()) }), err
}

// Exists tells whether a path leads to something.
func (m *Machine) Exists(name string) bool {
	_, err := m.Stat(name)
	return err == nil
}
