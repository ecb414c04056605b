package process

import "golang.org/x/sys/unix"

// noSetUser is the mount option of a file system without set-user-ID programs.
const noSetUser = unix.MNT_NOSUID

// withoutNewRights returns false: macOS has no process that refuses rights.
func withoutNewRights() bool { return false }
