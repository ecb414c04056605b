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
	defer w.Close()
	if w.Info.Mode&0o022 != 0 {
		return nil, &fs.PathError{Op: "open", Path: directory,
			Err: fmt.Errorf("%w: its mode %#o lets others write", ErrOthers, w.Info.Mode&0o7777)}
	}
	return os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", w.FD()))
}

// way decides which symbolic links to follow on the path of a file to write. It follows a link of root or of this
// process's user in a directory of these two. It follows any link in another user's directory that no third user can
// write to, if the file then lies in a directory of the same user: with sudo, root writes in a home directory only
// where its owner could write. The link's owner does not matter there, because the directory's owner can move root's
// links. Behind such a link, way creates no directory.
type way struct {
	led  bool
	user uint32
}

// follow returns nil if a link in a directory may be followed, and otherwise the reason. With a nil way, only links of
// root and of this process's user in their own directories are followed.
func (y *way) follow(name string, link, in *unix.Stat_t) error {
	switch {
	case OwnedHere(link.Uid) && OwnedHere(in.Uid):
		return nil
	case y == nil || in.Uid != link.Uid && !OwnedHere(link.Uid) || in.Mode&0o022 != 0 || y.led && y.user != in.Uid:
		return fmt.Errorf("%w: %s is a link of user %d, in a directory of user %d", ErrOthers, name, link.Uid, in.Uid)
	}
	y.led, y.user = true, in.Uid
	return nil
}

// walked is the walk to a directory.
type walked struct {
	Walk
	way    *way
	shared bool // others may add entries to the directory, and change their own
}

// openParts opens a directory by opening each part of its path in turn. Without a way, it is an error if another user
// can change any part.
func openParts(directory string, make bool, y *way) (*walked, error) {
	name, err := filepath.Abs(directory)
	if err != nil {
		return nil, err
	}
	w := &walked{Walk: Walk{Root: "/"}, way: y}
	w.Meet = w.judge
	if make {
		w.Make = w.mkdirOwn
	}
	if err := w.Reach(name); err != nil {
		w.Close()
		return nil, &fs.PathError{Op: "open", Path: directory, Err: err}
	}
	return w, nil
}

// mkdirOwn makes a missing directory, but not behind another user's link.
func (w *walked) mkdirOwn() error {
	if w.way != nil && w.way.led {
		return unix.ENOENT
	}
	return w.mkdir()
}

// judge returns nil if a part may be followed, and otherwise the reason.
func (w *walked) judge(_ int, info *unix.Stat_t) error {
	switch info.Mode & unix.S_IFMT {
	case unix.S_IFLNK:
		return w.way.follow(w.Part, info, &w.Info)
	case unix.S_IFDIR:
		if w.way == nil {
			return w.ownEntries(info)
		}
		return nil
	}
	return unix.ENOTDIR
}

// ownEntries returns nil if only root and this process's user can change existing entries of the directory, and
// otherwise the reason.
func (w *walked) ownEntries(i *unix.Stat_t) error {
	if w.FD() < 0 { // the root
		w.shared = false
	}
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
	defer w.Close()
	var info unix.Stat_t
	if err := unix.Fstatat(w.FD(), filepath.Base(file), &info, unix.AT_SYMLINK_NOFOLLOW); err != nil {
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
