//go:build unix

package doctor

import "syscall"

// accessible reports whether the current user may read and write a file.
func accessible(file string) bool { return syscall.Access(file, readWrite) == nil }
