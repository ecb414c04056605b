package doctor

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/term"
)

// StartFile is the file that starts an examined program.
type StartFile struct {
	Launcher string // its path; "": the program itself
	Unpacked string // the directory with the content of an image; "": no image

	Variables []binary.Assignment // of its program, by the lines of scripts
}

// Shown returns a file's path: for the content of an image, the path in the image.
func (b StartFile) Shown(file string) string {
	if inside, is := strings.CutPrefix(file, b.Unpacked+"/"); is && b.Unpacked != "" {
		return inside + " in " + path.Base(b.Launcher)
	}
	return file
}

// addShadowed adds a finding for each library of the program that keeps a driver or layer from being loaded, and
// reports whether there is one. The same libraries without the program have no fault then.
func (e *exam) addShadowed(m *Entry, f *binary.File, c *binary.Closure) bool {
	if e.source.Program == "" || len(c.Missing) > 0 || len(c.Old)+len(c.Symbols) == 0 && !lacksVersions(c) {
		return false
	}
	changed := *e.machine
	changed.Environ = machine.WithoutVariable(changed.Environ, "LD_LIBRARY_PATH")
	plain := binary.NewLinker(&changed,
		binary.LinkerOptions{Class: e.class, Machine: binary.Processor(e.class), Share: e.linker})
	system := plain.Follow(plain.Open(f.Path))
	if plain.Bind(system); len(system.Missing)+len(system.Old)+len(system.Symbols) > 0 {
		return false
	}
	found := false
	for _, file := range c.Files[1:] {
		other := fileNamed(system, file.Soname)
		if other == nil || other.Real == file.Real {
			continue
		}
		by, wants := lackOf(c, file, other)
		if wants == "" {
			continue
		}
		found = true
		do := e.system.by("one-build", nil)
		if c := e.preloading(other.Path); !binary.OfCLibrary(file.Soname) {
			do = shellAdvice("Start it with the system's file: ", c.Assignment()+" "+shell.Quoted(term.Or(
				e.options.Bundle.Launcher, e.source.Program))).having(effectOf(c))
		}
		e.foundIn(m, LibraryShadowed, lacking{textf("%s, which the program brings, hides %s: %s needs %s, which only the "+
			"system's file has. So %[3]s is not loaded, or ends the program. Without the program's file, %[3]s gets "+
			"the system's", e.options.Bundle.Shown(file.Path), other.Path, by, wants), file.Path}, do)
	}
	return found
}

// lacksVersions reports whether a library without versions of symbols stands for one with versions.
func lacksVersions(c *binary.Closure) bool {
	for _, by := range c.Files {
		for _, want := range by.Requires {
			if in := fileNamed(c, want.File); in != nil && len(in.Defines) == 0 && !want.Weak {
				return true
			}
		}
	}
	return false
}

// fileNamed returns the library of a closure with a soname; nil: there is none.
func fileNamed(c *binary.Closure, soname string) *binary.File {
	if at := slices.IndexFunc(c.Files, func(f *binary.File) bool { return f.Soname == soname }); at >= 0 &&
		soname != "" {
		return c.Files[at]
	}
	return nil
}

// withHiding returns the variables of a child that gets the program's libraries which hide the system's, as the program
// gets them.
func (r *Report) withHiding(environ []string) []string {
	var files []string
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Code == LibraryShadowed && !slices.Contains(files, f.lacks()) {
			files = append(files, f.lacks())
		}
	}
	if len(files) == 0 {
		return environ
	}
	return machine.WithVariable(environ, "LD_PRELOAD", strings.Join(files, " "))
}

// lackOf returns a version or symbol that a library lacks and another one of its name has, and the library that needs
// it.
func lackOf(c *binary.Closure, file, other *binary.File) (by, wants string) {
	for _, old := range c.Newest() {
		if old.In == file {
			return old.By.Path, old.Version
		}
	}
	has := other.Symbols()
	lacks := func(symbol string) bool {
		return has != nil && has.Exports(symbol) && !slices.ContainsFunc(c.Files,
			func(f *binary.File) bool { return f.Symbols() != nil && f.Symbols().Exports(symbol) })
	}
	if at := slices.IndexFunc(c.Symbols, lacks); at >= 0 {
		return c.Files[0].Path, c.Symbols[at]
	}
	for _, by := range c.Files {
		if len(file.Defines) > 0 || by.Symbols() == nil ||
			!slices.ContainsFunc(by.Requires, func(r binary.SymbolVersion) bool { return r.File == file.Soname }) {
			continue
		}
		wants := by.Symbols().Versioned()
		if at := slices.IndexFunc(wants, lacks); at >= 0 {
			return by.Path, wants[at]
		}
	}
	return "", ""
}

// preloading returns the change that loads a library before all others.
func (h host) preloading(file string) explain.Change {
	const variable = "LD_PRELOAD"
	value, _ := h.machine.Lookup(variable)
	return explain.SetVariable(variable, strings.TrimSpace(file+" "+value))
}

// hiddenBy returns advice about libraries in a directory of ldconfig's that hide newer ones; nil: none does.
func (e *exam) hiddenBy(c *binary.Closure, files ...*binary.File) *Remedy {
	for _, file := range files {
		for _, place := range e.linker.Everywhere(file.Soname) {
			other := e.linker.Open(place)
			if other.Real == file.Real || !e.linker.Fits(other) {
				continue
			}
			if _, lacks := lackOf(c, file, other); lacks == "" {
				continue
			}
			for _, line := range e.configuration("/etc/ld.so.conf", 0) {
				if path.Clean(line.directory) == path.Dir(file.Path) {
					return e.searchLineRemoval(line, file.Path, place)
				}
			}
		}
	}
	return nil
}

// searchLineRemoval returns advice against a directory of ldconfig's configuration with a file that hides another one:
// to remove the file from /usr/local, or its package, or the directory's line; in a Flatpak, to load the other one. It
// returns nil for directories of the system, whose libraries other programs need.
func (e *exam) searchLineRemoval(line searchLine, file, hidden string) *Remedy {
	before := file + " hides " + hidden + ". "
	local := strings.HasPrefix(file, "/usr/local/")
	if !local && (strings.HasPrefix(file, "/usr/") || strings.HasPrefix(file, "/lib")) {
		return nil
	}
	if owner := e.packageOf(file); owner != "" {
		return newAdvice(before + "Remove the package " + owner + ", which has that file.").withObstacle(ofPackage)
	}
	if e.kind("flatpak") != "" { // its /etc is read-only
		c := e.preloading(hidden)
		outside := e.system.by("variables", arguments{"set": {c.Variable + "=" + c.Value}})
		do := newAdvice(before + "The application should not contain the first of them.")
		return do.or("To load the other one: ", outside).having(effectOf(c))
	}
	commands := []shell.Line{"sed -i " + shell.Words(strconv.Itoa(line.at.Number)+"d", line.at.File), "ldconfig"}
	if local {
		commands[0] = "rm -- " + shell.Quoted(file)
	}
	do := &Remedy{text: before + "Run as root: " + string(shell.Join(commands, " && ")), lines: commands, root: true}
	return do.having(effectOf(e.libraryPath(path.Dir(hidden))))
}
