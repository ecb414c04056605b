package environment

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
)

// placeKinds are, for each path variable, the names of the directories that it may name.
var placeKinds = map[string][]string{variables.DriverFiles.Name(): {"icd.d"}, variables.ICDFilenames.Name(): {"icd.d"},
	variables.AddDriverFiles.Name(): {"icd.d"}, variables.LayerPath.Name(): {"explicit_layer.d"},
	variables.AddLayerPath.Name():         {"explicit_layer.d"},
	variables.ImplicitLayerPath.Name():    {"implicit_layer.d"},
	variables.AddImplicitLayerPath.Name(): {"implicit_layer.d"}}

// Meant returns changes of a path variable that replace a missing or empty entry by an existing file or directory: the
// entry without its quotes, a manifest of the same name or for the same driver, or the nearest directory with
// manifests. why says in the finding's sentence that it exists; near is the directory, "" for a file. It returns
// nothing on Windows.
func Meant(source *machine.Source, f *Problem) (changes []explain.Change, why, near string) {
	kinds := placeKinds[f.Variable]
	if kinds == nil || machine.ListSeparator != ":" {
		return nil, "", ""
	}
	list := pathList{source, f.Variable}
	if places := list.existing(f.Place); len(places) > 0 {
		return []explain.Change{list.replace(f.Place, strings.Join(places, ":"))},
			"; the loader splits a list at colons, and keeps quotes, ~ and names of variables as they are", ""
	}
	if !path.IsAbs(f.Place) {
		return nil, "", ""
	}
	around := Nearby(&source.Machine, f.Place, kinds)
	if f.Kind == NoFile {
		for _, place := range append(around, "/usr/share/vulkan/"+kinds[0], "/usr/local/share/vulkan/"+kinds[0],
			"/etc/vulkan/"+kinds[0]) {
			if file := path.Join(place, path.Base(f.Place)); source.Exists(file) && file != path.Clean(f.Place) {
				return []explain.Change{list.replace(f.Place, file)}, "; " + file + " exists", ""
			}
		}
	}
	if file := list.nearManifest(f.Place); file != "" {
		return []explain.Change{list.instead(file), list.replace(f.Place, file)}, "; " + file + " exists", ""
	}
	if f.Kind == NoFile {
		return nil, "", ""
	}
	for _, place := range around {
		if place != path.Clean(f.Place) && slices.ContainsFunc(source.Names(place), search.IsManifestName) {
			return []explain.Change{list.replace(f.Place, place)}, "; " + place + " has manifests", place
		}
	}
	return nil, "", ""
}

// pathList is the list of a path variable.
type pathList struct {
	source   *machine.Source
	variable string
}

func (l pathList) value(name string) string {
	value, _ := l.source.Lookup(name)
	return value
}

func (l pathList) replace(old, by string) explain.Change {
	return explain.ReplaceEntry(&l.source.Machine, l.variable, ":", old, by)
}

// existing returns the existing files and directories that an entry of a list means: with other separators than a
// colon, in quotes, or with the home directory as ~ or $HOME.
func (l pathList) existing(entry string) (places []string) {
	home := l.value(variables.Home.Name())
	for _, one := range strings.FieldsFunc(entry, func(r rune) bool { return strings.ContainsRune(";, '\"", r) }) {
		for _, word := range []string{"~", "$HOME", "${HOME}"} {
			if rest, is := strings.CutPrefix(one, word+"/"); is && path.IsAbs(home) {
				one = path.Join(home, rest)
			}
		}
		switch is := one != entry && path.IsAbs(one) && l.source.Exists(one); {
		case is:
			places = append(places, one)
		case strings.ContainsAny(entry, ", "): // the name of one file may have a space or a comma
			return nil
		}
	}
	return places
}

// nearManifest returns a manifest beside a missing one, with nearly the same name or for the same driver: some
// distributions write radeon_icd.json, others radeon_icd.x86_64.json. "": there is none.
func (l pathList) nearManifest(file string) string {
	base := path.Base(file)
	for _, same := range []func(name string) bool{
		func(name string) bool { return strings.HasPrefix(base, name) }, // a slip after the name
		func(name string) bool { return term.NameDistance(name, base) < 4 },
		func(name string) bool { return strings.HasPrefix(name, strings.TrimSuffix(base, ".json")) }, // shortened
		func(name string) bool {
			return drivers.OfManifest(name) != nil && drivers.OfManifest(name) == drivers.OfManifest(base)
		},
	} {
		for _, name := range l.source.Names(path.Dir(file)) {
			if search.IsManifestName(name) && same(name) && (!Only32(name) || Only32(base)) {
				return path.Join(path.Dir(file), name)
			}
		}
	}
	return ""
}

func (l pathList) instead(file string) explain.Change {
	var list []string
	for _, one := range strings.Split(l.value(l.variable), ":") {
		if !l.source.Exists(one) {
			one = file
		}
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return explain.SetVariable(l.variable, strings.Join(list, ":"))
}

// Nearby returns the directories with manifests around a path: below it, and below the three directories above it.
func Nearby(m *machine.Machine, entry string, kinds []string) (places []string) {
	at := path.Clean(entry)
	for range 4 {
		for _, below := range []string{"", "vulkan", "share/vulkan", "etc/vulkan", "x86_64/share/vulkan",
			"x86_64/etc/vulkan", "lib/vulkan", "usr/share/vulkan"} {
			for _, kind := range kinds {
				if place := path.Join(at, below, kind); m.Exists(place) && !slices.Contains(places, place) {
					places = append(places, place)
				}
			}
		}
		if at = path.Dir(at); at == "/" {
			break
		}
	}
	return places
}

// Only32 reports whether a manifest's name says that its driver is for 32-bit programs.
func Only32(name string) bool {
	return slices.ContainsFunc([]string{"i686", "i386", "32"},
		func(mark string) bool { return strings.Contains(name, mark) })
}
