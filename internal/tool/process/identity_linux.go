package process

import (
	"io/fs"
	"syscall"
)

// identity is a file's number, and when it or what is known of it changed last, in seconds.
func identity(info fs.FileInfo) (inode uint64, changed int64, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, false
	}
	changed, _ = stat.Ctim.Unix()
	return stat.Ino, changed, true
}
