package probe

import (
	"errors"
	"os"
	"strconv"
	"syscall"

	syswindows "golang.org/x/sys/windows"

	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/windows"
)

// start starts the child, whose last argument is the handle for its events. The child and the processes of its drivers
// are in one job, which ends when the tool ends. The caller calls ended after the child's end.
func start(cmd *spawn.Child, events *os.File, at Companions) (ended func(), err error) {
	handle := syswindows.Handle(events.Fd())
	if err = syswindows.SetHandleInformation(handle, syswindows.HANDLE_FLAG_INHERIT,
		syswindows.HANDLE_FLAG_INHERIT); err != nil {
		return nil, err
	}
	job, err := windows.NewJob()
	if err != nil {
		return nil, err
	}
	cmd.Args = append(cmd.Args, "events="+strconv.FormatUint(uint64(handle), 10))
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(handle)}}
	if at.Lowered {
		done, err := lower(cmd.Cmd)
		if err != nil {
			return nil, errors.Join(err, job.End())
		}
		defer done()
	}
	cmd.Cancel = func() error {
		_ = job.End()
		return cmd.Process.Kill()
	}
	if err = cmd.Start(); err != nil {
		return nil, errors.Join(err, job.End())
	}
	// if a process can be in only one job, this fails, and only the child is killed
	_ = job.Take(uint32(cmd.Process.Pid))
	return func() { _ = job.End() }, nil
}

// killedBy returns the name of the exception that ended a process; "": none did.
func killedBy(state *os.ProcessState) string {
	if code := windows.Exception(state.ExitCode()); code.Fatal() {
		return code.String()
	}
	return ""
}

// OpenError returns the system's error about a library, with its meaning in words.
func OpenError(text string) string { return windows.ErrorInWords(text) }
