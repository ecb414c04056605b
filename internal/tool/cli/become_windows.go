package cli

import "vkloader/internal/tool/launch"

// becomeProgram runs a program and ends as it ends.
func becomeProgram(p *launch.Program) error { return ended(p.Wait(nil)) }
