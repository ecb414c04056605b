package probe

import (
	"context"
	"os/exec"
	"sync"
	"syscall"

	syswindows "golang.org/x/sys/windows"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/decide/windows"
)

// lower gives a child that is about to start the rights of a program that the user starts. The caller calls done after
// the child's start.
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

// Lowers reports whether a child at a place with Lowered is not elevated. It starts a child and reads its rights: a
// system may ignore the level of the token.
func Lowers(at Companions) bool {
	ask, _ := lowers.LoadOrStore(at.Child, sync.OnceValue(func() bool { return isLowered(at.Child) }))
	return ask.(func() bool)()
}

// isLowered reports whether a child with lower rights is not elevated. The child ends before it has run.
func isLowered(program string) bool {
	child := spawn.New(context.Background(), spawn.Tool, program)
	done, err := lower(child.Cmd)
	if err != nil {
		return false
	}
	defer done()
	child.SysProcAttr.CreationFlags |= syswindows.CREATE_SUSPENDED
	if child.Start() != nil {
		return false
	}
	defer func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}()
	process := windows.Process{PID: uint32(child.Process.Pid)}
	process.Describe()
	return process.Rights.Known && process.Rights.Level < facts.HighIntegrity
}
