package system

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/machine"
)

// Names of what lies in a directory of libraries.
const (
	Name   = "libvulkan.so.1"             // what programs ask for
	Newest = "libvulkan.so.1.99.vkloader" // a link to this loader that ldconfig takes for newer than every other

	// NewestTheirs is the same to the distribution's, where this loader is in the same directory.
	NewestTheirs = "libvulkan.so.1.99.distribution"
	Own          = "vkloader/" + Name // where this loader lies
)

// Whose loader it is.
const (
	Vkloader     = "vkloader"
	Distribution = "distribution"
	Other        = "other"
	None         = "none"
)

// Schema is raised when a field of Status changes its meaning or goes.
const Schema = 1

// Status is what programs get, for each architecture that has any loader.
type Status struct {
	Schema        int            `json:"schema"`
	Architectures []Architecture `json:"architectures"`
}

// Architecture is what programs for one processor, in one word size, get.
type Architecture struct {
	Name         string   `json:"name"` // usual name of the processor
	WordSize     int      `json:"word_size"`
	InForce      string   `json:"in_force"`               // whose loader programs get: vkloader, distribution, other or none
	Found        []Loader `json:"found"`                  // what the dynamic linker finds, in its order: programs get the first
	Directory    string   `json:"directory,omitempty"`    // where "system use" switches; "" when it cannot
	Vkloader     *Loader  `json:"vkloader,omitempty"`     // what it can switch to
	Distribution *Loader  `json:"distribution,omitempty"` // and the other one
	Change       string   `json:"change,omitempty"`       // what changes it

	made bool // "make install" put vkloader's beside the distribution's, into a directory of libraries itself
}

// Loader is a library libvulkan.so.1.
type Loader struct {
	Whose   string `json:"whose"`             // vkloader, distribution or other
	Path    string `json:"path"`              // as the dynamic linker names it
	File    string `json:"file"`              // the file itself, without links
	Version string `json:"version,omitempty"` // of the Vulkan that it was made for, which its file's name bears
	Release string `json:"release,omitempty"` // of vkloader
	Package string `json:"package,omitempty"` // that the file belongs to
}

// kind is a processor with the directories in which distributions have its libraries.
type kind struct {
	class       int
	machine     binary.Machine
	directories []string
}

var kinds = []kind{
	{64, binary.X8664, []string{"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"}},
	{32, binary.I386, []string{"/usr/lib/i386-linux-gnu", "/usr/lib32", "/usr/lib"}},
	{64, binary.ARM64, []string{"/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}},
}

// Look examines a machine. Variables count for nothing: they are those of one program.
func Look(m *machine.Machine) *Status {
	s := &Status{Schema: Schema, Architectures: []Architecture{}}
	for _, k := range kinds {
		l := binary.NewLinker(m, binary.LinkerOptions{Class: k.class, Machine: k.machine, Elevated: true})
		a := Architecture{Name: (&binary.ELF{Machine: k.machine}).MachineName(), WordSize: k.class, InForce: None, Found: []Loader{}}
		for _, place := range l.Everywhere(Name) {
			if found := read(m, l, place, k); found != nil && !slices.ContainsFunc(a.Found, func(o Loader) bool { return o.File == found.File }) {
				a.Found = append(a.Found, *found)
			}
		}
		for _, directory := range k.directories {
			if a.Vkloader = read(m, l, directory+"/"+Own, k); a.Vkloader != nil {
				a.Directory = directory
				a.Distribution = newest(m, l, directory, k, Distribution)
				break
			}
		}
		if a.Vkloader == nil {
			a.installed(m, l, k)
		}
		if len(a.Found) > 0 || a.Vkloader != nil {
			s.Architectures = append(s.Architectures, a)
		}
	}
	s.own(m)
	for i := range s.Architectures {
		s.Architectures[i].judge()
	}
	return s
}

// installed finds what "make install" has put into a directory of libraries, where the distribution's loader is as well.
func (a *Architecture) installed(m *machine.Machine, l *binary.Linker, k kind) {
	for _, directory := range k.directories {
		if a.Distribution = newest(m, l, directory, k, Distribution); a.Distribution == nil {
			continue
		}
		for _, beside := range k.directories {
			if a.Vkloader = newest(m, l, beside, k, Vkloader); a.Vkloader != nil {
				a.Directory, a.made = directory, true
				return
			}
		}
		a.Distribution = nil
	}
}

// read is the loader of a path; nil when there is none, or one for another architecture.
func read(m *machine.Machine, l *binary.Linker, place string, k kind) *Loader {
	f := l.Open(place)
	if f.Err() != nil || f.Class != k.class || f.Machine != k.machine || f.Soname != Name {
		return nil
	}
	found := &Loader{Whose: Other, Path: place, File: f.Real}
	if version, ok := strings.CutPrefix(path.Base(f.Real), "libvulkan.so."); ok {
		found.Version = version
	}
	if file, err := m.Open(f.Real); err == nil {
		found.Release = binary.Release(file)
		file.Close()
	}
	return found
}

// newest is the distribution's loader in a directory, or vkloader's: the one that ldconfig would choose there without the other.
func newest(m *machine.Machine, l *binary.Linker, directory string, k kind, whose string) *Loader {
	entries, err := m.ReadDir(directory)
	if err != nil {
		return nil
	}
	var best *Loader
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), Name+".") || !entry.Type().IsRegular() {
			continue
		}
		found := read(m, l, directory+"/"+entry.Name(), k)
		if found != nil && (found.Release != "") == (whose == Vkloader) && (best == nil || binary.CompareVersions(found.Version, best.Version) > 0) {
			best = found
		}
	}
	return best
}

// own fills in whose the files are.
func (s *Status) own(m *machine.Machine) {
	var loaders []*Loader
	var files []string
	for i := range s.Architectures {
		a := &s.Architectures[i]
		for j := range a.Found {
			loaders = append(loaders, &a.Found[j])
		}
		for _, l := range []*Loader{a.Vkloader, a.Distribution} {
			if l != nil {
				loaders = append(loaders, l)
			}
		}
	}
	for _, l := range loaders {
		files = append(files, l.File)
	}
	owners := m.Owners(files)
	for _, l := range loaders {
		l.Package = owners[l.File]
		switch {
		case l.Release != "":
			l.Whose = Vkloader
		case l.Package != "" || strings.HasPrefix(l.File, "/usr/lib") || strings.HasPrefix(l.File, "/lib"):
			l.Whose = Distribution
		}
	}
}

// judge says what is in force, and what changes it.
func (a *Architecture) judge() {
	var first Loader
	if len(a.Found) > 0 {
		first = a.Found[0]
		a.InForce = first.Whose
	}
	switch {
	case a.Vkloader == nil && a.InForce == Vkloader && first.Package == "":
		prefix := path.Dir(path.Dir(first.Path))
		a.Change = "It was put there by make install: in its source, as root, make uninstall PREFIX=" + prefix + " LIBDIR=" + path.Dir(first.Path) +
			" && ldconfig removes it."
	case a.Vkloader == nil && a.InForce == Vkloader:
		a.Change = "Removing the package " + first.Package + " removes it."
	case a.Vkloader == nil:
		a.Change = "Install vkloader's library for this architecture: the package libvulkan1-vkloader, or make install."
	case a.InForce != None && path.Dir(path.Dir(first.File)) != a.Directory && path.Dir(first.File) != a.Directory && path.Dir(first.Path) != a.Directory:
		a.Change = first.Path + " comes before " + a.Directory + "/" + Name + ": programs get it whatever is chosen there."
	case a.InForce == Vkloader && a.Distribution != nil:
		a.Change = "As root: vkloader system use distribution"
	case a.InForce != Vkloader:
		a.Change = "As root: vkloader system use vkloader"
	default:
		a.Change = "There is no other loader in " + a.Directory + "."
	}
}
