package doctor

import (
	"io/fs"
	"syscall"
)

// accessible tells whether who runs the tool may read and write a file.
func accessible(file string) bool { return syscall.Access(file, readWrite) == nil }

// ownersOf are the numbers of the user and the group that a file belongs to.
func ownersOf(info fs.FileInfo) (user, group uint32, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	return stat.Uid, stat.Gid, true
}
