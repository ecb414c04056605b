package settings

import (
	"bytes"
	"encoding/json"
	"time"

	"vkloader/internal/core/document"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
)

// SetAside returns the path of the copy of another program's file that the tool has replaced. Loaders do not read files
// with this suffix.
func SetAside(place string) string { return place + ".before-vkloader" }

// File is a settings file.
type File struct {
	Path    string // on its machine
	Content string
	Ours    bool      // the file has the tool's mark
	Expires time.Time // of the tool's file; zero: never
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

// Lock excludes other runs of the tool from the file until the caller calls unlock. It creates a missing directory. A
// plan needs no lock.
func (p *FileSet) Lock(place string) (unlock func(), err error) {
	if p.Plan != nil {
		return func() {}, nil
	}
	at, err := p.Machine.PlaceOf(place, true)
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

// do makes edits of files, or plans them.
func (p *FileSet) do(edits ...edit.Edit) error {
	for _, e := range edits {
		if p.Plan != nil {
			p.Plan(e)
		} else if err := e.Do(&p.Machine); err != nil {
			return exit.As(exit.NotLooked, err)
		}
	}
	return nil
}

// Write replaces the file at place with content and the mark in one step: a program that starts meanwhile reads the old
// file or the new one. aside keeps another program's file beside it, and Remove restores that file.
func (p *FileSet) Write(place string, content map[string]any, expires time.Time, aside bool) error {
	mark := map[string]any{"written_by": explain.SettingsWriter}
	if !expires.IsZero() {
		mark["expires"] = Time(expires)
	}
	content[explain.SettingsMark] = mark
	text, err := Encode(content)
	if err != nil {
		return err
	}
	var edits []edit.Edit
	if aside {
		before, err := edit.Keep(&p.Machine, place)
		if err != nil {
			return err
		}
		edits = append(edits, edit.Edit{Path: SetAside(place), Text: string(before.Text), Mode: before.Mode})
	}
	if err = p.do(append(edits, edit.Edit{Path: place, Text: string(text)})...); err == nil && p.Plan == nil {
		err = enter(place)
	}
	return err
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
func (p *FileSet) Remove(place string) (restored bool, err error) {
	aside, err := edit.Keep(&p.Machine, SetAside(place))
	if err != nil {
		return false, err
	}
	if aside.There {
		return true, p.do(edit.Edit{Path: place, Text: string(aside.Text)}, edit.Edit{Path: aside.Path, Remove: true})
	}
	if err = p.do(edit.Edit{Path: place, Remove: true}); err == nil && p.Plan == nil {
		err = leave(place)
	}
	return false, err
}
