package cli

import (
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/launch"
)

// becomeProgram replaces this process by a program.
func becomeProgram(p *launch.Program) error { return exit.As(exit.CannotRun, p.Become()) }
