package doctor

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/standing"
	"vkloader/internal/machines"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/term"
)

// examineEntry examines the library of a driver or layer, and the rest of its manifest.
func (e *exam) examineEntry(m *Entry) {
	switch {
	// the service opens the library and passes a descriptor; it has no path here
	case m.Driver != nil && len(m.Driver.Files) > 0:
		m.Good, m.Standing = true, standing.Standing{Stage: standing.Chosen}
		e.addHeadless(m, nil)
	case m.Driver != nil:
		f := e.examineLibrary(m)
		if f != nil && m.Good {
			e.addHeadless(m, f)
		}
		e.sameDriver(m, f)
	default:
		before := len(e.Findings)
		if f := e.examineLibrary(m); m.Used && f != nil {
			e.sameLayer(m, f)
			// most layers have no copy for these programs, and only those that the program names are missed
		} else if !m.Used && (e.class != ProcessClass || e.ownLinker != nil) &&
			!slices.Contains(e.namedLayers, m.Name) {
			e.Findings = e.Findings[:before]
		}
		for _, name := range []string{m.Layer.DisableName, m.Layer.EnableName} {
			if m.Layer.Implicit && name != "" && !shell.IsName(name) {
				f := e.add(LayerVariable, m.Name, m.Manifest, textf("%q is not a valid name of a variable", name), nil)
				f.Line, f.Column = m.Layer.Line, m.Layer.Column
			}
		}
	}
}

// foundIn adds a finding about the library of a driver or layer. An unused one costs programs little, and so does one
// for programs of another word size, which every machine has.
func (e *exam) foundIn(m *Entry, code Code, what fact, do *Remedy, lost ...loss) *Finding {
	switch foreign := code == LibraryForeign && e.class != ProcessClass; {
	case foreign && m.Layer != nil && m.Layer.Implicit && !m.Layer.HasEnable && e.asks(m.Name) == "":
		do, lost = doNothing, []loss{nothing} // no variable or setting requests it
	case foreign, !m.Used:
		lost = []loss{little}
	}
	return e.add(code, m.Name, m.Manifest, what, do, lost...)
}

// examineLibrary examines one library and returns its file; nil if the library cannot be loaded.
func (e *exam) examineLibrary(m *Entry) *binary.File {
	is, _, misfit := m.functions()
	found := drivers.Judged(e.machine, e.linker, m.Library, is)
	m.Good, m.Standing = found.Works(), found.StandingOf(m.Used, string(misfit))
	if found.Fault != drivers.None {
		if why := e.wrongPath(m.Library); why != "" {
			e.addWrongPath(m, why)
			return nil
		}
	}
	switch file := found.File; found.Fault {
	case drivers.Absent, drivers.ForOthers:
		e.missing(m, found.LibrarySearch)
		return nil
	case drivers.Unreadable:
		m.File = file.Real
		var do *Remedy
		if err := file.Err(); isDenied(err) {
			do = e.opening(e.closedPart(file.Real))
		} else if owner := e.packageOf(file.Real, file.Path); owner != "" {
			do = e.system.again(owner, file.Path)
		}
		e.foundIn(m, LibraryUnreadable, lacking{sentence(m.But), file.Path}, do)
		return nil
	case drivers.Foreign:
		m.File, m.Class, m.Machine = file.Real, file.Class, file.MachineName()
		e.foundIn(m, LibraryForeign, foreignLibrary(file), e.other(m))
		return nil
	}
	m.File, m.Class, m.Machine = found.File.Real, found.File.Class, found.File.MachineName()
	if found.IsLoader() {
		e.foundIn(m, misfit, sentence(m.But), nil)
		return found.File
	}
	if !found.HasInterface() {
		what, do := sentence(m.But), (*Remedy)(nil)
		if right := e.rightLibrary(m); right != "" {
			what += sentence("; the driver's library is " + right)
			do = e.correction([]string{m.Manifest}, m.Library,
				term.Either(strings.Contains(m.Library, "/"), right, path.Base(right)))
		} else if name := found.File.Symbols().Ending("GetInstanceProcAddr"); name != "" {
			do = newAdvice("Install the library and the manifest of one release: the library exports " + name +
				", which the manifest does not name.").withObstacle(ofPackage)
		}
		e.foundIn(m, misfit, what, do)
	}
	m.Needs = len(found.With.Files) - 1
	absent := missingAtRunTime(found)
	opened := append(absent.names(), e.unfoundHeadless(m.family(), found.File)...)
	if !e.closure(m, found.File, found.With, opened...) && absent.name != "" {
		e.nowhere(LibraryRuntime, m, absent)
	}
	e.addRunTimeFiles(m, found)
	return found.File
}

// missing adds a finding for a library that does not exist, with the searched places.
func (e *exam) missing(m *Entry, r binary.LibrarySearch) {
	if other := e.ofOtherSize().Find(m.Library).File; other != nil && other.Err() == nil &&
		(e.class != ProcessClass || m.Layer != nil) {
		m.File, m.Class, m.Machine = other.Real, other.Class, other.MachineName()
		e.foundIn(m, LibraryForeign, foreignLibrary(other), e.other(m))
		return
	}
	if strings.Contains(m.Library, "/") {
		named := drivers.PathOf(m.Library, &r)
		what, owner, do := named+" does not exist", "", e.system.fileAdvice(named, m.Manifest)
		target, err := e.machine.Readlink(m.Library)
		if err == nil {
			what = m.Library + " is a link to " + target + ", which does not exist"
		}
		if written := asWritten(m.Library, m.Manifest); written != m.Library {
			do = newAdvice("Correct library_path in " + m.Manifest + ": " + string(shell.Quoted(written)) +
				" is relative to the manifest's directory. Or put the library there.")
		}
		if owner = e.packageOf(m.Library, target); owner != "" {
			what, do = what+ownerText(owner), e.system.again(owner, m.Library)
		}
		by, changes, is := e.writtenBy(m.Manifest, m.Library)
		lacks := m.Library
		if is = is && owner == ""; is {
			do = by
		} else if right := e.rightLibrary(m); right != "" && owner == "" {
			what += "; " + right + " exists"
			lacks, do = e.renaming(m, right)
		}
		found := e.foundIn(m, LibraryMissing, lacking{sentence(what), lacks}, do)
		if is {
			found.offer(fixing, changes...)
		}
		return
	}
	if len(r.Others) > 0 {
		do := e.other(m)
		if do == nil {
			do = e.system.libraryAdvice(m.Library)
		}
		e.foundIn(m, LibraryForeign, foreignLibrary(e.linker.Open(r.Others[0])), do)
		return
	}
	if place := e.closedLibrary(m.Library); place != "" {
		e.foundIn(m, LibraryUnreadable, textf(unreadable, place), e.opening(e.closedPart(place)))
		return
	}
	e.nowhere(LibraryMissing, m, nowhere{name: m.Library, places: r.Directories})
}

// renaming returns advice to name the right library in a manifest, and the missing file. If the right library is in
// another directory, the advice is for each manifest with libraries of the wrong directory, which is then the missing
// file.
func (e *exam) renaming(m *Entry, right string) (lacks string, do *Remedy) {
	from, to := path.Dir(m.Library), path.Dir(right)
	if path.Base(right) != path.Base(m.Library) {
		return m.Library, e.correction([]string{m.Manifest}, m.Library, right)
	}
	var manifests []string
	for o := range each(e.entries()) {
		if path.Dir(o.Library) == from && e.rightLibrary(o) == path.Join(to, path.Base(o.Library)) &&
			!slices.Contains(manifests, o.Manifest) {
			manifests = append(manifests, o.Manifest)
		}
	}
	return from, e.correction(manifests, from+"/", to+"/")
}

// rightLibrary returns the working library that a manifest should name in place of its own, and that no other manifest
// names: another version in the same directory, one of the same name in the programs' directories, or the usual one of
// the driver; "": none.
func (e *exam) rightLibrary(m *Entry) string {
	if e.Answer == nil { // one manifest is examined alone
		return ""
	}
	var places []string
	base := path.Base(m.Library)
	if stem, _, is := strings.Cut(base, ".so"); is && m.Driver != nil && path.IsAbs(m.Library) {
		for _, name := range e.machine.Names(path.Dir(m.Library)) {
			if strings.HasPrefix(name, stem+".so") {
				places = append(places, path.Join(path.Dir(m.Library), name))
			}
		}
	}
	if r := e.linker.Find(sizedDirectory.ReplaceAllLiteralString(m.Library, "/$LIB/")); r.File != nil {
		places = append(places, r.File.Path)
	}
	places = append(places, e.linker.Everywhere(base)...)
	if f := drivers.OfManifest(m.Manifest); f != nil && m.Driver != nil {
		for _, library := range f.Libraries {
			places = append(places, e.linker.Everywhere(library+".so")...)
			places = append(places, e.linker.Everywhere(library+".so.0")...)
		}
	}
	written, _ := e.machine.Contains(m.Manifest, `"`+m.Library+`"`)
	functions, _, _ := m.functions()
	at := slices.IndexFunc(places, func(place string) bool {
		found := drivers.Judged(e.machine, e.linker, place, functions)
		return found.Works() && !contains(e.entries(), func(o *Entry) bool {
			named := e.linker.Find(o.Library).File
			return named != nil && named.Real == found.File.Real
		})
	})
	if at < 0 || !written || !isPlainPath(m.Library+m.Manifest+places[at]) {
		return ""
	}
	return places[at]
}

// sizedDirectory matches the directory for libraries of one word size, in whose place the dynamic linker has $LIB.
var sizedDirectory = regexp.MustCompile(`/lib(32|64)?(/\w+-linux-gnu\w*)?/`)

// isPlainPath reports whether a path has no character that sed's s command or a shell interprets.
var isPlainPath = regexp.MustCompile(`^[\w./+-]+$`).MatchString

// correction returns advice to write another text into the library paths of manifests.
func (e *exam) correction(manifests []string, wrong, right string) *Remedy {
	args := with("wrong", wrong, "right", right, "change", "s@"+wrong+"@"+right+"@")
	args["files"] = manifests
	var change *explain.Change
	for _, file := range manifests {
		one := explain.AddFile(file, strings.ReplaceAll(e.machine.Whole(file), wrong, right))
		one.And = change
		change = &one
	}
	return e.system.by("library-path", args).having(effectOf(*change))
}

// closedLibrary returns the unreadable file of a library, which the dynamic linker skips; "" if there is none.
func (e *exam) closedLibrary(name string) string {
	for _, place := range e.linker.Everywhere(name) {
		if isDenied(e.linker.Open(place).Err()) {
			return place
		}
	}
	return ""
}

// hostLibraries returns the directory below /run/host with NVIDIA's libraries for the examined programs, and that of
// their loader, which the dynamic linker searches. to is nil if that has some already: they may be the host's.
func (e *exam) hostLibraries() (from, to []string) {
	own, _ := machines.Running(e.class)
	for _, directory := range []string{"/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/lib/" + own.Multiarch} {
		if from == nil && e.fits("/run/host"+directory+"/libGLX_nvidia.so.0") {
			from = []string{"/run/host" + directory}
		}
	}
	if loader := e.linker.Find(loaderName).File; loader != nil &&
		!slices.ContainsFunc(e.machine.Names(path.Dir(loader.Path)),
			func(name string) bool { return strings.Contains(name, "nvidia") }) {
		to = []string{path.Dir(loader.Path)}
	}
	return from, to
}

// fits reports whether a file is a library for the examined programs.
func (e *exam) fits(file string) bool {
	return e.linker.Fits(e.linker.Open(file))
}

// addHeadless looks for the libraries that a driver opens when there is no display. file is the driver's library; nil:
// the service has it, with its dependencies. On NixOS every program has its own paths for them.
func (e *exam) addHeadless(m *Entry, file *binary.File) {
	family := m.family()
	without := e.displayless(family)
	if without == "" {
		return
	}
	need := family.Headless
	if names := e.unfoundHeadless(family, file); len(names) > 0 {
		e.add(DriverHeadless, m.Name, m.Manifest, textf(withoutEGL+
			"%s is in no directory that the dynamic linker searches", without, names[0]), e.findable(names[0]))
		return
	}
	if vendor := strings.ReplaceAll(need.Vendor[0], "*", "10"); len(drivers.Matches(e.machine, need.Vendor)) == 0 {
		e.add(DriverHeadless, m.Name, m.Manifest,
			textf(withoutEGL+"no file %s names the driver to EGL", without, need.Vendor[0]),
			shellAdvice("Add this file to the image, or write it as root: ",
				"mkdir -p "+shell.Quoted(path.Dir(vendor))+" && echo "+shell.Quoted(need.Says)+" > "+
					shell.Quoted(vendor)))
	}
}

// displayless returns why a driver that initializes through EGL without a display has none; "" for other drivers, and
// with a display.
func (e *exam) displayless(family *drivers.Family) string {
	if family == nil || family.Headless.Vendor == nil || e.system.is("nixos") {
		return ""
	}
	without := "no display is set"
	for _, name := range family.Headless.Unless {
		if value := e.variable(name); value != "" {
			if !strings.HasSuffix(name, "DISPLAY") || e.hasDisplay(value) {
				return ""
			}
			without = name + "=" + value + " names a display that is not there"
		}
	}
	return without
}

// unfoundHeadless returns the libraries that a driver opens where no display is, and that the dynamic linker does not
// find for its file; nil with a display, and for an unknown file.
func (e *exam) unfoundHeadless(family *drivers.Family, file *binary.File) []string {
	if file == nil || e.displayless(family) == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(family.Headless.Libraries),
		func(name string) bool { return e.linker.Find(name, file).File != nil })
}

// hasDisplay reports whether the socket of a display is there, by a value of DISPLAY or WAYLAND_DISPLAY. A display on
// another host, and those of another machine, count as there.
func (e *exam) hasDisplay(value string) bool {
	number, ofX := strings.CutPrefix(value, ":")
	number, _, _ = strings.Cut(number, ".")
	switch {
	case e.machine.Foreign() || !ofX && strings.Contains(value, ":"):
		return true
	case ofX:
		socket := "/tmp/.X11-unix/X" + number
		return e.machine.Exists(socket) || strings.Contains(e.machine.Whole("/proc/net/unix"), "@"+socket+"\n")
	case path.IsAbs(value):
		return e.machine.Exists(value)
	}
	return e.machine.Exists(path.Join(e.variable(variables.RuntimeDirectory.Name()), value))
}

// olderThan returns advice about a library that is too old.
func (e *exam) olderThan(m *Entry, c *binary.Closure, old binary.Old) *Remedy {
	if do, _ := e.hiddenBy(c, old.In); do != nil {
		return do
	}
	what := term.Either(m.Name == path.Base(m.Manifest), term.Either(m.Driver == nil, "program", "driver"), "layer")
	version, is := strings.CutPrefix(old.Version, "GLIBC_")
	if i := e.linker.OwnInterpreter(); is && i != nil {
		return e.glibcAdvice(i, version)
	}
	return advice("older-library", "glibc", term.Either(is, version, ""), "kind", what, "file", old.In.Path)
}

// namedTwice says that another manifest names a library, too.
func namedTwice(library, manifest, other string) fact {
	if other == manifest {
		return sentence("the manifest is found twice")
	}
	return textf("%s is named by %s as well", library, other)
}

// sameDriver adds a finding when two manifests name the same driver.
func (e *exam) sameDriver(m *Entry, f *binary.File) {
	if f == nil {
		return
	}
	other := find(e.Drivers, func(o *Entry) bool { return o.File == f.Real && o.Used })
	if other == nil {
		return
	}
	if e.class != 32 && environment.Only32(other.Name) && !environment.Only32(m.Name) { // the other one is left out
		m, other = other, m
	}
	do := shellAdvice("See which variables name them: ", "vkloader list variables --set")
	lists := []variables.ID{variables.AddDriverFiles, variables.DriverFiles, variables.ICDFilenames}
	for _, v := range lists {
		do = e.orSteam(v.Name(), do)
	}
	found := e.add(LibraryTwice, m.Name, m.Manifest, namedTwice(f.Path, m.Manifest, other.Manifest), do)
	for _, v := range lists {
		if e.source.Var(v.Name(), v.Secure()).Set {
			found.offer(fixing, explain.DropFromList(e.source, v, ":",
				func(n string) bool { return explain.Names(n, m.Manifest) })...)
			e.unsetting(found, v.Name())
		}
	}
	if m.Name != other.Name { // a filter would exclude both
		found.offer(fixing, explain.AddToFilter(e.source, variables.DriversDisable, m.Name)...)
	}
	mounts := e.machine.Whole("/proc/self/mountinfo")
	for _, one := range []string{m.Manifest, other.Manifest} {
		mounted := strings.Contains(mounts, " "+one+" ") // by a container's runtime, and it cannot be removed there
		if owner := e.packageOf(one); owner == "" && other.Manifest != m.Manifest && !mounted {
			found.offer(fixing, explain.RemoveFile(path.Clean(one)))
		}
	}
}

// sameLayer adds a finding when programs load a layer twice: two manifests name one library with the same functions, or
// two copies of it, one of a package, that one variable turns off. A layer's name may tell its word size.
func (e *exam) sameLayer(m *Entry, f *binary.File) {
	ofUser := func(o *Entry) bool { return strings.HasPrefix(o.Manifest, e.ownHome()+"/") }
	copied := func(o *Entry) bool { // flightlessmango/MangoHud issue 82
		return m.Layer.Implicit && o.Layer.Implicit && o.Good && m.Layer.DisableName != "" && o.File != f.Real &&
			o.Layer.DisableName == m.Layer.DisableName && path.Base(o.Library) == path.Base(m.Library)
	}
	other := find(e.Layers, func(o *Entry) bool {
		return o.Used && o.Manifest != m.Manifest && (copied(o) || o.File == f.Real &&
			o.Layer.GetInstance == m.Layer.GetInstance && o.Layer.Negotiate == m.Layer.Negotiate)
	})
	if other == nil {
		return
	}
	if strings.HasSuffix(other.Name, strconv.Itoa(32+64-e.class)) ||
		copied(other) && e.packageOf(other.Manifest) == "" && (e.packageOf(m.Manifest) != "" || ofUser(other)) {
		m, other = other, m
	}
	what := textf("%s is named by %s as well, and each program loads the layer twice", f.Path, other.Manifest)
	if m.File != other.File {
		what = textf("%s is another copy of %s, and each program loads the layer twice", m.Library, other.Library)
	}
	var do *Remedy
	if owner := e.packageOf(m.Manifest); owner != "" && owner != e.packageOf(other.Manifest) {
		do = e.system.by("remove", with("p", owner))
		if own := e.ofOtherSize().Find(m.Library).File; own != nil && own.Err() == nil &&
			!strings.Contains(m.Library, "/") { // programs of both sizes keep the layer
			do = newAdvice(string("As root, write "+shell.Quoted(own.Path)+" as library_path into "+
				shell.Quoted(m.Manifest))+", its library for the other word size.").or("Or: ", do)
		}
	}
	found := e.add(LibraryTwice, m.Name, m.Manifest, what, do)
	removal := explain.RemoveFile(path.Clean(m.Manifest))
	if m.File != other.File && e.packageOf(m.Manifest) == "" { // the package's copy is the one that is updated
		found.offer(fixing, removal)
	}
	found.offer(fixing, explain.AddToFilter(e.source, variables.LayersDisable, m.Name)...)
	if e.packageOf(m.Manifest) == "" {
		found.offer(fixing, removal)
	}
}

// Libraries returns a function that examines the library of one manifest for programs of the library's word size:
// whether it exists, loads with its dependencies, and exports the required functions. The calls share the answers of
// the dynamic linker's directories and of the package manager.
func Libraries(source *machine.Source) func(Entry) (Entry, []Finding) {
	known, classes := newPackages(), slices.Compact([]int{ProcessClass, 32})
	linkers := map[int]*binary.Linker{}
	for _, class := range classes {
		linkers[class] = binary.NewLinker(&source.Machine,
			binary.LinkerOptions{Class: class, Machine: binary.Processor(class)})
	}
	return func(named Entry) (entry Entry, findings []Finding) {
		for i, class := range classes {
			e := examOf(&Report{source: source, Findings: []Finding{}}, source).setSystem(class, known)
			e.linker = linkers[class]
			m := named
			e.examineLibrary(&m)
			if i == 0 || m.Class == class { // a library for the other word size is examined for that size
				entry, findings = m, e.finish().Findings
			}
			if m.Class == class {
				break
			}
		}
		return entry, findings
	}
}

// linkerWords are the words with a dollar that the dynamic linker replaces in a path.
var linkerWords = strings.NewReplacer("${LIB}", "", "$LIB", "", "${ORIGIN}", "", "$ORIGIN", "", "${PLATFORM}", "",
	"$PLATFORM", "")

// wrongPath returns the reason why a library path in a manifest cannot be that of a library on this system; "" if it
// can.
func (h host) wrongPath(library string) string {
	plain, found := linkerWords.Replace(library), ""
	why := pairValue("wrong-path", func(pattern string) bool {
		found = regexp.MustCompile(pattern).FindString(plain)
		return found != ""
	})
	if info, err := h.machine.Stat(plain); why == "" && err == nil && info.IsDir() && strings.Contains(plain, "/") {
		return "it is a directory"
	}
	return strings.ReplaceAll(why, "{}", string(shell.Quoted(found)))
}

// asWritten returns a library's path without the manifest's directory, which the loader puts before a relative path.
func asWritten(library, manifest string) string {
	return strings.TrimPrefix(library, path.Dir(manifest)+"/")
}

// addWrongPath adds a finding for a library path that the manifest has wrong.
func (e *exam) addWrongPath(m *Entry, why string) {
	do := "Correct library_path in " + m.Manifest + ": " + why + "."
	if stem, _, is := strings.Cut(path.Base(m.Manifest), "_icd"); is && drivers.OfManifest(m.Manifest) != nil {
		for _, name := range []string{"libvulkan_" + stem + ".so", "libGLX_" + stem + ".so.0"} {
			if r := e.linker.Find(name); r.File != nil && e.fits(r.File.Path) {
				do = "Write " + string(shell.Quoted(r.File.Path)) + " as library_path into " + m.Manifest + "."
			}
		}
	}
	if owner := e.packageOf(m.Manifest); owner != "" {
		do += " The file comes with the package " + owner + ": tell its maintainers, or install a newer release."
	}
	e.add(LibraryMissing, m.Name, m.Manifest, textf("library_path is %q: %s", asWritten(m.Library, m.Manifest), why),
		newAdvice(do))
}
