package cli

import (
	"strconv"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/doctor"
)

// partsOfProcess are the properties that --pid reads from a process.
const partsOfProcess = "program and rights"

// asSeer returns the advice about processes that cannot be inspected; "" for an administrator, who cannot do more.
func asSeer() string {
	if strconv.IntSize == 32 && windows.System64() {
		return "; a tool of 32 bits cannot inspect programs of 64 bits"
	}
	if elevatedHere() {
		return ""
	}
	return "; run as administrator to see them"
}

// loaderAt identifies the loader in a file.
func loaderAt(source *machine.Source, file string) *loaders.Loader {
	return loaders.LoadedDLL(source, file)
}

// loadersIn returns the loaders that a process has loaded.
func loadersIn(p *process.Process, _ *machine.Source, _ map[string]*loaders.Loader) []doctor.RunningLoader {
	list := []doctor.RunningLoader{}
	for _, m := range p.Loaders() {
		list = append(list, doctor.RunningLoader{File: m.Path, Version: windows.FileVersion(m.Path)})
	}
	return list
}
