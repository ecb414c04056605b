package trust

import (
	"bytes"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// harmless are the capabilities that systemd gives to an ordinary user's session: to wake the machine.
const harmless = 1 << unix.CAP_WAKE_ALARM

// Privileged reports whether this process has rights that an ordinary user's programs lack: it acts as root, has
// capabilities, was started with more rights than its user, or has user or group ids that differ.
func Privileged() bool { return os.Geteuid() == 0 || Differs() || capable() }

// Differs reports whether the process counts as elevated for the library: started with more rights than its user
// (AT_SECURE), or with real, effective and saved user ids, or group ids, that differ now.
func Differs() bool {
	ruid, euid, suid := unix.Getresuid()
	rgid, egid, sgid := unix.Getresgid()
	return ruid != euid || ruid != suid || rgid != egid || rgid != sgid || secure()
}

// Alone reports whether this process's user namespace has only one user.
func Alone() bool {
	table, err := os.ReadFile("/proc/self/uid_map")
	fields := bytes.Fields(table) // for each range: the first user, the first user outside, the number of users
	return err == nil && len(fields) == 3 && string(fields[2]) == "1"
}

// secure reports whether the kernel started this process with more rights than its user has (AT_SECURE). It returns
// true if that is unknown.
func secure() bool {
	const atSecure = 23
	vector, err := unix.Auxv()
	return err != nil ||
		slices.ContainsFunc(vector, func(pair [2]uintptr) bool { return pair[0] == atSecure && pair[1] != 0 })
}

// capable reports whether the process has capabilities.
func capable() bool {
	status, err := os.ReadFile("/proc/thread-self/status")
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(status, []byte("\nCapPrm:\t"))
	text, _, _ := bytes.Cut(rest, []byte("\n"))
	set := uint64(0)
	for _, c := range text {
		digit := bytes.IndexByte([]byte("0123456789abcdef"), c)
		if digit < 0 {
			return false
		}
		set = set<<4 | uint64(digit)
	}
	return set&^uint64(harmless) != 0
}
