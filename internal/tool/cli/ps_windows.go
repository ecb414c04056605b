package cli

import (
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/doctor"
)

// seer is who sees what processes of others have loaded.
const seer = "administrator"

// partsOfProcess are what --pid takes of a process.
const partsOfProcess = "program and rights"

// asSeer is what to do about processes that cannot be inspected.
func asSeer() string { return "; run as administrator to see them" }

// loaderAt is the loader in a file.
func loaderAt(source *machine.Source, file string) *loaders.Loader {
	return loaders.LoadedDLL(source, file)
}

// loadersIn are the loaders that a process has loaded.
func loadersIn(p *process.Process, _ *machine.Source, _ map[string]*loaders.Loader) []doctor.RunningLoader {
	list := []doctor.RunningLoader{}
	for _, m := range p.Loaders() {
		list = append(list, doctor.RunningLoader{File: m.Path, Version: windows.FileVersion(m.Path)})
	}
	return list
}
