package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/descriptor"
)

// maxLinks is the number of symbolic links that are followed in a path, as in the kernel.
const maxLinks = 40

// Real resolves every symbolic link of a path inside the machine: a link to an absolute path starts again at Root. If a
// part does not exist, that part and the rest are unchanged, and there is no error.
func (m *Machine) Real(name string) (string, error) {
	if m.Tree != nil {
		return links{m.Tree.Lstat, m.Tree.Readlink}.resolve(name)
	}
	if !m.Foreign() && !path.IsAbs(name) {
		directory, err := os.Getwd()
		if err != nil {
			return "", err
		}
		name = directory + "/" + name
	}
	all := *m
	all.Bound = nil // the parts of a path are no look-ups
	return links{all.Lstat, all.Readlink}.resolve(name)
}

// open opens the file that info describes.
func (m *Machine) open(name string, info fs.FileInfo) (f *os.File, err error) {
	if m.Foreign() {
		f, err = m.beneath(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	} else {
		f, err = os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	}
	if err != nil {
		return nil, err
	}
	if now, err := f.Stat(); err != nil || !os.SameFile(info, now) { // another file has the name by now
		f.Close()
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	if err := kernelFile(f, name); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// kernelFile returns an error if an open file is one that the tool must not read, where a link in a user's directory
// may lead: the kernel's log, whose reading waits or consumes messages, and the file systems of its trace, debugging,
// security and firmware data. Other files below /proc and /sys are read as the library reads them.
func kernelFile(f *os.File, name string) error {
	var system unix.Statfs_t
	real := ""
	if err := descriptor.Use(f, func(fd int) error {
		err := unix.Fstatfs(fd, &system)
		if err == nil && system.Type == unix.PROC_SUPER_MAGIC {
			real, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
		}
		return err
	}); err != nil {
		return err
	}
	switch int64(system.Type) {
	case unix.PROC_SUPER_MAGIC:
		if path.Base(real) != "kmsg" {
			return nil
		}
	case unix.TRACEFS_MAGIC, unix.DEBUGFS_MAGIC, unix.SECURITYFS_MAGIC, unix.EFIVARFS_MAGIC:
	default:
		return nil
	}
	return &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
}

// handle opens a file by O_PATH, to describe it.
func (m *Machine) handle(name string, flags int) (*os.File, error) {
	if m.isHidden(name) {
		return nil, m.absent(name)
	}
	if m.Foreign() {
		return m.beneath(name, unix.O_PATH|flags)
	}
	return os.OpenFile(name, unix.O_PATH|flags, 0)
}

// Stat describes the file behind a path.
func (m *Machine) Stat(name string) (fs.FileInfo, error) { return m.describe(name, 0) }

// Lstat describes the file of this name. For a symbolic link, it describes the link.
func (m *Machine) Lstat(name string) (fs.FileInfo, error) { return m.describe(name, unix.O_NOFOLLOW) }

func (m *Machine) describe(name string, flags int) (fs.FileInfo, error) {
	if m.Tree != nil {
		_, info, err := m.resolveInTree(name, flags&unix.O_NOFOLLOW == 0)
		return info, err
	}
	if m.isHidden(name) {
		return nil, m.absent(name)
	}
	if err := m.Bound.count(name); err != nil {
		return nil, err
	}
	if !m.Foreign() {
		if flags&unix.O_NOFOLLOW != 0 {
			return os.Lstat(name)
		}
		return os.Stat(name)
	}
	handle, err := m.handle(name, flags)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	return handle.Stat()
}

// Readlink returns the target of a symbolic link.
func (m *Machine) Readlink(name string) (string, error) {
	if m.Tree != nil {
		real, _, err := m.resolveInTree(name, false)
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

// Attribute reads an extended attribute of the file behind a path.
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
