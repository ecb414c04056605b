package machine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// ErrOthers is the error for a path that another user may redirect.
var ErrOthers = errors.New("another user may change it")

// OwnDirectory opens a directory that only root and this process's user can change or replace. It creates a missing
// directory with mode 0755.
func OwnDirectory(directory string) (*os.Root, error) {
	w, err := openParts(directory, true, nil)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if w.info.Mode&0o022 != 0 {
		return nil, &fs.PathError{Op: "open", Path: directory,
			Err: fmt.Errorf("%w: its mode %#o lets others write", ErrOthers, w.info.Mode&0o7777)}
	}
	return w.root()
}

// Way decides which symbolic links to follow on the path of a file to write. It follows a link of root or of this
// process's user in a directory of these two. It follows any link in another user's directory that no third user can
// write to, if the file then lies in a directory of the same user: with sudo, root writes in a home directory only
// where its owner could write. The link's owner does not matter there, because the directory's owner can move root's
// links. Behind such a link, Way creates no directory.
type Way struct {
	led  bool
	user uint32
}

// Directory opens the directory of the file. make creates missing directories.
func (y *Way) Directory(directory string, make bool) (*os.File, error) {
	w, err := openParts(directory, make, y)
	if err != nil {
		return nil, err
	}
	defer w.close()
	if y.led && w.info.Uid != y.user {
		return nil, &fs.PathError{Op: "open", Path: directory,
			Err: fmt.Errorf("%w: a link of user %d leads to a directory of user %d", ErrOthers, y.user, w.info.Uid)}
	}
	fd, err := unix.Openat(w.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: directory, Err: err}
	}
	return os.NewFile(uintptr(fd), directory), nil
}

// follow returns nil if a link in a directory may be followed, and otherwise the reason. With a nil Way, only links of
// root and of this process's user in their own directories are followed.
func (y *Way) follow(name string, link, in *unix.Stat_t) error {
	switch {
	case OwnedHere(link.Uid) && OwnedHere(in.Uid):
		return nil
	case y == nil || in.Uid != link.Uid && !OwnedHere(link.Uid) || in.Mode&0o022 != 0 || y.led && y.user != in.Uid:
		return fmt.Errorf("%w: %s is a link of user %d, in a directory of user %d", ErrOthers, name, link.Uid, in.Uid)
	}
	y.led, y.user = true, in.Uid
	return nil
}

// walked is the directory that the walk along a path has reached.
type walked struct {
	fd     int
	info   unix.Stat_t
	shared bool // others may add entries to the directory, and change their own
}

func (w *walked) close() { unix.Close(w.fd) }

// root returns the directory as a root for reading and writing.
func (w *walked) root() (*os.Root, error) {
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", w.fd))
}

// openParts opens a directory by opening each part of its path in turn. Without a Way, it is an error if another user
// can change any part.
func openParts(directory string, make bool, y *Way) (w *walked, err error) {
	name, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	w = &walked{fd: -1}
	if err = w.top(y == nil); err != nil && w.fd < 0 {
		return nil, &fs.PathError{Op: "open", Path: "/", Err: err}
	}
	for parts, links := strings.Split(name, "/"), 0; err == nil && len(parts) > 0; {
		var target string
		if target, err = w.step(parts[0], make, y); err == nil && target != "" {
			if links++; links > maxLinks {
				err = unix.ELOOP
			}
			parts = append(strings.Split(target, "/"), parts[1:]...)
			continue
		}
		parts = parts[1:]
	}
	if err != nil {
		w.close()
		return nil, &fs.PathError{Op: "open", Path: directory, Err: err}
	}
	return w, nil
}

// top opens "/" as the reached directory. alone makes it an error if another user can change it.
func (w *walked) top(alone bool) (err error) {
	if w.fd >= 0 {
		unix.Close(w.fd)
	}
	if w.fd, err = unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return err
	}
	w.shared = false
	if err = unix.Fstat(w.fd, &w.info); err == nil && alone {
		err = w.ownEntries()
	}
	return err
}

// step opens the next part of the path as the reached directory. If the part is a link, step returns its target; the
// reached directory stays the same, or becomes "/" for an absolute target.
func (w *walked) step(part string, make bool, y *Way) (target string, err error) {
	if part == "" || part == "." {
		return "", nil
	}
	fd, err := unix.Openat(w.fd, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT && make && (y == nil || !y.led) {
		if err = unix.Mkdirat(w.fd, part, 0o755); err != nil && err != unix.EEXIST {
			return "", err
		}
		fd, err = unix.Openat(w.fd, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	if err != nil {
		return "", err
	}
	var info unix.Stat_t
	if err = unix.Fstat(fd, &info); err != nil {
		unix.Close(fd)
		return "", err
	}
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		unix.Close(w.fd)
		w.fd, w.info = fd, info
		if y == nil {
			return "", w.ownEntries()
		}
		return "", nil
	case unix.S_IFLNK:
		defer unix.Close(fd)
		if err := y.follow(part, &info, &w.info); err != nil {
			return "", err
		}
		if target, err = readlinkat(fd, ""); err == nil && strings.HasPrefix(target, "/") {
			err = w.top(y == nil)
		}
		return target, err
	default:
		unix.Close(fd)
		return "", unix.ENOTDIR
	}
}

// ownEntries returns nil if only root and this process's user can change existing entries of the directory, and
// otherwise the reason.
func (w *walked) ownEntries() error {
	i := &w.info
	if err := w.entry(i.Uid); err != nil {
		return err
	}
	w.shared = i.Mode&0o002 != 0 || i.Mode&0o020 != 0 && i.Gid != 0 && int(i.Gid) != os.Getegid()
	if w.shared && i.Mode&unix.S_ISVTX == 0 {
		return fmt.Errorf("%w: the mode %#o of a directory of the path lets others write", ErrOthers, i.Mode&0o7777)
	}
	return nil
}

// entry returns nil if no other user may change an entry of the directory that belongs to uid, and otherwise the
// reason. In a directory that others may add to, a user without a number in this user namespace counts as another user.
func (w *walked) entry(uid uint32) error {
	if OwnedHere(uid) && (!w.shared || uid != overflow || int(uid) == os.Geteuid()) {
		return nil
	}
	return fmt.Errorf("%w: a part of the path belongs to user %d", ErrOthers, uid)
}

// Fixed returns nil if only root and this process's user can change or replace a file, and otherwise the reason. The
// path must have no links.
func Fixed(file string) error {
	w, err := openParts(filepath.Dir(file), false, nil)
	if err != nil {
		return err
	}
	defer w.close()
	var info unix.Stat_t
	if err := unix.Fstatat(w.fd, filepath.Base(file), &info, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return &fs.PathError{Op: "stat", Path: file, Err: err}
	}
	if err := w.entry(info.Uid); err != nil {
		return &fs.PathError{Op: "open", Path: file, Err: err}
	}
	return nil
}

// overflow is the user ID that the kernel shows for users without a number in this user namespace.
const overflow = 65534

// OwnedHere reports whether a file's user is root or this process's user. In a user namespace, the machine's root has
// no number.
func OwnedHere(uid uint32) bool {
	return uid == 0 || int(uid) == os.Geteuid() || uid == overflow && !wholeNamespace()
}

// wholeNamespace reports whether this process sees all users of the machine by their own numbers.
func wholeNamespace() bool {
	namespace.once.Do(func() {
		text, err := os.ReadFile("/proc/self/uid_map")
		namespace.whole = err != nil || strings.Join(strings.Fields(string(text)), " ") == "0 0 4294967295"
	})
	return namespace.whole
}

// namespace is the result of wholeNamespace.
var namespace struct {
	once  sync.Once
	whole bool
}
