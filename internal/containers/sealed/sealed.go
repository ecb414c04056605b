package sealed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/descriptor"
)

// Data returns a sealed file of bytes that are not code.
func Data(name string, data []byte) (*os.File, error) {
	return create(name, bytes.NewReader(data), unix.MFD_NOEXEC_SEAL)
}

// Code copies a library into a sealed file that may be mapped as code. Where the kernel forbids such files
// (vm.memfd_noexec) the error is ErrForbidden.
func Code(name string, from io.Reader) (*os.File, error) { return create(name, from, unix.MFD_EXEC) }

// ErrForbidden is the error where the kernel forbids code in memory files.
var ErrForbidden = errors.New("the kernel forbids code in files of memory")

func create(name string, from io.Reader, mode int) (f *os.File, err error) {
	const flags = unix.MFD_CLOEXEC | unix.MFD_ALLOW_SEALING
	fd, err := unix.MemfdCreate(name, flags|mode)
	if errors.Is(err, unix.EINVAL) { // Linux before 6.3 has no such flags: every memory file is executable
		fd, err = unix.MemfdCreate(name, flags)
	}
	if errors.Is(err, unix.EACCES) && mode == unix.MFD_EXEC {
		return nil, ErrForbidden
	}
	if err != nil {
		return nil, fmt.Errorf("memfd_create: %w", err)
	}
	f = os.NewFile(uintptr(fd), name)
	if _, err = io.Copy(f, from); err == nil {
		err = seal(fd)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// seal forbids every change of the content, and of the execute permission where the kernel has that seal.
func seal(fd int) error {
	const all = unix.F_SEAL_WRITE | unix.F_SEAL_GROW | unix.F_SEAL_SHRINK
	// The kernel adds F_SEAL_EXEC to these seals for a file that is not executable; for others seal adds it.
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, unix.F_SEAL_EXEC); err != nil &&
		!errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("F_SEAL_EXEC: %w", err)
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, all|unix.F_SEAL_SEAL); err != nil {
		return fmt.Errorf("F_ADD_SEALS: %w", err)
	}
	return nil
}

// Again opens a descriptor's file again, read-only and with a separate position. It opens the same file even if another
// file has its name by now.
func Again(f *os.File) (again *os.File, err error) {
	err = descriptor.Use(f, func(fd int) (err error) {
		again, err = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), os.O_RDONLY|unix.O_CLOEXEC, 0)
		return err
	})
	return again, err
}
