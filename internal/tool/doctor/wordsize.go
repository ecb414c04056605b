package doctor

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/loaders"
)

// install32 installs a package for 32-bit programs beside that for 64-bit ones.
func (d distribution) install32(m *manager, name string) advice {
	switch m.id {
	case "debian":
		if !d.foreign {
			return asRoot("dpkg --add-architecture i386 && apt update && apt install " + name + ":i386")
		}
		return asRoot("apt install " + name + ":i386")
	case "fedora", "rhel":
		name += ".i686"
	case "suse", "void":
		name += "-32bit"
	case "arch":
		if d.image == steamOS {
			return ofSteamOS
		}
		return multilib("pacman -S lib32-" + name)
	case "alpine":
		return noneOnAlpine
	}
	return d.run(m.install + " " + name)
}

// library32 installs the package that has a library for 32-bit programs; nil where its name is not known.
func (d distribution) library32(m *manager, name string) advice {
	switch {
	case m.provides: // the name of a library, without a mark, is that of the 32-bit one
		return d.run(m.install + " " + name)
	case m.library == nil:
		return nil
	}
	if word := m.library(name); word != "" {
		return d.install32(m, word)
	}
	return nil
}

// packages32 are those whose names for 32-bit programs are not made from the other ones.
var packages32 = map[offered]string{{"debian", drivers.NVIDIA}: "nvidia-driver-libs", {"fedora", drivers.NVIDIA}: "xorg-x11-drv-nvidia-libs"}

// offered is a family of drivers as a package manager installs it.
type offered struct{ manager, family string }

// driver32 brings a family's driver for 32-bit programs.
func (d distribution) driver32(f *drivers.Family) advice {
	m := d.manager()
	switch {
	case d.is("nixos"):
		return graphics32OnNixOS
	case d.is("gentoo"):
		return bothOnGentoo
	case m == nil || f.Packages[m.id] == "":
		return installDriver(f.Name, "32-bit ")
	case d.is("ubuntu") && f.Name == drivers.NVIDIA:
		return nvidia32OnUbuntu
	}
	if name := packages32[offered{m.id, f.Name}]; name != "" {
		return d.install32(m, name)
	}
	return d.install32(m, f.Packages[m.id])
}

// other is what to do about a driver that is there for programs of the other word size only; nil where the table says it.
func (e *libraryExam) other(m *Module) advice {
	if f := drivers.Of(m.Library); f != nil && e.class == 32 {
		return e.system.install(f)
	}
	return nil
}

// otherWordSize makes less of drivers and layers for programs of the other word size where the program is the one that is
// rare: 64-bit ones are always there, and what counts is that it has one of its own.
func (e *exam) otherWordSize() {
	if e.class == ProcessClass {
		return
	}
	good := e.someGood()
	for i := range e.Findings {
		if f := &e.Findings[i]; f.Code == LibraryForeign {
			f.soften(diag.Warning)
			if good {
				f.soften(diag.Note)
			}
		}
	}
}

// WordSize is that of the program that was examined for.
func (r *Report) WordSize() int {
	if r.Class != 0 {
		return r.Class
	}
	return ProcessClass
}

// OtherSize is what programs of the other word size get, where the machine has a loader for them.
type OtherSize struct {
	Class    int             `json:"class"`
	Loader   *loaders.Loader `json:"loader,omitempty"` // absent: it cannot be read
	Drivers  []string        `json:"drivers"`          // those with which nothing is wrong
	Problems int             `json:"problems"`
	Verdict  string          `json:"verdict"` // all of it in one line
	Idle     bool            `json:"-"`       // some of the drivers have no device here
}

// Line says it in one sentence.
func (o *OtherSize) Line() string {
	if o.Loader == nil {
		return fmt.Sprintf("%d-bit programs get no Vulkan loader that can be read", o.Class)
	}
	line := fmt.Sprintf("%d-bit programs get %s", o.Class, o.Loader.Title())
	if len(o.Drivers) == 0 {
		return line + ", and no driver"
	}
	return line + ", with " + strings.Join(o.Drivers, ", ")
}

// bothWordSizes examines for the other word size as well, where no program is named and the machine has a loader for 32-bit
// programs. One without is no fault: 64-bit programs are all that it is for.
func (e *exam) bothWordSizes() error {
	if e.class != ProcessClass || e.class == 32 || e.source.Class != 0 || e.source.Program != "" || e.options.Plugin != "" || e.options.Mapped != "" {
		return nil
	}
	linker := binary.NewLinker(e.machine, binary.LinkerOptions{Class: 32, Machine: binary.I386, Elevated: e.source.Elevated, Share: e.linker})
	if linker.Find(loaderName).File == nil {
		return nil
	}
	source, options := *e.source, e.options
	source.Class, source.Loader, options.Library = 32, nil, ""
	other, err := look(&source, options)
	if err != nil {
		return err
	}
	other.settle()
	o := &OtherSize{Class: 32, Loader: other.Loader, Drivers: []string{}, Verdict: other.summary().verdict(), Idle: other.has(DriverIdle)}
	for _, m := range other.Drivers {
		if m.Good {
			o.Drivers = append(o.Drivers, m.Name)
		}
	}
	for i := range other.Findings {
		if f := &other.Findings[i]; f.Severity == diag.Problem && f.Because == nil {
			o.Problems++
		}
	}
	e.Other = o
	if e.someGood() && len(o.Drivers) == 0 {
		e.found(OtherSizeLacks, "32-bit programs", "", sentence(o.Line()), forOther(other.Findings))
	}
	return nil
}

// forOther is what brings drivers for programs of the other word size.
func forOther(findings []Finding) advice {
	for i := range findings {
		if f := &findings[i]; f.Severity == diag.Problem && f.Because == nil && f.advice != nil {
			return f.advice
		}
	}
	return typed("", "vkloader doctor --bits 32")
}

// wordSizes are what layers for 32-bit and for 64-bit programs have at the end of their names, where there is one of each.
var wordSizes = [...][2]string{{"_32", "_64"}, {"_x86", "_x86_64"}, {"_i386", "_x86_64"}, {"_i686", "_x86_64"}, {"32", "64"}}

// partner tells whether two names are those of a pair of layers, one for each word size.
func partner(a, b string) bool {
	return slices.ContainsFunc(wordSizes[:], func(ends [2]string) bool {
		for _, way := range [][2]string{ends, {ends[1], ends[0]}} {
			first, is := strings.CutSuffix(a, way[0])
			second, too := strings.CutSuffix(b, way[1])
			if is && too && first == second && first != "" {
				return true
			}
		}
		return false
	})
}

// sizeless is a layer's name without its word size.
func sizeless(name string) string {
	for _, end := range []string{"_32", "_64", "_i386", "_x86_64", "_x86"} {
		if rest, is := strings.CutSuffix(name, end); is {
			return rest
		}
	}
	return name
}

// besideOwn makes the findings about libraries for other programs notes where the same is there for these programs as well.
// A driver has the same library in another directory, as distributions do it. A layer has a manifest of the same name, or one of
// a pair, as Steam and overlays do it.
func (r *Report) besideOwn() {
	stem := func(m *Module) string {
		name, _, _ := strings.Cut(search.BaseName(m.Library), ".so")
		return name
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		if f.Code != LibraryForeign {
			continue
		}
		modules, same := r.Layers, func(m Module) bool {
			return m.Good && (partner(m.Name, f.Subject) || sizeless(m.Name) == sizeless(f.Subject))
		}
		if at := slices.IndexFunc(r.Drivers, func(m Module) bool { return m.Manifest == f.Path }); at >= 0 {
			modules, same = r.Drivers, func(m Module) bool { return m.Good && stem(&m) == stem(&r.Drivers[at]) }
		}
		if slices.ContainsFunc(modules, same) {
			f.soften(diag.Note)
			f.advice = doNothingBesideOwn
		}
	}
}
