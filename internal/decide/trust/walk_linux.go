package trust

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// maxLinks is the number of symbolic links that a path may lead through, as in the kernel.
const maxLinks = 40

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
	w := &walk{root: root, fd: -1}
	defer w.close()
	return w.follow(name)
}

// walk is a path that is followed part by part.
type walk struct {
	root     string
	fd       int
	at       []string // parts of the reached directory, below the root
	device   uint64
	parents  []int  // descriptors of the directories above, for ".."
	writable *Error // the first directory on the path that a group may write to
	sticky   *Error // the reached directory, if others may add entries to it but not change root's; nil otherwise
	links    int
}

func (w *walk) close() {
	for _, fd := range append(w.parents, w.fd) {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	w.parents, w.fd = nil, -1
}

// name returns the path of an entry of the reached directory, for messages.
func (w *walk) name(part string) string { return path.Join(w.root, path.Join(w.at...), part) }

// follow walks along a path to its end, and returns the first *Error on it.
func (w *walk) follow(name string) error {
	if err := w.top(); err != nil {
		return err
	}
	for parts := strings.Split(name, "/"); len(parts) > 0; {
		target, err := w.step(parts[0])
		switch {
		case errors.Is(err, unix.ENOENT) && w.sticky != nil:
			return w.sticky
		// only a group can create the file; a group that root gave this right, as /usr/local on Debian has, is trusted
		case errors.Is(err, unix.ENOENT):
			return nil
		case err != nil:
			return err
		}
		parts = parts[1:]
		if target != "" {
			if w.links++; w.links > maxLinks {
				return fmt.Errorf("%s: %w", name, unix.ELOOP)
			}
			parts = append(strings.Split(target, "/"), parts...)
		}
	}
	switch {
	case w.sticky != nil:
		return w.sticky
	case w.writable != nil:
		return w.writable
	}
	return nil
}

// top makes the root directory the reached one.
func (w *walk) top() error {
	w.close()
	w.at = nil
	fd, err := unix.Open(w.root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("%s: %w", w.root, err)
	}
	w.fd = fd
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err != nil {
		return fmt.Errorf("%s: %w", w.root, err)
	}
	return w.belongs(fd, "", &info)
}

// step opens one part of the path as the reached directory. For a link, it returns the target. A part after a file does
// not exist.
func (w *walk) step(part string) (target string, err error) {
	switch part {
	case "", ".":
		return "", nil
	case "..":
		if n := len(w.parents); n > 0 {
			unix.Close(w.fd)
			w.fd, w.parents, w.at = w.parents[n-1], w.parents[:n-1], w.at[:n-1]
		}
		return "", w.recheck()
	}
	fd, err := unix.Openat(w.fd, part, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		if errors.Is(err, unix.ENOTDIR) {
			err = unix.ENOENT
		}
		return "", fmt.Errorf("%s: %w", w.name(part), err)
	}
	var info unix.Stat_t
	if err = unix.Fstat(fd, &info); err == nil {
		err = w.belongs(fd, part, &info)
	}
	if err != nil {
		unix.Close(fd)
		return "", err
	}
	if info.Mode&unix.S_IFMT != unix.S_IFLNK {
		w.parents, w.fd, w.at = append(w.parents, w.fd), fd, append(w.at, part)
		return "", nil
	}
	defer unix.Close(fd)
	if target, err = w.read(fd, part); err == nil && strings.HasPrefix(target, "/") {
		err = w.top()
	}
	return target, err
}

// read returns the target of a link. For most links of /proc it returns an error, because they lead to another file
// than their text names.
func (w *walk) read(fd int, part string) (string, error) {
	var fs unix.Statfs_t
	if err := unix.Fstatfs(w.fd, &fs); err != nil {
		return "", fmt.Errorf("%s: %w", w.name(part), err)
	}
	if fs.Type == unix.PROC_SUPER_MAGIC && part != "self" && part != "thread-self" {
		return "", &Error{File: w.name(part), Who: "the process behind it"}
	}
	text := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(fd, "", text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", w.name(part), err)
	}
	return string(text[:n]), nil
}

// recheck checks the reached directory once more, after "..".
func (w *walk) recheck() error {
	var info unix.Stat_t
	if err := unix.Fstat(w.fd, &info); err != nil {
		return fmt.Errorf("%s: %w", w.name(""), err)
	}
	return w.belongs(w.fd, "", &info)
}

// belongs returns an *Error if a user other than root can change an open part of the path. The group's bits of the mode
// include the rights that an access control list gives to other users. For a directory that a group may write to,
// belongs only sets w.writable; follow decides.
//
// In a sticky directory such as /tmp, belongs accepts only directories of root's: no other user can rename them, remove
// them or link to them. Any other entry may be a second name that another user made for a file of root's, and any user
// can take a free name.
func (w *walk) belongs(fd int, part string, info *unix.Stat_t) error {
	if info.Uid != 0 {
		return userError(w.name(part), info.Uid)
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
		w.sticky = &Error{File: w.name(part), Who: "everybody"}
		if info.Mode&0o002 == 0 {
			w.sticky = groupError(w.name(part), info.Gid)
		}
	case info.Mode&0o002 != 0:
		return &Error{File: w.name(part), Who: "everybody"}
	case info.Mode&0o020 != 0 && kind != unix.S_IFDIR:
		return groupError(w.name(part), info.Gid)
	case info.Mode&0o020 != 0 && w.writable == nil:
		w.writable = groupError(w.name(part), info.Gid)
	}
	device := uint64(info.Dev) // 32 bits on mips64le
	if device == w.device || kind != unix.S_IFDIR {
		return nil
	}
	w.device = device
	var fs unix.Statfs_t
	if err := unix.Fstatfs(fd, &fs); err == nil && fs.Type == unix.FUSE_SUPER_MAGIC {
		if uid := mounter(device); uid != 0 {
			return userError(w.name(part), uid)
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
