package cli

import (
	"os"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

// partsOfProcess are the properties that --pid reads from a process.
const partsOfProcess = "program, rights and root"

// asSeer returns the advice about processes that cannot be inspected; "" for root, who cannot do more.
func asSeer() string {
	if os.Geteuid() == 0 {
		return ""
	}
	return "; run as root to see them"
}

// loaderAt identifies the loader in a file.
func loaderAt(source *machine.Source, file string) *loaders.Loader {
	return loaders.Identify(&source.Machine, file)
}

// loadersIn returns the loaders that a process has mapped. The decision for the process imitates the first one.
func loadersIn(p *process.Process, source *machine.Source, known map[string]*loaders.Loader) []doctor.RunningLoader {
	list := []doctor.RunningLoader{}
	for i, m := range p.Loaders() {
		l, change := known[m.Path], p.StateOf(&m)
		if change != process.Same { // the file at the path is no longer the mapped one
			l = &loaders.Loader{Version: m.Version()}
		} else if l == nil {
			l = loaderAt(source, m.Path)
			if !source.Foreign() {
				known[m.Path] = l
			}
		}
		list = append(list, doctor.RunningLoader{File: m.Path, Version: term.Or(m.Version(), l.Version), Release: l.Release, Package: l.Package, State: change})
		if i == 0 {
			l.On(source)
		}
	}
	return list
}
