package cli

import (
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/doctor"
)

// partsOfProcess are the properties that --pid reads from a process.
const partsOfProcess = "program, rights and root"

// asSeer returns "".
func asSeer() string { return "" }

// loaderAt returns nil: no process is inspected.
func loaderAt(*machine.Source, string) *loaders.Loader { return nil }

// loadersIn returns none: no process is inspected.
func loadersIn(*process.Process, *machine.Source, map[string]*loaders.Loader) []doctor.RunningLoader {
	return []doctor.RunningLoader{}
}
