package settingsfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"vkloader/internal/tool/machine"
)

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
	Before   map[string]string `json:"before,omitempty"` // by whom it is for: what the settings said of the layer
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
	for _, own := range []string{e.Name, e.Manifest, e.Program} {
		if own != "" && (name == own || name == filepath.Base(own)) {
			return true
		}
	}
	return false
}

// IsFor tells whether it is for a program alone, by the path of its executable or by the last part of that.
func (e *Quarantine) IsFor(program string) bool {
	return e.Program != "" && (program == e.Program || program == filepath.Base(e.Program))
}
