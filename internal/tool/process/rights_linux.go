package process

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// caller compares the owners of a file with an ordinary user who runs the tool.
func caller(info fs.FileInfo) owned {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Getuid() == 0 {
		return owned{}
	}
	return owned{int(stat.Uid) == os.Getuid(), int(stat.Gid) == os.Getgid()}
}

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
