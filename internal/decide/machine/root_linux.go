package machine

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// roots are the directories that stand for "/". Each is opened once and stays open, so that a later change of its path, such
// as a link in its place, has no effect. /proc/PID/root is opened through the kernel's link, which leads into the file
// system of that process; the link's text is "/", this machine's root.
var roots sync.Map // path: func() (int, error)

// RootDirectory is a directory that stands for "/", open until it is closed.
type RootDirectory struct{ fd int }

// OpenRoot opens a directory until Close, for a process that examines many roots.
func OpenRoot(directory string) (*RootDirectory, error) {
	fd, err := unix.Open(directory, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: directory, Err: err}
	}
	return &RootDirectory{fd}, nil
}

// Close closes the directory. Machines with it can then read nothing.
func (o *RootDirectory) Close() error { return unix.Close(o.fd) }

// root returns a descriptor of the directory that stands for "/".
func (m *Machine) root() (int, error) {
	if m.Opened != nil {
		return m.Opened.fd, nil
	}
	return rootOf(m.Root)
}

func rootOf(directory string) (int, error) {
	open, _ := roots.LoadOrStore(directory, sync.OnceValues(func() (int, error) {
		opened, err := OpenRoot(directory)
		if err != nil {
			return -1, err
		}
		return opened.fd, nil
	}))
	return open.(func() (int, error))()
}

// beneath opens a path below Root. The kernel resolves the path with Root as "/", so no link and no ".." leads out, even if
// another process adds one meanwhile. Without openat2 (before Linux 5.6, or in a sandbox that forbids it), walkOpen opens
// each part of the path in turn.
func (m *Machine) beneath(name string, flags int) (*os.File, error) {
	root, err := m.root()
	if err != nil {
		return nil, err
	}
	fd, err := unix.Openat2(root, clean(name), &unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS})
	for try := 0; try < retries && err == unix.EAGAIN; try++ { // a part of the path was renamed meanwhile
		fd, err = unix.Openat2(root, clean(name), &unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC),
			Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS})
	}
	if err == unix.ENOSYS || err == unix.EPERM {
		return m.walkOpen(name, flags)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// retries is the number of further attempts to open a path while its parts are being renamed.
const retries = 32

// clean returns a path in the form that openat2 needs: "/" for an empty path, and "/x" for "/x/", because x may be a file.
func clean(name string) string {
	if name = strings.TrimRight(name, "/"); name == "" {
		return "/"
	}
	return name
}

// walkOpen is beneath without openat2.
func (m *Machine) walkOpen(name string, flags int) (*os.File, error) {
	w, err := m.walk(name, flags&unix.O_NOFOLLOW == 0)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if len(w.rest) > 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: unix.ENOENT}
	}
	fd, err := unix.Openat(w.directory(), w.base(), flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// walk is the position in a path that is followed part by part. It has a descriptor of each directory on the way, so ".."
// leads to the directory from which the walk came, even if a directory was moved.
type walk struct {
	root  int
	fds   []int    // of the directories in names, without the last one
	names []string // the parts that were followed, without links
	rest  []string // the part of the path that does not exist
}

func (w *walk) close() {
	for _, fd := range w.fds {
		unix.Close(fd)
	}
}

// directory returns the descriptor of the last name's directory.
func (w *walk) directory() int {
	if len(w.names) < 2 {
		return w.root
	}
	return w.fds[len(w.names)-2]
}

func (w *walk) base() string {
	if len(w.names) == 0 {
		return "."
	}
	return w.names[len(w.names)-1]
}

func (w *walk) up() {
	if len(w.names) > 0 {
		w.names = w.names[:len(w.names)-1]
		for len(w.fds) > max(len(w.names), 0) {
			unix.Close(w.fds[len(w.fds)-1])
			w.fds = w.fds[:len(w.fds)-1]
		}
	}
}

// enter opens the last name as a directory, and adds its descriptor.
func (w *walk) enter() error {
	if len(w.fds) == len(w.names) {
		return nil
	}
	fd, err := unix.Openat(w.directory(), w.base(), unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	w.fds = append(w.fds, fd)
	return nil
}

// walk follows a path part by part; the missing parts are in rest. follow says whether a link at the end is followed, too.
func (m *Machine) walk(name string, follow bool) (*walk, error) {
	if len(name) > maxPath {
		return nil, &fs.PathError{Op: "open", Path: name, Err: unix.ENAMETOOLONG}
	}
	root, err := m.root()
	if err != nil {
		return nil, err
	}
	w := &walk{root: root}
	parts, links := strings.Split(name, "/"), 0
	for len(parts) > 0 {
		part := parts[0]
		parts = parts[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			w.up()
			continue
		}
		if err := w.enter(); err != nil {
			w.rest = append(append(w.rest, part), parts...)
			return w, nil
		}
		w.names = append(w.names, part)
		target, err := readlinkat(w.directory(), part)
		last := strings.Join(parts, "") == ""
		if err != nil && errors.Is(err, unix.ENOENT) {
			w.names = w.names[:len(w.names)-1]
			w.rest = append(append(w.rest, part), parts...)
			return w, nil
		}
		if err != nil || last && !follow {
			continue // not a link, or a link at the end that is not followed
		}
		if links++; links > maxLinks {
			w.close()
			return nil, &fs.PathError{Op: "open", Path: name, Err: unix.ELOOP}
		}
		w.up()
		if path.IsAbs(target) {
			for len(w.names) > 0 {
				w.up()
			}
		}
		parts = append(strings.Split(target, "/"), parts...)
	}
	return w, nil
}

// real returns the path that the walk has reached.
func (w *walk) real() string {
	return path.Join("/", strings.Join(w.names, "/"), strings.Join(w.rest, "/"))
}

func readlinkat(directory int, name string) (string, error) {
	text := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(directory, name, text)
	if err != nil {
		return "", err
	}
	return string(text[:n]), nil
}

// Destination is a file to write: an open directory, and a name in it that is no link.
type Destination struct {
	directory *os.File
	path      string // of the directory, on the machine
	base      string
}

// PlaceOf returns the place of a file of the machine for a write or a removal. Links in the path of its directory are
// followed inside the machine. A link in the place of the file itself is ErrLink; one that gets there later is itself replaced
// or removed. make creates missing directories.
func (m *Machine) PlaceOf(name string, make bool) (*Destination, error) {
	place := placeHere
	if m.Foreign() {
		place = m.placeBelow
	}
	p, err := place(name, make)
	if err == nil {
		if err = p.refuseLink(""); err != nil {
			p.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// placeBelow is PlaceOf below Root.
func (m *Machine) placeBelow(name string, make bool) (*Destination, error) {
	w, err := m.walk(name, false)
	if err != nil {
		return nil, err
	}
	defer w.close()
	for len(w.rest) > 1 && make {
		if err := w.enter(); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		part := w.rest[0]
		if part == ".." { // below a missing directory
			return nil, &fs.PathError{Op: "mkdir", Path: name, Err: unix.ENOENT}
		}
		w.names, w.rest = append(w.names, part), w.rest[1:]
		if part == "" || part == "." {
			w.names = w.names[:len(w.names)-1]
			continue
		}
		if err := unix.Mkdirat(w.directory(), part, 0o755); err != nil && err != unix.EEXIST {
			return nil, &fs.PathError{Op: "mkdir", Path: name, Err: err}
		}
	}
	if len(w.rest) == 1 {
		if err := w.enter(); err != nil {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
		w.names, w.rest = append(w.names, w.rest[0]), nil
	}
	if len(w.rest) > 0 || len(w.names) == 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: unix.ENOENT}
	}
	fd, err := unix.Openat(w.directory(), ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	real := w.real()
	return &Destination{os.NewFile(uintptr(fd), path.Dir(real)), path.Dir(real), path.Base(real)}, nil
}

// placeHere is PlaceOf on this machine. It follows links by the rules of Way, because another user's link could redirect a
// write.
func placeHere(name string, make bool) (*Destination, error) {
	var way Way
	directory, err := way.Directory(path.Dir(name), make)
	if err != nil {
		return nil, err
	}
	where, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", directory.Fd()))
	if err != nil {
		where = path.Dir(name)
	}
	return &Destination{directory, where, path.Base(name)}, nil
}

// Close closes the directory, which ends a lock on it.
func (p *Destination) Close() { p.directory.Close() }

// lockLimit is the longest wait of Lock. Every user who may read the directory can lock it, for any time.
const lockLimit = 10 * time.Second

// ErrLocked is the error for a directory that another process has locked.
var ErrLocked = errors.New("another process keeps it locked")

// Lock waits at most ten seconds until no other process has the directory locked, and locks it. Close ends the lock.
func (p *Destination) Lock() error { return p.lockWithin(lockLimit) }

func (p *Destination) lockWithin(limit time.Duration) error {
	for end := time.Now().Add(limit); ; time.Sleep(limit / 1000) {
		err := unix.Flock(int(p.directory.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return nil
		case err == unix.EWOULDBLOCK && time.Now().After(end):
			err = ErrLocked
		case err == unix.EWOULDBLOCK || err == unix.EINTR:
			continue
		}
		return fmt.Errorf("lock on %s: %w", p.path, err)
	}
}

// Directory returns the path of the file's directory, on the machine.
func (p *Destination) Directory() string { return p.path }

// Read reads the file; with a suffix, the file whose name has that suffix in addition. It follows no links.
func (p *Destination) Read(suffix string) (data []byte, mode fs.FileMode, err error) {
	f, err := p.open(p.base+suffix, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return readRegular(f)
}

// Replace writes the file, or the one with the suffix, in one step. Only the permissions of mode are used, without
// set-user-ID: the content may be another user's, and would run with the rights of the writer.
func (p *Destination) Replace(suffix string, data []byte, mode fs.FileMode) error {
	if err := p.refuseLink(suffix); err != nil {
		return err
	}
	f, err := p.temporary(0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(mode.Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return p.settle(f, errors.Join(err, f.Close()), func(from string) error { return p.rename(from, p.base+suffix) })
}

// temporary creates a file with an unpredictable name in the directory.
func (p *Destination) temporary(mode uint32) (*os.File, error) {
	return p.open(".vk_loader_settings."+rand.Text(), unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_APPEND, mode)
}

// settle calls put, which moves a temporary file to its place. After an error it removes the temporary file.
func (p *Destination) settle(f *os.File, err error, put func(from string) error) error {
	temporary := path.Base(f.Name())
	if err == nil {
		err = put(temporary)
	}
	if err != nil {
		err = errors.Join(err, ignoreMissing(unix.Unlinkat(int(p.directory.Fd()), temporary, 0)))
	}
	return err
}

func ignoreMissing(err error) error {
	if err == unix.ENOENT {
		return nil
	}
	return err
}

// Restore renames the file with the suffix to the file's name.
func (p *Destination) Restore(suffix string) error {
	if err := p.refuseLink(suffix); err != nil {
		return err
	}
	return p.rename(p.base+suffix, p.base)
}

// Remove removes the file.
func (p *Destination) Remove() error {
	return p.removalError(p.base, unix.Unlinkat(int(p.directory.Fd()), p.base, 0))
}

func (p *Destination) removalError(base string, err error) error {
	if err != nil {
		return &fs.PathError{Op: "remove", Path: path.Join(p.path, base), Err: err}
	}
	return nil
}

// refuseLink returns ErrLink if the file, or the one with the suffix, is a link.
func (p *Destination) refuseLink(suffix string) error {
	if is, err := p.IsLink(p.base + suffix); err == nil && is {
		return fmt.Errorf("%s %w", path.Join(p.path, p.base+suffix), ErrLink)
	}
	return nil
}

// IsLink reports whether a name in the directory is a symbolic link.
func (p *Destination) IsLink(base string) (bool, error) {
	var info unix.Stat_t
	if err := unix.Fstatat(int(p.directory.Fd()), base, &info, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return false, &fs.PathError{Op: "stat", Path: path.Join(p.path, base), Err: err}
	}
	return info.Mode&unix.S_IFMT == unix.S_IFLNK, nil
}

// Link makes a symbolic link in the directory. It replaces a file of this name in one step.
func (p *Destination) Link(base, target string) error {
	temporary := fmt.Sprintf(".%s.%d", base, os.Getpid())
	fd := int(p.directory.Fd())
	err := unix.Symlinkat(target, fd, temporary)
	if err == unix.EEXIST { // of an earlier process with this process ID, which was killed
		if err = unix.Unlinkat(fd, temporary, 0); err == nil {
			err = unix.Symlinkat(target, fd, temporary)
		}
	}
	if err != nil {
		return &fs.PathError{Op: "link", Path: path.Join(p.path, base), Err: err}
	}
	return p.rename(temporary, base)
}

// Unlink removes a file or link in the directory; a missing one is no error.
func (p *Destination) Unlink(base string) error {
	return p.removalError(base, ignoreMissing(unix.Unlinkat(int(p.directory.Fd()), base, 0)))
}

func (p *Destination) rename(from, to string) error {
	fd := int(p.directory.Fd())
	if err := unix.Renameat(fd, from, fd, to); err != nil {
		return &fs.PathError{Op: "rename", Path: path.Join(p.path, from), Err: err}
	}
	return nil
}

func (p *Destination) open(base string, flags int, mode uint32) (*os.File, error) {
	name := path.Join(p.path, base)
	fd, err := unix.Openat(int(p.directory.Fd()), base, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}
