package cli

import (
	"os"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

// seer is who sees what processes of others have mapped.
const seer = "root"

// partsOfProcess are what --pid takes of a process.
const partsOfProcess = "program, rights and root"

// asSeer is what to do about processes that cannot be inspected: nothing is left to root.
func asSeer() string {
	if os.Geteuid() == 0 {
		return ""
	}
	return "; run as root to see them"
}

// loaderAt is the loader in a file.
func loaderAt(source *machine.Source, file string) *loaders.Loader {
	return loaders.Identify(&source.Machine, file)
}

// loadersIn are the loaders that a process has mapped. What is asked about the process is decided as the first of them does.
func loadersIn(p *process.Process, source *machine.Source, known map[string]*loaders.Loader) []doctor.RunningLoader {
	list := []doctor.RunningLoader{}
	for i, m := range p.Loaders() {
		l, change := known[m.Path], p.Change(&m)
		if change != process.Same { // what lies there is not what it has
			l = &loaders.Loader{Version: m.Version()}
		} else if l == nil {
			l = loaderAt(source, m.Path)
			if !source.Foreign() {
				known[m.Path] = l
			}
		}
		list = append(list, doctor.RunningLoader{File: m.Path, Version: term.Or(m.Version(), l.Version), Release: l.Release, Package: l.Package, Change: change})
		if i == 0 {
			l.On(source)
		}
	}
	return list
}
