package doctor

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// decideFor makes the decision as the program's loader makes it, and returns the source for that loader.
func (r *Report) decideFor(asked *machine.Source, linker *binary.Linker, options *Options) *machine.Source {
	source := *asked
	if options.Mapped != "" {
		r.Loader = loaders.Identify(&source.Machine, options.Mapped)
	} else {
		r.Loader = loaders.For(&source, linker, options.known)
	}
	if r.Static = loaders.StaticOf(linker); !r.Static.Gets() { // without a loader, no variable is read
		source.Environ = slices.DeleteFunc(slices.Clone(source.Environ),
			func(pair string) bool { return strings.HasPrefix(pair, "VK_") })
	}
	r.Loader.On(&source)
	r.Program, r.ownLinker, r.source = source.Program, linker.OwnInterpreter(), &source
	return r.source
}

// addIgnored adds findings for settings that have no effect because the program's loader does not read them.
func (e *exam) addIgnored() {
	if e.Loader == nil || e.Loader.Ours() {
		return
	}
	e.addIgnoredVariables(e.variable)
	plain := *e.source
	plain.Loader = nil
	where, err := settings.Look(&plain)
	if err != nil || where.InForce() == nil {
		return
	}
	file, fields := where.InForce(), []string(nil)
	text := e.machine.Whole(file.Path)
	all := e.Loader.Has(loaders.SettingsFile) == loaders.No
	if !all {
		fields = e.Loader.Ignored(loaders.FieldsIn(text))
	}
	if text != "" && (all || len(fields) > 0) { // another program's configurator may have written it for other programs
		e.ignores(machine.Style.Base(file.Path), file.Path, strings.Join(fields, ", "), e.source.Program,
			term.Either(file.Ours, usual, nothing))
	}
}

// addIgnoredVariables adds a finding for each variable that the program's loader does not read.
func (r *Report) addIgnoredVariables(value func(name string) string) {
	variables.Each(func(v variables.ID) {
		if strings.HasPrefix(v.Name(), "VK") && value(v.Name()) != "" && r.Loader.Has(v.Name()) == loaders.No {
			r.ignores(v.Name(), "", "", r.Program)
		}
	})
}

// withOtherLoader returns advice to run the program with this project's loader, or else other advice.
func withOtherLoader(or *Remedy) *Remedy {
	const run = "vkloader run PROGRAM"
	do := newAdvice(run, run)
	if or == nil {
		return do
	}
	return do.or("Or: ", or)
}

// unread is a variable or file of which a loader ignores all or some fields. A trial may show the loader's version.
type unread struct {
	name, fields, program string
	loader                *loaders.Loader
}

func (u unread) say() string { return u.of(u.loader) }

func (u unread) of(l *loaders.Loader) string {
	what := term.Either(u.fields == "", "does not read "+u.name, "ignores "+u.fields+" in it")
	return "the loader that programs get, " + l.Title() + ", " + what
}

// ignores adds a finding for a variable or a file that the program's loader does not read, or of which it ignores some
// fields.
func (r *Report) ignores(name, path, fields, program string, lost ...loss) {
	r.add(LoaderIgnores, name, path, unread{name, fields, program, r.Loader}, &Remedy{}, lost...)
}

// static adds a finding for a statically linked program. If the program gets no loader, it drops all other findings.
func (e *exam) static() {
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
	verbs := map[loaders.StaticUse]string{loaders.NoLoader: "link-if-needed", loaders.NeverOpens: "link",
		loaders.OpensItself: "link-for-glibc"}
	e.add(ProgramStatic, e.source.Program, "", sentence(e.Static.Line(e.source.Program)), advice(verbs[e.Static]),
		term.Either(e.Static == loaders.NeverOpens, everything, usual))
}

// glibcAdvice returns advice for a program with a C library of its own. needs is a version of glibc; "": none.
func (e *exam) glibcAdvice(interpreter *binary.Interpreter, needs string) *Remedy {
	return e.system.by(term.Either(needs == "", "own-drivers", "own-glibc"), with("version", needs,
		"glibc", term.Enclosed(", glibc ", interpreter.Version, ""), "linker", interpreter.Path))
}

// Loader is a Vulkan loader that a program may get.
type Loader struct {
	File    string `json:"file"`              // with symbolic links resolved
	Name    string `json:"name"`              // as the dynamic linker finds it
	Vulkan  string `json:"vulkan,omitempty"`  // the highest version whose commands it exports, as 1.3
	Version string `json:"version,omitempty"` // from the file's name
	First   bool   `json:"first"`             // a program that opens libvulkan.so.1 gets this loader
	Own     bool   `json:"own"`               // this tool's loader
	Signer  string `json:"signer,omitempty"`  // on Windows: the name in the signature's certificate
	Altered bool   `json:"altered,omitempty"` // the file differs from its signature
}

// marks lists a command that each Vulkan version added.
var marks = []struct{ version, command string }{
	{"1.4", "vkCmdPushConstants2"}, {"1.3", "vkCmdBeginRendering"}, {"1.2", "vkCreateRenderPass2"},
	{"1.1", "vkEnumerateInstanceVersion"}, {"1.0", "vkCreateInstance"},
}

const loaderName = "libvulkan.so.1"

// besideProgram are directories for libraries of a program, as seen from its own.
var besideProgram = []string{"", "lib/", "lib64/", "../lib/", "bin/"}

// examineBackends examines the program, and its libraries that use the loader and that it opens itself, by their names:
// without one, it computes on the CPU. Libraries of /usr/lib belong to no single program.
func (e *exam) examineBackends() {
	program, seen := e.source.Program, map[string]bool{}
	if program == "" || e.isLaunched() {
		return
	}
	if f := e.linker.Program(); f != nil {
		e.examineOwn(f, path.Dir(program))
	}
	for _, directory := range e.ownDirectories() {
		names := e.machine.Names(directory)
		if directory == "/usr/lib" || directory == "/lib" {
			continue
		}
		for _, name := range names {
			f := e.linker.Open(path.Join(directory, name))
			before, _, is := strings.Cut(name, "vulkan")
			if !is || !strings.Contains(name, ".so") || !e.linker.Fits(f) || seen[f.Real] ||
				!slices.Contains(f.Needed, loaderName) {
				continue
			}
			seen[f.Real] = true
			e.examineOwn(f, directory)
			for _, sibling := range names { // libggml-cpu.so beside libggml-vulkan.so
				f := e.linker.Open(path.Join(directory, sibling))
				if before != "lib" && strings.HasPrefix(sibling, before) && strings.Contains(sibling, ".so") &&
					e.linker.Fits(f) && !seen[f.Real] {
					seen[f.Real] = true
					e.examineOwn(f, directory)
				}
			}
		}
	}
}

// examineOwn examines the dependencies of the program, or of a library of it. The program may open those near it first,
// or a script that starts it may name their directory.
func (e *exam) examineOwn(f *binary.File, directory string) {
	c := e.linker.Follow(f)
	near := librariesNear(f.Path)
	for _, sub := range append(e.machine.Names(directory), besideProgram...) {
		near = append(near, path.Join(directory, sub))
	}
	place := -1
	beside := slices.IndexFunc(c.Missing, func(one binary.Missing) bool {
		place = slices.IndexFunc(near, func(place string) bool { return e.fits(path.Join(place, one.Name)) })
		return place >= 0
	})
	switch {
	case beside >= 0 && e.source.Elevated:
		e.addElevatedNeed(f, c.Missing[beside].Name)
	case beside >= 0 && f == e.linker.Program(): // ggml-org/llama.cpp issue 23538
		e.add(LibraryNeeds, path.Base(f.Path), f.Path, textf("it needs %s, which is in %s, and nothing names this "+
			"directory to the dynamic linker", c.Missing[beside].Name, near[place]),
			newAdvice("Start the program with the script that comes with it."), something).
			offer(fixing, e.libraryPath(near[place]))
	}
	if e.linker.Bind(c); beside < 0 && len(c.Missing)+len(c.Old)+len(c.Unbound()) > 0 {
		e.closure(&Entry{Name: path.Base(f.Path), Manifest: f.Path, Library: f.Path, Used: true}, f, c)
	}
}

// addElevatedNeed adds a finding for a library of a program with more rights than its user that needs one near it,
// which only LD_LIBRARY_PATH names (ollama/ollama issue 15321).
func (e *exam) addElevatedNeed(f *binary.File, name string) {
	do := newAdvice("Start the program without these rights.")
	if process.RightsOf(e.machine, e.source.Program) == process.Capabilities {
		line := "setcap -r " + shell.Quoted(e.source.Program)
		unprivileged := func(source *machine.Source, with Options) (*machine.Source, Options, bool) {
			plain := *source
			plain.Elevated = false
			return &plain, with, true
		}
		do = (&Remedy{text: "Run as root: " + string(line), lines: []shell.Line{line}, root: true}).
			having(&effect{name: "plain rights", on: unprivileged})
	}
	e.add(LibraryNeeds, path.Base(f.Path), f.Path, textf("%s needs %s, which is near it. The program runs with more "+
		"rights than its user, so the dynamic linker ignores LD_LIBRARY_PATH", f.Path, name), do, something)
}

// loaders lists the loaders that the dynamic linker finds, the default one first, and those beside the program.
func (e *exam) loaders() {
	add := func(name string, first bool) {
		f := e.linker.Open(name)
		if !e.linker.Fits(f) || f.ELF == nil || contains(e.Loaders, func(l *Loader) bool { return l.File == f.Real }) {
			return
		}
		l := Loader{File: f.Real, Name: name, First: first, Own: f.Real == e.options.Library && !e.machine.Foreign()}
		for _, m := range marks {
			if f.Symbols().Exports(m.command) {
				l.Vulkan = m.version
				break
			}
		}
		if _, version, ok := strings.Cut(search.BaseName(f.Real), ".so."); ok && strings.Contains(version, ".") {
			l.Version = version
		}
		e.Loaders = append(e.Loaders, l)
	}
	first := e.linker.FindFor(loaderName)
	linked := first.File
	// of a process, or beside the program
	if e.Loader != nil && !e.Loader.Inside && e.linker.Open(e.Loader.Path).Err() == nil {
		first.File = e.linker.Open(e.Loader.Path)
	}
	if first.File != nil {
		add(first.File.Path, e.Loader == nil || !e.Loader.Inside)
	}
	for _, place := range e.linker.Everywhere(loaderName) {
		add(place, false)
	}
	if program := e.source.Program; program != "" {
		directory := search.Directory(program)
		for _, sub := range besideProgram {
			for _, name := range e.machine.Names(directory + sub) {
				if name == loaderName || strings.HasPrefix(name, loaderName+".") {
					add(directory+sub+name, false)
				}
			}
		}
	}
	if e.Loader == nil || !e.Loader.Inside { // a program with a loader inside uses none of the listed ones
		e.judgeLoaders(first, linked)
	}
	brought := explain.Brought(e.source, e.Answer)
	for i := range brought {
		m := Entry{Name: brought[i].Name, Manifest: brought[i].Manifest, Library: brought[i].Library, Brought: true}
		e.examineLibrary(&m)
		e.Drivers = append(e.Drivers, m)
	}
}

// judgeLoaders judges the program's loader and the others. linked is the one that the dynamic linker finds for the
// program's name of it.
func (e *exam) judgeLoaders(first binary.LibrarySearch, linked *binary.File) {
	if first.File == nil {
		configured := e.configuredPath(loaderName)
		if store := loaders.InStore(e.machine, e.linker); store != nil && e.linker.OwnInterpreter() != nil {
			// a program built with a store's compiler, which does not name the loader's directory
			e.add(LoaderMissing, loaderName, store.Path, loaderless(store.Path, ""), nil).
				offer(fixing, e.libraryPath(path.Dir(store.Path)))
			return
		}
		// on NixOS, programs and their libraries name the loader's directory
		lost := term.Either(e.system.is("nixos"), nothing, usual)
		// an image gets a package
		if e.machine.Foreign() || e.options.Library == "" || e.class != ProcessClass || conditions["image"](&e.system) {
			e.add(LoaderMissing, loaderName, "", loaderless(configured, ""), e.findable(loaderName), lost)
		} else {
			found := e.add(LoaderMissing, loaderName, "", loaderless(configured, e.options.Library), nil, lost).
				offer(fixing, e.libraryPath(strings.TrimSuffix(search.Directory(e.options.Library), "/")))
			if packageOf(loaderName, e.system.family()) != "" {
				found.outlast(e.findable(loaderName))
			}
		}
		return
	}
	if file := first.File; file.Err() != nil || !file.Symbols().Exports("vkCreateInstance") {
		owner, what := e.packageOf(file.Real), textf("programs load %s, but it is not a Vulkan loader", file.Path)
		if err := drivers.Cause(file.Err()); err != nil {
			what += textf(": %v", err)
		}
		found := e.add(LoaderBroken, loaderName, file.Path, what, e.system.again(owner, file.Path))
		if owner == "" && (!e.machine.Foreign() || len(e.linker.Everywhere(loaderName)) > 1) {
			found.offer(fixing, explain.RemoveFile(path.Clean(file.Path)))
		}
		if value := e.variable("LD_LIBRARY_PATH"); value != "" {
			found.offer(fixing, explain.UnsetVariable("LD_LIBRARY_PATH"))
		}
	} else {
		e.addMisfit(file)
		e.addUnnumbered(file)
	}
	if len(e.Loaders) == 0 {
		return
	}
	others := e.linker.Find(loaderName) // the loader of other programs
	brought := func(l Loader) bool {
		return e.source.Program != "" && strings.HasPrefix(l.Name, search.Directory(e.source.Program))
	}
	usable := slices.DeleteFunc(slices.Clone(e.Loaders), func(l Loader) bool { return brought(l) && !l.First })
	newest := slices.MaxFunc(append(usable, Loader{}), func(a, b Loader) int {
		return binary.CompareVersions(a.Vulkan, b.Vulkan)
	})
	for _, l := range e.Loaders {
		switch {
		case brought(l):
			do, obeys := (*Remedy)(nil), linked != nil && linked.Real == l.File
			if !obeys {
				do = newAdvice("Nothing: " + term.Either(l.First,
					"what draws for the program opens this file by its path.", "the program gets "+first.File.Path+"."))
			} else if others.File != nil && others.File.Real != l.File {
				do = newAdvice("Remove " + l.Name + ": the program then gets " + others.File.Path + ".")
			}
			e.add(LoaderBundled, loaderName, l.Name, textf("%s; it comes with the program%s", l.words(),
				term.Either(l.First, ", and the program loads it", "")), do,
				term.Either(!obeys || binary.CompareVersions(l.Vulkan, newest.Vulkan) >= 0, nothing, usual))
		case l.First && binary.CompareVersions(l.Vulkan, newest.Vulkan) < 0:
			e.add(LoaderOld, loaderName, l.Name, textf("%s, and programs get it before %s for Vulkan %s", l.words(),
				newest.File, newest.Vulkan), e.loaderRemoval(&l)).
				offer(fixing, e.unsearching(e.linker.Open(l.Name))...)
		case !l.First:
			e.add(LoaderOther, loaderName, l.Name, textf("%s; programs get %s", l.words(), first.File.Path), nil)
		}
	}
}

// addUnnumbered adds a finding for a program that opens the loader by names of which none is there: the one without a
// number, which usually only a package for developers has (libretro/RetroArch issue 7887), or a wrong one
// (NVIDIA-RTX/NRI issue 203).
func (e *exam) addUnnumbered(loader *binary.File) {
	if e.source.Program == "" {
		return
	}
	data := e.linker.Text(e.source.Program)
	names := slices.DeleteFunc([]string{loaderName, "libvulkan.1.so", "libvulkan.so"}, func(name string) bool {
		return !bytes.Contains(data, []byte(term.Either(name == loaderName, name, name+"\x00")))
	})
	if len(names) == 0 || slices.Contains(names, loaderName) ||
		slices.ContainsFunc(names, func(name string) bool { return e.linker.Find(name).File != nil }) {
		return
	}
	name := names[0]
	do := e.system.by("loader-name", with("to", path.Base(loader.Path), "file", path.Join(path.Dir(loader.Path), name)))
	e.add(LoaderMissing, name, e.source.Program, textf("the program names %s, and only %s is there", name,
		loaderName), do, something)
}

// addMisfit adds a finding for a loader that needs newer libraries than those of the program.
func (e *exam) addMisfit(loader *binary.File) {
	needed := e.linker.Follow(loader).Newest()
	if len(needed) == 0 {
		return
	}
	old := &needed[0]
	what := tooOld(whoNeeds(old.By.Path, term.Either(old.By == loader, "", loader.Path)), old)
	what.library = old.In.Path
	do, changes := newAdvice("Update "+old.In.Path+", or start the program with the system's file of this name."),
		e.unsearching(old.In)
	if binary.OfCLibrary(old.In.Soname) { // it fits the program's dynamic linker only
		do, changes = e.system.by("one-build", nil), nil
	}
	if i := e.linker.OwnInterpreter(); i != nil {
		do = e.glibcAdvice(i, strings.TrimPrefix(old.Version, "GLIBC_"))
	}
	e.add(LoaderBroken, loaderName, loader.Path, what, do).offer(fixing, changes...)
}

// loaderRemoval returns advice to remove an older loader of the system. Without the file of its link, ldconfig would
// write the link again.
func (e *exam) loaderRemoval(l *Loader) *Remedy {
	args, change := with("p", e.packageOf(l.File, l.Name), "file", l.Name), explain.RemoveFile(l.Name)
	if !strings.HasPrefix(l.Name, "/usr/local/") || args["p"][0] != "" || e.containerKind() != "" {
		return e.system.by("older-loader", args)
	}
	if args["local"] = []string{l.File}; l.File != l.Name {
		args["link"], change = []string{l.Name}, change.With(explain.RemoveFile(l.File))
	}
	return e.system.by("older-loader", args).having(effectOf(change))
}

// libraryPath returns a change that puts a directory first in LD_LIBRARY_PATH.
func (h host) libraryPath(directory string) explain.Change {
	if value := h.variable("LD_LIBRARY_PATH"); value != "" {
		directory += ":" + value
	}
	return explain.SetVariable("LD_LIBRARY_PATH", directory)
}

// unsearching returns changes of LD_LIBRARY_PATH after which the dynamic linker does not find a library there.
func (h host) unsearching(file *binary.File) []explain.Change {
	const name = "LD_LIBRARY_PATH"
	changes := explain.DropEntries(h.machine, name, ":;",
		func(directory string) bool { return path.Clean(directory) == path.Dir(file.Path) })
	return append(changes, term.Either(changes == nil, nil, []explain.Change{explain.UnsetVariable(name)})...)
}

// other returns advice about a driver or layer that exists for the other word size only; nil to use the table's.
func (e *exam) other(m *Entry) *Remedy {
	owner, _, _ := strings.Cut(e.packageOf(m.Manifest), ":")
	if f := m.family(); f != nil && e.class == 32 {
		return e.system.install(f, false)
	} else if e.class == 32 && m.Layer != nil && isFileName(owner) {
		return e.system.by("install32", with("p", owner))
	}
	return nil
}

// WordSize returns the word size of the examined program.
func (r *Report) WordSize() int {
	if r.Class != 0 {
		return r.Class
	}
	return ProcessClass
}

// OtherSize describes the Vulkan of programs of the other word size on a machine with a loader for them.
type OtherSize struct {
	Class    int             `json:"class"`
	Loader   *loaders.Loader `json:"loader,omitempty"` // absent: unreadable
	Drivers  []string        `json:"drivers"`          // the drivers without a fault
	Problems int             `json:"problems"`
	Verdict  string          `json:"verdict"` // the result in one line

	first  string  // the problem of a device that programs of this word size have; "": none
	advice *Remedy // to install drivers for these programs
}

// Line returns the result in one sentence.
func (o *OtherSize) Line() string {
	if o.Loader == nil {
		return fmt.Sprintf("%d-bit programs get no Vulkan loader%s", o.Class,
			term.Enclosed(", and drivers for them are installed: ", strings.Join(o.Drivers, ", "), ""))
	}
	line := fmt.Sprintf("%d-bit programs get %s", o.Class, o.Loader.Title())
	return term.Either(len(o.Drivers) == 0, line+", and no driver", line+", with "+strings.Join(o.Drivers, ", "))
}

// otherSize examines the other word size, if no program but a launcher is named and the machine has a 32-bit loader, a
// driver with a manifest for 32-bit programs, or a launcher's 32-bit Wine; nil otherwise. The lack of all is no fault:
// a machine may run only 64-bit programs. On NixOS, each program brings its loader.
func (e *exam) otherSize() (*OtherSize, error) {
	if e.class != ProcessClass || e.class == 32 || e.source.Class != 0 || e.options.Mapped != "" ||
		e.source.Program != "" && !hasPrefixOf("launcher", path.Base(e.source.Program)) {
		return nil, nil
	}
	linker := binary.NewLinker(e.machine,
		binary.LinkerOptions{Class: 32, Machine: binary.Processor(32), Elevated: e.source.Elevated, Share: e.linker})
	features := setting(e.machine.Text("/.flatpak-info"), "Context", "features") // multiarch: its programs are of both
	if linker.Find(loaderName).File == nil && !strings.Contains(features, "multiarch") && (e.system.is("nixos") ||
		!contains(e.Drivers, func(m *Entry) bool { return m.Class == 32 }) && !slices.ContainsFunc(e.places("runner"),
			func(file string) bool { return binary.ProgramOf(e.machine, file).Class == 32 })) {
		return nil, nil
	}
	source, options := *e.source, e.options
	source.Class, source.Program, source.Loader, options.Library = 32, "", nil, ""
	other, err := examineSize(&source, options)
	if err != nil {
		return nil, err
	}
	if e.Loader == nil && other.Loader == nil { // one unreadable file for both word sizes, which the examination names
		return nil, nil
	}
	o := &OtherSize{Class: 32, Loader: other.Loader, Drivers: []string{}, Verdict: verdict(other.Report),
		advice: otherSizeAdvice(other.Report)}
	for _, m := range other.Drivers {
		if m.Good {
			o.Drivers = append(o.Drivers, m.Name)
		}
	}
	for f := range each(other.Findings) {
		if f.Severity == diag.Problem && f.Because == nil {
			g := e.gpuOf(f)
			// a laptop's card of NVIDIA has a package of its own, which Mesa's drivers for 32-bit programs do not bring
			half := g != nil && g.Kernel == "nvidia" && len(g.Drivers) > 0
			own := f.Code == NvidiaVersion && !has(e.Findings, NvidiaVersion) || f.Code == GPUNoDriver &&
				(half || f.last().change != nil) || other.mayServe(f)
			if o.Problems++; own && o.first == "" {
				o.first = Headed(f.Subject, f.fact.say())
			}
		}
	}
	return o, nil
}

// otherSizeAdvice returns advice to install drivers for programs of the other word size: those of the devices, else
// any.
func otherSizeAdvice(other *Report) *Remedy {
	var does []*Remedy
	for f := range each(other.Findings) {
		changed := f.Code == NoDriver && f.last() != nil && f.last().change != nil
		if (changed || f.Code == NvidiaVersion || f.Code == LoaderMissing) && f.Because == nil {
			return f.last()
		}
		if f.Code == GPUNoDriver && f.Because == nil || other.mayServe(f) {
			does = append(does, f.last())
		}
	}
	if len(does) > 0 {
		return allOf(does)
	}
	for f := range each(other.Findings) {
		if f.Severity == diag.Problem && f.Because == nil && f.last() != nil && f.Code != NoDriver {
			return f.last()
		}
	}
	return shellAdvice("", "vkloader doctor --bits 32")
}

// mayServe reports whether a finding is about a driver that is there for these programs, and that may serve a device.
func (r *Report) mayServe(f *Finding) bool {
	m := r.driverAt(f.Path)
	if m == nil || f.Because != nil || f.last() == nil || f.Severity == diag.Note || f.Code == LibraryForeign {
		return false
	}
	return contains(r.GPUs, func(g *GPU) bool { return m.family().MayServe(g.Kernel, g.Vendor) })
}

// allOf returns the advice to follow several others.
func allOf(list []*Remedy) *Remedy {
	all := *list[0]
	for _, one := range list[1:] {
		if all.change == nil && one.change == nil && !strings.Contains(all.text, one.text) {
			all = *all.or("For another device: ", one)
		}
	}
	return &all
}

// sizeless returns a layer's name without its word size.
func sizeless(name string) string {
	for _, end := range []string{"_x86_64", "_32", "_64", "_i386", "_i686", "_x86", "32", "64"} {
		if rest, is := strings.CutSuffix(name, end); is {
			return rest
		}
	}
	return name
}
