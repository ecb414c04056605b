package loaders

import (
	"slices"
	"strings"
)

// Reads tells whether the loader reads a variable. Of what is not known it counts as read: what is set may be in force.
func (l *Loader) Reads(variable string) bool { return l.Has(variable) != No }

// Obeys tells whether a variable is known to be read: only then it fixes anything.
func (l *Loader) Obeys(variable string) bool { return l.Has(variable) == Yes }

// Settings is the settings file as the loader understands it: fields that it does not know have other names of the same
// length, so that places in the text stay. False: it reads no settings file.
func (l *Loader) Settings(content string) (string, bool) {
	if l.Has(SettingsFile) == No {
		return "", false
	}
	rows := table()
	for i := range rows {
		if f := &rows[i]; f.Kind == Settings && l.Has(f.Name) == No {
			content = strings.ReplaceAll(content, `"`+f.Name+`"`, `"`+strings.Repeat("-", len(f.Name))+`"`)
		}
	}
	return content, true
}

// Ignored are the names, of variables and of fields of the settings file, that the loader is known to ignore.
func (l *Loader) Ignored(names []string) (ignored []string) {
	for _, name := range names {
		if l.Has(name) == No && !slices.Contains(ignored, name) {
			ignored = append(ignored, name)
		}
	}
	return ignored
}
