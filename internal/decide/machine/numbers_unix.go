//go:build unix

package machine

import (
	"io/fs"
	"syscall"
)

// Numbers identify a file to the system, with its owner.
type Numbers struct {
	User, Group uint32
	Inode       uint64
	Changed     int64 // time of the last change of the file or of its attributes, in seconds
}

// Accessible reports whether the current user may read and write a file or directory.
func Accessible(file string) bool { return syscall.Access(file, ReadWrite) == nil }

// NumbersOf returns the numbers of a file; false: they are unknown.
func NumbersOf(info fs.FileInfo) (Numbers, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Numbers{}, false
	}
	changed, _ := changeTime(stat).Unix()
	return Numbers{stat.Uid, stat.Gid, stat.Ino, changed}, true
}
