package explain

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/wording"
)

// Kind is a kind of item, drivers or layers, with the codes of its findings.
type Kind struct {
	One      string // the singular noun
	in       diag.Code
	about    diag.About
	searches []search.Kind
}

// Kinds of items.
var (
	Drivers = Kind{"driver", diag.DriverUsed, diag.Drivers, []search.Kind{search.Drivers}}
	Layers  = Kind{"layer", diag.LayerActive, diag.Layers, []search.Kind{search.ImplicitLayers, search.ExplicitLayers}}
)

// SwitchOf returns the variable behind a finding that puts an item in or out.
func SwitchOf(code diag.Code) (v variables.ID, known bool) {
	v, known = map[diag.Code]variables.ID{diag.DriverDisabled: variables.DriversDisable, diag.DriverNotSelected: variables.DriversSelect,
		diag.LayerDisabled: variables.LayersDisable, diag.LayerForced: variables.LayersEnable}[code]
	return v, known
}

// Findings returns the findings of a decision about the kind.
func (k Kind) Findings(answer *plan.Answer) []diag.Diagnostic {
	searched := k.searchPlaces(answer)
	return slices.DeleteFunc(slices.Clone(answer.Diagnostics), func(f diag.Diagnostic) bool {
		about := f.Code.Entry().About
		return about != k.about && !(about == diag.File && searched.have(f.Path))
	})
}

// Chosen reports whether a finding says that programs get its driver or layer.
func (k Kind) Chosen(f *diag.Diagnostic) bool { return f.Code == k.in }

// Key returns the key of a finding's driver or layer.
func (k Kind) Key(f *diag.Diagnostic) ItemKey {
	if k.One == Drivers.One {
		return ItemKey{Manifest: f.Path}
	}
	return ItemKey{f.Subject, f.Path}
}

// searchedPlaces are the places where a kind is searched, as paths, and as directories with a separator at the end.
type searchedPlaces struct {
	style              pathname.Style
	paths, directories map[string]bool
}

func (k Kind) searchPlaces(answer *plan.Answer) searchedPlaces {
	p := searchedPlaces{answer.Style, map[string]bool{}, map[string]bool{}}
	joint := string(rune(answer.Style.Separator()))
	for _, kind := range k.searches {
		for _, where := range answer.Searched[kind].List {
			p.paths[where.Path] = true
			p.directories[strings.TrimRight(where.Path, joint)+joint] = true
		}
	}
	return p
}

// have reports whether a file is one of the places, or is directly in one.
func (p searchedPlaces) have(path string) bool {
	return p.paths[path] || p.directories[p.style.Directory(path)]
}

// inside reports whether a file is directly in a directory.
func inside(style pathname.Style, path, directory string) bool {
	joint := string(rune(style.Separator()))
	return style.Directory(path) == strings.TrimRight(directory, joint)+joint
}

// Place is a location that was searched.
type Place struct {
	Path string `json:"path"`
	From string `json:"from"` // the variable that names it, or "default"
}

// Places returns the locations that were searched for the kind.
func (k Kind) Places(answer *plan.Answer) []Place {
	places := []Place{}
	for _, kind := range k.searches {
		for _, where := range answer.Searched[kind].List {
			places = append(places, Place{where.Path, where.From})
		}
		for _, key := range emptyKeys(&answer.Searched[kind]) {
			places = append(places, Place{key, "default"})
		}
	}
	return places
}

// emptyKeys returns the registry keys that a search read without finding a file.
func emptyKeys(made *search.Locations) (keys []string) {
	for _, s := range made.Said {
		if s.Code == diag.None && s.Subject != "" && strings.HasPrefix(s.Text, "The registry key ") {
			keys = append(keys, s.Subject)
		}
	}
	return keys
}

// LayerNames returns the names of layers.
func LayerNames(layers []*manifest.Layer) []string {
	return wording.Words(layers, func(l *manifest.Layer) string { return l.Name })
}

// minLayerPart is the least length of a part that stands for a layer's name.
const minLayerPart = 3

// FullLayerName returns the name of the layer that a word means: in any case, or a part of one layer's name alone. It returns another
// word unchanged. A word with the names' usual beginning is no part.
func FullLayerName(layers []*manifest.Layer, word string) string {
	names, part := LayerNames(layers), strings.ToLower(word)
	if slices.Contains(names, word) {
		return word
	}
	if at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, word) }); at >= 0 {
		return names[at]
	}
	found := slices.DeleteFunc(names, func(name string) bool { return !strings.Contains(strings.ToLower(name), part) })
	if len(found) != 1 || len(part) < minLayerPart || strings.HasPrefix(part, "vk_layer_") {
		return word
	}
	return found[0]
}

// DriverNames returns the file names of drivers' manifests.
func DriverNames(drivers []*manifest.Driver) []string {
	return wording.Words(drivers, func(d *manifest.Driver) string { return machine.Style.Base(d.Path) })
}
