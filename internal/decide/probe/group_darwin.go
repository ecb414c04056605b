package probe

import "syscall"

// group returns the attributes of a child with a process group. macOS ends no child with its parent.
func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
