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
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/wording"
)

// Row is a finding of a search, with its reason.
type Row struct {
	Subject   string        `json:"subject"`
	Path      string        `json:"path,omitempty"`
	Line      int           `json:"line,omitempty"`
	Column    int           `json:"column,omitempty"`
	In        bool          `json:"in"`
	Code      diag.Code     `json:"code"`
	Severity  diag.Severity `json:"severity"`
	Statement string        `json:"statement"`
	Why       string        `json:"why"`
	Do        string        `json:"do,omitempty"` // "": no tested change helps

	Commands []shell.Line `json:"commands,omitempty"` // the lines for a shell that are in do

	cause diag.Cause
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
	v, known = map[diag.Code]variables.ID{diag.DriverDisabled: variables.DriversDisable, diag.DriverNotSelected: variables.DriversSelect,
		diag.LayerDisabled: variables.LayersDisable, diag.LayerForced: variables.LayersEnable}[code]
	return v, known
}

// Rows returns the findings of the kind.
func (k Kind) Rows(answer *plan.Answer) []Row {
	rows, searched := []Row{}, k.searchPlaces(answer)
	for _, f := range answer.Diagnostics {
		entry := f.Code.Entry()
		if entry.About != k.about && !(entry.About == diag.File && searched.have(f.Path)) {
			continue
		}
		rows = append(rows, Row{
			Subject: f.Subject, Path: f.Path, Line: f.Line, Column: f.Column, In: f.Code == k.in, Code: f.Code,
			Severity: entry.Severity, Statement: entry.Statement, Why: f.What, cause: f.Cause,
		})
	}
	return rows
}

// Key returns the key of a row's driver or layer.
func (r *Row) Key(kind Kind) ItemKey {
	if kind.One == Drivers.One {
		return ItemKey{Manifest: r.Path}
	}
	return ItemKey{r.Subject, r.Path}
}

// item returns the row in the form of an item that is out.
func (r *Row) item(kind Kind, name string) Item {
	return Item{Kind: kind.One, Name: name, Manifest: r.Path, Line: r.Line, Column: r.Column, Code: r.Code.String(), Statement: r.Statement,
		Why: r.Why, subject: r.Subject, code: r.Code, cause: r.cause}
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
