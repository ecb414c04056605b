package machine

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
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
		if key, value, found := cutVariable(pair); found && sameVariable(key, name) {
			return value, true
		}
	}
	return "", false
}

// hidden tells whether a file counts as not there.
func (m *Machine) hidden(name string) bool {
	return len(m.Without) > 0 && slices.Contains(m.Without, filepath.Clean(name))
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

// readRegular reads an open file and its permissions; what is no regular file is ErrNotRegular.
func readRegular(f *os.File) ([]byte, fs.FileMode, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: ErrNotRegular}
	}
	if err != nil {
		return nil, 0, err
	}
	data, err := readAll(f)
	return data, info.Mode().Perm(), err
}

// ReadFile reads a whole file.
func (m *Machine) ReadFile(name string) ([]byte, error) {
	f, err := m.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
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
