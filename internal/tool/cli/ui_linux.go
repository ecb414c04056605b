package cli

import (
	"runtime"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/spawn"
)

// runGroup runs a child in a process group. The end of the child's context terminates the group, which then ends its
// own children; the rest is killed later. The child does not outlive this process.
func runGroup(child *spawn.Child) error {
	runtime.LockOSThread() // the parent-death signal is tied to the thread
	defer runtime.UnlockOSThread()
	child.SysProcAttr = &unix.SysProcAttr{Setpgid: true, Pdeathsig: unix.SIGKILL}
	return runAndWait(child)
}
