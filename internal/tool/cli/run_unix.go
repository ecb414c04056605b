//go:build unix

package cli

import (
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/launch"
)

// becomeProgram replaces this process with a program.
func becomeProgram(p *launch.Program) error { return exit.As(exit.CannotRun, p.Become()) }

// hangKey is the key with which the user marks a program as hung.
const hangKey = `Ctrl-\`

// crashedWith explains an exit code that counts as a crash.
const crashedWith = "as where a signal ended a command of a shell"

// ignoredByRights returns nothing: unfit warns about programs with more rights.
func ignoredByRights(*machine.Source, string, []launch.Change) []string { return nil }
