package doctor

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/term"
)

// closure examines the dependencies of a library. opened are missing libraries that it opens at run time: a finding for
// those that it needs itself, if there is one, names them, too; then it returns true.
func (e *exam) closure(m *Entry, f *binary.File, c *binary.Closure, opened ...string) (all bool) {
	through := func(by *binary.File) string { return term.Either(by == f, "", f.Path) }
	var absent []nowhere
	for _, missing := range c.Missing {
		by, needed := whoNeeds(missing.By.Path, through(missing.By)), drivers.Needed(&missing)
		switch file := e.closedLibrary(missing.Name); {
		case needed.Fault != drivers.Absent:
			e.foundIn(m, LibraryNeeds, unusable(by, "needs", &needed), e.findable(missing.Name))
		case file != "":
			what := lacking{textf("%s needs %s, and "+unreadable, by, missing.Name, file), missing.Name}
			e.foundIn(m, LibraryNeeds, what, e.opening(e.closedPart(file)))
		case len(absent) > 0 && absent[len(absent)-1].by == missing.By.Path:
			what := &absent[len(absent)-1]
			what.also = append(what.also, missing.Name)
		default:
			absent = append(absent, nowhere{by: missing.By.Path, through: through(missing.By), name: missing.Name,
				places: missing.Result.Directories})
		}
	}
	for _, what := range absent {
		if what.by == f.Path {
			what.also, all = append(what.also, opened...), true
		}
		e.nowhere(LibraryNeeds, m, what)
	}
	if e.addShadowed(m, f, c) {
		return all
	}
	for _, old := range c.Newest() {
		e.foundIn(m, LibraryVersion, tooOld(whoNeeds(old.By.Path, through(old.By)), &old), e.olderThan(m, c, old)).
			offer(fixing, e.unsearching(old.In)...)
	}
	if len(c.Symbols) > 0 {
		symbol := c.Symbols[0]
		if len(c.Data) > 0 {
			symbol = c.Data[0]
		}
		what := undefinedSymbol(f, symbol, len(c.Symbols)-1, len(c.Data) > 0)
		do, hides := e.hiddenBy(c, c.Files[1:]...)
		if hides != nil {
			what = hides
		}
		if do == nil {
			do = e.matching(m, f)
		}
		if do == nil && m.Driver == nil && m.Layer == nil {
			do = newAdvice("The program's files do not fit together: use another release of it, or of its image.").
				withObstacle(ofRelease)
		}
		found := e.foundIn(m, LibrarySymbol, what, do, term.Either(len(c.Unbound()) > 0, everything, usual))
		for _, file := range c.Files[1:] {
			found.offer(fixing, e.unsearching(file)...)
		}
	}
	return all
}

// libraries examines the libraries of drivers and layers, and those of the program that use Vulkan.
func (e *exam) libraries() {
	e.examineEntries(e.examineEntry)
	e.examineBackends()
}

// missingAtRunTime returns the libraries that a driver opens at run time, cannot work without, and does not find.
func missingAtRunTime(found *drivers.Files) nowhere {
	missing := nowhere{by: found.File.Path, opens: true}
	for _, opened := range found.RunTime {
		switch {
		case !opened.Required || opened.File != nil && !opened.Unfound:
		case missing.name == "":
			missing.name, missing.places = opened.Name, opened.Directories
		default:
			missing.also = append(missing.also, opened.Name)
		}
	}
	return missing
}

// addRunTimeFiles adds findings for the files that a driver opens at run time and that have faults.
func (e *exam) addRunTimeFiles(m *Entry, found *drivers.Files) {
	for _, opened := range found.RunTime {
		switch {
		case !opened.Required || opened.File == nil || opened.Unfound:
		case opened.Fault == drivers.None && !opened.Complete():
			e.closure(m, opened.File, opened.With)
		case opened.Fault == drivers.Unreadable, opened.Fault == drivers.Foreign:
			e.foundIn(m, LibraryRuntime, unusable(found.File.Path, "opens", &opened.Library), e.findable(opened.Name))
		}
	}
}

// nowhere adds findings for libraries that the dynamic linker does not find: one for those that are in the same places.
// If these are known directories, the finding offers them for LD_LIBRARY_PATH.
func (e *exam) nowhere(code Code, m *Entry, what nowhere) {
	var groups []nowhere
	for _, name := range what.names() {
		one := what
		one.name, one.also = name, nil
		one.configured = e.configuredPath(name)
		directories := e.places("libraries")
		if p := e.system.packageNamed(e.packageOf(m.Manifest)); p != nil { // the manifest's
			files := slices.DeleteFunc(slices.Clone(p.Files), func(file string) bool { return path.Base(file) != name })
			directories = append(directories, term.Words(files, path.Dir)...)
		}
		if e.kind("flatpak", "snap", "steam") == "" { // these arrange their own directories
			directories = append(directories, librariesNear(m.Manifest)...)
		}
		for _, directory := range directories {
			if file := directory + "/" + name; e.fits(file) && !slices.Contains(one.beside, file) {
				one.beside = append(one.beside, file)
			}
		}
		if one.configured == "" {
			one.owner = e.owningPackage(name, what.places)
		}
		at := slices.IndexFunc(groups, func(other nowhere) bool {
			return other.owner == one.owner && path.Dir(other.configured) == path.Dir(one.configured) &&
				slices.Equal(term.Words(other.beside, path.Dir), term.Words(one.beside, path.Dir))
		})
		if at < 0 {
			groups = append(groups, one)
			continue
		}
		groups[at].also = append(groups[at].also, name)
	}
	for _, group := range groups {
		do := e.findable(group.name)
		if group.configured == "" {
			do = e.allFindable(nil, group.names())
		}
		if whole := e.other(m); whole != nil && what.by == "" {
			do = whole
		}
		if group.owner != "" {
			do = e.system.again(group.owner, group.name)
		}
		var changes []explain.Change
		for _, file := range group.beside {
			changes = append(changes, e.libraryPath(path.Dir(file)))
		}
		e.foundIn(m, code, group, do).offer(fixing, changes...)
	}
}

// librariesNear returns the directories for libraries of the software that a manifest belongs to, if that is outside of
// the system's directories: a software kit, or a program's own prefix.
func librariesNear(manifest string) (directories []string) {
	for at := path.Dir(path.Dir(path.Clean(manifest))); at != "/" && at != "." && at != "/usr" &&
		at != "/etc"; at = path.Dir(at) {
		directories = append(directories, at+"/lib", at+"/lib64")
		if len(directories) == 8 {
			break
		}
	}
	return directories
}

// allFindable returns advice to do something, or nil, and to make the dynamic linker find several libraries: NVIDIA's
// files have one step, and so have packages.
func (e *exam) allFindable(do *Remedy, names []string) *Remedy {
	var packages, ofMaker []string
	add := func(next *Remedy) {
		if do == nil {
			do = next
		} else if !strings.Contains(do.text, next.text) {
			do = do.and(next)
		}
	}
	for _, name := range names {
		switch known, _ := e.system.libraryPackage(name); {
		case len(names) == 1 && do == nil, e.linker.OwnInterpreter() != nil:
			add(e.findable(name))
		case strings.Contains(name, "nvidia"):
			ofMaker = append(ofMaker, name)
		case known != "" && e.class == ProcessClass:
			packages = append(packages, known)
		default:
			add(e.findable(name))
		}
	}
	if len(packages) > 0 {
		if then := do; then != nil {
			do = e.system.choose(packages...).and(then)
		} else {
			do = e.system.choose(packages...)
		}
	}
	if len(ofMaker) > 0 {
		add(e.system.libraryAdvice(ofMaker[0], ofMaker[1:]...))
	}
	return do
}

// findable returns advice that makes the dynamic linker find a library.
func (e *exam) findable(name string) *Remedy {
	if i := e.linker.OwnInterpreter(); i != nil {
		return e.glibcAdvice(i, "")
	}
	if file := e.configuredPath(name); file != "" {
		return e.system.by("ldconfig", nil).having(effectOf(e.libraryPath(path.Dir(file))))
	}
	if !isNamed(name, "subsystem") {
		return e.system.libraryAdvice(name)
	}
	return e.system.by("subsystem", nil)
}

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
	if e.source.Program == "" || len(c.Missing) > 0 ||
		len(c.Old)+len(c.Symbols) == 0 && !lacksVersions(c) && !c.Own() {
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
	do, others := e.system.by("one-build", nil), []string(nil)
	var hiding []lacking
	for _, file := range c.Files[1:] {
		other := fileNamed(system, file.Soname)
		if other == nil || other.Real == file.Real {
			continue
		}
		by, wants := lackOf(c, file, other)
		if wants == "" {
			continue
		}
		if !binary.OfCLibrary(file.Soname) {
			others = append(others, other.Path)
		}
		hiding = append(hiding, lacking{textf("%s, which the program brings, hides %s: %s needs %s, which only the "+
			"system's file has", e.options.Bundle.Shown(file.Path), other.Path, by, wants), file.Path})
	}
	if len(others) == len(hiding) { // one step loads all of them
		c := e.preloading(strings.Join(others, " "))
		do = shellAdvice(term.Either(len(others) == 1, "Start it with the system's file: ",
			"Start it with the system's files: "), c.Assignment()+" "+shell.Quoted(term.Or(
			e.options.Bundle.Launcher, e.source.Program))).having(effectOf(c))
	}
	for _, what := range hiding {
		e.foundIn(m, LibraryShadowed, what, do)
	}
	return len(hiding) > 0
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
		if len(file.Defines) > 0 || by.Symbols() == nil || !slices.Contains(by.Needed, file.Soname) {
			continue
		}
		wants := by.Symbols().Undefined()
		if slices.ContainsFunc(by.Requires, func(r binary.SymbolVersion) bool { return r.File == file.Soname }) {
			wants = by.Symbols().Versioned()
		}
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

// hiddenBy returns advice about a library in a directory of ldconfig's that hides a newer one, and the fact; nil: none
// does.
func (e *exam) hiddenBy(c *binary.Closure, files ...*binary.File) (*Remedy, fact) {
	for _, file := range files {
		for _, place := range e.linker.Everywhere(file.Soname) {
			other := e.linker.Open(place)
			if other.Real == file.Real || !e.linker.Fits(other) {
				continue
			}
			by, lacks := lackOf(c, file, other)
			if lacks == "" {
				continue
			}
			for _, line := range e.configuration("/etc/ld.so.conf", 0) {
				if path.Clean(line.directory) == path.Dir(file.Path) {
					return e.searchLineRemoval(line, file.Path, place), textf("%s is loaded in place of %s, and lacks "+
						"%s, which %s needs", file.Path, place, lacks, by)
				}
			}
		}
	}
	return nil, nil
}

// searchLineRemoval returns advice against a directory of ldconfig's configuration with a file that hides another one:
// to remove the file from /usr/local, or its package, or the directory's line; in a Flatpak, to load the other one. It
// returns nil for directories of the system, whose libraries other programs need.
func (e *exam) searchLineRemoval(line searchLine, file, hidden string) *Remedy {
	owner, c := e.packageOf(file), e.preloading(hidden)
	args := with("file", file, "hidden", hidden, "p", owner, "set", c.Variable+"="+c.Value, "at", line.at.File,
		"cut", strconv.Itoa(line.at.Number)+"d")
	if strings.HasPrefix(file, "/usr/local/") {
		args["local"] = []string{file}
	} else if strings.HasPrefix(file, "/usr/") || strings.HasPrefix(file, "/lib") {
		return nil
	}
	do := e.system.by("hiding", args)
	if owner != "" {
		return do
	} else if e.kind("flatpak") == "" { // its /etc is read-only
		c = e.libraryPath(path.Dir(hidden))
	}
	return do.having(effectOf(c))
}
