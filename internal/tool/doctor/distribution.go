package doctor

import (
	_ "embed"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/machines"
	"vkloader/internal/tool/term"
)

// distribution describes the system's distribution and the way to install packages on it.
type distribution struct {
	name    string   // PRETTY_NAME, or NAME
	ids     []string // ID and ID_LIKE, in lower case
	version string   // of the release; "" for a rolling release

	image string // the kind of system image

	class   int    // the word size of the programs to install for
	narrow  string // Debian's name of the machine's 32-bit architecture; "": the machine has none
	foreign bool   // dpkg installs packages of that architecture
	kernel  string // Debian's package of the kernel; "": unknown

	sandbox, detail string // the sandbox around the program, when it has its own files
	container       string // the container around the program; "": none
	kept            bool   // a container that keeps its packages
	machine         *machine.Machine
	packages        *packages
}

// readDistribution reads os-release(5).
func readDistribution(m *machine.Machine) distribution {
	release := m.Release()
	d := distribution{machine: m, name: release["PRETTY_NAME"], version: release["VERSION_ID"],
		ids: strings.Fields(strings.ToLower(release["ID"] + " " + release["ID_LIKE"]))}
	d.image = imageOf(m, &d)
	return d
}

// within enters the sandbox around the program.
func (d *distribution) within(e *exam) {
	d.sandbox = e.kind("flatpak", "snap", "steam", "docker", "podman", "kubernetes")
	d.detail, d.kept, d.container = e.detail(d.sandbox), e.isEntered(), e.containerKind()
	for place, content := range map[string]string{"/gpu-2404": "mesa-2404", "/graphics": "mesa-core22"} {
		if d.sandbox == "snap" && e.machine.Exists(e.variable("SNAP")+place+"/usr/share/vulkan") {
			d.detail = content // the snap that the program's snap takes the drivers from
		}
	}
}

// is reports whether the system's ID is id. ID_LIKE does not count.
func (d distribution) is(id string) bool { return len(d.ids) > 0 && d.ids[0] == id }

// families are the families of package managers.
var families = []string{"debian", "fedora", "rhel", "suse", "alpine", "arch", "gentoo", "void"}

// family returns the family of the system's package manager, by its first known ID, or by the manager's database
// (eweOS/packages issue 6598); "": unknown.
func (d distribution) family() string {
	for _, id := range d.ids {
		switch {
		case id == "ubuntu":
			return "debian"
		case strings.HasPrefix(id, "opensuse"):
			return "suse"
		case slices.Contains(families, id):
			return id
		}
	}
	for _, base := range [][2]string{{"/var/lib/dpkg/status", "debian"}, {"/var/lib/pacman/local", "arch"},
		{"/lib/apk/db/installed", "alpine"}, {"/var/db/xbps", "void"}} {
		if d.machine != nil && d.machine.Exists(base[0]) {
			return base[1]
		}
	}
	return ""
}

// fileAdvice returns advice for a manifest whose library does not exist.
func (d distribution) fileAdvice(library, manifest string) *Remedy {
	if strings.Contains(library, "nvidia") {
		return d.libraryAdvice(library)
	}
	if strings.HasPrefix(manifest, "/usr/local/") { // no package has files there
		return d.by("build-library", with("manifest", manifest)).having(effectOf(explain.RemoveFile(manifest)))
	}
	return d.by("find-library", with("library", library, "manifest", manifest))
}

// install returns advice to get a family's driver. lacks reports whether the package is installed, and does not contain
// the driver.
func (d distribution) install(f *drivers.Family, lacks bool) *Remedy {
	name, ofMaker := packageOf(f.Name, d.family()), f.Name == drivers.NVIDIA
	if d.class == 32 {
		name = term.Either(d.has32() && (!ofMaker || d.narrow == "i386"), name, "")
		return d.by(term.Either(ofMaker, "driver32-of-maker", "driver32"), with("p", name, "family", f.Name))
	}
	args := with("file", "nvidia_icd.json", "family", f.Name, "card", f.VideoCard)
	if ofMaker {
		args["graphics"] = []string{d.graphicsPackage()}
	}
	switch suite, newer := d.suite(); {
	case !lacks && d.reallyHas(f):
		args["p"] = []string{name}
	case newer && !ofMaker && name != "" && !slices.Contains(drivers.LackedBy(d.ids[0], suite.Of), f.Name):
		args = with("suite", suite.Name, "what", "Mesa "+suite.Mesa, "p", name)
	default: // rows of the table may know where else it is
		word, _, _ := strings.Cut(f.Name, " ")
		args[strings.ToLower(word)] = []string{f.Name}
		args["since"] = slices.DeleteFunc([]string{drivers.FirstMesa(f)}, func(mesa string) bool { return mesa == "" })
	}
	return d.by(term.Either(ofMaker, "driver-of-maker", "driver-of-mesa"), args)
}

// has32 reports whether the package manager has packages for 32-bit programs: of i386, on Debian also of ARM.
func (d distribution) has32() bool {
	return d.narrow == "i386" || d.family() == "debian" && d.narrow != ""
}

// Kinds of a system image, whose files the package manager does not change while it runs.
const (
	changeable  = "changeable"
	ostree      = "ostree"  // rpm-ostree layers packages on the image
	steamOS     = "steamos" // the image cannot be extended
	microOS     = "microos" // packages go into the next snapshot
	declarative = "nixos"   // the system's configuration lists the packages
)

// imageOf returns the image kind of a system.
func imageOf(m *machine.Machine, d *distribution) string {
	switch {
	case d.is("nixos"):
		return declarative
	case d.is("steamos"):
		return steamOS
	case slices.ContainsFunc([]string{"opensuse-microos", "opensuse-aeon", "opensuse-kalpa", "sle-micro", "sl-micro"},
		d.is):
		return microOS
	case m.Exists("/run/ostree-booted"):
		return ostree
	}
	return changeable
}

//go:embed packages.txt
var packagesTable string

// packageRows returns the words of the table, by the name of the driver, layer or library.
var packageRows = sync.OnceValue(func() map[string][]string {
	rows := map[string][]string{}
	for line := range strings.Lines(packagesTable) {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			rows[words[0]] = words[1:]
		}
	}
	return rows
})

// packagesOf returns the packages of a family of package managers that have a driver, layer or library; "*" is any
// family.
func packagesOf(name, family string) (packages []string) {
	name, _, _ = strings.Cut(name, " ")
	for _, word := range packageRows()[name] {
		if of, known, has := strings.Cut(word, "="); has && (family == "*" || of == family) {
			packages = append(packages, known)
		}
	}
	if usual := policyName(name); packages == nil && usual != "" && family == "debian" {
		packages = []string{usual + "t64", usual} // the first is of the releases with 64-bit times on 32-bit machines
	}
	return packages
}

// policyName returns the package's name that Debian's policy (section 8.1) derives from a library's; "": none.
func policyName(library string) string {
	stem, version, is := strings.Cut(strings.ReplaceAll(strings.ToLower(library), "_", "-"), ".so.")
	if !is || strings.Trim(version, "0123456789.") != "" || strings.Contains(stem, "nvidia") {
		return "" // each maker's package of NVIDIA's libraries has another name
	}
	return stem + term.Either(strings.TrimRight(stem, "0123456789") == stem, "", "-") + version
}

// packageOf returns the package of a family that has a driver or layer; "" if none is known.
func packageOf(name, family string) string { return append(packagesOf(name, family), "")[0] }

// tableLayers returns the layers of the table, in order: those with a package, and with kit also those that only the
// SDK has.
func tableLayers(kit bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(packageRows())), func(name string) bool {
		return !strings.HasPrefix(name, "VK_LAYER_") || !kit && packagesOf(name, "*") == nil
	})
}

// layerPackage returns advice to get a layer: its package, or where else it is. It returns nil for an unknown layer.
func (e *exam) layerPackage(name string) *Remedy {
	if !slices.Contains(tableLayers(true), name) || e.system.sandbox == "steam" {
		return nil
	}
	by := term.Either(e.system.sandbox == "flatpak", "flatpak", e.system.family())
	verb, package_ := "layer-outside", packageOf(name, by)
	switch {
	case package_ != "":
		verb = "layer"
	case slices.Contains(packageRows()[name], "kit"):
		verb = "layer-of-kit"
	case name == validationLayer:
		verb = "layer-of-validation"
	}
	return e.system.by(verb, with("p", package_))
}

// choose returns advice to install those of some packages that are not installed, or to install all of them again. The
// machine's own package lists confirm the names where there are lists.
func (d *distribution) choose(names ...string) *Remedy {
	names = d.absentPackages(names)
	do := d.by("install", arguments{"p": names, "and": {strings.Join(names, " and ")}})
	if do.because != ofPackage || d.packageNamed(names[0]) != nil {
		return do
	}
	switch missing, known := d.missing(names); {
	case !known:
		do.because = ofUsual
	case len(missing) > 0:
		do = newAdvice("This machine's package lists do not have " + strings.Join(missing, " and ") +
			": add the repository that has it.").before(do)
	}
	return do
}

// missing returns the packages that the machine's lists do not have. known is false without lists.
func (d distribution) missing(names []string) (missing []string, known bool) {
	p := d.packages
	if p == nil {
		return nil, false
	}
	// one reading for all
	if slices.ContainsFunc(names, func(name string) bool { _, asked := p.offered[name]; return !asked }) {
		var offered []string
		offered, p.listed = d.lists().Offers(names...)
		for _, name := range names {
			p.offered[name] = slices.Contains(offered, name)
		}
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return p.offered[name] }), p.listed
}

// lists returns the lists of the machine's package manager, which are read once.
func (d distribution) lists() *machine.Lists {
	if d.packages.lists == nil {
		d.packages.lists = d.machine.Lists(d.family())
	}
	return d.packages.lists
}

// libraryPackage returns the package with a library: of the machine's lists of files, else by its usual name that the
// lists confirm. confirmed is false for a usual name without lists; "" is an unknown package.
func (d *distribution) libraryPackage(library string) (name string, confirmed bool) {
	if d.packages != nil {
		list := func() string { return d.lists().Having(library) }
		if owner := cached(d.packages.withFile, library, list); isFileName(owner) {
			return owner, true
		}
	}
	names := packagesOf(library, d.family())
	for _, name := range names {
		if d.packageNamed(name) != nil {
			return name, true // it has lost the library
		}
	}
	for _, name := range names {
		switch missing, known := d.missing([]string{name}); {
		case !known:
			return names[len(names)-1], false
		case len(missing) == 0:
			return name, true
		}
	}
	return "", true
}

// isFileName reports whether a package list may have a file name: it is of ASCII letters, digits and _, and after the
// first of . + -, too.
func isFileName(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"
	return strings.Trim(name, letters+".+-") == "" && strings.IndexAny(name, letters) == 0
}

// unnumberedName returns a library's name without the number of its release, as in libLLVM-15.so.1 and libLLVM.so.21.1.
func unnumberedName(name string) string {
	stem, _, _ := strings.Cut(name, ".so")
	if at := strings.LastIndexByte(stem, '-'); at > 0 && strings.Trim(stem[at+1:], "0123456789.") == "" {
		stem = stem[:at]
	}
	return stem
}

// ofHost returns a library of the host that a container has below /run/host; "": none.
func (d distribution) ofHost(name string) string {
	m, _ := machines.Running(d.class)
	for _, directory := range []string{term.Either(d.class == 32, "/usr/lib", "/usr/lib64"), "/usr/lib/" +
		m.Multiarch} {
		if file := "/run/host" + directory + "/" + name; d.machine.Exists(file) {
			return file
		}
	}
	return ""
}

// otherRelease returns an installed library that has the name of a missing one except for the release; "": none.
func (d distribution) otherRelease(name string) string {
	if d.machine == nil {
		return ""
	}
	m, _ := machines.Running(d.class)
	for _, directory := range []string{term.Either(d.class == 32, "/usr/lib32", "/usr/lib"), "/usr/lib/" +
		m.Multiarch} {
		for _, other := range d.machine.Names(directory) {
			if stem := unnumberedName(name); other != name && other != stem+".so" && unnumberedName(other) == stem {
				return other
			}
		}
	}
	return ""
}

// mount returns the source and the target of a mount for a library of NVIDIA's beside graphics libraries that a
// container has as mounts of the host, of the loaded module's release; "": it has none.
func (d distribution) mount(name string) string {
	end := ".so." + host{d.machine}.nvidiaLoaded()
	for line := range strings.Lines(d.machine.Whole("/proc/self/mountinfo")) {
		words := append(strings.Fields(line), "", "", "", "", "") // the fifth is the place
		if stem, is := strings.CutSuffix(path.Base(words[4]), end); is && isNamed(stem, "nvidia-drawing") {
			at := path.Join(path.Dir(words[4]), path.Base(name))
			return "source=" + at + ",target=" + at
		}
	}
	return ""
}

// libraryAdvice returns advice to install a library. more are further ones, if all are NVIDIA's.
func (d distribution) libraryAdvice(name string, more ...string) *Remedy {
	all := append([]string{name}, more...)
	verb, args, confirmed := "library", with("file", enumeration(all)), true
	switch {
	case !isFileName(name): // the name becomes a part of shell lines
		args["odd"] = []string{name}
	case name == loaderName:
		args["loader"] = []string{packageOf(name, d.family())}
		if d.sandbox == "flatpak" { // the runtime's extension for 32-bit programs, by runtime/NAME/PROCESSOR/BRANCH
			runtime := strings.Split(setting(d.machine.Text("/.flatpak-info"), "Application", "runtime"), "/")
			if args["loader"][0] = name; len(runtime) == 4 {
				args["compat"] = []string{runtime[1] + ".Compat.i386//" + runtime[3]}
			}
		}
	default:
		args["other"] = []string{d.otherRelease(name)}
		if d.family() != "" {
			args["p"] = []string{""}
			args["p"][0], confirmed = d.libraryPackage(name)
		}
	}
	switch {
	case isNamed(name, "glibc"):
		verb = "library-of-glibc"
	case strings.Contains(name, "nvidia"):
		verb, args["graphics"], args["outer"] = "library-of-nvidia", []string{d.graphicsPackage()},
			[]string{d.ofHost(name)}
		args["mount"] = term.Words(all, d.mount)
		args["parts"] = term.Words(all, func(name string) string { return strings.ToLower(strings.Split(name, ".so")[0]) })
	}
	do := d.by(verb, args)
	if !confirmed && do.because == ofPackage {
		do.because = ofUsual
	}
	return do
}

// packages caches answers of the package manager. Each tried change asks the same questions.
type packages struct {
	owners    map[string]string
	searches  int // for owners
	installed map[string]*machine.Package
	mesa      map[string]string // Mesa releases by driver library

	services []process.SystemdService // nil: not read yet

	lists    *machine.Lists
	listed   bool              // some list can be read
	offered  map[string]bool   // packages of the lists
	withFile map[string]string // packages by library
}

func newPackages() *packages {
	return &packages{owners: map[string]string{}, installed: map[string]*machine.Package{}, mesa: map[string]string{},
		offered: map[string]bool{}, withFile: map[string]string{}}
}

// cached returns the value of a key, which it asks for once.
func cached[V any](known map[string]V, key string, ask func() V) V {
	value, asked := known[key]
	if !asked {
		value = ask()
		known[key] = value
	}
	return value
}

// mostSearches is the maximum number of searches for the owners of files. Each reads all lists of packages.
const mostSearches = 64

// packageOf returns the package that owns one of the files, which may be missing; "" for none, and after too many
// searches.
func (e *exam) packageOf(files ...string) string {
	known := e.system.packages
	var unknown []string
	for _, file := range files {
		if _, asked := known.owners[file]; !asked {
			unknown = append(unknown, file)
		}
	}
	if len(unknown) > 0 && known.searches < mostSearches {
		known.searches++
		found := e.machine.Owners(unknown)
		for _, file := range unknown {
			owner, _, _ := strings.Cut(found[file], ", ") // dpkg lists every package of a directory
			known.owners[file] = owner
		}
	}
	for _, file := range files {
		if owner := known.owners[file]; owner != "" {
			return owner
		}
	}
	return ""
}

// ownerOf returns the name of the package that owns an existing file, without the architecture that dpkg adds; "":
// none.
func (e *exam) ownerOf(file string) string {
	real, _ := e.machine.Real(file)
	owner, _, _ := strings.Cut(e.packageOf(file, real), ":")
	return owner
}

// installDriver returns advice to get a family's driver of Mesa. A package that no table has may contain the other
// drivers of Mesa, and then conflicts with the distribution's packages (Frogging-Family/mesa-git issue 17).
func (e *exam) installDriver(f *drivers.Family, lacks bool) *Remedy {
	usual := packageOf(f.Name, e.system.family())
	for m := range each(e.Drivers) {
		if usual == "" || !m.family().IsMesa() || !f.IsMesa() || m.File == "" {
			continue
		}
		owner, known := e.ownerOf(m.File), false // the table has the owner
		for _, words := range packageRows() {
			known = known || slices.Contains(words, e.system.family()+"="+owner)
		}
		if isFileName(owner) && !known {
			return e.system.by("driver-of-build", with("p", owner, "family", f.Name, "usual", usual))
		}
	}
	return e.system.install(f, lacks)
}

// packageNamed returns an installed package; nil: not installed.
func (d *distribution) packageNamed(name string) *machine.Package {
	find := func() *machine.Package {
		if p, is := d.machine.Package(name); is {
			return &p
		}
		return nil
	}
	switch {
	case d.machine == nil:
		return nil
	case d.packages == nil:
		return find()
	}
	return cached(d.packages.installed, name, find)
}

// absentPackages returns those of some packages that are not installed; all if each one is.
func (d *distribution) absentPackages(names []string) []string {
	list := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return d.packageNamed(name) != nil })
	return term.Either(len(list) == 0, names, list)
}

// isLocal reports whether an installed package is from no repository of this machine, such as one of Arch's AUR.
func (d *distribution) isLocal(name string) bool {
	name, _, _ = strings.Cut(name, ":")
	p := d.packageNamed(name)
	if p == nil {
		return false
	}
	missing, known := d.missing([]string{name})
	return p.Local || known && len(missing) > 0 || !known && strings.HasSuffix(name, "-git") // of the AUR
}

// again returns advice to reinstall a package because of one of its files.
func (d distribution) again(owner, file string) *Remedy {
	return d.by("reinstall", with("p", owner, "file", file))
}

// matching returns advice for a library whose dependencies lack a symbol: its package is updated, or installed again.
func (e *exam) matching(m *Entry, f *binary.File) *Remedy {
	owner, why := e.packageOf(f.Real, f.Path), ofPackage
	if owner == "" && e.class == ProcessClass {
		why = ofUsual
		if owner = packageOf(m.Name, e.system.family()); owner == "" && m.family() != nil {
			owner = packageOf(m.family().Name, e.system.family())
		}
	}
	do := e.system.by("match", with("p", owner))
	if do != nil && do.because == ofPackage {
		do.because = why
	}
	return do
}

// owningPackage returns the installed package that owns a missing library in a directory; "" for none.
func (e *exam) owningPackage(library string, places []string) string {
	var files []string
	for _, place := range places {
		if file := path.Clean(place) + "/" + library; !strings.Contains(place, "/glibc-hwcaps/") &&
			!slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return e.packageOf(files...)
}

// icdPlaces are the directories where packages install driver manifests.
var icdPlaces = []string{"/usr/share/vulkan/icd.d/", "/usr/lib/vulkan/icd.d/", "/etc/vulkan/icd.d/"}

// missingManifest returns the installed package of a driver family, and a missing manifest of the family in it: the
// package that owns the family's library, or else the usual one. p is nil if the package is not installed; gone is ""
// if the package misses no manifest of the family.
func (e *exam) missingManifest(f *drivers.Family) (p *machine.Package, gone string) {
	if f == nil || e.class != ProcessClass {
		return nil, ""
	}
	name := packageOf(f.Name, e.system.family())
	for _, stem := range f.Libraries {
		if file := e.driverLibrary("/", stem); file != "" {
			name = term.Or(e.ownerOf(file), name)
		}
	}
	if p = e.system.packageNamed(name); p == nil {
		return nil, ""
	}
	for _, file := range p.Files {
		if slices.ContainsFunc(icdPlaces, func(place string) bool { return strings.HasPrefix(file, place) }) &&
			strings.HasSuffix(file, ".json") && !e.machine.Exists(file) && drivers.OfManifest(file) == f {
			return p, file
		}
	}
	return p, ""
}
