package windows

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Job is a group of processes that end together. They end with this process, if not before.
type Job struct {
	handle windows.Handle
	end    func() error
}

// NewJob makes a job without processes.
func NewJob() (*Job, error) {
	handle, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err = windows.SetInformationJobObject(handle, windows.JobObjectExtendedLimitInformation, pointer(&limits),
		uint32(unsafe.Sizeof(limits)))
	if err != nil {
		_ = windows.CloseHandle(handle)
		return nil, err
	}
	return &Job{handle, sync.OnceValue(func() error { return windows.CloseHandle(handle) })}, nil
}

// Take puts a process into the job, with all processes that it starts later.
func (j *Job) Take(pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	return windows.AssignProcessToJobObject(j.handle, process)
}

// End ends all processes of the job. A second call does nothing.
func (j *Job) End() error { return j.end() }
