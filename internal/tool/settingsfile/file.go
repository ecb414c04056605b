package settingsfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"vkloader/internal/core/document"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// setAside is added to the name of another program's file that had to make room; loaders do not read such names.
const setAside = ".before-vkloader"

// SetAside is where another program's file is kept that had to make room for one of the tool's.
func SetAside(place string) string { return place + setAside }

// File is a settings file.
type File struct {
	Path    string // as seen on its machine
	Content string
	Ours    bool      // it has the tool's mark
	Expires time.Time // of our own; zero: never
}

// Existing reads those of the places where there is a file, in order.
func Existing(m *machine.Machine, places []string) ([]*File, error) {
	var files []*File
	for _, place := range places {
		f, err := Read(m, place)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return files, err
		}
		files = append(files, f)
	}
	return files, nil
}

// Read reads one file. What is no JSON, or has no mark, is another program's.
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
		f.Expires, _ = time.Parse(time.RFC3339, text) // one that is no time is never over; the schema has a word on it
	}
	return f, nil
}

// Expired tells whether a file is ours and its time is over.
func (f *File) Expired(now time.Time) bool {
	return f.Ours && !f.Expires.IsZero() && !now.Before(f.Expires)
}

// Lock keeps other runs of the tool from changing the file until the function that it gives is called. The directory is
// made where it is missing.
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

// Write puts content, with the mark, in the file's place, all at once: a program that starts meanwhile reads the old
// file or the new one. An existing file keeps its permissions; aside keeps another program's file beside it, for Remove
// to put back. A symbolic link stays, and its target is written.
func Write(m *machine.Machine, place string, content map[string]any, expires time.Time, aside bool) error {
	text, err := marked(content, expires)
	if err != nil {
		return err
	}
	at, err := m.PlaceOf(place, true)
	if err != nil {
		return err
	}
	defer at.Close()
	before, mode, err := at.Read("")
	if err != nil {
		mode = 0o644
	} else if aside {
		if err := at.Replace(setAside, before, mode); err != nil {
			return err
		}
	}
	if err = at.Replace("", text, mode); err == nil {
		err = enter(place)
	}
	return err
}

// marked enters the mark in a content, and gives its text.
func marked(content map[string]any, expires time.Time) ([]byte, error) {
	mark := map[string]any{"written_by": explain.SettingsWriter}
	if old, ok := content[explain.SettingsMark].(map[string]any); ok && old[rulesMember] != nil {
		mark[rulesMember] = old[rulesMember]
	}
	if !expires.IsZero() {
		mark["expires"] = expires.UTC().Format(time.RFC3339)
	}
	content[explain.SettingsMark] = mark
	return Encode(content)
}

// Encode is the text of a content.
func Encode(content map[string]any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "    ")
	err := encoder.Encode(content)
	return text.Bytes(), err
}

// Remove takes the file away, and puts back what Write had set aside; restored tells whether there was any.
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

// Decode gives what one of our files says, for a change; a new content when f is nil or not ours.
func (f *File) Decode() (map[string]any, error) {
	fresh := map[string]any{"file_format_version": "1.0.0", "settings_array": []any{}}
	if f == nil || !f.Ours {
		return fresh, nil
	}
	content := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader([]byte(f.Content)))
	decoder.UseNumber()
	if err := decoder.Decode(&content); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	if _, ok := content["settings_array"].([]any); !ok {
		return nil, fmt.Errorf("%s: settings_array is no array: it was changed by hand", f.Path)
	}
	return content, nil
}

// For finds the object for exactly these programs in a content that Decode gave, or for all programs when there are
// none; with create it is made where it is missing, else nil is given.
func For(content map[string]any, apps []string, create bool) map[string]any {
	list, _ := content["settings_array"].([]any)
	for _, object := range Objects(content) {
		if slices.Equal(Apps(object), apps) {
			return object
		}
	}
	if !create {
		return nil
	}
	object := map[string]any{}
	if len(apps) > 0 {
		object["app_keys"] = anyOf(apps)
	}
	content["settings_array"] = append(list, object)
	return object
}

// Drop takes the object for exactly these programs out; false when there is none.
func Drop(content map[string]any, apps []string) bool {
	list, _ := content["settings_array"].([]any)
	kept := slices.DeleteFunc(slices.Clone(list), func(element any) bool {
		object, ok := element.(map[string]any)
		return ok && slices.Equal(Apps(object), apps)
	})
	content["settings_array"] = kept
	return len(kept) < len(list)
}

// Apps are the programs that an object is for, nil when it is for all.
func Apps(object map[string]any) []string {
	return those[string](object["app_keys"])
}
