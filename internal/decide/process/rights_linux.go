package process

import "golang.org/x/sys/unix"

// keepsRights tells whether the kernel gives no rights to a program that is started here: a mount option or this process
// forbids it.
func keepsRights(program string) bool {
	var fs unix.Statfs_t
	if unix.Statfs(program, &fs) == nil && fs.Flags&unix.ST_NOSUID != 0 {
		return true
	}
	set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	return err == nil && set == 1
}
