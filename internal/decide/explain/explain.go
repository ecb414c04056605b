package explain

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/standing"
	"vkloader/internal/decide/wording"
)

// Item is a driver or layer, with its position or the reason why it is out, and the change that puts it out or in.
type Item struct {
	Kind     string `json:"kind"` // "driver" or "layer"
	Order    int    `json:"order,omitempty"`
	Name     string `json:"name"`
	Manifest string `json:"manifest,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Library  string `json:"library,omitempty"`
	Package  string `json:"package,omitempty"` // the package that installed the manifest
	Meta     bool   `json:"meta,omitempty"`    // a layer that has no library and stands for others
	// a layer that is active, but a later one of its name is in the chain (SET-44)
	NameOnly  bool       `json:"name_only,omitempty"`
	Code      string     `json:"code"`
	Statement string     `json:"statement"`
	Why       string     `json:"why"`
	Change    shell.Line `json:"change,omitempty"` // a line for the environment that puts it out, or in
	Do        string     `json:"do,omitempty"`

	Commands []shell.Line    `json:"commands,omitempty"` // the lines for a shell that make the change, or are in do
	Finding  diag.Diagnostic `json:"-"`                  // of the decision

	standing.Standing
}

// Of returns a plan's drivers and layers that are in, in the order of the call chain, and those that are out.
func Of(answer *plan.Answer) (in, out []Item) {
	in, out = []Item{}, []Item{}
	reasons := map[ItemKey]diag.Diagnostic{} // of the items that are in
	for _, f := range answer.Diagnostics {
		if f.Code == diag.LayerActive || f.Code == diag.DriverUsed {
			reasons[ItemKey{f.Subject, f.Path}] = f
		}
	}
	used, usedLayers := map[string]bool{}, map[ItemKey]bool{} // paths of used manifests, and keys of used layers
	for i, a := range answer.Active {
		layer := answer.Layers[a.Layer]
		used[layer.Manifest], usedLayers[LayerKey(layer)] = true, true
		e := layerItem(layer, reasons[ItemKey{layer.Name, layer.Manifest}])
		e.Order, e.NameOnly = i+1, a.Unchained
		in = append(in, e)
	}
	for i, driver := range answer.Drivers {
		used[driver.Path] = true
		e := driverItem(driver, reasons[ItemKey{answer.Style.Base(driver.Path), driver.Path}], answer.Style)
		e.Order, e.Why = i+1, strings.TrimSuffix(e.Why, ", library "+e.Library)
		in = append(in, e)
	}
	libraries := map[ItemKey]string{} // of layers
	for _, l := range answer.Layers {
		libraries[LayerKey(l)] = l.Library
	}
	for _, kind := range []Kind{Drivers, Layers} {
		for _, f := range kind.Findings(answer) {
			if kind.Chosen(&f) || f.Path == "" || used[f.Path] && (f.Subject == f.Path || kind.One == "driver") ||
				usedLayers[ItemKey{f.Subject, f.Path}] {
				continue // doctor reports messages about an item that is in
			}
			item := Item{Kind: kind.One, Name: answer.Style.Base(f.Subject), Manifest: f.Path, Line: f.Line,
				Column: f.Column, Library: libraries[ItemKey{f.Subject, f.Path}]}
			item.because(f)
			out = append(out, item)
		}
	}
	return in, out
}

func (e *Item) because(f diag.Diagnostic) {
	entry := f.Code.Entry()
	e.Code, e.Finding, e.Statement, e.Why = entry.Name, f, entry.Statement, f.What
}

// layerItem returns a layer with the finding that says why it is in, or out.
func layerItem(l *manifest.Layer, f diag.Diagnostic) Item {
	e := Item{Kind: "layer", Name: l.Name, Manifest: l.Manifest, Line: l.Line, Column: l.Column, Library: l.Library,
		Meta: l.Meta}
	e.because(f)
	return e
}

// driverItem returns a driver with the finding that says why it is in, or out.
func driverItem(d *manifest.Driver, f diag.Diagnostic, style pathname.Style) Item {
	e := Item{Kind: "driver", Name: style.Base(d.Path), Manifest: d.Path, Library: d.Library}
	e.because(f)
	return e
}

// Matching returns the items whose name, manifest or library contains one of the names, in any case.
func Matching(list []Item, names []string) []Item {
	if len(names) == 0 {
		return list
	}
	contains := func(text, part string) bool { return strings.Contains(strings.ToLower(text), strings.ToLower(part)) }
	return slices.DeleteFunc(append([]Item{}, list...), func(e Item) bool {
		return !slices.ContainsFunc(names, func(n string) bool {
			if strings.Contains(n, "/") {
				return strings.Contains(e.Manifest, n) || strings.Contains(e.Library, n)
			}
			return contains(e.Name, n) || contains(path.Base(e.Manifest), n) || contains(path.Base(e.Library), n)
		})
	})
}

// UnspecifiedOrder lists active layers whose order depends on the order of files in a directory.
type UnspecifiedOrder struct {
	Directory string   `json:"directory"`
	Layers    []string `json:"layers"` // in their present order
}

// Unordered returns the active layers whose order no rule specifies.
func Unordered(answer *plan.Answer) (list []UnspecifiedOrder) {
	controlled := answer.Settings != nil && answer.Settings.ControlsLayers
	for _, a := range answer.Active {
		l := answer.Layers[a.Layer]
		listed := a.EnabledBy == plan.ByImplicit || a.EnabledBy == plan.ByEnable || controlled
		if !listed || l.Meta || a.Unchained {
			continue
		}
		named := controlled && slices.ContainsFunc(answer.Settings.Layers,
			func(s settings.LayerEntry) bool { return s.Name == l.Name })
		directory := listedIn(answer, l.Manifest)
		if named || directory == "" { // the settings file fixes the position of the layers that it names
			continue
		}
		at := slices.IndexFunc(list, func(c UnspecifiedOrder) bool { return c.Directory == directory })
		if at < 0 {
			at, list = len(list), append(list, UnspecifiedOrder{Directory: directory})
		}
		list[at].Layers = append(list[at].Layers, l.Name)
	}
	return slices.DeleteFunc(list, func(c UnspecifiedOrder) bool { return len(c.Layers) < 2 })
}

// listedIn returns the directory in which a manifest was found; "" if the manifest was named itself.
func listedIn(answer *plan.Answer, path string) (directory string) {
	for _, kind := range []search.Kind{search.ImplicitLayers, search.ExplicitLayers} {
		for _, where := range answer.Searched[kind].List {
			if where.Path == path {
				return ""
			}
			if directory == "" && inside(answer.Style, path, where.Path) {
				directory = strings.TrimRight(where.Path, string(rune(answer.Style.Separator())))
			}
		}
	}
	return directory
}

// Key returns the key of the item's driver or layer.
func (e *Item) Key() ItemKey {
	if e.Kind == Drivers.One {
		return ItemKey{Manifest: e.Manifest}
	}
	return ItemKey{e.Name, e.Manifest}
}

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
	v, known = map[diag.Code]variables.ID{diag.DriverDisabled: variables.DriversDisable,
		diag.DriverNotSelected: variables.DriversSelect,
		diag.LayerDisabled:     variables.LayersDisable, diag.LayerForced: variables.LayersEnable}[code]
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

// FullLayerName returns the name of the layer that a word means: in any case, or a part of one layer's name alone. It
// returns another word unchanged. A word with the names' usual beginning is no part.
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
