//go:build unix

package doctor

import (
	"syscall"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// childRights changes nothing: the children have the rights of the tool, and obey the variables.
func childRights(*machine.Source, *probe.Companions) (ignored bool) { return false }

// accessible reports whether the current user may read and write a file.
func accessible(file string) bool { return syscall.Access(file, machine.ReadWrite) == nil }
