package explain

import (
	"path"
	"strings"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/settingsfile"
)

// Searched is a place that is looked into.
type Searched struct {
	For       string   `json:"for"` // "drivers", "implicit layers", "explicit layers" or "settings"
	Order     int      `json:"order"`
	Path      string   `json:"path"`
	Real      string   `json:"real,omitempty"` // where links lead
	From      string   `json:"from"`           // the variable that names it, or "default"
	Exists    bool     `json:"exists"`
	Manifests []string `json:"manifests"` // names in the order in which they are read
	Note      string   `json:"note,omitempty"`
}

var searchNames = [...]string{search.Drivers: "drivers", search.ImplicitLayers: "implicit layers", search.ExplicitLayers: "explicit layers"}

// Paths are the places that a decision looked into, then those of the settings file.
func Paths(answer *plan.Answer, source *machine.Source) []Searched {
	add := func(p *Searched) {
		if real, err := source.Real(p.Path); err == nil && p.Exists && real != strings.TrimRight(p.Path, "/") {
			p.Real = real
		}
	}
	places := searchedOf(answer, source, add)
	return append(places, settingsPlaces(settingsfile.Places(source), source, func(p *Searched) {
		p.From = settingsFrom(source, p.Path)
		add(p)
	})...)
}

// PathsOn are the places that a decision on another system looked into, then those of its settings file.
func PathsOn(platform *search.Platform, answer *plan.Answer, source facts.Source) []Searched {
	var files []string
	facts.Resolve(facts.NewStore(), source, func(s *facts.Store) {
		if platform.Rights != nil {
			platform.Rights(platform, s)
		}
		files = platform.Settings(platform, s)
	})
	for i := range files {
		if answer.Style == pathname.Slash {
			files[i] = path.Clean(files[i])
		}
	}
	places := searchedOf(answer, source, func(*Searched) {})
	return append(places, settingsPlaces(files, source, func(p *Searched) { p.From = "default" })...)
}

// searchedOf are the places that a decision looked into; add completes each.
func searchedOf(answer *plan.Answer, source facts.Source, add func(*Searched)) []Searched {
	places := []Searched{}
	for kind, name := range searchNames {
		if answer.Settings != nil && answer.Settings.ControlsLayers && !answer.Settings.Merged() && search.Kind(kind) != search.Drivers {
			places = append(places, Searched{For: name, Path: path.Clean(answer.Settings.File), From: "settings", Exists: true, Manifests: []string{},
				Note: "the settings file lists the layers, nothing is searched"})
			continue
		}
		for i, location := range answer.Searched[kind].List {
			p := Searched{For: name, Order: i + 1, Path: location.Path, From: location.From, Manifests: []string{}}
			if location.File {
				p.Exists = source.Exists(location.Path)
				p.Manifests = append(p.Manifests, answer.Style.Base(location.Path))
			} else {
				directory := source.Directory(location.Path)
				p.Exists = directory.Listed
				p.Manifests = append(p.Manifests, directory.Names...)
			}
			add(&p)
			places = append(places, p)
		}
		for _, long := range answer.Searched[kind].TooLong {
			p := Searched{For: name, Path: long, Manifests: []string{}, Note: "too long: not looked into"}
			add(&p)
			places = append(places, p)
		}
	}
	return places
}

// settingsPlaces are the places of the settings file; add completes each.
func settingsPlaces(files []string, source facts.Source, add func(*Searched)) (places []Searched) {
	first := true
	for i, place := range files {
		p := Searched{For: "settings", Order: i + 1, Path: place, Exists: source.Exists(place), Manifests: []string{}}
		if p.Exists {
			if p.Note = "does not count: another comes before it"; first {
				p.Note = "the settings file"
			}
			first = false
		}
		add(&p)
		places = append(places, p)
	}
	return places
}

// settingsFrom is what names a place of the settings file.
func settingsFrom(source *machine.Source, place string) string {
	for _, v := range []variables.ID{variables.ConfigHome, variables.DataHome, variables.Home, variables.ConfigDirs, variables.DataDirs} {
		value, _ := source.Lookup(v.Name())
		if value, _, _ = strings.Cut(value, ":"); value != "" && strings.HasPrefix(place, strings.TrimRight(value, "/")+"/") {
			return v.Name()
		}
	}
	return "default"
}
