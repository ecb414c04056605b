package doctor

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/windows"
)

// childRights gives the children of an elevated tool the rights of the user, if the system does that, because an
// elevated process ignores the variables that leave drivers and layers out (WIN-057). It enters the rights into the
// source of the children's decision, for an elevated program without the variables that it ignores. ignored reports
// that the children are elevated.
func childRights(source *machine.Source, at *probe.Companions) (ignored bool) {
	own := windows.Own()
	if !own.Known || own.Level < facts.HighIntegrity {
		return false
	}
	at.Lowered = probe.Lowers(*at)
	if at.Lowered && !source.AsUser {
		source.Elevated, source.AsUser = false, true
		variables.Each(func(v variables.ID) {
			if v.Secure() {
				source.Environ = machine.WithoutVariable(source.Environ, v.Name())
			}
		})
	}
	return !at.Lowered
}
