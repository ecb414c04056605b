package machine

import "io/fs"

// Numbers are those by which the system knows a file, and whose it is. Files of Windows have no such numbers.
type Numbers struct {
	User, Group uint32
	Inode       uint64
	Changed     int64
}

// NumbersOf knows none.
func NumbersOf(fs.FileInfo) (Numbers, bool) { return Numbers{}, false }
