package cli

import (
	"golang.org/x/sys/unix"

	"vkloader/internal/tool/machine"
)

// kernelOf is the release of the kernel; "" for another machine's.
func kernelOf(source *machine.Source) string {
	var name unix.Utsname
	if source.Foreign() || unix.Uname(&name) != nil {
		return ""
	}
	return unix.ByteSliceToString(name.Sysname[:]) + " " + unix.ByteSliceToString(name.Release[:]) + " " +
		unix.ByteSliceToString(name.Machine[:])
}
