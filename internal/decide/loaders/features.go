package loaders

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/decide/wording"
)

// settingsKind is the kind of the features that are fields of the settings file.
const settingsKind = "The settings file"

// Feature is a feature that only some versions of loaders have.
type Feature struct {
	Name    string // as settings or documents write it
	Kind    string // the heading of its table
	Since   string // the version that introduced it, if a document names it; "": none does
	Without string // the newest version known to lack it; "": none is known
	With    string // the oldest version known to have it
	Source  string // where the facts come from
	Ours    bool   // only this project's loader has it

	mark string // the constant in a loader that has it; "": the name; "-": none
}

// SettingsFile is the name of the feature that a loader reads a settings file. The feature of a variable has the
// variable's name.
const SettingsFile = "vk_loader_settings.json"

//go:embed features.txt
var featuresTable string

// features is the result of table.
var features struct {
	once sync.Once
	rows []Feature
}

// table returns the rows of features.txt, which are read at the first call: package discover does nothing at import.
func table() []Feature {
	features.once.Do(func() {
		kind := ""
		for line := range strings.Lines(featuresTable) {
			cells := append(wording.Words(strings.Split(line, "|"), strings.TrimSpace), "")
			switch {
			case cells[0] == "" || cells[0][0] == '#':
			case len(cells) == 2:
				kind = cells[0]
			default:
				f := Feature{Name: cells[0], Kind: kind, Since: cells[1], Without: cells[2], With: cells[3],
					Source: cells[4], mark: cells[5]}
				if f.Ours = f.With == "ours"; f.Ours {
					f.With = ""
				}
				features.rows = append(features.rows, f)
			}
		}
	})
	return features.rows
}

// Features returns the rows of the table.
func Features() []Feature { return slices.Clone(table()) }

// Fields returns the names of the settings file's fields.
func Fields() (names []string) {
	for _, f := range table() {
		if f.Kind == settingsKind && f.Name != SettingsFile {
			names = append(names, f.Name)
		}
	}
	return names
}

// FieldsIn returns the fields of the settings file that a text contains.
func FieldsIn(text string) []string {
	return slices.DeleteFunc(Fields(), func(name string) bool { return !strings.Contains(text, `"`+name+`"`) })
}

// Named finds a feature; nil: none has the name.
func Named(name string) *Feature {
	rows := table()
	if i := slices.IndexFunc(rows, func(f Feature) bool { return f.Name == name }); i >= 0 {
		return &rows[i]
	}
	return nil
}

// Exact reports whether the version that introduced the feature is known; if not, it lies between two known versions.
func (f *Feature) Exact() bool { return f.Since != "" || f.Without == "" && f.With != "" }

// Mark returns the constant in a loader's file that shows the feature; "": the file does not show it.
func (f *Feature) Mark() string {
	switch f.mark {
	case "":
		return f.Name
	case "-":
		return ""
	}
	return f.mark
}

// Came describes the version that introduced the feature.
func (f *Feature) Came() string {
	switch {
	case f.Ours:
		return "vkloader only"
	case f.Since != "":
		return f.Since
	case f.Without == "":
		return f.With + " or earlier"
	}
	return "after " + f.Without + ", " + f.With + " at the latest"
}

// Reads reports whether the loader reads a variable. An unknown variable counts as read: it may be in force.
func (l *Loader) Reads(variable string) bool { return l.Has(variable) != No }

// Obeys reports whether the loader is known to read a variable. Only then can setting the variable fix anything.
func (l *Loader) Obeys(variable string) bool { return l.Has(variable) == Yes }

// Settings returns the settings file as the loader reads it. The names of fields that it does not know are replaced by
// names of the same length, so that positions in the text stay the same. ok is false if the loader reads no settings
// file.
func (l *Loader) Settings(content string) (string, bool) {
	if l.Has(SettingsFile) == No {
		return "", false
	}
	for _, f := range table() {
		if f.Kind == settingsKind && l.Has(f.Name) == No {
			content = strings.ReplaceAll(content, `"`+f.Name+`"`, `"`+strings.Repeat("-", len(f.Name))+`"`)
		}
	}
	return content, true
}

// Ignored returns those of the names, of variables or of fields of the settings file, that the loader is known to
// ignore.
func (l *Loader) Ignored(names []string) (ignored []string) {
	for _, name := range names {
		if l.Has(name) == No && !slices.Contains(ignored, name) {
			ignored = append(ignored, name)
		}
	}
	return ignored
}
