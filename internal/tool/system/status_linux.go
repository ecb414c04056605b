package system

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// Names of files in a library directory.
const (
	Newest = "libvulkan.so.1.99.vkloader" // a link to this loader, with a version that ldconfig takes for the newest

	// NewestTheirs is such a link to the distribution's loader, for a directory with both loaders: ldconfig chooses the
	// link with the newest version.
	NewestTheirs = "libvulkan.so.1.99.distribution"
	Own          = "vkloader/" + loaders.Name // this loader in its package's directory
)

// Owners of a loader.
const (
	Vkloader     = "vkloader"
	Distribution = "distribution"
	OtherLoader  = "other"
	InForceNone  = "none"
)

// StatusSchema is the version of Status. A removed field or a new meaning of a field raises it.
const StatusSchema = 1

// Status lists the loaders of each architecture that has at least one.
type Status struct {
	Schema        int            `json:"schema"`
	Architectures []Architecture `json:"architectures"`
}

// Architecture describes the loaders for programs of one processor and word size.
type Architecture struct {
	Name     string `json:"name"` // the processor's usual name
	WordSize int    `json:"word_size"`
	// the owner of the loader that programs get: vkloader, distribution, other or none
	InForce      string      `json:"in_force"`
	Found        []Installed `json:"found"`                  // in the dynamic linker's order: programs get the first
	Directory    string      `json:"directory,omitempty"`    // the directory whose links "system use" changes; "": none
	Vkloader     *Installed  `json:"vkloader,omitempty"`     // vkloader's library; absent: not installed
	Distribution *Installed  `json:"distribution,omitempty"` // the distribution's library
	Change       string      `json:"change,omitempty"`       // the way to change the loader

	made   bool // "make install" put vkloader's library into a library directory, next to the distribution's
	broken bool // the links lead to vkloader's library, which is missing or damaged
}

// Installed is an installed libvulkan.so.1.
type Installed struct {
	Whose   string `json:"whose"`             // vkloader, distribution or other
	Path    string `json:"path"`              // as the dynamic linker names it
	File    string `json:"file"`              // the path without symbolic links
	Version string `json:"version,omitempty"` // the Vulkan version in the file's name
	Release string `json:"release,omitempty"` // vkloader's release
	Package string `json:"package,omitempty"` // the package that owns the file
}

func directoriesOf(k machines.Machine) (list []string) {
	for _, m := range machines.OfFiles(k.ELF, k.Bits) {
		list = append(list, "/usr/lib/"+m.Multiarch)
	}
	return append(list, fmt.Sprintf("/usr/lib%d", k.Bits), "/usr/lib")
}

// StatusOf returns the loaders of a machine. It ignores variables, because each belongs to a single program.
func StatusOf(m *machine.Machine) *Status {
	s := &Status{Schema: StatusSchema, Architectures: []Architecture{}}
	for _, k := range machines.All() {
		if machines.OfFiles(k.ELF, k.Bits)[0].Name != k.Name {
			continue // both kinds of 32-bit ARM have the same number in ELF files
		}
		l := binary.NewLinker(m, binary.LinkerOptions{Class: k.Bits, Machine: k.ELF, Elevated: true})
		a := Architecture{Name: (&binary.ELF{Machine: k.ELF}).MachineName(), WordSize: k.Bits, InForce: InForceNone,
			Found: []Installed{}}
		for _, place := range l.Everywhere(loaders.Name) {
			if found := readInstalled(m, l, place, k); found != nil &&
				!slices.ContainsFunc(a.Found, func(o Installed) bool { return o.File == found.File }) {
				a.Found = append(a.Found, *found)
			}
		}
		a.place(m, l, k)
		if len(a.Found) > 0 || a.Vkloader != nil || a.broken {
			s.Architectures = append(s.Architectures, a)
		}
	}
	s.own(m)
	for i := range s.Architectures {
		s.Architectures[i].judge()
	}
	return s
}

// place enters the directory whose links "system use" changes, with the loaders to choose from: vkloader's is in its
// package's directory below it or, after "make install", in any library directory. Links may also lead to a library of
// vkloader that is missing or damaged.
func (a *Architecture) place(m *machine.Machine, l *binary.Linker, k machines.Machine) {
	var made *Installed
	for _, directory := range directoriesOf(k) {
		if a.Vkloader = readInstalled(m, l, directory+"/"+Own, k); a.Vkloader != nil {
			a.Directory, a.Distribution = directory, newestInstalled(m, l, directory, k, Distribution)
			return
		}
		if made == nil {
			made = newestInstalled(m, l, directory, k, Vkloader)
		}
	}
	for _, directory := range directoriesOf(k) {
		distribution := newestInstalled(m, l, directory, k, Distribution)
		_, err := m.Readlink(directory + "/" + Newest)
		if distribution != nil && (made != nil || err == nil) {
			a.Directory, a.Distribution, a.Vkloader = directory, distribution, made
			a.made, a.broken = made != nil, made == nil
			return
		}
	}
}

// readInstalled returns the loader at a path; nil if there is none for this architecture.
func readInstalled(m *machine.Machine, l *binary.Linker, place string, k machines.Machine) *Installed {
	f := l.Open(place)
	if f.Err() != nil || f.Class != k.Bits || f.Machine != k.ELF || f.Soname != loaders.Name {
		return nil
	}
	found := &Installed{Whose: OtherLoader, Path: place, File: f.Real}
	if version, ok := strings.CutPrefix(path.Base(f.Real), "libvulkan.so."); ok {
		found.Version = version
	}
	if file, err := m.Open(f.Real); err == nil {
		found.Release = binary.Release(file)
		file.Close()
	}
	return found
}

// newestInstalled returns the newest loader in a directory, by the version in its name, of the distribution or of
// vkloader as whose requests; nil if there is none.
func newestInstalled(m *machine.Machine, l *binary.Linker, directory string, k machines.Machine,
	whose string) *Installed {
	entries, err := m.ReadDir(directory)
	if err != nil {
		return nil
	}
	var best *Installed
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), loaders.Name+".") || !entry.Type().IsRegular() {
			continue
		}
		found := readInstalled(m, l, directory+"/"+entry.Name(), k)
		if found != nil && (found.Release != "") == (whose == Vkloader) &&
			(best == nil || binary.CompareVersions(found.Version, best.Version) > 0) {
			best = found
		}
	}
	return best
}

// own enters the package and the owner of each loader.
func (s *Status) own(m *machine.Machine) {
	var all []*Installed
	for i := range s.Architectures {
		a := &s.Architectures[i]
		for j := range a.Found {
			all = append(all, &a.Found[j])
		}
		for _, l := range []*Installed{a.Vkloader, a.Distribution} {
			if l != nil {
				all = append(all, l)
			}
		}
	}
	owners := m.Owners(term.Words(all, func(l *Installed) string { return l.File }))
	for _, l := range all {
		l.Package = owners[l.File]
		switch {
		case l.Release != "":
			l.Whose = Vkloader
		case l.Package != "" || strings.HasPrefix(l.File, "/usr/lib") || strings.HasPrefix(l.File, "/lib"):
			l.Whose = Distribution
		}
	}
}

// judge enters the loader in force, and the way to change it.
func (a *Architecture) judge() {
	var first Installed
	if len(a.Found) > 0 {
		first = a.Found[0]
		a.InForce = first.Whose
	}
	switch {
	case a.broken:
		a.Change = "vkloader's library is missing or damaged. As root: vkloader system use distribution"
	case a.Vkloader == nil && a.InForce == Vkloader && first.Package == "":
		prefix := path.Dir(path.Dir(first.Path))
		a.Change = "make install installed this file. In its source directory, as root: make uninstall PREFIX=" +
			prefix + " LIBDIR=" + path.Dir(first.Path) + " && ldconfig"
	case a.Vkloader == nil && a.InForce == Vkloader:
		a.Change = "Removing the package " + first.Package + " removes it."
	case a.Vkloader == nil:
		a.Change = "Install vkloader's library for this architecture: the package libvulkan1-vkloader, or make install."
	case a.InForce != InForceNone && path.Dir(path.Dir(first.File)) != a.Directory &&
		path.Dir(first.File) != a.Directory && path.Dir(first.Path) != a.Directory:
		a.Change = first.Path + " comes before " + a.Directory + "/" + loaders.Name +
			": programs get it, whatever the choice."
	case a.InForce == Vkloader && a.Distribution != nil:
		a.Change = "As root: vkloader system use distribution"
	case a.InForce != Vkloader:
		a.Change = "As root: vkloader system use vkloader"
	default:
		a.Change = "There is no other loader in " + a.Directory + "."
	}
}

// Use puts a loader, Vkloader or Distribution, in force for every architecture with both loaders, and returns the new
// state. Distribution also replaces a missing or damaged library of vkloader. Use replaces each link in one step, so
// programs always find one of the loaders; running programs keep theirs. The error names the first architecture that
// could not be changed.
func Use(m *machine.Machine, whose string) (*Status, error) {
	before := StatusOf(m)
	for _, a := range before.Architectures {
		if a.broken && whose == Vkloader {
			return before, exit.Problem("%s: %s", a.Title(), a.Change)
		}
	}
	switched := map[string]bool{}
	for i := range before.Architectures {
		a := &before.Architectures[i]
		if a.Vkloader == nil && !a.broken {
			continue
		}
		if err := a.use(m, whose); err != nil {
			return before, err
		}
		switched[a.Title()] = true
	}
	if len(switched) == 0 {
		text := "vkloader is not installed next to the distribution's loader"
		for _, a := range before.Architectures {
			text += fmt.Sprintf("\n%s: %s", a.Title(), a.Change)
		}
		return before, exit.Problem("%s", text)
	}
	after := StatusOf(m)
	for _, a := range after.Architectures {
		if switched[a.Title()] && a.InForce != whose {
			return after, exit.Problem("%s: programs get %s anyway: %s", a.Title(), a.Found[0].Path, a.Change)
		}
	}
	return after, nil
}

// Title returns the architecture's description for users.
func (a *Architecture) Title() string { return fmt.Sprintf("%s, %d bits", a.Name, a.WordSize) }

func (a *Architecture) use(m *machine.Machine, whose string) error {
	link := a.Directory + "/" + loaders.Name
	if whose == Distribution && a.Distribution == nil {
		return exit.Unable("%s: there is no loader of the distribution in %s", a.Title(), a.Directory)
	}
	place, err := m.PlaceOf(a.Directory+"/"+Newest+".none", false)
	if err != nil {
		return exit.Unable("%w", err)
	}
	defer place.Close()
	if err = place.Lock(); err != nil {
		return exit.Unable("%w", err)
	}
	// Checked under the lock, because another run of the tool may change the link.
	if is, err := place.IsLink(loaders.Name); err == nil && !is {
		return exit.Unable("%s is not a link of ldconfig, but a file: it is not replaced", link)
	}
	newest, other, target := Newest, NewestTheirs, Own
	switch {
	case whose == Distribution:
		newest, other, target = NewestTheirs, Newest, path.Base(a.Distribution.File)
	case a.made:
		target, err = filepath.Rel(a.Directory, a.Vkloader.File)
	}
	if err == nil && (a.made || whose == Vkloader) {
		err, target = place.Link(newest, target), newest
	}
	if err == nil {
		err = place.Link(loaders.Name, target)
	}
	if err == nil {
		err = place.Unlink(other)
	}
	if errors.Is(err, fs.ErrPermission) {
		return exit.Unable("changing %s needs root: %w", link, err)
	}
	if err != nil {
		return exit.Unable("%w", err)
	}
	return nil
}
