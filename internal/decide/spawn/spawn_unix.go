//go:build unix

package spawn

import (
	"fmt"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// rootDirectory is the working directory of a child that gets none from its caller.
const rootDirectory = "/"

// newSession gives the child a session without a terminal, and with it a process group.
func (c *Child) newSession() {
	if c.SysProcAttr == nil {
		c.SysProcAttr = &syscall.SysProcAttr{}
	}
	c.SysProcAttr.Setsid = true
}

// Replace runs the program in place of this process, if the judges allow it. It returns only on failure.
func (c *Child) Replace() error {
	if err := c.judge(); err != nil {
		return err
	}
	starting.Lock()
	defer starting.Unlock()
	return fmt.Errorf("%s: %w", c.Path, syscall.Exec(c.Path, c.Args, c.Env))
}

// seal makes every open descriptor from 3 on close in the next child, and returns the function that reverses this.
// ExtraFiles are copies, which stay open.
func seal() (reverse func()) {
	var sealed []int
	entries, _ := os.ReadDir(descriptors) // the directory may be missing
	for _, entry := range entries {
		fd, err := strconv.Atoi(entry.Name())
		if err != nil || fd < 3 {
			continue
		}
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		if err == nil && flags&unix.FD_CLOEXEC == 0 {
			unix.CloseOnExec(fd)
			sealed = append(sealed, fd)
		}
	}
	sealRest()
	return func() {
		for _, fd := range sealed {
			_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0)
		}
	}
}
