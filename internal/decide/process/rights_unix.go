//go:build unix

package process

import "golang.org/x/sys/unix"

// keepsRights reports whether the kernel gives no rights to a program that is started here: a mount option or this
// process forbids it.
func keepsRights(program string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(program, &fs) == nil && int64(fs.Flags)&noSetUser != 0 || hasNoNewRights()
}
