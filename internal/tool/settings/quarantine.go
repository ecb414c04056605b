package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/wording"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// QuarantineNow is a quarantine with its current state.
type QuarantineNow struct {
	Quarantine
	InForce bool   `json:"in_force"`          // loaders apply it
	Ignored string `json:"ignored,omitempty"` // the reason when it has no effect: the program's loader does not read the settings file
	Over    string `json:"over,omitempty"`
}

// ListQuarantines returns every quarantine of the user and of all users.
func ListQuarantines(found *FileSet) ([]QuarantineNow, error) {
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

// about resolves the program, if any, and the name of a quarantine. others are the drivers that stay in use.
func (e *Quarantine) about(found *FileSet, program string) (others []string, err error) {
	if e.Program, err = RealApp(&found.Machine, program); err != nil {
		return nil, err
	}
	return e.identify(found)
}

// AddQuarantine quarantines a driver or layer for a program, or for all programs if program is "". The quarantine ends after
// length; zero: when the component's file changes.
func AddQuarantine(found *FileSet, name, program, why string, length time.Duration) (*Quarantine, error) {
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

// TryQuarantine returns the files that AddQuarantine would write, and writes nothing. It repeats the decision to check that
// only the driver or layer is excluded. The error gives the reason if the quarantine is impossible.
func TryQuarantine(found *FileSet, name, program string) (files []string, err error) {
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
		return nil, exit.Problem("a quarantine of %s would have no effect, or would also change other drivers or layers", e.Name)
	}
	return []string{place, QuarantineFile(place)}, nil
}

// component identifies a driver or layer by its manifest.
type component struct{ kind, manifest string }

// given returns the drivers and layers that programs get.
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

// identify finds the driver or layer with the quarantine's name. For a driver, others are the drivers that stay in use.
func (e *Quarantine) identify(found *FileSet) (others []string, err error) {
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
		return nil, exit.Problem("programs get no layer or driver with the name %s%s", e.Name,
			term.Or(term.DidYouMean(e.Name, names), ": see vkloader explain"))
	}
	if e.Kind == "driver" {
		e.Name = machine.Style.Base(e.Manifest)
		if len(others) == 0 {
			return nil, exit.Problem("%s is the only driver: without it, Vulkan does not work", e.Name)
		}
	}
	e.File = e.Manifest
	if r := binary.NewLinker(&found.Machine, binary.LinkerOptions{Class: machine.OwnClass, Machine: binary.Processor(machine.OwnClass)}).Find(library); r.File != nil {
		e.File = r.File.Real
	}
	e.Identity = identityOf(&found.Machine, e.File)
	return others, nil
}

// changeQuarantines changes the settings file and its state file under one lock.
func changeQuarantines(found *FileSet, place string, f func(content map[string]any, entries []Quarantine) ([]Quarantine, error)) error {
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
		file = nil // another program's file has replaced it and is not changed
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
	return exit.As(exit.NotLooked, err)
}

// enter writes a quarantine, and replaces an older one for the same component.
func (e *Quarantine) enter(found *FileSet, others []string) error {
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

// liftQuarantines ends the quarantines for which which returns true.
func liftQuarantines(found *FileSet, which func(*Quarantine) bool) (lifted []Quarantine, err error) {
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

// Lifting is an end of quarantines: the options of "quarantine lift".
type Lifting struct {
	Name    string // of a driver or layer, its manifest, or the quarantine's program
	Program string // only the quarantines for this program; "": for any
	All     bool   // every name
}

// Lift ends quarantines. It returns an error if none has the name.
func (p *FileSet) Lift(l Lifting) (lifted []Quarantine, err error) {
	real, err := RealApp(&p.Machine, l.Program)
	if err != nil { // the program may be missing, or named without its directory
		real = l.Program
	}
	lifted, err = liftQuarantines(p, func(e *Quarantine) bool {
		return (l.All || e.Named(l.Name)) && (l.Program == "" || e.IsFor(l.Program) || e.IsFor(real))
	})
	if err == nil && len(lifted) == 0 && !l.All {
		err = notInQuarantine(p, l.Name)
	}
	return lifted, err
}

// notInQuarantine returns the error for an unknown quarantine, with the known ones.
func notInQuarantine(found *FileSet, name string) error {
	list, err := ListQuarantines(found)
	if err != nil || len(list) == 0 {
		return exit.Problem("%s is not in quarantine; the quarantine is empty", name)
	}
	names := term.Words(list, func(e QuarantineNow) string {
		return e.Name + " for " + term.Or(term.OneLine(e.Program), "all programs")
	})
	return exit.Problem("%s is not in quarantine; quarantined: %s", name, strings.Join(names, ", "))
}

// QuarantineEnded is an ended quarantine and the reason.
type QuarantineEnded struct {
	Quarantine
	Why string
}

// RenewQuarantines lifts the quarantines that are over. gone are settings files that have just expired: it writes their
// remaining quarantines again.
func RenewQuarantines(found *FileSet, gone []string) (ended []QuarantineEnded, err error) {
	type about struct{ kind, name, program string }
	reason := map[about]string{}
	lifted, err := liftQuarantines(found, func(e *Quarantine) bool {
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

// Quarantine excludes a driver or layer from one program, or from all.
type Quarantine struct {
	Kind     string    `json:"kind"` // layer or driver
	Name     string    `json:"name"` // the layer's name, or the file name of the driver's manifest
	Manifest string    `json:"manifest"`
	File     string    `json:"file"`              // its library; the quarantine ends when this file changes
	Program  string    `json:"program,omitempty"` // executable; "": every program
	Why      string    `json:"why,omitempty"`
	Since    time.Time `json:"since"`
	Until    time.Time `json:"until,omitzero"`
	Settings string    `json:"settings"` // the settings file that excludes it

	Identity Identity          `json:"identity"` // the identity of the library file
	Implicit bool              `json:"implicit,omitempty"`
	Before   map[string]string `json:"before,omitempty"` // the layer's earlier control in the settings, by program
}

// Identity identifies the content of a file.
type Identity struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified"`
	Inode    uint64    `json:"inode"`
}

// identityOf returns the identity of a file; the zero value if it does not exist.
func identityOf(m *machine.Machine, name string) Identity {
	info, err := m.Stat(name)
	if err != nil {
		return Identity{}
	}
	numbers, _ := machine.NumbersOf(info)
	return Identity{info.Size(), info.ModTime().UTC(), numbers.Inode}
}

// Over returns the reason why a quarantine is over; "" if it is not.
func (e *Quarantine) Over(m *machine.Machine, now time.Time) string {
	switch id := identityOf(m, e.File); {
	case !e.Until.IsZero() && !now.Before(e.Until):
		return "its time has expired"
	case id == Identity{}:
		return e.File + " is gone"
	case id.Size != e.Identity.Size || !id.Modified.Equal(e.Identity.Modified) || id.Inode != e.Identity.Inode:
		return e.File + " has changed"
	}
	return ""
}

// same reports whether two quarantines exclude the same component from the same program.
func (e *Quarantine) same(o *Quarantine) bool {
	return e.Kind == o.Kind && e.Name == o.Name && e.Program == o.Program
}

// quarantineFileName is the name of the state file beside a settings file.
const quarantineFileName = "vkloader_quarantine.json"

// quarantineState is the content of the state file.
type quarantineState struct {
	Schema  int          `json:"schema"`
	Entries []Quarantine `json:"entries"`
}

// QuarantineFile returns the path of the state file for a settings file.
func QuarantineFile(settings string) string {
	return filepath.Join(filepath.Dir(settings), quarantineFileName)
}

// readQuarantines returns the quarantines beside a settings file; none without a state file.
func readQuarantines(m *machine.Machine, settings string) ([]Quarantine, error) {
	name := QuarantineFile(settings)
	data, err := m.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var s quarantineState
	if err == nil {
		err = wording.Malformed(data, json.Unmarshal(data, &s))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range s.Entries {
		s.Entries[i].Settings = settings
	}
	return s.Entries, nil
}

// writeQuarantines writes the quarantines beside a settings file in one step. It removes the state file if there are none.
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

// Named reports whether a name means the quarantine: the name of the driver or layer, of its manifest, or of its program,
// each with or without directories.
func (e *Quarantine) Named(name string) bool {
	return slices.ContainsFunc([]string{e.Name, e.Manifest, e.Program}, func(own string) bool {
		return own != "" && (name == own || name == filepath.Base(own))
	})
}

// IsFor reports whether the quarantine is for one program only, given by its path or file name.
func (e *Quarantine) IsFor(program string) bool {
	return e.Program != "" && (program == e.Program || program == filepath.Base(e.Program))
}
