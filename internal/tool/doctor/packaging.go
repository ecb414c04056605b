package doctor

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/decide/machine"
	"vkloader/internal/machines"
	"vkloader/internal/tool/term"
)

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

// packagesOf returns the packages of a family of package managers that have a driver, layer or library; "*" is any family.
func packagesOf(name, family string) (packages []string) {
	name, _, _ = strings.Cut(name, " ")
	for _, word := range packageRows()[name] {
		if of, known, has := strings.Cut(word, "="); has && (family == "*" || of == family) {
			packages = append(packages, known)
		}
	}
	return packages
}

// packageOf returns the package of a family that has a driver or layer; "" if none is known.
func packageOf(name, family string) string { return append(packagesOf(name, family), "")[0] }

// tableLayers returns the layers of the table, in order: those with a package, and with kit also those that only the SDK has.
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
	if do, is := e.system.remedy(verb, with("p", package_)); is {
		return do
	}
	return nil
}

// choose returns advice to install packages. The machine's own package lists confirm the names where there are lists.
func (d *distribution) choose(names ...string) *Remedy {
	do := d.by("install", arguments{"p": names, "and": {strings.Join(names, " and ")}})
	if do.because != ofPackage {
		return do
	}
	switch missing, known := d.packages.missing(d.machine, names); {
	case !known:
		do.because = ofUsual
	case len(missing) > 0:
		do.text = "This machine's package lists do not have " + strings.Join(missing, " and ") + ": add the repository that has it. " + do.text
	}
	return do
}

// missing returns the packages that the machine's lists do not have. known is false without lists.
func (p *packages) missing(m *machine.Machine, names []string) (missing []string, known bool) {
	if p == nil {
		return nil, false
	}
	if slices.ContainsFunc(names, func(name string) bool { _, asked := p.offered[name]; return !asked }) {
		var offered []string
		offered, p.listed = p.listsOf(m).Offers(names...)
		for _, name := range names {
			p.offered[name] = slices.Contains(offered, name)
		}
	}
	if !p.listed {
		return nil, false
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return p.offered[name] }), true
}

// listsOf returns the machine's lists, which are read once.
func (p *packages) listsOf(m *machine.Machine) *machine.Lists {
	if p.lists == nil {
		p.lists = m.Lists()
	}
	return p.lists
}

// having returns the package that has a library, of the machine's lists of files; "" if no list says so.
func (p *packages) having(m *machine.Machine, library string) string {
	if p == nil {
		return ""
	}
	owner, asked := p.withFile[library]
	if !asked {
		owner = p.listsOf(m).Having(library)
		p.withFile[library] = owner
	}
	return owner
}

// libraryPackage returns the package with a library: of the machine's lists of files, else by its usual name that the lists
// confirm. confirmed is false for
// a usual name without lists; "" is an unknown package.
func (d *distribution) libraryPackage(library string) (name string, confirmed bool) {
	if owner := d.packages.having(d.machine, library); isFileName(owner) {
		return owner, true
	}
	names := packagesOf(library, d.family())
	for _, name := range names {
		switch missing, known := d.packages.missing(d.machine, []string{name}); {
		case !known:
			return names[len(names)-1], false
		case len(missing) == 0:
			return name, true
		}
	}
	return "", true
}

// isFileName reports whether a package list may have a file name: it is of ASCII letters, digits and _, and after the first of . + -, too.
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

// otherRelease returns an installed library that has the name of a missing one except for the release; "": none.
func (d distribution) otherRelease(name string) string {
	if d.machine == nil {
		return ""
	}
	m, _ := machines.Running(d.class)
	for _, directory := range []string{term.Either(d.class == 32, "/usr/lib32", "/usr/lib"), "/usr/lib/" + m.Multiarch} {
		for _, other := range d.machine.Names(directory) {
			if other != name && strings.Contains(other, ".so.") && unnumberedName(other) == unnumberedName(name) {
				return other
			}
		}
	}
	return ""
}

// libraryAdvice returns advice to install a library.
func (d distribution) libraryAdvice(name string) *Remedy {
	verb, args, confirmed := "library", with("file", name), true
	switch {
	case !isFileName(name): // the name becomes a part of shell lines
		args["odd"] = []string{name}
	case name == loaderName:
		args["loader"] = []string{packageOf(name, d.family())}
	case d.family() != "":
		args["p"], args["other"] = []string{""}, []string{d.otherRelease(name)}
		args["p"][0], confirmed = d.libraryPackage(name)
	}
	switch {
	case isNamed(name, "glibc"):
		verb = "library-of-glibc"
	case strings.Contains(name, "nvidia"):
		verb = "library-of-nvidia"
	}
	do := d.by(verb, args)
	if !confirmed && do.because == ofPackage {
		do.because = ofUsual
	}
	return do
}
