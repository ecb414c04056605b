package machine

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Contents copies the bytes of a reader into a file in memory, for a Tree to open.
func Contents(name string, from io.Reader) (*os.File, error) {
	fd, err := unix.MemfdCreate("contents", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err = io.Copy(f, from); err == nil {
		_, err = f.Seek(0, 0)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
