package loaders

import (
	"vkloader/internal/core/pathname"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/machine"
)

// Rules as they are written for programs.
var ruleNames = [...]string{binary.ByPreload: "preload", binary.ByPath: "path", binary.ByRPath: "rpath", binary.ByVariable: "variable",
	binary.ByRunPath: "runpath", binary.ByCache: "cache", binary.ByDefault: "default", binary.ByProgram: "program", binary.BySystem: "system"}

// Linker is the dynamic linker of the program that a source is for. plugin is a library that the program opens later; "": none.
func Linker(source *machine.Source, plugin string) *binary.Linker {
	class := source.Class
	if class == 0 {
		class = machine.OwnClass
	}
	return binary.NewLinker(&source.Machine, binary.LinkerOptions{Class: class, Machine: binary.Processor(class), Elevated: source.Elevated,
		Program: source.Program, Plugin: plugin})
}

// Known are files that were identified already, by their paths; nil: none are kept.
type Known map[string]*Loader

// For is the loader that a program gets, by what its dynamic linker finds; nil when that finds none. On Windows it is that of the
// program's own directory, else the system's.
func For(source *machine.Source, linker *binary.Linker, known Known) *Loader {
	if machine.Style == pathname.Backslash {
		return forWindows(source)
	}
	static := StaticOf(linker)
	if !static.Gets() {
		return nil
	}
	r := linker.FindFor(Name)
	if !r.Loaded {
		if l := linkedIn(&source.Machine, linker, known); l != nil {
			return l
		}
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

// Decide makes a source one of facts as the loader of its program reads them, and gives that loader; nil where the dynamic
// linker finds none. plugin is a library that the program opens later; "": none.
func Decide(source *machine.Source, plugin string) *Loader {
	l := For(source, Linker(source, plugin), nil)
	l.On(source)
	return l
}

// On makes a source one of facts as the loader reads them. Nothing changes for this project's loader, or for none.
func (l *Loader) On(source *machine.Source) {
	source.Loader = nil
	if l != nil && !l.Ours() {
		source.Loader = l
	}
}
