package doctor

import "syscall"

// accessible tells whether who runs the tool may read and write a file.
func accessible(file string) bool { return syscall.Access(file, readWrite) == nil }
