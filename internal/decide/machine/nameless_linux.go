package machine

import (
	"os"

	"golang.org/x/sys/unix"
)

// nameless makes a file in memory that ends with its descriptor.
func nameless() (*os.File, error) {
	fd, err := unix.MemfdCreate("vkloader", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	return os.NewFile(uintptr(fd), "vkloader"), nil
}
