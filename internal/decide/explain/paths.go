package explain

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/pathname"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
)

// Searched is a place where drivers, layers or settings are looked for.
type Searched struct {
	For   string `json:"for"`   // "drivers", "implicit layers", "explicit layers" or "settings"
	Order int    `json:"order"` // among those for the same, from 1; 0: it is not searched
	// a directory, a manifest, a settings file, or the socket of a driver service
	Path      string   `json:"path"`
	Real      string   `json:"real,omitempty"` // the path without symbolic links
	From      string   `json:"from"`           // the variable that names it, or "default"
	Exists    bool     `json:"exists"`
	Manifests []string `json:"manifests"` // names in the order in which they are read
	Note      string   `json:"note,omitempty"`
}

var searchNames = [...]string{search.Drivers: "drivers", search.ImplicitLayers: "implicit layers",
	search.ExplicitLayers: "explicit layers"}

// Paths returns the places that a decision searched, then the places of the settings file.
func Paths(answer *plan.Answer, source *machine.Source) []Searched {
	add := func(p *Searched) {
		if real, err := source.Real(p.Path); err == nil && p.Exists && real != strings.TrimRight(p.Path, "/") {
			p.Real = real
		}
		if !p.Exists && p.Note == "" && (!source.Absent(p.Path) && !source.Exists(p.Path) || source.Closed(p.Path)) {
			p.Note = "this user may not look at it"
		}
	}
	places := searchedOf(answer, source, services(answer, source), add)
	return append(places, settingsPlaces(SettingsPlaces(source), source, func(p *Searched) {
		p.From = settingsFrom(source, p.Path)
		if !p.Exists && source.Loader != nil && source.Machine.Exists(source.Path(p.Path)) {
			p.Exists, p.Note = true, "not read by the loader that programs get"
		}
		add(p)
	})...)
}

// PathsOn returns the places that a decision on another system searched, then the places of its settings file.
func PathsOn(platform *search.Platform, answer *plan.Answer, source facts.Provider) []Searched {
	places := searchedOf(answer, source, nil, func(*Searched) {})
	files := settingsFiles(*platform, source)
	return append(places, settingsPlaces(files, source, func(p *Searched) { p.From = "default" })...)
}

// clean returns a path without "." and ".." elements and double separators; a path of Windows is unchanged.
func clean(style pathname.Style, name string) string {
	if style == pathname.Slash {
		return path.Clean(name)
	}
	return name
}

// searchedOf returns the places that a decision searched, and then last, the later places for drivers. add completes
// each place.
func searchedOf(answer *plan.Answer, source facts.Provider, last []Searched, add func(*Searched)) []Searched {
	places := []Searched{}
	for kind, name := range searchNames {
		searched := &answer.Searched[kind]
		put := func(p Searched, manifests ...string) {
			p.For, p.Manifests = name, append([]string{}, manifests...)
			add(&p)
			places = append(places, p)
		}
		if answer.Settings != nil && answer.Settings.ControlsLayers && !answer.Settings.Merged() &&
			search.Kind(kind) != search.Drivers {
			places = append(places, Searched{For: name, Path: clean(answer.Style, answer.Settings.File),
				From: "settings", Exists: true, Manifests: []string{},
				Note: "the settings file lists the layers, nothing is searched"})
			continue
		}
		for i, location := range searched.List {
			p := Searched{Order: i + 1, Path: location.Path, From: location.From}
			if location.File {
				p.Exists = source.Exists(location.Path)
				put(p, answer.Style.Base(location.Path))
			} else {
				directory := source.Directory(location.Path)
				p.Exists = directory.Listed
				put(p, directory.Names...)
			}
		}
		if search.Kind(kind) == search.Drivers {
			for i, p := range last {
				p.Order = len(searched.List) + i + 1
				put(p)
			}
		}
		for _, key := range emptyKeys(searched) {
			put(Searched{Path: key, From: "default", Note: "names no file"})
		}
		for _, long := range searched.TooLong {
			put(Searched{Path: long, Note: "too long: not looked into"})
		}
	}
	return places
}

// settingsPlaces returns the places of the settings file; add completes each.
func settingsPlaces(files []string, source facts.Provider, add func(*Searched)) (places []Searched) {
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

// services returns the sockets of the driver service, the last place for drivers (PRO-008).
func services(answer *plan.Answer, source *machine.Source) []Searched {
	list := []Searched{}
	if answer.Style != pathname.Slash || source.Elevated { // Windows has no service, and elevated programs ask none
		return nil
	}
	place := func(directory, from string) {
		p := Searched{Path: directory + "/loader.sock", From: from}
		if p.Exists = source.Exists(p.Path); p.Exists {
			p.Note = "a driver service, asked where no driver is found"
		}
		list = append(list, p)
	}
	for _, v := range []variables.ID{variables.DriverFiles, variables.ICDFilenames} {
		if source.Var(v.Name(), v.Secure()).Set { // they name all places
			return nil
		}
	}
	read := func(v variables.ID) string { return source.Var(v.Name(), v.Secure()).Value }
	if told := read(variables.ServiceDirectory); told != "" {
		place(told, variables.ServiceDirectory.Name())
		return list
	}
	place("/run/vkloaderd", "default")
	if own := read(variables.RuntimeDirectory); own != "" {
		place(own+"/vkloaderd", variables.RuntimeDirectory.Name())
	}
	return list
}

// settingsFrom returns the variable that names a place of the settings file, or "default".
func settingsFrom(source *machine.Source, place string) string {
	for _, v := range []variables.ID{variables.ConfigHome, variables.DataHome, variables.Home, variables.ConfigDirs,
		variables.DataDirs} {
		value, _ := source.Lookup(v.Name())
		if value, _, _ = strings.Cut(value, ":"); value != "" &&
			strings.HasPrefix(place, strings.TrimRight(value, "/")+"/") {
			return v.Name()
		}
	}
	return "default"
}

// SettingsMark is the member that marks a file as the tool's own; SettingsWriter is its value.
const (
	SettingsMark   = "vkloader"
	SettingsWriter = "vkloader settings"
)

// SettingsPlaces returns the settings files that the loader tries, in order; it uses the first that exists (SET-1,
// SET-7).
func SettingsPlaces(from facts.Provider) []string { return settingsFiles(Platform(from), from) }

// settingsFiles returns the settings files that the loader on a platform tries, in order.
func settingsFiles(platform search.Platform, from facts.Provider) (places []string) {
	facts.Resolve(facts.NewStore(), from, func(s *facts.Store) {
		places = nil
		if platform.Rights != nil {
			platform.Rights(&platform, s)
		}
		for _, place := range platform.Settings(&platform, s) {
			if place = clean(platform.Style, place); !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
	})
	return places
}

// SettingsOurs reports whether a file exists and has the tool's mark.
func SettingsOurs(m *machine.Machine, place string) bool {
	data, err := m.ReadFile(place)
	if err != nil {
		return false
	}
	doc, fault := document.Parse(string(data))
	if fault != nil {
		return false
	}
	writer, _ := doc.Top().Member(SettingsMark).Member("written_by").Text()
	return writer == SettingsWriter
}

// SilentSettings is the text of a settings file without settings.
const SilentSettings = `{"file_format_version": "1.0.0", "settings_array": []}`
