package process

import "golang.org/x/sys/unix"

// noSetUser is the mount option of a file system without set-user-ID programs.
const noSetUser = unix.ST_NOSUID

// hasNoNewRights reports whether this process and its children gain no rights.
func hasNoNewRights() bool {
	set, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0)
	return err == nil && set == 1
}
