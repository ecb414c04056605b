package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"time"

	"vkloader/internal/core/document"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// setAside is the suffix of another program's file that the tool has replaced. Loaders do not read files with this
// suffix.
const setAside = ".before-vkloader"

// SetAside returns the path of the copy of another program's file that the tool has replaced.
func SetAside(place string) string { return place + setAside }

// File is a settings file.
type File struct {
	Path    string // on its machine
	Content string
	Ours    bool      // the file has the tool's mark
	Expires time.Time // of the tool's file; zero: never
}

// Existing reads the files that exist among places, in order. A file in a directory that this user may not search does
// not exist for the loader either (SET-7).
func Existing(m *machine.Machine, places []string) ([]*File, error) {
	var files []*File
	for _, place := range places {
		f, err := Read(m, place)
		if err != nil && !m.Exists(place) {
			continue
		}
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Read reads one file. A file without the tool's mark, or without valid JSON, belongs to another program.
func Read(m *machine.Machine, place string) (*File, error) {
	data, err := m.ReadFile(place)
	if err != nil {
		return nil, err
	}
	f := &File{Path: place, Content: string(data)}
	doc, fault := document.Parse(f.Content)
	if fault != nil {
		return f, nil
	}
	mark := doc.Top().Member(explain.SettingsMark)
	writer, _ := mark.Member("written_by").Text()
	f.Ours = writer == explain.SettingsWriter
	if text, ok := mark.Member("expires").Text(); ok && f.Ours {
		f.Expires, _ = time.Parse(time.RFC3339, text) // an invalid time never expires; the schema check reports it
	}
	return f, nil
}

// Expired reports whether a file of the tool has expired.
func (f *File) Expired(now time.Time) bool {
	return f.Ours && !f.Expires.IsZero() && !now.Before(f.Expires)
}

// Lock excludes other runs of the tool from the file until the caller calls unlock. It creates a missing directory.
func Lock(m *machine.Machine, place string) (unlock func(), err error) {
	at, err := m.PlaceOf(place, true)
	if err == nil {
		if err = at.Lock(); err != nil {
			at.Close()
		}
	}
	if err != nil {
		return nil, err
	}
	return at.Close, nil
}

// Write replaces the file at place with content and the mark in one step: a program that starts meanwhile reads the old
// file or the new one. An existing file keeps its permissions. aside keeps another program's file beside it, and Remove
// restores that file.
func Write(m *machine.Machine, place string, content map[string]any, expires time.Time, aside bool) error {
	text, err := markContent(content, expires)
	if err != nil {
		return err
	}
	at, err := m.PlaceOf(place, true)
	if err != nil {
		return err
	}
	defer at.Close()
	before, mode, err := at.Read("")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		mode = 0o644
	case err != nil:
		return err
	case aside:
		if err := at.Replace(setAside, before, mode); err != nil {
			return err
		}
	}
	if err = at.Replace("", text, mode); err == nil {
		err = enter(place)
	}
	return err
}

func markContent(content map[string]any, expires time.Time) ([]byte, error) {
	mark := map[string]any{"written_by": explain.SettingsWriter}
	if !expires.IsZero() {
		mark["expires"] = expires.UTC().Format(time.RFC3339)
	}
	content[explain.SettingsMark] = mark
	return Encode(content)
}

// Encode returns the text of a content.
func Encode(content map[string]any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "    ")
	err := encoder.Encode(content)
	return text.Bytes(), err
}

// Remove removes the file and restores a file that Write had set aside. restored reports whether there was one.
func Remove(m *machine.Machine, place string) (restored bool, err error) {
	at, err := m.PlaceOf(place, false)
	if err != nil {
		return false, err
	}
	defer at.Close()
	err = at.Restore(setAside)
	if errors.Is(err, fs.ErrNotExist) {
		if err = at.Remove(); err == nil {
			err = leave(place)
		}
		return false, err
	}
	return err == nil, err
}
