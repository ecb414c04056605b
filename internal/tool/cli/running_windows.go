package cli

import (
	"os"
	"strings"
	"sync"

	"vkloader/internal/core/facts"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

// answers caches the system's answers, because every tried fix examines the system again.
type answers struct {
	lock     sync.Mutex
	adapters map[string]facts.Adapters
	devices  map[string]facts.Devices
	packages map[string][]string
	dxgi     func() facts.DXGI
}

// once returns a cached answer, or asks for it.
func once[T any](a *answers, known map[string]T, name string, ask func(string) T) T {
	a.lock.Lock()
	defer a.lock.Unlock()
	value, is := known[name]
	if !is {
		value = ask(name)
		known[name] = value
	}
	return value
}

type remembered struct {
	facts.Elsewhere
	*answers
}

func (r remembered) Adapters(name string) facts.Adapters {
	return once(r.answers, r.adapters, name, r.Elsewhere.Adapters)
}
func (r remembered) Devices(name string) facts.Devices {
	return once(r.answers, r.devices, name, r.Elsewhere.Devices)
}
func (r remembered) Packages(family string) []string {
	return once(r.answers, r.packages, family, r.Elsewhere.Packages)
}
func (r remembered) DXGI() facts.DXGI { return r.dxgi() }

// runningSource is a source whose system's answers are cached.
type runningSource struct {
	*machine.Source
	asked *answers
}

func (s runningSource) Elsewhere() facts.Elsewhere { return remembered{s.Source.Elsewhere(), s.asked} }

// runningWindows returns the running system for the program of a source, which reads as the loader does.
func runningWindows(source *machine.Source, loader *loaders.Loader) doctor.Windows {
	asked := &answers{adapters: map[string]facts.Adapters{}, devices: map[string]facts.Devices{},
		packages: map[string][]string{}, dxgi: sync.OnceValue(source.Elsewhere().DXGI)}
	return runningAs(source, loader, source.Program, asked)
}

// runningAs returns the running system with the system's answers so far.
func runningAs(source *machine.Source, loader *loaders.Loader, app string, asked *answers) doctor.Windows {
	return doctor.Windows{Provider: runningSource{source, asked}, Title: windows.SystemName(), Bits: source.Bits(),
		Views: term.Either(windows.System64(), []string{"64", "32"}, []string{"32"}), Files: true, Whole: true,
		App: app, Open: func(name string) (*os.File, error) { return source.Open(source.Path(name)) },
		Directories: searchDirectories(source), Loader: loader, Variables: source.Environ, Running: source,
		Seen: func(bits string) doctor.Windows {
			other := *source
			other.Class = map[string]int{"32": 32, "64": 64}[bits]
			return runningAs(&other, loaders.Decide(&other), app, asked)
		}}
}

// searchDirectories returns the system's directories, then those in PATH.
func searchDirectories(source *machine.Source) []string {
	system := windows.SystemDirectory(source.Bits())
	list := []string{system}
	if at := strings.LastIndexByte(system, '\\'); at > 2 {
		list = append(list, system[:at])
	}
	search, _ := source.Lookup("PATH")
	for _, directory := range strings.Split(search, ";") {
		if directory != "" {
			list = append(list, strings.TrimRight(directory, `\/`))
		}
	}
	return list
}

// otherViews returns the sources for programs of the other word size. The bundle's registry also contains their keys.
func otherViews(source *machine.Source) []*machine.Source {
	if !windows.System64() {
		return nil
	}
	other := *source
	other.Program, other.Class = "", 64
	if source.Bits() == "64" {
		other.Class = 32
	}
	return []*machine.Source{&other}
}

// exportsOf returns the parts of a bundle with the registry, in the format of --registry.
func exportsOf(*machine.Source) map[string]func() (string, error) {
	return map[string]func() (string, error){"registry.reg": func() (string, error) { return windows.Exported(), nil }}
}

// libraryOf returns a function that examines the library of one manifest, as Windows finds it.
func libraryOf(source *machine.Source) func(doctor.Entry) (doctor.Entry, []doctor.Finding) {
	return func(named doctor.Entry) (doctor.Entry, []doctor.Finding) {
		return doctor.WindowsLibrary(runningWindows(source, nil), named)
	}
}

// obstacle returns why the loader, which decides for a driver or layer, cannot open its library; "" if it can.
func obstacle(source *machine.Source, library string) string {
	if source == nil || library == "" || source.Foreign() {
		return ""
	}
	return doctor.WindowsObstacle(runningWindows(source, nil), library)
}
