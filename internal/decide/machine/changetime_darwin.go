package machine

import "syscall"

// changeTime returns the time of the last change of a file or of its attributes.
func changeTime(stat *syscall.Stat_t) *syscall.Timespec { return &stat.Ctimespec }
