package probe

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	syswindows "golang.org/x/sys/windows"

	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/windows"
)

// start starts the child, which is told as its last argument the handle that it writes its events to. It ends with the
// tool, whatever ends that, and what a driver has started goes with it: all of them are in one job. The caller calls
// ended when the child has ended.
func start(cmd *exec.Cmd, events *os.File, _ bool) (ended func(), err error) {
	handle := syswindows.Handle(events.Fd())
	if err = syswindows.SetHandleInformation(handle, syswindows.HANDLE_FLAG_INHERIT, syswindows.HANDLE_FLAG_INHERIT); err != nil {
		return nil, err
	}
	job, err := windows.NewJob()
	if err != nil {
		return nil, err
	}
	cmd.Args = append(cmd.Args, "events="+strconv.FormatUint(uint64(handle), 10))
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(handle)}}
	cmd.Cancel = func() error {
		_ = job.End()
		return cmd.Process.Kill()
	}
	if err = spawn.Start(cmd); err != nil {
		return nil, errors.Join(err, job.End())
	}
	_ = job.Take(uint32(cmd.Process.Pid)) // where a process may be in one job alone, the child alone is ended
	return func() { _ = job.End() }, nil
}

// killedBy names the exception that ended a process; "": none.
func killedBy(state *os.ProcessState) string {
	if code := windows.Exception(state.ExitCode()); code.Fatal() {
		return code.String()
	}
	return ""
}
