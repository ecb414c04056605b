package doctor

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/settingsfile"
)

// loaderExam examines the loaders that the program could get.
type loaderExam struct {
	libraryExam
	options Options
}

// decideFor makes a report one for the loader that the program gets: the decision is made as that loader makes it, from
// the source that it returns.
func (r *Report) decideFor(asked *machine.Source, linker *binary.Linker, options *Options) *machine.Source {
	source := *asked
	if options.Mapped != "" {
		r.Loader = loaders.Identify(&source.Machine, options.Mapped)
	} else {
		r.Loader = loaders.For(&source, linker, options.known)
	}
	if r.Static = loaders.StaticOf(linker); !r.Static.Gets() { // no loader reads a variable
		source.Environ = slices.DeleteFunc(slices.Clone(source.Environ), func(pair string) bool { return strings.HasPrefix(pair, "VK_") })
	}
	r.Loader.On(&source)
	r.Program, r.ownLinker, r.source = source.Program, own(linker) != nil, &source
	return r.source
}

// ignored says what is set for programs and is not in force, because their loader does not read it.
func (e *loaderExam) ignored() {
	if e.Loader == nil || e.Loader.Ours() {
		return
	}
	variables.Each(func(v variables.ID) {
		value, set := e.machine.Lookup(v.Name())
		if set && value != "" && strings.HasPrefix(v.Name(), "VK") && e.Loader.Has(v.Name()) == loaders.No {
			e.found(LoaderIgnores, v.Name(), "", unread{v.Name(), e.Loader, ""}, ignoredBy{e.Loader, e.source.Program})
		}
	})
	plain := *e.source
	plain.Loader = nil
	if where, err := settingsfile.Look(&plain); err == nil {
		if file := where.InForce(); file != nil {
			e.ignoredSettings(file)
		}
	}
}

// ignoredSettings says what of the settings file is not in force. Another program's file is a note: its configurator may have
// written it for other programs.
func (e *loaderExam) ignoredSettings(file *settingsfile.File) {
	data, err := e.machine.ReadFile(file.Path)
	if err != nil {
		return
	}
	what := unread{file.Path, e.Loader, ""}
	if e.Loader.Has(loaders.SettingsFile) != loaders.No {
		fields := e.Loader.Ignored(loaders.FieldsIn(string(data)))
		if len(fields) == 0 {
			return
		}
		what.fields = strings.Join(fields, ", ")
	}
	found := e.found(LoaderIgnores, machine.Style.Base(file.Path), file.Path, what, ignoredBy{e.Loader, e.source.Program})
	if !file.Ours {
		found.soften(diag.Note)
	}
}

// unread is a variable or a file that a loader does not read; fields: only these of the file.
type unread struct {
	name   string
	loader *loaders.Loader
	fields string
}

func (u unread) say() string {
	if u.fields != "" {
		return "the loader that programs get, " + u.loader.Title() + ", ignores " + u.fields + " in it"
	}
	return "the loader that programs get, " + u.loader.Title() + ", does not read " + machine.Style.Base(u.name)
}

// withOwnLoader is a run through this project's loader, or other advice.
func withOwnLoader(or advice) advice {
	const run = "vkloader run PROGRAM"
	if or == nil {
		return advised(run, run)
	}
	text, commands := or.say()
	return advised(run+", or "+text, append([]string{run}, commands...)...)
}

// ignoredBy is where it is in force instead.
type ignoredBy struct {
	loader  *loaders.Loader
	program string
}

func (i ignoredBy) say() (string, []string) {
	return "It is " + i.loader.NotInForce(i.program) + ".", nil
}

// static says that the program is statically linked. Where it gets no loader, nothing else that was found is about it.
func (e *loaderExam) static() {
	if e.Static == loaders.NotStatic {
		return
	}
	if !e.Static.Gets() {
		e.Findings = e.Findings[:0]
		for i := range e.Drivers {
			e.Drivers[i].Used = false
		}
		for i := range e.Layers {
			e.Layers[i].Used = false
		}
		for i := range e.Loaders {
			e.Loaders[i].First = false
		}
	}
	found := e.found(ProgramStatic, e.source.Program, "", sentence(e.Static.Line(e.source.Program)), linkedAgain[e.Static])
	if e.Static == loaders.NeverOpens {
		found.Severity = diag.Problem
	}
}

// linkedAgain is what to do about a statically linked program.
var linkedAgain = map[loaders.Static]advice{
	loaders.NoLoader:   advised("Nothing, if it uses no Vulkan. Otherwise link it dynamically: without -static."),
	loaders.NeverOpens: advised("Link it dynamically: without -static."),
	loaders.OpensItself: advised("Link it dynamically: without -static. As it is, it works only while this system's glibc is the version " +
		"that it was linked with."),
}

// plugin examines a library that the program opens later: what it needs, and how it comes to a Vulkan loader.
func (e *loaderExam) plugin() {
	name := e.options.Plugin
	if name == "" {
		return
	}
	m := Module{Name: search.BaseName(name), Library: name, Used: true}
	f := e.linker.Open(name)
	switch {
	case f.Err() != nil:
		var do advice = advised("Install the package that has the library again.")
		if errors.Is(f.Err(), fs.ErrPermission) {
			do = e.opening(e.closedPart(f.Real))
		}
		e.found(LibraryUnreadable, m.Name, name, unreadable{name, drivers.Cause(f.Err())}, do)
		return
	case f.Class != e.class || f.Machine != binary.Processor(e.class):
		e.found(LibraryForeign, m.Name, name, forOthers("", f, name, e.class), nil)
		return
	}
	c := e.linker.Follow(f)
	m.Manifest = name
	e.closure(&m, f, c)
	if !e.comesToLoader(c) {
		e.found(PluginNoVulkan, m.Name, name, said("%s is not linked with %s and does not name it", name, loaderName), nil)
	}
}

// comesToLoader tells whether one of the files is linked with a loader, or has the name by which one is opened.
func (h host) comesToLoader(c *binary.Closure) bool {
	for _, f := range c.Files {
		for _, needed := range f.Needed {
			if needed == loaderName {
				return true
			}
		}
	}
	data, err := h.machine.ReadLarge(c.Files[0].Real)
	return err != nil || bytes.Contains(data, []byte(strings.TrimSuffix(loaderName, ".1")))
}

// ownLinker is a program with a dynamic linker and a C library of its own; needs: the version of glibc that is wanted, "": a
// library is.
func ownLinker(interpreter *binary.Interpreter, needs string) advice {
	text := "The program has a C library of its own"
	if interpreter.Version != "" {
		text += ", glibc " + interpreter.Version
	}
	text += ": its dynamic linker, " + interpreter.Path + ", does not search this system's directories. "
	if needs != "" {
		return advised(text + "Use a build of the program with glibc " + needs + " or newer, or drivers that were built for it.")
	}
	return advised(text + "Run it with drivers that were built for it (nixGL for programs of Nix).")
}

// own is the program's own dynamic linker; nil where it is the system's.
func own(linker *binary.Linker) *binary.Interpreter {
	if i := linker.Interpreter(); i != nil && i.Own {
		return i
	}
	return nil
}
