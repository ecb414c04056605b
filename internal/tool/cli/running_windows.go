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
	facts.Elsewhere
	known *sync.Map // by question
}

// cached returns the answer to a question.
func cached[T any](a answers, question string, ask func() T) T {
	value, known := a.known.Load(question)
	if !known {
		value, _ = a.known.LoadOrStore(question, ask())
	}
	return value.(T)
}

func (a answers) Adapters(name string) facts.Adapters {
	return cached(a, "adapters "+name, func() facts.Adapters { return a.Elsewhere.Adapters(name) })
}
func (a answers) Devices(name string) facts.Devices {
	return cached(a, "devices "+name, func() facts.Devices { return a.Elsewhere.Devices(name) })
}
func (a answers) Packages(family string) []string {
	return cached(a, "packages "+family, func() []string { return a.Elsewhere.Packages(family) })
}
func (a answers) DXGI() facts.DXGI { return cached(a, "dxgi", a.Elsewhere.DXGI) }

// runningSource is a source whose system's answers are cached.
type runningSource struct {
	*machine.Source
	known *sync.Map
}

func (s runningSource) Elsewhere() facts.Elsewhere { return answers{s.Source.Elsewhere(), s.known} }

// runningWindows returns the running system for the program of a source, which reads as the loader does.
func runningWindows(source *machine.Source, loader *loaders.Loader) doctor.Windows {
	return runningAs(source, loader, source.Program, &sync.Map{})
}

// runningAs returns the running system with the system's answers so far.
func runningAs(source *machine.Source, loader *loaders.Loader, app string, known *sync.Map) doctor.Windows {
	return doctor.Windows{Provider: runningSource{source, known}, Title: windows.SystemName(), Bits: source.Bits(),
		Views: term.Either(windows.System64(), []string{"64", "32"}, []string{"32"}), Files: true, Whole: true,
		App: app, Open: func(name string) (*os.File, error) { return source.Open(source.Path(name)) },
		Directories: searchDirectories(source), Loader: loader, Variables: source.Environ, Running: source,
		Seen: func(bits string) doctor.Windows {
			other := *source
			other.Class = map[string]int{"32": 32, "64": 64}[bits]
			return runningAs(&other, loaders.Decide(&other), app, known)
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
