package machine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Tree is a file system other than a directory of this machine, for example a directory with files added to it. Names
// are absolute and clean, and only their last element may be a symbolic link. Errors are those of the os package.
type Tree interface {
	Lstat(name string) (fs.FileInfo, error)
	Readlink(name string) (string, error)
	ReadDir(name string) ([]fs.DirEntry, error)
	Open(name string) (*os.File, error) // opens an ordinary file; the caller closes it
}

// Info describes a file of a Tree that is in no directory (fs.FileInfo).
type Info struct {
	Base  string
	Bytes int64
	Kind  fs.FileMode
}

// Name implements fs.FileInfo.
func (i Info) Name() string { return i.Base }

// Size implements fs.FileInfo.
func (i Info) Size() int64 { return i.Bytes }

// Mode implements fs.FileInfo.
func (i Info) Mode() fs.FileMode { return i.Kind }

// ModTime implements fs.FileInfo; the time is not known.
func (i Info) ModTime() time.Time { return time.Time{} }

// IsDir implements fs.FileInfo.
func (i Info) IsDir() bool { return i.Kind.IsDir() }

// Sys implements fs.FileInfo.
func (i Info) Sys() any { return nil }

// links resolves symbolic links in any file system.
type links struct {
	lstat    func(string) (fs.FileInfo, error)
	readlink func(string) (string, error)
}

// maxPath is the maximum length of a path: Linux opens no longer one.
const maxPath = 4095

// resolve follows every symbolic link of an absolute path.
func (l links) resolve(name string) (string, error) {
	if len(name) > maxPath {
		return "", &fs.PathError{Op: "open", Path: name, Err: syscall.ENAMETOOLONG}
	}
	current, rest, count := "/", strings.Split(name, "/"), 0
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			current = path.Dir(current)
			continue
		}
		next := path.Join(current, part)
		info, err := l.lstat(next)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			current = next
			continue
		}
		if count++; count > maxLinks {
			return "", &fs.PathError{Op: "open", Path: name, Err: syscall.ELOOP}
		}
		target, err := l.readlink(next)
		if err != nil {
			return "", err
		}
		if path.IsAbs(target) {
			current = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return current, nil
}

// resolveInTree returns the path without links, and its file. If follow is false, a link at the end is not followed.
func (m *Machine) resolveInTree(name string, follow bool) (string, fs.FileInfo, error) {
	if m.isHidden(name) {
		return "", nil, m.absent(name)
	}
	find := links{m.Tree.Lstat, m.Tree.Readlink}
	directory, last := path.Split(path.Clean("/" + name))
	var real string
	var err error
	if follow {
		real, err = find.resolve(name)
	} else if real, err = find.resolve(directory); err == nil {
		real = path.Join(real, last)
	}
	if err != nil {
		return "", nil, err
	}
	info, err := m.Tree.Lstat(real)
	return real, info, err
}

// openTree opens an ordinary file of a tree.
func (m *Machine) openTree(name string) (*os.File, error) {
	real, info, err := m.resolveInTree(name, true)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	}
	return m.Tree.Open(real)
}

// list reads a directory, in the system's order.
func (m *Machine) list(name string) ([]fs.DirEntry, error) {
	if m.Tree != nil {
		real, _, err := m.resolveInTree(name, true)
		if err != nil {
			return nil, err
		}
		return m.Tree.ReadDir(real)
	}
	f, err := m.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if m.Bound == nil {
		return f.ReadDir(-1)
	}
	entries, err := f.ReadDir(mostEntries + 1)
	if len(entries) > mostEntries {
		m.Bound.over(name, fmt.Sprintf("have more than %d names", mostEntries))
		return nil, m.Bound.count(name)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return entries, err
}

// ByName sorts the entries of a directory.
func ByName(entries []fs.DirEntry) []fs.DirEntry {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries
}

// Contents copies the bytes of a reader into a file without a name, for a Tree to open.
func Contents(from io.Reader) (*os.File, error) {
	f, err := nameless()
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(f, from); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
