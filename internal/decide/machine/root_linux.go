package machine

import (
	"cmp"
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

// roots are the directories that stand for "/". Each is opened once and stays open, so that a later change of its path,
// such as a link in its place, has no effect. /proc/PID/root is opened through the kernel's link, which leads into the
// file system of that process; the link's text is "/", this machine's root.
var roots sync.Map // path: func() (*RootDirectory, error)

// RootDirectory is a directory that stands for "/", open until it is closed.
type RootDirectory struct{ fd int }

// OpenRoot opens a directory until Close, for a process that examines many roots.
func OpenRoot(directory string) (*RootDirectory, error) {
	fd, err := unix.Open(directory, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: directory, Err: err}
	}
	return &RootDirectory{fd: fd}, nil
}

// Close closes the directory. Machines with it can then read nothing.
func (o *RootDirectory) Close() error { return unix.Close(o.fd) }

// follow follows a path below the directory. make makes missing directories.
func (o *RootDirectory) follow(name string, make bool) (*Walk, error) {
	w := &Walk{Root: fmt.Sprintf("/proc/self/fd/%d", o.fd), Meet: func(int, *unix.Stat_t) error { return nil }}
	if make {
		w.Make = w.mkdir
	}
	if err := w.Reach(name); err != nil {
		w.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return w, nil
}

// rootDirectory returns the directory that stands for "/".
func (m *Machine) rootDirectory() (*RootDirectory, error) {
	if m.Opened != nil {
		return m.Opened, nil
	}
	open, _ := roots.LoadOrStore(m.Root, sync.OnceValues(func() (*RootDirectory, error) { return OpenRoot(m.Root) }))
	return open.(func() (*RootDirectory, error))()
}

// beneath opens a path below Root. The kernel resolves the path with Root as "/", so no link and no ".." leads out,
// even if another process adds one meanwhile. Without openat2 (before Linux 5.6, or in a sandbox that forbids it),
// openResolved follows the links itself.
func (m *Machine) beneath(name string, flags int) (*os.File, error) {
	root, err := m.rootDirectory()
	if err != nil {
		return nil, err
	}
	how := &unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: unix.RESOLVE_IN_ROOT |
		unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(root.fd, clean(name), how)
	for try := 0; try < retries && err == unix.EAGAIN; try++ { // a part of the path was renamed meanwhile
		fd, err = unix.Openat2(root.fd, clean(name), how)
	}
	if err == unix.ENOSYS || err == unix.EPERM {
		return root.openResolved(name, flags)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// retries is the number of further attempts to open a path while its parts are being renamed.
const retries = 32

// clean returns a path in the form that openat2 needs: "/" for an empty path, and "/x" for "/x/", because x may be a
// file.
func clean(name string) string {
	if name = strings.TrimRight(name, "/"); name == "" {
		return "/"
	}
	return name
}

// openResolved opens a path below the directory without openat2.
func (o *RootDirectory) openResolved(name string, flags int) (*os.File, error) {
	directory, last := path.Split(path.Clean("/" + name))
	if flags&unix.O_NOFOLLOW == 0 {
		directory, last = name, ""
	}
	w, err := o.follow(directory, false)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	in := w.FD()
	if n := len(w.at); last == "" && n > 0 {
		in, last = w.open[n-1], w.at[n-1]
	}
	fd, err := unix.Openat(in, cmp.Or(last, "."), flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
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
// followed inside the machine. A link in the place of the file itself is ErrLink; one that gets there later is itself
// replaced or removed. make creates missing directories.
func (m *Machine) PlaceOf(name string, make bool) (*Destination, error) {
	place := placeHere
	if m.Foreign() {
		place = m.placeBelow
	}
	p, err := place(name, make)
	if err == nil {
		if err = p.refuseLink(); err != nil {
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
	opened, err := m.rootDirectory()
	if err != nil {
		return nil, err
	}
	base := path.Base(name)
	if base == "/" || base == "." || base == ".." {
		return nil, &fs.PathError{Op: "open", Path: name, Err: unix.ENOENT}
	}
	w, err := opened.follow(path.Dir(name), make)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	directory, err := w.directory(name)
	return &Destination{directory, path.Join("/", path.Join(w.at...)), base}, err
}

// placeHere is PlaceOf on this machine. It follows links by the rules of way, because another user's link could
// redirect a write.
func placeHere(name string, make bool) (*Destination, error) {
	var y way
	directory := path.Dir(name)
	w, err := openParts(directory, make, &y)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	if y.led && w.Info.Uid != y.user {
		return nil, &fs.PathError{Op: "open", Path: directory,
			Err: fmt.Errorf("%w: a link of user %d leads to a directory of user %d", ErrOthers, y.user, w.Info.Uid)}
	}
	opened, err := w.directory(w.Name())
	return &Destination{opened, w.Name(), path.Base(name)}, err
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

// Read reads the file. It follows no links.
func (p *Destination) Read() (data []byte, mode fs.FileMode, err error) {
	f, err := p.open(p.base, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	return readRegular(f)
}

// Replace writes the file in one step. Only the permissions of mode are used, without set-user-ID: the content may be
// another user's, and would run with the rights of the writer.
func (p *Destination) Replace(data []byte, mode fs.FileMode) error {
	if err := p.refuseLink(); err != nil {
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
	return p.settle(f, errors.Join(err, f.Close()), func(from string) error { return p.rename(from, p.base) })
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

// refuseLink returns ErrLink if the file is a link.
func (p *Destination) refuseLink() error {
	if is, err := p.IsLink(p.base); err == nil && is {
		return fmt.Errorf("%s %w", path.Join(p.path, p.base), ErrLink)
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
