package probe

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/windows"

	"vkloader/internal/tool/pc"
)

// start starts the child, which is told as its last argument the handle that it writes its events to. It ends with the
// tool, whatever ends that, and what a driver has started goes with it: all of them are in one job. ended is to be called
// when it has ended.
func start(cmd *exec.Cmd, events *os.File, _ bool) (ended func(), err error) {
	handle := windows.Handle(events.Fd())
	if err = windows.SetHandleInformation(handle, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
		return nil, err
	}
	job, err := pc.NewJob()
	if err != nil {
		return nil, err
	}
	cmd.Args = append(cmd.Args, "events="+strconv.FormatUint(uint64(handle), 10))
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(handle)}}
	cmd.Cancel = func() error {
		_ = job.End()
		return cmd.Process.Kill()
	}
	if err = cmd.Start(); err != nil {
		return nil, errors.Join(err, job.End())
	}
	_ = job.Take(uint32(cmd.Process.Pid)) // where a process may be in one job alone, the child alone is ended
	return func() { _ = job.End() }, nil
}

// killedBy names the exception that ended a process; "": none.
func killedBy(state *os.ProcessState) string {
	code := uint32(state.ExitCode())
	if code < 0xc0000000 && code != breakpoint {
		return ""
	}
	if name, ok := exceptions[code]; ok {
		return name
	}
	return fmt.Sprintf("exception %#x", code)
}

const breakpoint = 0x80000003

var exceptions = map[uint32]string{
	breakpoint: "a breakpoint", 0xc0000005: "an access violation", 0xc000001d: "an illegal instruction",
	0xc0000094: "a division by zero", 0xc00000fd: "a stack overflow", 0xc0000135: "a missing DLL", 0xc0000374: "a damaged heap",
	0xc0000409: "a fast failure",
}
