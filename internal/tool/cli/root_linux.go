package cli

import (
	"os"
	"path/filepath"
	"strings"

	"vkloader/internal/containers/client"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

// commandsOfSystem returns the commands that only Linux has.
func commandsOfSystem() []command {
	return []command{{"cdi", newCDI}, {"system", newSystem}, {"follow", newFollow}, {"service", newService}}
}

// self returns the path with which this program starts itself, even if its file has been replaced.
func self(string) string { return "/proc/self/exe" }

// libraryVersions returns the release in a library's note, and the Vulkan version in its name.
func libraryVersions(library string) (release, vulkan string) {
	if file, err := os.Open(library); err == nil {
		release = binary.Release(file)
		file.Close()
	}
	return release, strings.TrimPrefix(filepath.Base(library), "libvulkan.so.")
}

func askService(source *machine.Source) facts.Service { return client.Ask(source.Var) }

// libraryOf returns a function that examines the library of one manifest, as the dynamic linker finds it.
func libraryOf(source *machine.Source) func(doctor.Entry) (doctor.Entry, []doctor.Finding) {
	return doctor.Libraries(source)
}

// asSeer returns the advice about processes that cannot be inspected; "" for root, who cannot do more.
func asSeer() string {
	if os.Geteuid() == 0 {
		return ""
	}
	return "; run as root to see them"
}

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
		list = append(list, doctor.RunningLoader{File: m.Path, Version: term.Or(m.Version(), l.Version),
			Release: l.Release, Package: l.Package, State: change})
		if i == 0 {
			l.On(source)
		}
	}
	return list
}
