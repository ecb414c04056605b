package machine

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// WriteFile writes a file of this machine that the user has named, in one step; the umask applies to mode. If the file
// exists and over is false, WriteFile returns fs.ErrExist and leaves the file unchanged.
func WriteFile(name string, data []byte, mode fs.FileMode, over bool) error {
	f, p, err := output(name, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if p == nil {
		return errors.Join(err, f.Close())
	}
	defer p.Close()
	return p.settle(f, errors.Join(err, f.Close()), func(from string) error { return p.put(from, over) })
}

// Output creates an empty file of this machine that the user has named, and replaces an existing one. The output may
// have several writes.
func Output(name string, mode fs.FileMode) (*os.File, error) {
	f, p, err := output(name, mode)
	if err != nil || p == nil {
		return f, err
	}
	defer p.Close()
	if err := p.settle(f, nil, func(from string) error { return p.put(from, true) }); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// output opens the file to write. If it returns a Destination, the file is a temporary one that the caller renames;
// otherwise it is a pipe, a device, or a descriptor of this process.
func output(name string, mode fs.FileMode) (*os.File, *Destination, error) {
	full, err := filepath.Abs(name)
	if err != nil {
		return nil, nil, err
	}
	if ownDescriptor(full) || full == "/dev/stdout" || full == "/dev/stderr" {
		f, err := os.OpenFile(full, os.O_WRONLY|os.O_APPEND, 0)
		return f, nil, err
	}
	p, err := (&Machine{}).PlaceOf(full, false)
	if err != nil {
		return nil, nil, err
	}
	f, err := p.stream()
	if f != nil || err != nil {
		p.Close()
		return f, nil, err
	}
	if f, err = p.temporary(uint32(mode.Perm())); err != nil {
		p.Close()
		return nil, nil, err
	}
	return f, p, nil
}

// stream opens the pipe or device of root or of the caller that has the name; nil: there is none.
func (p *Destination) stream() (*os.File, error) {
	handle, err := p.open(p.base, unix.O_PATH, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	var info unix.Stat_t
	if err := unix.Fstat(int(handle.Fd()), &info); err != nil {
		return nil, err
	}
	switch kind := info.Mode & unix.S_IFMT; {
	case kind == unix.S_IFREG, kind == unix.S_IFLNK: // a link that was put there meanwhile is replaced
		return nil, nil
	case kind != unix.S_IFIFO && kind != unix.S_IFCHR:
		return nil, &fs.PathError{Op: "open", Path: handle.Name(), Err: ErrNotRegular}
	case !OwnedHere(info.Uid):
		return nil, &fs.PathError{Op: "open", Path: handle.Name(), Err: ErrOthers}
	}
	return os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", handle.Fd()), os.O_WRONLY|unix.O_NOCTTY, 0)
}

// put renames a temporary file to its final name.
func (p *Destination) put(from string, over bool) error {
	if over {
		return p.rename(from, p.base)
	}
	fd := int(p.directory.Fd())
	err := unix.Renameat2(fd, from, fd, p.base, unix.RENAME_NOREPLACE)
	if err == unix.EINVAL || err == unix.ENOSYS { // a file system that cannot do that can make links
		if err = unix.Linkat(fd, from, fd, p.base, 0); err == nil {
			err = unix.Unlinkat(fd, from, 0)
		}
	}
	if err != nil {
		return &fs.PathError{Op: "open", Path: path.Join(p.path, p.base), Err: err}
	}
	return nil
}

// SafeDirectory returns nil if no other user could replace a new file of this process in a directory, or a part of the
// path to it, and otherwise the reason. A directory like /tmp is safe, because each user may change only their own
// entries.
func SafeDirectory(directory string) error {
	w, err := openParts(directory, false, nil)
	if err != nil {
		return err
	}
	w.Close()
	return nil
}

// TemporaryDirectory creates a directory for this user alone in another one that passes SafeDirectory; "": in the
// directory for temporary files. The result has no links, because it may be passed to other programs.
func TemporaryDirectory(in, pattern string) (string, error) {
	in, err := filepath.Abs(cmp.Or(in, os.TempDir()))
	if err != nil {
		return "", err
	}
	if err := SafeDirectory(in); err != nil {
		return "", err
	}
	return os.MkdirTemp(in, pattern)
}
