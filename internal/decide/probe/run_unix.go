//go:build unix

package probe

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/spawn"
)

// start starts the child with a descriptor for its events. The child has a session, which includes the processes that
// its drivers start. The child ends with the tool; on macOS it outlives a tool that was killed. The caller calls ended
// after the child's end.
func start(cmd *spawn.Child, events *os.File, at Companions) (ended func(), err error) {
	cmd.ExtraFiles = []*os.File{events}
	runtime.LockOSThread() // the kernel ends the child when the thread that started it ends
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err = cmd.Start(); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	stop := func() {}
	if !at.Guest {
		stop = takeAlong(cmd.Process.Pid)
	}
	return func() {
		// The remaining processes of the group were started by a driver or layer and would keep running.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		stop()
		runtime.UnlockOSThread()
	}, nil
}

// takeAlong kills a child's process group when a signal such as Ctrl-C asks the tool to end, because the group does not
// get that signal. The tool then ends by the signal. The returned function ends the watch.
func takeAlong(group int) (stop func()) {
	signals, over := endings(), make(chan struct{})
	go func() {
		select {
		case s := <-signals:
			_ = syscall.Kill(-group, syscall.SIGKILL)
			signal.Reset(s)
			if number, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(os.Getpid(), number)
			}
		case <-over:
		}
	}()
	return func() {
		signal.Stop(signals)
		close(over)
	}
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
