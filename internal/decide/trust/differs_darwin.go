package trust

import "golang.org/x/sys/unix"

// Differs reports whether the process counts as elevated for the library: started with more rights than its user, or
// with real and effective user ids, or group ids, that differ now (MAC-013).
func Differs() bool {
	return unix.Issetugid() || unix.Getuid() != unix.Geteuid() || unix.Getgid() != unix.Getegid()
}
