package ui

import (
	"io/fs"
	"syscall"
)

// ownerOf is the number of the user whose file it is; -1 when it is not known.
func ownerOf(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
