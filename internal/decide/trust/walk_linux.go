package trust

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/machine"
)

// Path returns an *Error if this process is privileged and a user other than root can change or exchange the file
// behind a path. For a missing file, it checks the directory in which the file would be created.
func Path(name string) error { return In("/", name) }

// In is Path for a path below a root directory: absolute links start at that directory again, and ".." does not lead
// out of it.
func In(root, name string) error {
	if !Privileged() {
		return nil
	}
	return judge(root, name)
}

// judge is In for a process with any privileges.
func judge(root, name string) error {
	if root == "" {
		root = "/"
	}
	if root != "/" { // the path of the root itself is checked, too, with the links of this machine
		if err := judge("/", root); err != nil {
			return err
		}
	} else if !filepath.IsAbs(name) {
		full, err := filepath.Abs(name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		name = full
	}
	w := &walk{Walk: machine.Walk{Root: root}}
	w.Meet = w.judge
	defer w.Close()
	err := w.Reach(name)
	// a part after a file does not exist
	missing := (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)) && w.FD() >= 0
	var found *Error
	switch {
	case (err == nil || missing) && w.sticky != nil:
		return w.sticky
	// only a group can create the file; a group that root gave this right, as /usr/local on Debian has, is trusted
	case missing:
		return nil
	case errors.As(err, &found):
		return found
	case err != nil:
		return fmt.Errorf("%s: %w", w.Name(), err)
	case w.writable != nil:
		return w.writable
	}
	return nil
}

// walk is a path that is followed part by part.
type walk struct {
	machine.Walk
	device   uint64
	writable *Error // the first directory on the path that a group may write to
	sticky   *Error // the reached directory, if others may add entries to it but not change root's; nil otherwise
}

// judge returns an *Error for a part that belongs rejects. For most links of /proc it returns one, too, because they
// lead to another file than their text names.
func (w *walk) judge(fd int, info *unix.Stat_t) error {
	if err := w.belongs(fd, info); err != nil || info.Mode&unix.S_IFMT != unix.S_IFLNK {
		return err
	}
	var fs unix.Statfs_t
	if err := unix.Fstatfs(w.FD(), &fs); err != nil {
		return err
	}
	if fs.Type == unix.PROC_SUPER_MAGIC && w.Part != "self" && w.Part != "thread-self" {
		return &Error{File: w.Name(), Who: "the process behind it"}
	}
	return nil
}

// belongs returns an *Error if a user other than root can change an open part of the path. The group's bits of the mode
// include the rights that an access control list gives to other users. For a directory that a group may write to,
// belongs only sets w.writable.
//
// In a sticky directory such as /tmp, belongs accepts only directories of root's: no other user can rename them, remove
// them or link to them. Any other entry may be a second name that another user made for a file of root's, and any user
// can take a free name.
func (w *walk) belongs(fd int, info *unix.Stat_t) error {
	if info.Uid != 0 {
		return userError(w.Name(), info.Uid)
	}
	kind := info.Mode & unix.S_IFMT
	if w.sticky != nil && kind != unix.S_IFDIR {
		return w.sticky
	}
	w.sticky = nil
	switch {
	case kind == unix.S_IFLNK:
		return nil
	case info.Mode&0o022 != 0 && kind == unix.S_IFDIR && info.Mode&unix.S_ISVTX != 0:
		w.sticky = &Error{File: w.Name(), Who: "everybody"}
		if info.Mode&0o002 == 0 {
			w.sticky = groupError(w.Name(), info.Gid)
		}
	case info.Mode&0o002 != 0:
		return &Error{File: w.Name(), Who: "everybody"}
	case info.Mode&0o020 != 0 && kind != unix.S_IFDIR:
		return groupError(w.Name(), info.Gid)
	case info.Mode&0o020 != 0 && w.writable == nil:
		w.writable = groupError(w.Name(), info.Gid)
	}
	device := uint64(info.Dev) // 32 bits on mips64le
	if device == w.device || kind != unix.S_IFDIR {
		return nil
	}
	w.device = device
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err == nil && fs.Type == unix.FUSE_SUPER_MAGIC {
		if uid := mounter(device); uid != 0 {
			return userError(w.Name(), uid)
		}
	}
	return nil
}

// mounter returns the user whose process serves a FUSE file system, which can show any owner. If the user is unknown,
// it returns overflow.
func mounter(device uint64) uint32 {
	table, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return overflow
	}
	number := fmt.Sprintf("%d:%d", unix.Major(device), unix.Minor(device))
	for _, line := range strings.Split(string(table), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[2] != number {
			continue
		}
		for _, option := range strings.Split(fields[len(fields)-1], ",") {
			if text, is := strings.CutPrefix(option, "user_id="); is {
				if uid, err := strconv.ParseUint(text, 10, 32); err == nil {
					return uint32(uid)
				}
			}
		}
	}
	return overflow
}
