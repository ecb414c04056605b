package doctor

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// packages remembers what was asked of the machine's packages: the same questions come with each change that is tried.
type packages struct {
	owners    map[string]string
	installed map[string]*machine.Package
	mesa      map[string]string // releases of Mesa, by the library of a driver
}

func newPackages() *packages {
	return &packages{map[string]string{}, map[string]*machine.Package{}, map[string]string{}}
}

// packageOf is the package that a file belongs to, also one that is gone; "" for none.
func (e *libraryExam) packageOf(files ...string) string {
	known := e.packages
	var unknown []string
	for _, file := range files {
		if _, asked := known.owners[file]; !asked {
			unknown = append(unknown, file)
		}
	}
	found := e.machine.Owners(unknown)
	for _, file := range unknown {
		owner, _, _ := strings.Cut(found[file], ", ") // dpkg names all of a directory's
		known.owners[file] = owner
	}
	for _, file := range files {
		if owner := known.owners[file]; owner != "" {
			return owner
		}
	}
	return ""
}

// installed is a package that is installed; nil: it is not.
func (e *libraryExam) installed(name string) *machine.Package {
	if p, asked := e.packages.installed[name]; asked {
		return p
	}
	var found *machine.Package
	if p, is := e.machine.Package(name); is {
		found = &p
	}
	e.packages.installed[name] = found
	return found
}

// again installs a package that is installed once more, because of a file of it.
func (d distribution) again(owner, file string) advice {
	m := d.manager()
	switch {
	case owner == "":
		return advised("Install the package that has " + file + " again.")
	case m == nil || m.again == "":
		return advised("Install the package " + owner + " again.")
	}
	return d.run(m.again + " " + term.Quoted(owner))
}

// ofPackage is the installed package that has a library that is nowhere; "": none has it. places are directories of the
// dynamic linker.
func (e *libraryExam) ofPackage(library string, places []string) string {
	var files []string
	for _, place := range places {
		if file := path.Clean(place) + "/" + library; !strings.Contains(place, "/glibc-hwcaps/") && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	return e.packageOf(files...)
}

// icdPlaces are where packages put the manifests of drivers.
var icdPlaces = []string{"/usr/share/vulkan/icd.d/", "/usr/lib/vulkan/icd.d/", "/etc/vulkan/icd.d/"}

// uninstalled tells what becomes of the package that has a family's driver: it is not installed (nil), it lacks a
// manifest (gone), or it has none for this family.
func (e *libraryExam) uninstalled(f *drivers.Family) (p *machine.Package, gone string) {
	m := e.system.manager()
	if m == nil || f == nil || f.Packages[m.id] == "" || e.class != ProcessClass {
		return nil, ""
	}
	if p = e.installed(f.Packages[m.id]); p == nil {
		return nil, ""
	}
	for _, file := range p.Files {
		if slices.ContainsFunc(icdPlaces, func(place string) bool { return strings.HasPrefix(file, place) }) &&
			strings.HasSuffix(file, ".json") && !e.machine.Exists(file) && familyOf(file) == f {
			return p, file
		}
	}
	return p, ""
}

// familyOf is the family that a manifest is for by its usual name, as of radeon_icd.x86_64.json; nil when that is not known.
func familyOf(manifest string) *drivers.Family {
	stem, _, is := strings.Cut(path.Base(manifest), "_icd")
	if !is {
		return nil
	}
	for _, prefix := range []string{"libvulkan_", "libGLX_"} {
		if f := drivers.Of(prefix + stem + ".so"); f != nil {
			return f
		}
	}
	return nil
}
