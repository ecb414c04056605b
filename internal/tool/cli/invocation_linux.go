package cli

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/service/client"
	"vkloader/internal/tool/machine"
)

// elevatedHere tells whether programs have more rights than their user because the tool has: on Linux each file decides.
func elevatedHere() bool { return false }

// askService asks the driver service for drivers.
func askService(source *machine.Source) facts.Service { return client.Ask(source.Var) }
