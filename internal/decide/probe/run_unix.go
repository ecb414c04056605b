//go:build unix

package probe

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/spawn"
)

// start starts the child with a descriptor for its events. The child has a session, which includes the processes that
// its drivers start. The child ends with the tool; on macOS it outlives a tool that was killed. The caller calls ended
// after the child's end.
func start(cmd *spawn.Child, events *os.File, _ Companions) (ended func(), err error) {
	cmd.ExtraFiles = []*os.File{events}
	runtime.LockOSThread() // the kernel ends the child when the thread that started it ends
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err = cmd.Start(); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	return func() {
		// The remaining processes of the group were started by a driver or layer and would keep running.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		runtime.UnlockOSThread()
	}, nil
}

// killedBy returns the name of the signal that ended a process; "": none did.
func killedBy(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return cmp.Or(unix.SignalName(status.Signal()), fmt.Sprintf("signal %d", int(status.Signal())))
	}
	return ""
}

// OpenError returns the dynamic linker's error about a library: it is in words already.
func OpenError(text string) string { return text }
