package doctor

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
)

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
	return &packages{owners: map[string]string{}, installed: map[string]*machine.Package{}, mesa: map[string]string{}, offered: map[string]bool{},
		withFile: map[string]string{}}
}

// mostSearches is the maximum number of searches for the owners of files. Each reads all lists of packages.
const mostSearches = 64

// packageOf returns the package that owns one of the files, which may be missing; "" for none, and after too many searches.
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

// installedPackage returns an installed package; nil: not installed.
func (e *exam) installedPackage(name string) *machine.Package {
	if p, asked := e.system.packages.installed[name]; asked {
		return p
	}
	var found *machine.Package
	if p, is := e.machine.Package(name); is {
		found = &p
	}
	e.system.packages.installed[name] = found
	return found
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
		if owner = packageOf(m.Name, e.system.family()); owner == "" && drivers.Of(m.Library) != nil {
			owner = packageOf(drivers.Of(m.Library).Name, e.system.family())
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
		if file := path.Clean(place) + "/" + library; !strings.Contains(place, "/glibc-hwcaps/") && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return e.packageOf(files...)
}

// icdPlaces are the directories where packages install driver manifests.
var icdPlaces = []string{"/usr/share/vulkan/icd.d/", "/usr/lib/vulkan/icd.d/", "/etc/vulkan/icd.d/"}

// missingManifest returns the installed package of a driver family, and a missing manifest of the family in it. p is nil if the
// package is not installed; gone is "" if the package misses no manifest of the family.
func (e *exam) missingManifest(f *drivers.Family) (p *machine.Package, gone string) {
	if f == nil || packageOf(f.Name, e.system.family()) == "" || e.class != ProcessClass {
		return nil, ""
	}
	if p = e.installedPackage(packageOf(f.Name, e.system.family())); p == nil {
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
