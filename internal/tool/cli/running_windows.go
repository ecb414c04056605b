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

// runningWindows is the running system for the doctor. It caches the system's answers, because every tried fix examines
// the system again.
type runningWindows struct {
	*machine.Source
	app    string
	loader *loaders.Loader
	asked  *answers
}

// answers caches the system's answers.
type answers struct {
	lock     sync.Mutex
	adapters map[string]facts.Adapters
	devices  map[string]facts.Devices
	packages map[string][]string
	dxgi     func() facts.DXGI
}

// newRunningWindows returns the running system for the program of a source. The source reads as the loader does.
func newRunningWindows(source *machine.Source, loader *loaders.Loader) *runningWindows {
	return &runningWindows{source, source.Program, loader,
		&answers{adapters: map[string]facts.Adapters{}, devices: map[string]facts.Devices{},
			packages: map[string][]string{}, dxgi: sync.OnceValue(source.Elsewhere().DXGI)}}
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

func (p *runningWindows) Elsewhere() facts.Elsewhere {
	return remembered{p.Source.Elsewhere(), p.asked}
}
func (p *runningWindows) Title() string           { return windows.SystemName() }
func (p *runningWindows) WordSize() string        { return p.Bits() }
func (p *runningWindows) Files() bool             { return true }
func (p *runningWindows) Whole() bool             { return true }
func (p *runningWindows) App() string             { return p.app }
func (p *runningWindows) Variables() []string     { return p.Environ }
func (p *runningWindows) Loader() *loaders.Loader { return p.loader }

func (p *runningWindows) Running() *machine.Source { return p.Source }

func (p *runningWindows) Views() []string {
	return term.Either(windows.System64(), []string{"64", "32"}, []string{"32"})
}

func (p *runningWindows) Seen(bits string) doctor.Windows {
	source := *p.Source
	source.Class = map[string]int{"32": 32, "64": 64}[bits]
	return &runningWindows{&source, p.app, loaders.Decide(&source), p.asked}
}

func (p *runningWindows) Open(name string) (*os.File, error) { return p.Source.Open(p.Path(name)) }

// Directories implements doctor.Windows. It returns the system's directories, then those in PATH.
func (p *runningWindows) Directories() []string {
	system := windows.SystemDirectory(p.WordSize())
	list := []string{system}
	if at := strings.LastIndexByte(system, '\\'); at > 2 {
		list = append(list, system[:at])
	}
	search, _ := p.Lookup("PATH")
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
		return doctor.WindowsLibrary(newRunningWindows(source, nil), named)
	}
}

// obstacle returns why the loader, which decides for a driver or layer, cannot open its library; "" if it can.
func obstacle(source *machine.Source, library string) string {
	if source == nil || library == "" || source.Foreign() {
		return ""
	}
	return doctor.WindowsObstacle(newRunningWindows(source, nil), library)
}
