package cli

import (
	"os/exec"
	"syscall"
)

// listens returns false: the hang-up of its terminal ends the process.
func listens(func(), chan<- struct{}) bool { return false }

// together runs a child in a process group. The end of the child's context terminates the group; the rest is killed later.
func together(child *exec.Cmd) error {
	child.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return waitTogether(child)
}

// opener opens a file with the user's program for its kind.
const opener = "open"
