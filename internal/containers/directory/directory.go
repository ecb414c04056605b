package directory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/border"
	"vkloader/internal/containers/roots"
	"vkloader/internal/decide/descriptor"
)

// Tree is a directory that only the service changes, one entry at a time and each in one step.
type Tree struct {
	base    *os.Root // contains the directory and staging
	path    string
	staging string   // for entries in preparation; on the same file system
	mount   *os.File // the directory on a read-only mount; nil: there is none
	why     error    // the reason why there is none
	count   int
}

// New makes an empty directory at a path in another one. Clients get it through a read-only mount that the border
// makes. Without a border, or where it cannot make mounts, clients do not get the directory; Handed returns the reason.
func New(base *os.Root, path, staging string, through *border.Border) (*Tree, error) {
	for _, directory := range []string{path, staging} {
		if err := roots.MkdirAll(base, directory, 0o755); err != nil {
			return nil, err
		}
	}
	if err := roots.Chmod(base, path, 0o555); err != nil {
		return nil, err
	}
	t := &Tree{base: base, path: path, staging: staging, why: border.ErrUnsupported}
	if through != nil {
		t.mount, t.why = t.detach(through)
	}
	return t, nil
}

// detach opens the directory on a read-only mount that is nowhere in the file system.
func (t *Tree) detach(through *border.Border) (*os.File, error) {
	directory, err := t.base.OpenFile(t.path, readDirectory, 0)
	if err != nil {
		return nil, err
	}
	defer directory.Close()
	opened, err := through.Open(border.Directory, directory)
	return opened[0], err
}

// readDirectory opens a directory for reading.
const readDirectory = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC

// Handed returns nil if clients get the directory, or the reason why they do not.
func (t *Tree) Handed() error { return t.why }

// Open opens the directory for one client, with a separate read position. The descriptor leads nowhere else: its mount
// has only this directory, and is read-only (PRO-037).
func (t *Tree) Open() (*os.File, error) {
	if t.mount == nil {
		return nil, t.why
	}
	var fd int
	err := descriptor.Use(t.mount, func(mount int) (err error) {
		fd, err = unix.Openat(mount, ".", readDirectory, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), t.path), nil
}

// Write creates or replaces a file in one step, so that clients never see a partial file.
func (t *Tree) Write(name string, data []byte) error {
	return t.put(name, func(path string) error {
		f, err := t.base.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(data)
		return errors.Join(err, f.Chmod(0o444), f.Close())
	})
}

// Link puts a symbolic link into the directory.
func (t *Tree) Link(name, target string) error {
	return t.put(name, func(path string) error { return roots.Symlink(t.base, target, path) })
}

// put makes an entry in staging and renames it. The name may contain a few directories, which put creates.
func (t *Tree) put(name string, build func(path string) error) error {
	if !filepath.IsLocal(name) {
		return fmt.Errorf("%q leads out of the directory", name)
	}
	t.count++
	temporary := filepath.Join(t.staging, fmt.Sprintf("%s.%d", filepath.Base(t.path), t.count))
	target := filepath.Join(t.path, name)
	err := build(temporary)
	if err == nil {
		err = t.writable(filepath.Dir(target), func() error { return roots.Rename(t.base, temporary, target) })
	}
	if err != nil {
		_ = t.base.Remove(temporary)
	}
	return err
}

// Remove removes an entry. A missing entry is no error.
func (t *Tree) Remove(name string) error {
	target := filepath.Join(t.path, name)
	return t.writable(filepath.Dir(target), func() error {
		if err := t.base.Remove(target); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	})
}

// writable makes a directory writable during a call of do. The directories are read-only even for the service, if it
// has no administrator's rights.
func (t *Tree) writable(directory string, do func() error) error {
	if err := do(); !errors.Is(err, os.ErrPermission) {
		return err
	}
	if err := roots.Chmod(t.base, directory, 0o755); err != nil {
		return err
	}
	return errors.Join(do(), roots.Chmod(t.base, directory, 0o555))
}

// Directory makes a directory in the tree.
func (t *Tree) Directory(name string) error {
	path := t.path
	for _, part := range splitPath(name) {
		parent := path
		path = filepath.Join(path, part)
		err := t.writable(parent, func() error {
			if err := t.base.Mkdir(path, 0o555); !errors.Is(err, os.ErrExist) {
				return err
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func splitPath(name string) []string {
	if parent := filepath.Dir(name); parent != "." {
		return append(splitPath(parent), filepath.Base(name))
	}
	return []string{name}
}

// Has reports whether an entry exists, and returns the target of a link.
func (t *Tree) Has(name string) (target string, there bool) {
	target, err := roots.Readlink(t.base, filepath.Join(t.path, name))
	if err == nil {
		return target, true
	}
	_, err = t.base.Lstat(filepath.Join(t.path, name))
	return "", err == nil
}

// Close removes the directory with everything in it.
func (t *Tree) Close() error {
	if t.mount != nil {
		t.mount.Close()
	}
	return RemoveAll(t.base, t.path)
}

// RemoveAll removes a directory whose parts may be read-only.
func RemoveAll(base *os.Root, path string) error {
	err := fs.WalkDir(base.FS(), path, func(name string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			err = roots.Chmod(base, name, 0o755)
		}
		return err
	})
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return errors.Join(err, roots.RemoveAll(base, path))
}
