package machine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"vkloader/internal/core/facts"
)

// ELF reports whether the libraries of the running system are ELF files. The tool knows only the rules of dynamic
// linkers for ELF.
const ELF = runtime.GOOS == "linux"

// Machine is a file system and an environment: those of the running system, or those below a directory, such as a
// container's or a sysroot. Paths, as arguments and as results, are paths of that machine.
type Machine struct {
	Root    string         // the directory that stands for "/"; "" or "/": the running system
	Tree    Tree           // not nil: replaces the file system; Root is then its name for people
	Environ []string       // NAME=VALUE; the first entry of a name counts, as for getenv
	Without []string       // clean paths of files that are treated as missing
	Opened  *RootDirectory // the opened Root; nil: Root is opened once for the whole process, and stays open
	Bound   *Bound         // limits the files of another user; nil: there is no limit
}

// Foreign reports whether the machine is not the running system. A foreign machine's libraries cannot be loaded, its
// devices are not those of this kernel, and its programs do not run here.
func (m *Machine) Foreign() bool { return m.Tree != nil || m.Root != "" && m.Root != "/" }

// Lookup reads a variable.
func (m *Machine) Lookup(name string) (value string, set bool) {
	for _, pair := range m.Environ {
		if key, value, found := cutVariable(pair); found && SameName(key, name) {
			return value, true
		}
	}
	return "", false
}

// isHidden reports whether a file is treated as missing.
func (m *Machine) isHidden(name string) bool {
	return len(m.Without) > 0 && slices.Contains(m.Without, filepath.Clean(name))
}

func (m *Machine) absent(name string) error {
	return &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
}

// Open opens an ordinary file, or a directory, for reading.
func (m *Machine) Open(name string) (*os.File, error) {
	if m.isHidden(name) {
		return nil, m.absent(name)
	}
	if err := m.Bound.count(name); err != nil {
		return nil, err
	}
	if m.Tree != nil {
		return m.openTree(name)
	}
	// The type is examined before opening: opening a pipe or a device may wait, or act on it.
	info, err := m.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return m.open(name, info)
}

// ErrLink is the error for a link in the place of a file that a caller wants to write or remove.
var ErrLink = errors.New("is a link, and no change is made through a link: change the file to which it leads")

// ErrNotRegular is the error for a pipe, a socket or a device. Opening a pipe waits for its other end, and opening a
// device may act on it.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is the error for a file of more than facts.MaxFile bytes. No manifest and no settings file is that large
// (LOG-19).
var ErrTooLarge = errors.New("larger than 16 MB")

// maxLarge is the number of bytes that are read of other files than manifests and settings files.
const maxLarge = 256 << 20

// readAll reads an open file of at most facts.MaxFile bytes. It ignores a smaller stated size: the file may grow
// meanwhile, and files of /proc may state 0.
func readAll(f *os.File) ([]byte, error) {
	return readWithin(f, facts.MaxFile, ErrTooLarge)
}

// readWithin reads an open file. For a file of more than most bytes, it returns tooLarge.
func readWithin(f *os.File, most int64, tooLarge error) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	var data []byte
	if info.Size() <= most {
		data, err = readUpTo(f, info.Size(), most+1)
	}
	if info.Size() > most && !info.IsDir() || int64(len(data)) > most {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: tooLarge}
	}
	return data, err
}

// readUpTo reads the first bytes of an open file, at most limit. It allocates memory for size bytes at once.
func readUpTo(f *os.File, size, limit int64) ([]byte, error) {
	buffer := bytes.NewBuffer(make([]byte, 0, min(max(size, 0), limit)+bytes.MinRead))
	_, err := buffer.ReadFrom(io.LimitReader(f, limit))
	return buffer.Bytes(), err
}

// readRegular returns the content and the permissions of an open file. For a file that is not regular, it returns
// ErrNotRegular.
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

// ReadFile reads a whole file. For a file of more than facts.MaxFile bytes, it returns ErrTooLarge.
func (m *Machine) ReadFile(name string) ([]byte, error) { return m.read(name, readAll) }

// ReadLarge reads a library, or a list of a package manager: its first 256 MB, or 64 MB under a Bound.
func (m *Machine) ReadLarge(name string) ([]byte, error) {
	return m.read(name, func(f *os.File) ([]byte, error) {
		info, err := f.Stat()
		if err != nil {
			return nil, err
		}
		if m.Bound != nil {
			return readUpTo(f, info.Size(), mostLarge)
		}
		return readUpTo(f, info.Size(), maxLarge)
	})
}

func (m *Machine) read(name string, how func(*os.File) ([]byte, error)) ([]byte, error) {
	f, err := m.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return how(f)
}

// ReadNamed reads a file of this machine that the command line names. A file of more than most bytes is an error. A
// pipe or device is read only if this process has it open, as standard input.
func ReadNamed(name string, most int64) ([]byte, error) {
	open := (&Machine{}).Open
	if full, err := filepath.Abs(name); err == nil && (ownDescriptor(full) || full == "/dev/stdin") {
		open = os.Open
	}
	f, err := open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readWithin(f, most, fmt.Errorf("larger than %d MB", most>>20))
}

// ownDescriptor reports whether an absolute path names an open file of this process.
func ownDescriptor(full string) bool {
	directory := filepath.Dir(full)
	return directory == "/dev/fd" || directory == "/proc/self/fd"
}

// ReadDir lists a directory, sorted by name.
func (m *Machine) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := m.list(name)
	return slices.DeleteFunc(ByName(entries), func(e fs.DirEntry) bool { return m.isHidden(name + "/" + e.Name()) }),
		err
}

// Names lists the names in a directory, sorted. It returns nil if the directory cannot be read.
func (m *Machine) Names(directory string) (names []string) {
	entries, err := m.ReadDir(directory)
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// Absent reports whether a path leads to no file. It returns false if a directory on the path denies access, because
// the file may exist then.
func (m *Machine) Absent(name string) bool {
	_, err := m.Stat(name)
	return err != nil && !errors.Is(err, fs.ErrPermission)
}

// Exists reports whether a path leads to a file or directory, after links.
func (m *Machine) Exists(name string) bool {
	_, err := m.Stat(name)
	return err == nil
}
