package doctor

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/tool/term"
)

// Texts in a program's file: paths, which may be directories of plugins, manifests of drivers, and the name of a
// program that lists devices.
var (
	pathsInText     = regexp.MustCompile(`\x00/[\w.+-]+/[\w./+-]*lib[\w./+-]*`)
	manifestsInText = regexp.MustCompile(`/[\w./+-]+/icd\.d/[\w.+-]+\.json`)
	infoInText      = regexp.MustCompile(`vulkaninfo(\x00|["']| -)`)
)

// findVulkan looks for Vulkan in the program, the libraries that it needs, and those that it may open, and adds a
// finding if nothing names it. The files do not tell it of a program that runs other code: an interpreter, a launcher
// or an archive.
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
		data := e.linker.Text(f.Path)
		if data == nil || hasTextOf("vulkan", data) || hasTextOf("carrier-text", data) {
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
			if data := e.linker.Text(path.Join(directory, name)); data == nil || hasTextOf("vulkan", data) {
				return
			}
		}
	}
	e.add(ProgramNoVulkan, path.Base(p.Path), p.Path,
		sentence("neither the program nor its libraries name Vulkan"), nil)
}

// namedFiles adds a finding for each layer, manifest and program that the program's file names and that is not there.
// It may ask for a layer only on demand, and for a replaced one beside its replacement. A build for debugging asks for
// the validation layer (KyleMayes/vulkanalia issue 292).
func (e *exam) namedFiles() {
	program := e.source.Program
	if program == "" {
		return
	}
	data := e.linker.Text(program)
	own := strings.HasPrefix(program, e.ownHome()+"/") && !e.isLaunched()
	for _, l := range NamedLayers(e.source, data) {
		debugs := l.Name == validationLayer && strings.Contains(strings.ToLower(program), "debug") ||
			l.likely && len(e.linker.Started(program)) > 1 // a script is its own source
		e.add(ProgramLayer, l.Name, program, sentence("the program names it, and programs do not find it"),
			newAdvice(l.Do), term.Either(debugs, something, usual)).missing = l.likely || own
	}
	for _, name := range manifestsInText.FindAll(data, -1) {
		name := string(name)
		m := find(e.Drivers, func(m *Entry) bool { return m.Good && path.Base(m.Manifest) == path.Base(name) })
		if m != nil && !e.machine.Exists(name) && !bytes.Contains(data, []byte(m.Manifest)) {
			line := explain.SetVariable(variables.ICDFilenames.Name(), m.Manifest).Line()
			e.add(ProgramFile, name, program, textf("the program names it, and it does not exist; %s does", m.Manifest),
				shellAdvice("If the program does not find the driver: ", line)).missing = true
		}
	}
	if _, err := e.machine.FindProgram("vulkaninfo"); err != nil &&
		(infoInText.Match(data) || hasPrefixOf("asks-vulkaninfo", path.Base(program))) {
		var do *Remedy
		if known := packageOf("vulkaninfo", e.system.family()); known != "" {
			do = e.system.choose(known)
		}
		e.add(ProgramFile, "vulkaninfo", program, sentence("the program starts it, and it is not in PATH"), do).
			missing = true
	}
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
