package cli

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/service/client"
	"vkloader/internal/tool/machine"
)

// askService asks the driver service for drivers.
func askService(source *machine.Source) facts.Service { return client.Ask(source.Var) }
