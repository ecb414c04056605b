package doctor

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"

	"vkloader/internal/core/search"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/drivers"
)

// plugin examines a library that the program opens later: what it needs, and how it comes to a Vulkan loader.
func (e *exam) plugin() {
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
func (e *exam) comesToLoader(c *binary.Closure) bool {
	for _, f := range c.Files {
		for _, needed := range f.Needed {
			if needed == loaderName {
				return true
			}
		}
	}
	data, err := e.machine.ReadLarge(c.Files[0].Real)
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
func (e *exam) own() *binary.Interpreter {
	if i := e.linker.Interpreter(); i != nil && i.Own {
		return i
	}
	return nil
}
