package component

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/decide/descriptor"
	"vkloader/internal/decide/trust"
)

// maxText limits the size of a JSON file; text refuses a longer one.
const maxText = 1 << 20

// beneath opens a path below a directory. The kernel refuses a path that leads out of the directory (PRO-009).
func beneath(directory *os.File, name string, flags int) (*os.File, error) {
	how := &unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: unix.RESOLVE_BENEATH |
		unix.RESOLVE_NO_MAGICLINKS}
	var fd int
	err := descriptor.Use(directory, func(at int) (err error) {
		for range 100 { // a concurrent rename makes the kernel return EAGAIN
			if fd, err = unix.Openat2(at, name, how); !errors.Is(err, unix.EAGAIN) {
				break
			}
		}
		return err
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), filepath.Join(directory.Name(), name)), nil
}

// regular opens an ordinary file for reading and refuses other kinds. It never blocks on a FIFO. A service of root
// refuses a file that another user can change.
func regular(directory *os.File, name string) (*os.File, int64, error) {
	f, err := beneath(directory, name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY)
	if err != nil {
		return nil, 0, err
	}
	if err := trust.Path(f.Name()); err != nil {
		f.Close()
		return nil, 0, protocol.Refuse(protocol.ErrAccessDenied, trust.Refused("offered", err))
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: not an ordinary file", name)
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// text reads a file with JSON.
func text(directory *os.File, name string) ([]byte, error) {
	f, _, err := regular(directory, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err == nil && len(data) > maxText {
		err = fmt.Errorf("%s: more than %d bytes", name, maxText)
	}
	return data, err
}
