package probe

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/spawn"
)

// start starts the child, which writes its events to a descriptor. It ends with the tool, whatever ends that, and what a
// driver has started goes with it. The caller calls ended when the child has ended.
func start(cmd *exec.Cmd, events *os.File, guest bool) (ended func(), err error) {
	cmd.ExtraFiles = []*os.File{events}
	runtime.LockOSThread() // the signal is tied to the thread that started it
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err = spawn.Start(cmd); err != nil {
		runtime.UnlockOSThread()
		return nil, err
	}
	stop := func() {}
	if !guest {
		stop = takeAlong(cmd.Process.Pid)
	}
	return func() {
		// What is left of its group has been started by a driver or layer and stays behind otherwise.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		stop()
		runtime.UnlockOSThread()
	}, nil
}

// takeAlong ends a child's whole group when the tool is told to end, as by Ctrl-C: what a driver has started is in no
// other. The tool then ends as it was told. The function that it gives ends the watch.
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

// killedBy names the signal that ended a process; "": none.
func killedBy(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return cmp.Or(unix.SignalName(status.Signal()), fmt.Sprintf("signal %d", int(status.Signal())))
	}
	return ""
}
