package settingsfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// QuarantineNow is an entry as it stands.
type QuarantineNow struct {
	Quarantine
	InForce bool   `json:"in_force"`          // loaders get it
	Ignored string `json:"ignored,omitempty"` // why the quarantine is not in force: the program's loader does not read the settings file
	Over    string `json:"over,omitempty"`
}

// ListQuarantines gives every quarantine of the user, and of all users.
func ListQuarantines(found *Found) ([]QuarantineNow, error) {
	list := []QuarantineNow{}
	for _, place := range found.Places {
		entries, err := readQuarantines(&found.Machine, place)
		if err != nil {
			return nil, exit.As(exit.NotLooked, err)
		}
		for _, e := range entries {
			now := QuarantineNow{Quarantine: e, Over: e.Over(&found.Machine, time.Now())}
			if f := found.InForce(); f != nil && f.Path == place {
				if content, err := f.Decode(); err == nil {
					now.InForce = e.inForce(content)
				}
			}
			list = append(list, now)
		}
	}
	return list, nil
}

// about enters which program it is for, none for all, and what the name means; others are the other drivers.
func (e *Quarantine) about(found *Found, program string) (others []string, err error) {
	if e.Program, err = RealApp(&found.Machine, program); err != nil {
		return nil, err
	}
	return e.identify(found)
}

// AddQuarantine puts a driver or layer, by name, into quarantine for a program, or for all when there is none. length is how
// long; zero: until its file changes.
func AddQuarantine(found *Found, name, program, why string, length time.Duration) (*Quarantine, error) {
	e := &Quarantine{Name: name, Why: why, Since: time.Now().UTC().Truncate(time.Second)}
	if length > 0 {
		e.Until = e.Since.Add(length)
	}
	others, err := e.about(found, program)
	if err != nil {
		return nil, err
	}
	if e.Settings, err = found.Place(); err != nil {
		return nil, err
	}
	return e, e.enter(found, others)
}

// TryQuarantine tells which files AddQuarantine would write: with that, as the decision is made again, the driver or layer is
// out and everything else in as before. It writes nothing. The error says why there is no such quarantine.
func TryQuarantine(found *Found, name, program string) (files []string, err error) {
	e := &Quarantine{Name: name}
	others, err := e.about(found, program)
	if err != nil {
		return nil, err
	}
	place, err := found.Place()
	if err != nil {
		return nil, err
	}
	content, err := (*File)(nil).Decode()
	if f := found.InForce(); err == nil && f != nil && f.Ours {
		content, err = f.Decode()
	}
	if err == nil {
		err = e.put(content, others)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(content)
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	environ, remove, err := explain.ShadowSettings(found.Source.Environ, string(text))
	if err != nil {
		return nil, exit.As(exit.NotLooked, err)
	}
	defer remove()
	asked := *found.Source
	asked.Program = e.Program
	before, err := given(&asked)
	if err != nil {
		return nil, err
	}
	asked.Environ = environ
	after, err := given(&asked)
	if err != nil {
		return nil, err
	}
	delete(before, component{e.Kind, e.Manifest})
	if !maps.Equal(before, after) {
		return nil, exit.Problem("a quarantine of %s would not keep it out, or would change more than that", e.Name)
	}
	return []string{place, QuarantineFile(place)}, nil
}

// component is a driver or layer by its manifest.
type component struct{ kind, manifest string }

// given are the drivers and layers that programs get.
func given(source *machine.Source) (map[component]bool, error) {
	answer, err := decide.Plan(source)
	if err != nil {
		return nil, err
	}
	list := map[component]bool{}
	for _, a := range answer.Active {
		list[component{"layer", answer.Layers[a.Layer].Manifest}] = true
	}
	for _, d := range answer.Drivers {
		list[component{"driver", d.Path}] = true
	}
	return list, nil
}

// identify finds what the name means. others are the drivers that stay, when it is one.
func (e *Quarantine) identify(found *Found) (others []string, err error) {
	answer, err := decide.Changed(explain.Lacking(found.Source, found.Places))
	if err != nil {
		return nil, err
	}
	library := ""
	e.Kind = ""
	for _, l := range answer.Layers {
		if l.Name == e.Name && !l.Meta {
			e.Kind, e.Manifest, e.Implicit, library = "layer", l.Manifest, l.Implicit, l.Library
			break
		}
	}
	for _, d := range answer.Drivers {
		if e.Kind == "" && (machine.Style.Base(d.Path) == e.Name || d.Path == e.Name) {
			e.Kind, e.Manifest, library = "driver", d.Path, d.Library
		} else {
			others = append(others, d.Path)
		}
	}
	if e.Kind == "" {
		names := append(explain.LayerNames(answer.Layers), explain.DriverNames(answer.Drivers)...)
		return nil, exit.Problem("no layer and no driver that programs get is %s%s", e.Name,
			term.Or(term.DidYouMean(e.Name, names), ": see vkloader explain"))
	}
	if e.Kind == "driver" {
		e.Name = machine.Style.Base(e.Manifest)
		if len(others) == 0 {
			return nil, exit.Problem("%s is the only driver: without it there is no Vulkan", e.Name)
		}
	}
	e.File = e.Manifest
	if r := binary.NewLinker(&found.Machine, binary.LinkerOptions{Class: 64, Machine: binary.X8664}).Find(library); r.File != nil {
		e.File = r.File.Real
	}
	e.Identity = identityOf(&found.Machine, e.File)
	return others, nil
}

// changeQuarantines changes the settings file and the state beside it under one lock.
func changeQuarantines(found *Found, place string, f func(content map[string]any, entries []Quarantine) ([]Quarantine, error)) error {
	m := &found.Machine
	unlock, err := Lock(m, place)
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	defer unlock()
	entries, err := readQuarantines(m, place)
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	file, err := Read(m, place)
	if errors.Is(err, fs.ErrNotExist) {
		file, err = nil, nil
	}
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	if file != nil && !file.Ours {
		file = nil // another program's came since: it is not touched
	}
	content, err := file.Decode()
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	was := len(Objects(content)) > 0
	if entries, err = f(content, entries); err != nil {
		return err
	}
	switch left := Objects(content); {
	case len(left) > 0:
		var expires time.Time
		if file != nil {
			expires = file.Expires
		}
		err = Write(m, place, content, expires, false)
	case was:
		_, err = Remove(m, place)
	}
	if err == nil {
		err = writeQuarantines(m, place, entries)
	}
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	return nil
}

// enter writes a quarantine down, in the place of one of the same thing.
func (e *Quarantine) enter(found *Found, others []string) error {
	return changeQuarantines(found, e.Settings, func(content map[string]any, entries []Quarantine) ([]Quarantine, error) {
		if at := slices.IndexFunc(entries, func(o Quarantine) bool { return e.same(&o) }); at >= 0 {
			entries[at].take(content)
			entries = slices.Delete(entries, at, at+1)
		}
		if err := e.put(content, others); err != nil {
			return nil, err
		}
		return append(entries, *e), nil
	})
}

// LiftQuarantines ends the quarantines that which chooses.
func LiftQuarantines(found *Found, which func(*Quarantine) bool) (lifted []Quarantine, err error) {
	for _, place := range found.Places {
		entries, err := readQuarantines(&found.Machine, place)
		if err != nil {
			return lifted, exit.As(exit.NotLooked, err)
		}
		if !slices.ContainsFunc(entries, func(e Quarantine) bool { return which(&e) }) {
			continue
		}
		err = changeQuarantines(found, place, func(content map[string]any, entries []Quarantine) ([]Quarantine, error) {
			return slices.DeleteFunc(entries, func(e Quarantine) bool {
				if !which(&e) {
					return false
				}
				e.take(content)
				e.Settings = place
				lifted = append(lifted, e)
				return true
			}), nil
		})
		if err != nil {
			return lifted, err
		}
	}
	return lifted, nil
}

// QuarantineEnded is a quarantine that was over, and why.
type QuarantineEnded struct {
	Quarantine
	Why string
}

// RenewQuarantines lifts those that are over. gone are settings files whose own time was over just now: what still holds of
// theirs is written again.
func RenewQuarantines(found *Found, gone []string) (ended []QuarantineEnded, err error) {
	type about struct{ kind, name, program string }
	reason := map[about]string{}
	lifted, err := LiftQuarantines(found, func(e *Quarantine) bool {
		why := e.Over(&found.Machine, time.Now())
		if why != "" {
			reason[about{e.Kind, e.Name, e.Program}] = why
		}
		return why != ""
	})
	for _, e := range lifted {
		ended = append(ended, QuarantineEnded{e, reason[about{e.Kind, e.Name, e.Program}]})
	}
	for _, place := range gone {
		entries, wrong := readQuarantines(&found.Machine, filepath.Clean(place))
		err = errors.Join(err, wrong)
		for i := range entries {
			others, wrong := entries[i].identify(found)
			if wrong == nil {
				wrong = entries[i].enter(found, others)
			}
			err = errors.Join(err, wrong)
		}
	}
	return ended, err
}

// Quarantine keeps a driver or layer out of one program, or of all.
type Quarantine struct {
	Kind     string    `json:"kind"` // layer or driver
	Name     string    `json:"name"` // of the layer; of a driver, its manifest's file name
	Manifest string    `json:"manifest"`
	File     string    `json:"file"`              // its library; when that changes, the quarantine is over
	Program  string    `json:"program,omitempty"` // executable; "": every program
	Why      string    `json:"why,omitempty"`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until,omitzero"`
	Settings string    `json:"settings"` // the settings file that says it to loaders

	Identity Identity          `json:"identity"` // of the file
	Implicit bool              `json:"implicit,omitempty"`
	Before   map[string]string `json:"before,omitempty"` // for each program: the control that the settings file had for the layer before the quarantine
}

// Identity tells whether a file is still the same.
type Identity struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Inode    uint64    `json:"inode"`
}

// identityOf reads it; the zero one for a file that is not there.
func identityOf(m *machine.Machine, name string) Identity {
	info, err := m.Stat(name)
	if err != nil {
		return Identity{}
	}
	numbers, _ := machine.NumbersOf(info)
	return Identity{info.Size(), info.ModTime().UTC(), numbers.Inode}
}

// Over says why a quarantine is over; "" while it is not.
func (e *Quarantine) Over(m *machine.Machine, now time.Time) string {
	switch id := identityOf(m, e.File); {
	case !e.Until.IsZero() && !now.Before(e.Until):
		return "its time is over"
	case id == Identity{}:
		return e.File + " is gone"
	case id.Size != e.Identity.Size || !id.Modified.Equal(e.Identity.Modified) || id.Inode != e.Identity.Inode:
		return e.File + " has changed"
	}
	return ""
}

// same tells whether two keep the same driver or layer out of the same program.
func (e *Quarantine) same(o *Quarantine) bool {
	return e.Kind == o.Kind && e.Name == o.Name && e.Program == o.Program
}

// quarantineFileName is the file beside a settings file.
const quarantineFileName = "vkloader_quarantine.json"

// quarantineState is what stands in it.
type quarantineState struct {
	Schema  int          `json:"schema"`
	Entries []Quarantine `json:"entries"`
}

// QuarantineFile is the file beside a settings file in which the entries are.
func QuarantineFile(settings string) string {
	return filepath.Join(filepath.Dir(settings), quarantineFileName)
}

// readQuarantines gives the entries beside a settings file; none without a state.
func readQuarantines(m *machine.Machine, settings string) ([]Quarantine, error) {
	name := QuarantineFile(settings)
	data, err := m.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var s quarantineState
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range s.Entries {
		s.Entries[i].Settings = settings
	}
	return s.Entries, nil
}

// writeQuarantines puts the entries beside a settings file, all at once; without any, the state's file goes.
func writeQuarantines(m *machine.Machine, settings string, entries []Quarantine) error {
	at, err := m.PlaceOf(QuarantineFile(settings), len(entries) > 0)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && len(entries) == 0 {
			return nil
		}
		return err
	}
	defer at.Close()
	if len(entries) == 0 {
		if err := at.Remove(); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	text, err := json.MarshalIndent(quarantineState{1, entries}, "", "    ")
	if err != nil {
		return err
	}
	return at.Replace("", append(text, '\n'), 0o644)
}

// Named tells whether people mean the quarantine by a name: of the driver or layer, of its manifest, or of the one program
// that it is for, each also without directories.
func (e *Quarantine) Named(name string) bool {
	return slices.ContainsFunc([]string{e.Name, e.Manifest, e.Program}, func(own string) bool {
		return own != "" && (name == own || name == filepath.Base(own))
	})
}

// IsFor tells whether it is for a program alone, by the path of its executable or by the last part of that.
func (e *Quarantine) IsFor(program string) bool {
	return e.Program != "" && (program == e.Program || program == filepath.Base(e.Program))
}
