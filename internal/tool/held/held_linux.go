package held

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

// maxLinks is how many links are followed in one path, as in the kernel.
const maxLinks = 40

// ErrOthers says that somebody else may change what a path leads to.
var ErrOthers = errors.New("another user may change it")

// Own opens a directory that nobody but root and this process's user can change or put something else in place of, and
// makes it, with mode 0755, when it is not there.
func Own(directory string) (*os.Root, error) {
	w, err := walk(directory, true, true)
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

// Directory opens the directory of a file that is to be written, which may be another user's; links in its path count
// when they are root's or this process's user's.
func Directory(directory string, make bool) (*os.File, error) {
	w, err := walk(directory, make, false)
	if err != nil {
		return nil, err
	}
	defer w.close()
	fd, err := unix.Openat(w.fd, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: directory, Err: err}
	}
	return os.NewFile(uintptr(fd), directory), nil
}

// Link is what a link in a directory says, "" when the name is that of no link. One of another user is an error.
func Link(directory *os.File, name string) (target string, err error) {
	fd, err := unix.Openat(int(directory.Fd()), name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFLNK {
		return "", err
	}
	if !ours(info.Uid) {
		return "", fmt.Errorf("%w: %s is a link of user %d", ErrOthers, name, info.Uid)
	}
	text := [unix.PathMax]byte{}
	n, err := unix.Readlinkat(fd, "", text[:])
	return string(text[:max(n, 0)]), err
}

// walked is a path that was followed to its end.
type walked struct {
	fd   int
	info unix.Stat_t
}

func (w *walked) close() { unix.Close(w.fd) }

// root is the directory for reading and writing in it.
func (w *walked) root() (*os.Root, error) {
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", w.fd))
}

// walk opens a directory part by part. alone: nobody else may change any part of the way.
func walk(directory string, make, alone bool) (w *walked, err error) {
	name, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	w = &walked{fd: -1}
	if w.fd, err = unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return nil, &fs.PathError{Op: "open", Path: "/", Err: err}
	}
	if err = unix.Fstat(w.fd, &w.info); err == nil && alone {
		err = w.mine()
	}
	for parts, links := strings.Split(name, "/"), 0; err == nil && len(parts) > 0; {
		var target string
		if target, err = w.step(parts[0], make, alone); err == nil && target != "" {
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

// step goes one part on; where that is a link, it stays, or goes to "/", and gives what the link says.
func (w *walked) step(part string, make, alone bool) (target string, err error) {
	if part == "" || part == "." {
		return "", nil
	}
	fd, err := unix.Openat(w.fd, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT && make {
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
		if alone {
			return "", w.mine()
		}
		return "", nil
	case unix.S_IFLNK:
		defer unix.Close(fd)
		if !ours(info.Uid) {
			return "", fmt.Errorf("%w: %s is a link of user %d", ErrOthers, part, info.Uid)
		}
		text := [unix.PathMax]byte{}
		n, err := unix.Readlinkat(fd, "", text[:])
		if err != nil {
			return "", err
		}
		if target = string(text[:n]); !strings.HasPrefix(target, "/") {
			return target, nil
		}
		unix.Close(w.fd)
		w.fd, err = unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return target, err
	default:
		unix.Close(fd)
		return "", unix.ENOTDIR
	}
}

// mine tells why a directory is one that others may change entries of.
func (w *walked) mine() error {
	switch i := &w.info; {
	case !ours(i.Uid):
		return fmt.Errorf("%w: a directory of the path belongs to user %d", ErrOthers, i.Uid)
	case i.Mode&unix.S_ISVTX != 0: // others may add entries, and change their own
	case i.Mode&0o002 != 0, i.Mode&0o020 != 0 && i.Gid != 0 && int(i.Gid) != os.Getegid():
		return fmt.Errorf("%w: the mode %#o of a directory of the path lets others write", ErrOthers, i.Mode&0o7777)
	}
	return nil
}

// overflow is the user that the kernel shows in place of one that this namespace of users does not have.
const overflow = 65534

// ours tells whether what belongs to a user is root's or this process's own. In a namespace of users, root of the machine
// has no number.
func ours(uid uint32) bool {
	return uid == 0 || int(uid) == os.Geteuid() || uid == overflow && !wholeNamespace()
}

// wholeNamespace tells whether this process sees all users of the machine by their own numbers.
var wholeNamespace = sync.OnceValue(func() bool {
	text, err := os.ReadFile("/proc/self/uid_map")
	return err != nil || strings.Join(strings.Fields(string(text)), " ") == "0 0 4294967295"
})
