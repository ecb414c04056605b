package probe

import (
	"os/exec"
	"sync"
	"syscall"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/windows"
)

// lower gives a child that is about to start the rights of a program that the user starts. The caller calls done after the
// child's start.
func lower(cmd *exec.Cmd) (done func(), err error) {
	token, err := windows.UserToken()
	if err != nil {
		return nil, err
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Token = syscall.Token(token)
	return func() { token.Close() }, nil
}

// lowers caches whether the programs of a path run with lower rights, by that path.
var lowers sync.Map

// Lowers reports whether a child at a place with Lowered is not elevated. It asks the child for its rights: a system may ignore
// the level of the token.
func Lowers(at Companions) bool {
	ask, _ := lowers.LoadOrStore(at.Child, sync.OnceValue(func() bool {
		r := &Reader{program: at.Child, lowered: true}
		process, known := r.Process()
		return known && process.Known && process.Level < facts.HighIntegrity
	}))
	return ask.(func() bool)()
}
