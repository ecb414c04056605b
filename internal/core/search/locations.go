package search

import (
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/variables"
)

// Kind is the kind of manifest searched for.
type Kind uint8

// Kinds of manifests.
const (
	Drivers Kind = iota
	ImplicitLayers
	ExplicitLayers
)

// kindFacts are the names of a kind.
type kindFacts struct {
	suffix, what  string
	replace, more variables.ID // the variables that replace the default search, and that add to it
	old           variables.ID // the older name of replace; nil: none
}

var kinds = [...]kindFacts{
	Drivers: {"vulkan/icd.d", "driver", variables.DriverFiles, variables.AddDriverFiles, variables.ICDFilenames},
	ImplicitLayers: {"vulkan/implicit_layer.d", "implicit layer", variables.ImplicitLayerPath,
		variables.AddImplicitLayerPath, nil},
	ExplicitLayers: {"vulkan/explicit_layer.d", "explicit layer", variables.LayerPath, variables.AddLayerPath, nil},
}

// What returns the kind's name in messages.
func (k Kind) What() string { return kinds[k].what }

// pathLimit is the longest accepted path of a file (PATH-21).
const pathLimit = 2047

// Location is a directory or file of a search.
type Location struct {
	Path string
	File bool   // the path is a manifest, not a directory
	From string // the variable or other origin of the location
	Told bool   // the log names the origin
}

// Locations is the outcome of building a location list.
type Locations struct {
	List    []Location
	TooLong []string   // skipped elements (PATH-21)
	Ignored []Location // variables that are set but ignored; From is the variable, Path the one that takes precedence
	Said    []Message  // messages of the steps of the search

	joint     byte            // between a directory and a name
	separator string          // between the elements of a list
	last      bool            // no further step is searched
	told      bool            // Told of new locations
	known     map[string]bool // the paths of a long list
}

// Build returns the locations of a kind. noVariables ignores the kind's own variables (SET-98). override, if not nil,
// has the paths of the override layer, which replace all other locations (LAY-204).
func Build(p *Platform, k Kind, f *facts.Store, noVariables bool, override []string) Locations {
	b := &Builder{Platform: p, Kind: k, Facts: f}
	b.separator, b.joint = string(rune(p.Style.ListSeparator())), p.Style.Separator()
	b.build(noVariables, override)
	return b.Locations
}

// build adds the locations. They are override, if it is not nil. Otherwise they are those of the replacing variable
// or, if that is not set, those of the adding variable and then the platform's.
func (b *Builder) build(noVariables bool, override []string) {
	names, f := &kinds[b.Kind], b.Facts
	if override != nil {
		for _, o := range override {
			b.add(o, "", "override_paths")
		}
		return
	}
	if !noVariables {
		replace := f.Variable(names.replace)
		winner := names.replace.Name()
		if names.old != nil {
			old := f.Variable(names.old)
			if replace.Set && old.Set {
				b.Ignored = append(b.Ignored, Location{From: names.old.Name(), Path: winner})
			} else if old.Set {
				replace, winner = old, names.old.Name()
			}
		}
		more := f.Variable(names.more)
		if replace.Set {
			if more.Set {
				b.Ignored = append(b.Ignored, Location{From: names.more.Name(), Path: winner})
			}
			b.add(replace.Value, "", winner)
			return
		}
		if more.Set {
			b.add(more.Value, "", names.more.Name())
		}
	}
	b.told = b.Platform.Sources
	for _, step := range b.Platform.Steps {
		if step(b); b.last {
			return
		}
	}
}

// add adds the elements of a variable's list (PATH-5, PATH-6).
func (l *Locations) add(list, suffix, from string) {
	for list != "" {
		path, rest, _ := strings.Cut(list, l.separator)
		if path != "" {
			l.addOne(path, suffix, from)
		}
		list = rest
	}
}

func (l *Locations) addOne(path, suffix, from string) {
	file := IsManifestName(path)
	if file && len(path) > pathLimit {
		l.TooLong = append(l.TooLong, path)
		return
	}
	if !file && suffix != "" { // PATH-2, PATH-8
		if path[len(path)-1] != '/' {
			path += "/"
		}
		path += suffix
	}
	l.Place(path, file, from)
}

// Place adds a location, unless the list has its path.
func (l *Locations) Place(path string, file bool, from string) {
	if l.has(path) { // PATH-10
		return
	}
	l.List = append(l.List, Location{path, file, from, l.told})
	if l.known != nil {
		l.known[path] = true
	}
}

// shortList is the longest list that is searched without a map.
const shortList = 16

func (l *Locations) has(path string) bool {
	if l.known == nil && len(l.List) > shortList {
		l.known = make(map[string]bool)
		for i := range l.List {
			l.known[l.List[i].Path] = true
		}
	}
	if l.known != nil {
		return l.known[path]
	}
	for i := range l.List { // no function value here: docs/goc.md, "The stack"
		if l.List[i].Path == path {
			return true
		}
	}
	return false
}

// IsManifestName reports whether a name ends in .json, in lower case (PATH-17).
func IsManifestName(name string) bool { return strings.HasSuffix(name, ".json") }

// ManifestFile is a manifest file that the search found.
type ManifestFile struct {
	Path   string
	Listed bool // the path comes from a directory listing, so the entry existed
	From   string
}

// Files returns the manifests of the locations, in order (PATH-16 to PATH-20), and the directories that cannot be
// opened. A path is the directory as written in its origin, a separator, and the name.
func (l *Locations) Files(f *facts.Store) (found []ManifestFile, missing []Location) {
	count := 0
	for i := range l.List {
		if l.List[i].File {
			count++
		} else {
			paths, _ := f.Paths(l.List[i].Path, l.joint)
			count += len(paths)
		}
	}
	if count > 0 {
		found = make([]ManifestFile, 0, count)
	}
	for _, loc := range l.List {
		if loc.File {
			found = append(found, ManifestFile{loc.Path, false, loc.From})
			continue
		}
		paths, listed := f.Paths(loc.Path, l.joint)
		if !listed {
			missing = append(missing, loc)
			continue
		}
		for _, path := range paths {
			if IsManifestName(path) {
				found = append(found, ManifestFile{path, true, loc.From})
			}
		}
	}
	return found, missing
}

// BaseName returns the path after the last slash.
func BaseName(path string) string { return pathname.Slash.Base(path) }

// Directory returns the path up to and including the last slash, or "".
func Directory(path string) string { return pathname.Slash.Directory(path) }

// unixSettings returns the possible paths of the settings file, in order (SET-1 to SET-5).
func unixSettings(p *Platform, f *facts.Store) []string {
	const rest = "/vulkan//loader_settings.d/vk_loader_settings.json" // SET-3
	var out []string
	add := func(list string) {
		// SET-4: only the first element counts, and only if it is longer than one character
		if first, _, _ := strings.Cut(list, ":"); len(first) > 1 {
			out = append(out, first+rest)
		}
	}
	configHome, dataHome := f.Variable(variables.ConfigHome), f.Variable(variables.DataHome)
	home := f.Variable(variables.Home)
	add(configHome.Value)
	add(dataHome.Value)
	if configHome.Value == "" && home.Set {
		out = append(out, home.Value+"/.config"+rest)
	}
	if dataHome.Value == "" && home.Set {
		out = append(out, home.Value+"/.local/share"+rest)
	}
	or := func(variable variables.ID, fallback string) string {
		if v := f.Variable(variable); v.Value != "" {
			return v.Value
		}
		return fallback
	}
	add(or(variables.ConfigDirs, p.ConfigDirs))
	add(p.SysConfDir)
	add(p.ExtraSysConfDir)
	add(or(variables.DataDirs, p.DataDirs))
	return out
}
