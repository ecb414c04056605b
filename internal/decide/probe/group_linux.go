package probe

import "syscall"

// group returns the attributes of a child with a process group, which ends with the thread that started it.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
