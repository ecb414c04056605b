package settings

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"vkloader/internal/core/settings"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// UntilChangedMember is the member for the libraries that settings of --until-changed exclude: a stamp in the entry of
// a layer, a list of stamps in an object that chooses drivers. Loaders ignore it; EndChanged removes the settings.
const UntilChangedMember = "vkloader_until_changed"

// stamp identifies the content of a library.
type stamp struct {
	File     string    `json:"file"`
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Inode    uint64    `json:"inode"`
	Control  string    `json:"control,omitempty"` // the earlier control of the layer's entry
}

// stampFile returns the stamp of a file; without size and time if the file does not exist.
func stampFile(m *machine.Machine, file string) stamp {
	s := stamp{File: file}
	if info, err := m.Stat(file); err == nil {
		numbers, _ := machine.NumbersOf(info)
		s.Size, s.Modified, s.Inode = info.Size(), info.ModTime().UTC(), numbers.Inode
	}
	return s
}

// stampLibrary returns the stamp of a driver's or layer's library, or of its manifest if the library does not exist.
func (p *FileSet) stampLibrary(manifest, library string) stamp {
	options := binary.LinkerOptions{Class: machine.OwnClass, Machine: binary.Processor(machine.OwnClass)}
	if r := binary.NewLinker(&p.Machine, options).Find(library); r.File != nil {
		return stampFile(&p.Machine, r.File.Real)
	}
	return stampFile(&p.Machine, manifest)
}

// change returns the change of the file since its stamp; "" for none.
func (s *stamp) change(m *machine.Machine) string {
	switch now := stampFile(m, s.File); {
	case now.Modified.IsZero():
		return s.File + " is gone"
	case now.Size != s.Size || now.Inode != s.Inode || !now.Modified.Equal(s.Modified):
		return s.File + " has changed"
	}
	return ""
}

func stampsIn(object map[string]any) (list []stamp) {
	value := object[UntilChangedMember]
	if one, is := value.(map[string]any); is {
		value = []any{one}
	}
	if text, err := json.Marshal(value); err == nil && json.Unmarshal(text, &list) != nil {
		return nil // edited by hand
	}
	return list
}

// excludeLayers puts entries of disabled layers into an object. It keeps the other entries and their order.
func excludeLayers(object map[string]any, off []entry) {
	list, has := entries(object)
	for _, e := range slices.Backward(off) {
		at := slices.IndexFunc(list, func(old entry) bool { return nameOf(old) == nameOf(e) })
		if at < 0 {
			list = slices.Insert(list, 0, e)
			continue
		}
		s := e[UntilChangedMember].(stamp)
		s.Control = controlOf(list[at])
		if before := stampsIn(list[at]); len(before) > 0 {
			s.Control = before[0].Control
		}
		e[UntilChangedMember] = s
		list[at] = e
	}
	if !has {
		list = append(list, entry{"control": settings.Unordered.String()})
	}
	object["layers"] = anyOf(list)
}

// excludeDrivers makes an object use only the drivers in kept, until a library with one of the stamps changes.
func excludeDrivers(object map[string]any, kept []string, stamps []stamp) error {
	if list, has := object["additional_drivers"].([]any); has {
		before := stampsIn(object)
		if len(before) == 0 {
			return exit.Problem(
				"the settings choose drivers already: change them with \"vkloader settings set --driver\"")
		}
		kept = slices.DeleteFunc(kept, func(path string) bool {
			return !slices.ContainsFunc(those[entry](list), func(d entry) bool { return d["path"] == path })
		})
		stamps = append(before, stamps...)
	}
	if len(kept) == 0 {
		return errNoDriver
	}
	object["additional_drivers"], object["additional_drivers_use_exclusively"] = pathsOf(kept), true
	object[UntilChangedMember] = stamps
	return nil
}

// Ended is a setting of --until-changed that EndChanged has removed.
type Ended struct {
	Name   string   // of the layer; "": drivers
	Apps   []string // nil: all programs
	Change string   // the change of the library
}

// EndChanged removes the settings whose library has changed.
func EndChanged(m *machine.Machine) (ended []Ended, err error) {
	p, err := Look(&machine.Source{Machine: *m, AsUser: true})
	for _, f := range p.Files {
		content, broken := f.Decode() // "settings show" reports a broken file
		if broken != nil || len(endChanged(m, content)) == 0 {
			continue
		}
		_, wrong := p.editFile(f.Path, func(content map[string]any) (bool, error) {
			some := endChanged(m, content)
			ended = append(ended, some...)
			return len(some) > 0, nil
		})
		err = errors.Join(err, wrong)
	}
	return ended, err
}

// endChanged removes the settings whose library has changed from a content.
func endChanged(m *machine.Machine, content map[string]any) (ended []Ended) {
	for _, object := range Objects(content) {
		before, apps := len(ended), Apps(object)
		list, _ := entries(object)
		list = slices.DeleteFunc(list, func(e entry) bool {
			for _, s := range stampsIn(e) {
				if change := s.change(m); change != "" {
					ended = append(ended, Ended{nameOf(e), apps, change})
					delete(e, UntilChangedMember)
					e["control"] = s.Control
					return s.Control == ""
				}
			}
			return false
		})
		if len(ended) > before {
			object["layers"] = anyOf(list)
			if len(list) == 1 && isOthers(list[0]) {
				delete(object, "layers") // it has no effect
			}
		}
		for _, s := range stampsIn(object) {
			if change := s.change(m); change != "" {
				ended = append(ended, Ended{"", apps, change})
				delete(object, "additional_drivers")
				delete(object, "additional_drivers_use_exclusively")
				delete(object, UntilChangedMember)
				break
			}
		}
		if len(ended) > before {
			prune(content, apps)
		}
	}
	return ended
}

// excludedFiles returns the libraries in the stamps that hold for a program, by the layer's name; "" for drivers.
func excludedFiles(content map[string]any, program string) map[string][]string {
	object := objectFor(content, program)
	fileOf := func(s stamp) string { return s.File }
	files := map[string][]string{"": term.Words(stampsIn(object), fileOf)}
	list, _ := entries(object)
	for _, e := range list {
		if stamps := stampsIn(e); len(stamps) > 0 {
			files[nameOf(e)] = term.Words(stamps, fileOf)
		}
	}
	return files
}

// TryExclusion returns the file that a change would write for the driver or layer with this manifest, and writes
// nothing. It repeats the decision, and returns an error if the change has no effect, or changes other drivers or
// layers.
func (p *FileSet) TryExclusion(c Options, manifest string) (file string, err error) {
	edits, err := p.Rehearse(func(p *FileSet) error {
		written, err := p.Set(&c, nil)
		if err == nil {
			file = written.Path
		}
		return err
	})
	if err != nil {
		return "", err
	}
	source := *p.Source
	if len(c.Apps) > 0 {
		if source.Program, err = RealApp(&p.Machine, c.Apps[0]); err != nil {
			return "", err
		}
	}
	before, err := manifestsFor(&source)
	if err != nil {
		return "", err
	}
	source.Added, _ = edit.Overlay(edits)
	after, err := manifestsFor(&source)
	if err != nil {
		return "", err
	}
	delete(before, manifest)
	if !maps.Equal(before, after) {
		return "", exit.Problem("the settings cannot exclude only the manifest %s", manifest)
	}
	return file, nil
}

// manifestsFor returns the manifests of the layers and drivers that programs get.
func manifestsFor(source *machine.Source) (map[string]bool, error) {
	answer, err := explain.Decide(source)
	if err != nil {
		return nil, err
	}
	paths := map[string]bool{}
	for _, l := range explain.Active(answer) {
		paths[l.Manifest] = true
	}
	for _, d := range answer.Drivers {
		paths[d.Path] = true
	}
	return paths, nil
}
