// Package roots has the methods of os.Root that Go 1.24 lacks. Like these, no function follows a link out of the root.
package roots

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// in calls do with the directory that contains a file, and the file's name in it. errors name the operation and the
// file.
func in(root *os.Root, operation, name string, do func(directory int, base string) error) error {
	parent, err := root.OpenRoot(filepath.Dir(name))
	if err != nil {
		return err
	}
	defer parent.Close()
	directory, err := parent.Open(".")
	if err != nil {
		return err
	}
	defer directory.Close()
	base := filepath.Base(name)
	if base == ".." {
		return &fs.PathError{Op: operation, Path: name, Err: fs.ErrInvalid}
	}
	if err := do(int(directory.Fd()), base); err != nil {
		var named *fs.PathError
		if errors.As(err, &named) {
			return err
		}
		return &fs.PathError{Op: operation, Path: name, Err: err}
	}
	return nil
}

// Chmod sets the mode of a file or directory. A link is an error.
func Chmod(root *os.Root, name string, mode fs.FileMode) error {
	return in(root, "chmod", name, func(directory int, base string) error {
		err := unix.Fchmodat(directory, base, uint32(mode.Perm()), unix.AT_SYMLINK_NOFOLLOW)
		if !errors.Is(err, unix.EOPNOTSUPP) {
			return err
		}
		var about unix.Stat_t // before Linux 6.6
		if err := unix.Fstatat(directory, base, &about, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			return err
		}
		if about.Mode&unix.S_IFMT == unix.S_IFLNK {
			return unix.ELOOP
		}
		return unix.Fchmodat(directory, base, uint32(mode.Perm()), 0)
	})
}

// Symlink makes a link to a target, which may be outside the root.
func Symlink(root *os.Root, target, name string) error {
	return in(root, "symlink", name,
		func(directory int, base string) error { return unix.Symlinkat(target, directory, base) })
}

// Readlink returns the target of a link.
func Readlink(root *os.Root, name string) (target string, err error) {
	err = in(root, "readlink", name, func(directory int, base string) error {
		var room [unix.PathMax]byte
		n, err := unix.Readlinkat(directory, base, room[:])
		target = string(room[:max(n, 0)])
		return err
	})
	return target, err
}

// Rename renames a file and replaces an existing one.
func Rename(root *os.Root, from, to string) error {
	return in(root, "rename", from, func(source int, old string) error {
		return in(root, "rename", to,
			func(directory int, base string) error { return unix.Renameat(source, old, directory, base) })
	})
}

// Link gives a file another name.
func Link(root *os.Root, from, to string) error {
	return in(root, "link", from, func(source int, old string) error {
		return in(root, "link", to,
			func(directory int, base string) error { return unix.Linkat(source, old, directory, base, 0) })
	})
}

// MkdirAll makes a directory and the missing directories above it.
func MkdirAll(root *os.Root, name string, mode fs.FileMode) error {
	var path string
	for _, part := range strings.Split(filepath.Clean(name), "/") {
		path = filepath.Join(path, part)
		if err := root.Mkdir(path, mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	if info, err := root.Stat(path); err != nil || !info.IsDir() {
		return errors.Join(err, &fs.PathError{Op: "mkdir", Path: name, Err: unix.ENOTDIR})
	}
	return nil
}

// RemoveAll removes a file, or a directory with its contents. A missing file is no error.
func RemoveAll(root *os.Root, name string) error {
	removed := root.Remove(name)
	if removed == nil || errors.Is(removed, fs.ErrNotExist) {
		return nil
	}
	if info, err := root.Lstat(name); err != nil || !info.IsDir() {
		return removed
	}
	inner, err := root.OpenRoot(name)
	if err != nil {
		return err
	}
	defer inner.Close()
	entries, err := fs.ReadDir(inner.FS(), ".")
	for _, e := range entries {
		err = errors.Join(err, RemoveAll(inner, e.Name()))
	}
	return errors.Join(err, root.Remove(name))
}
