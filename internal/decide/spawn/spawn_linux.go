package spawn

import (
	"math"
	"syscall"

	"golang.org/x/sys/unix"
)

// descriptors is the directory of this process's descriptors.
const descriptors = "/proc/self/fd"

// sealRest also makes descriptors close that the directory does not show, as without /proc.
func sealRest() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) }

// Fork starts the program, if the judges allow it, with exactly these attributes, for a tracer. It returns the process
// id.
func (c *Child) Fork(attributes *syscall.ProcAttr) (pid int, err error) {
	if err := c.judge(); err != nil {
		return 0, err
	}
	starting.Lock()
	defer starting.Unlock()
	return syscall.ForkExec(c.Path, c.Args, attributes)
}
