package doctor

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/tool/term"
)

// pathsInText match absolute paths in a program's file, which may be directories of plugins.
var pathsInText = regexp.MustCompile(`\x00/[\w.+-]+/[\w./+-]*lib[\w./+-]*`)

// findVulkan looks for Vulkan in the program, the libraries that it needs, and those that it may open, and adds a finding
// if nothing names it. The files do not tell it of a program that runs other code: an interpreter, a launcher or an archive.
func (e *exam) findVulkan() {
	p := e.linker.Program()
	if e.source.Program == "" || p == nil || p.Interp == "" || e.Static != loaders.NotStatic || e.isLaunched() ||
		hasPrefixOf("carrier", path.Base(p.Path)) {
		return
	}
	c := e.linker.Follow(p)
	if len(c.Missing) > 0 || slices.ContainsFunc(c.Files, func(f *binary.File) bool { return f.Soname == loaderName }) {
		return
	}
	directories := e.ownDirectories()
	for _, f := range c.Files {
		if binary.OfCLibrary(f.Soname) {
			continue
		}
		data, err := e.machine.ReadLarge(f.Path)
		if err != nil || hasTextOf("vulkan", data) || hasTextOf("carrier-text", data) {
			return
		}
		for _, name := range pathsInText.FindAll(data, -1) {
			directories = append(directories, path.Clean(string(name[1:])))
		}
	}
	slices.Sort(directories)
	for _, directory := range slices.Compact(directories) {
		if directory == "/usr/lib" || directory == "/lib" || e.machine.Exists(directory+"/libc.so.6") {
			continue // its libraries are everyone's
		}
		for _, name := range e.machine.Names(directory) {
			if !strings.Contains(name, ".so") {
				continue
			}
			data, err := e.machine.ReadLarge(path.Join(directory, name))
			if err != nil || hasTextOf("vulkan", data) {
				return
			}
		}
	}
	e.add(ProgramNoVulkan, path.Base(p.Path), p.Path,
		sentence("neither the program nor its libraries name Vulkan"), nil)
}

// isLaunched reports whether a launcher or sandbox has libraries for the program.
func (e *exam) isLaunched() bool {
	return slices.ContainsFunc(nameLists()["launched"],
		func(place string) bool { return strings.Contains(e.source.Program, place) })
}

// ownDirectories returns the directories where the program may have libraries.
func (e *exam) ownDirectories() []string {
	of := "../lib/" + path.Base(e.source.Program) + "/"
	return term.Words(append([]string{of, of + "vulkan/"}, besideProgram...), func(sub string) string {
		return path.Join(path.Dir(e.source.Program), sub)
	})
}

// hasPrefixOf reports whether a name begins with one of a list.
func hasPrefixOf(list, name string) bool {
	return slices.ContainsFunc(nameLists()[list], func(known string) bool { return strings.HasPrefix(name, known) })
}

// hasTextOf reports whether a file's content has one of a list.
func hasTextOf(list string, data []byte) bool {
	return slices.ContainsFunc(nameLists()[list], func(text string) bool { return bytes.Contains(data, []byte(text)) })
}
