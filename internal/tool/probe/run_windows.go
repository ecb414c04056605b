package probe

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// start starts the child, which is told as its last argument the handle that it writes its events to. It ends with the
// tool, whatever ends that, and what a driver has started goes with it: all of them are in one job. ended is to be called
// when it has ended.
func start(cmd *exec.Cmd, events *os.File) (ended func(), err error) {
	handle := windows.Handle(events.Fd())
	if err = windows.SetHandleInformation(handle, windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT); err != nil {
		return nil, err
	}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
		LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE}}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)),
		uint32(unsafe.Sizeof(limits)))
	if err == nil {
		cmd.Args = append(cmd.Args, "events="+strconv.FormatUint(uint64(handle), 10))
		cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{syscall.Handle(handle)}}
		cmd.Cancel = func() error { return windows.TerminateJobObject(job, 1) }
		err = cmd.Start()
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return nil, err
	}
	child, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, child)
		_ = windows.CloseHandle(child)
	}
	if err != nil { // without a job it is the child alone that can be ended
		cmd.Cancel = cmd.Process.Kill
	}
	return func() { _ = windows.CloseHandle(job) }, nil
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
