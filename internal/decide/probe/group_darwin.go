package probe

import "syscall"

// attributes returns none: macOS ends no child with its parent.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
