package quarantine

import (
	"io/fs"
	"syscall"
)

// inodeOf is a file's number.
func inodeOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return stat.Ino
	}
	return 0
}
