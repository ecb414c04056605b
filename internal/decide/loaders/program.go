package loaders

import (
	"bytes"
	"path"
	"strings"

	"vkloader/internal/core/pathname"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// Rules as they are written for programs.
var ruleNames = [...]string{binary.ByPreload: "preload", binary.ByPath: "path", binary.ByRPath: "rpath",
	binary.ByVariable: "variable",
	binary.ByRunPath:  "runpath", binary.ByCache: "cache", binary.ByDefault: "default", binary.ByProgram: "program",
	binary.BySystem: "system"}

// Linker returns the dynamic linker of a source's program.
func Linker(source *machine.Source) *binary.Linker {
	class := source.Class
	if class == 0 {
		class = machine.OwnClass
	}
	return binary.NewLinker(&source.Machine,
		binary.LinkerOptions{Class: class, Machine: binary.Processor(class), Elevated: source.Elevated,
			Program: source.Program})
}

// Known caches identified files by path; nil: nothing is cached.
type Known map[string]*Loader

// For returns the loader that a program's dynamic linker finds; nil: it finds none. On Windows it returns the loader in
// the program's directory, or else the system's; on macOS, nil.
func For(source *machine.Source, linker *binary.Linker, known Known) *Loader {
	if l, decided := systemLoader(source); decided {
		return l
	}
	static := StaticOf(linker)
	if !static.Gets() {
		return nil
	}
	r := linker.FindFor(Name)
	if beside := opensBeside(source, linker); !r.Loaded && beside != nil &&
		(r.File == nil || r.File.Real != beside.Real) {
		r = binary.LibrarySearch{File: beside, Rule: binary.ByProgram}
	} else if !r.Loaded {
		if l := linkedIn(&source.Machine, linker, known); l != nil {
			return l
		}
	}
	// where the dynamic linker finds no C library, ordinary programs are a store's packages
	if r.File == nil && linker.Program() == nil && linker.Find("libc.so.6").File == nil {
		r = binary.LibrarySearch{File: InStore(&source.Machine, linker), Rule: binary.ByRunPath}
	}
	if r.File == nil || r.File.Err() != nil {
		return nil
	}
	file := known[r.File.Path]
	if file == nil {
		if file = Identify(&source.Machine, r.File.Path); known != nil {
			known[r.File.Path] = file
		}
	}
	l := *file
	l.Static = static
	l.rule, l.Rule = r.Rule, ruleNames[r.Rule]
	return &l
}

// stores are the directories whose packages name the directories of the libraries they need.
var stores = []string{"/nix/store", "/gnu/store"}

// InStore returns the newest loader in a store for programs of a dynamic linker; nil: there is none.
func InStore(m *machine.Machine, linker *binary.Linker) (newest *binary.File) {
	last := ""
	for _, store := range stores {
		for _, name := range m.Names(store) {
			_, version, is := strings.Cut(name, "-vulkan-loader-")
			if !is || binary.CompareVersions(version, last) <= 0 {
				continue
			}
			if f := linker.Open(path.Join(store, name, "lib", Name)); f.Err() == nil && linker.Fits(f) {
				newest, last = f, version
			}
		}
	}
	return newest
}

// opensBeside returns the loader in the directory of a program that brings a driver, too: what draws for a browser or
// an Electron program opens it there, and not by the dynamic linker's rules (OpenLibVulkan with
// ANGLE_USE_CUSTOM_LIBVULKAN, in ANGLE's src/common/vulkan/libvulkan_loader.cpp). nil: there is none.
func opensBeside(source *machine.Source, linker *binary.Linker) *binary.File {
	brought := source.Brought()
	if len(brought) == 0 || machine.Style != pathname.Slash {
		return nil
	}
	if f := linker.Open(path.Join(path.Dir(brought[0]), Name)); f.Err() == nil && linker.Fits(f) {
		return f
	}
	return nil
}

// Decide makes a source read facts as the loader of its program does, and returns that loader; nil if the dynamic
// linker finds none.
func Decide(source *machine.Source) *Loader {
	l := For(source, Linker(source), nil)
	l.On(source)
	return l
}

// On makes a source read facts as the loader does. For this project's loader, or nil, it changes nothing.
func (l *Loader) On(source *machine.Source) {
	source.Loader = nil
	if l != nil && !l.Ours() {
		source.Loader = l
	}
}

// Place returns companions of a probe with a program's loader and C library, so that the probe shows their faults. It
// returns own, with the tool's library, if the program has no loader, if its C library is too old for the child, and
// for another machine. linker is that of a program with a C library of its own; nil: it has the system's.
func (l *Loader) Place(m *machine.Machine, own probe.Companions, linker *binary.Interpreter) probe.Companions {
	if l == nil || l.Inside || l.Ours() || m.Foreign() || linker != nil && !linker.Starts(m, own.Child) {
		return own
	}
	at := own
	if at.Library = l.File; linker != nil {
		at.Linker = linker.Path
	}
	return at
}

// negotiateName is the name of a driver's function, as a constant. Every loader since 2015 contains it, and other
// programs do not.
const negotiateName = "vk_icdNegotiateLoaderICDInterfaceVersion\x00"

// linkedIn returns the loader that is linked into a program; nil: none is. The caller has excluded programs that load
// libvulkan.so.1 at their start.
func linkedIn(m *machine.Machine, linker *binary.Linker, known Known) *Loader {
	p := linker.Program()
	if p == nil || p.Interp == "" || p.Err() != nil {
		return nil
	}
	if l, is := known[p.Path]; is {
		return l
	}
	var l *Loader
	if bytes.Contains(linker.Text(p.Path), []byte(negotiateName)) {
		if l = Identify(m, p.Path); l.texts == nil {
			l = nil
		} else {
			l.Inside = true
		}
	}
	if known != nil {
		known[p.Path] = l
	}
	return l
}

// StaticUse is how a statically linked program can use a Vulkan loader.
type StaticUse uint8

// Uses of a loader by a program.
const (
	NotStatic   StaticUse = iota
	NoLoader              // it names none: it uses no Vulkan, or has a loader linked in
	NeverOpens            // it names one, and its C library opens no libraries
	OpensItself           // it names one, and may open it as another program does
)

// StaticOf reports whether a program is statically linked.
func StaticOf(linker *binary.Linker) StaticUse {
	switch s := linker.Static(Name); {
	case s == nil:
		return NotStatic
	case !s.Names:
		return NoLoader
	case !s.Opens:
		return NeverOpens
	}
	return OpensItself
}

// Gets reports whether the program can get a loader.
func (s StaticUse) Gets() bool { return s == NotStatic || s == OpensItself }

// Line describes a statically linked program's access to a loader in one sentence; "": it is not statically linked.
func (s StaticUse) Line(program string) string {
	start := machine.Style.Base(program) + " is statically linked, so the dynamic linker gives it no " + Name
	switch s {
	case NotStatic:
		return ""
	case NoLoader:
		return start + ", and it opens none: nothing in it names one"
	case NeverOpens:
		return start + ", and its C library (musl) opens no libraries in such a program"
	}
	return start + "; it opens one itself, if it uses one"
}
