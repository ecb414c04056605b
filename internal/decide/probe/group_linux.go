package probe

import "syscall"

// attributes returns those of a child that ends with the thread that started it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }
