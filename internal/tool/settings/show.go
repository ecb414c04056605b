package settings

import (
	"fmt"
	"strings"

	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/settings"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/wording"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
)

// Schema is the version of the output of "settings show", "set" and "clear". A removed field or a new meaning of a
// field raises it.
const Schema = 2

// Shown is the output of "settings show".
type Shown struct {
	Schema  int    `json:"schema"`
	File    string `json:"file,omitempty"` // the file in force; "": none
	Ours    bool   `json:"ours"`
	Expires string `json:"expires,omitempty"`
	// a sentence for each program whose loader ignores the file or a part of it
	Ignored []string `json:"ignored,omitempty"`
	// settings files that loaders ignore in favour of another file
	Shadowed []string      `json:"shadowed"`
	Places   []string      `json:"places"`                  // the searched places, in order
	Programs []ForPrograms `json:"programs"`                // the file's settings by program
	More     int           `json:"more_programs,omitempty"` // the number of named programs that Programs leaves out

	LayerSettings *ShownLayers `json:"layer_settings,omitempty"` // the layers' own settings file

	Findings []validation.Remark `json:"findings"`           // the faults of the file
	For      string              `json:"for,omitempty"`      // --app
	InForce  *ForPrograms        `json:"in_force,omitempty"` // the settings of that program

	Elevated *ForElevated `json:"elevated,omitempty"` // on Windows
}

// ForElevated are the settings of programs that run as administrator.
type ForElevated struct {
	File     string        `json:"file,omitempty"` // "": none
	Programs []ForPrograms `json:"programs"`
}

// ShowElevated describes the settings of programs that run as administrator.
func (p *FileSet) ShowElevated() (*ForElevated, error) {
	source := *p.Source
	source.Elevated, source.AsUser = true, false
	found, err := Look(&source)
	if err != nil {
		return nil, err
	}
	shown := found.Show("")
	return &ForElevated{shown.File, shown.Programs}, nil
}

// ForPrograms are the settings for one program, or for all programs without settings of their own.
type ForPrograms struct {
	App       string        `json:"app,omitempty"` // "": all others
	Log       []string      `json:"log,omitempty"`
	LogFile   string        `json:"log_file,omitempty"` // a file that also gets the log
	Layers    []ShownLayer  `json:"layers"`             // null: unchanged by the file
	Drivers   []string      `json:"drivers,omitempty"`
	Exclusive bool          `json:"drivers_exclusive,omitempty"`
	Devices   []ShownDevice `json:"devices"`                   // null: all
	Hardware  string        `json:"driver_hardware,omitempty"` // the hardware policy: present or awake

	// libraries of excluded drivers: with a change of one, the drivers end
	UntilChanged []string `json:"until_changed,omitempty"`
}

// ShownLayer is an entry of the list of layers.
type ShownLayer struct {
	Name     string `json:"name,omitempty"` // "": the place of all others
	Path     string `json:"path,omitempty"`
	Control  string `json:"control"`
	Implicit bool   `json:"implicit,omitempty"`

	UntilChanged string `json:"until_changed,omitempty"` // the layer's library: with its change, the entry ends
}

// ShownDevice is a device configuration.
type ShownDevice struct {
	Name          string `json:"name,omitempty"`
	DeviceUUID    string `json:"device_uuid"`
	DriverUUID    string `json:"driver_uuid"`
	DriverName    string `json:"driver_name,omitempty"`
	DriverVersion int32  `json:"driver_version"`
	DriverText    string `json:"driver_version_text"` // in the vendor's format, if a device name shows the vendor
}

// Limits of a description. The settings of further programs are counted only.
const (
	maxPrograms = 200
	maxLayers   = 10000 // of all programs
)

// Show describes the file in force. app is the program of --app, "" for none.
func (p *FileSet) Show(app string) *Shown {
	shown := &Shown{Schema: Schema, Places: p.Places, Shadowed: []string{}, Programs: []ForPrograms{},
		Findings: []validation.Remark{}, For: app}
	f := p.InForce()
	if f == nil {
		return shown
	}
	shown.File, shown.Ours, shown.Expires = f.Path, f.Ours, Time(f.Expires)
	shown.Shadowed = append(shown.Shadowed, term.Words(p.Files[1:], func(other *File) string { return other.Path })...)
	result, _ := validation.Judge(facts.File{Content: f.Content}, f.Path, validation.Settings)
	shown.Findings = result.Findings
	doc, fault := document.Parse(f.Content)
	if fault != nil {
		return shown
	}
	content, err := f.Decode()
	if err != nil {
		content = nil // edited by hand
	}
	programs, layers := namedPrograms(doc), 0
	for n, program := range programs {
		if n == maxPrograms || layers > maxLayers {
			shown.More = len(programs) - n
			break
		}
		if settings := settingsFor(doc, content, f.Path, program); settings != nil {
			shown.Programs = append(shown.Programs, *settings)
			layers += len(settings.Layers)
		}
	}
	if settings := settingsFor(doc, content, f.Path, ""); settings != nil {
		shown.Programs = append(shown.Programs, *settings)
	}
	if app != "" {
		shown.InForce = settingsFor(doc, content, f.Path, app)
	}
	return shown
}

// namedPrograms returns the programs with their own settings in a file.
func namedPrograms(doc *document.Document) []string {
	var programs []string
	seen := map[string]bool{}
	object := doc.Top().Member("settings")
	if array := doc.Top().Member("settings_array"); array.Exists() {
		object = array.First()
	}
	for ; object.IsObject(); object = object.Next() {
		for k := object.Member("app_keys").First(); k.Exists(); k = k.Next() {
			if path, ok := k.Text(); ok && !seen[path] {
				seen[path] = true
				programs = append(programs, path)
			}
		}
	}
	return programs
}

// settingsFor returns the settings of a program; nil if it has none. content is that of the tool's file.
func settingsFor(doc *document.Document, content map[string]any, path, program string) *ForPrograms {
	set, _, _ := settings.Read(doc, path, machine.Style,
		func() facts.Exe { return facts.Exe{Path: program, Known: true} })
	if set == nil {
		return nil
	}
	files := excludedFiles(content, program)
	shown := &ForPrograms{App: program, Drivers: set.Drivers, Exclusive: set.Exclusively, UntilChanged: files[""]}
	if set.Hardware != settings.AnyHardware {
		shown.Hardware = set.Hardware.String()
	}
	shown.LogFile = set.LogFile
	if set.HasLevel {
		shown.Log = levelWords(set.Level)
	}
	if set.ControlsLayers {
		shown.Layers = []ShownLayer{}
		for _, l := range set.Layers {
			shown.Layers = append(shown.Layers, ShownLayer{l.Name, l.Path, l.Control.String(), l.Implicit,
				strings.Join(files[l.Name], "")})
		}
	}
	if set.HasDevices {
		shown.Devices = []ShownDevice{}
		for _, d := range set.Devices {
			version := wording.DriverVersion(wording.Maker{Driver: d.DriverName, Device: d.DeviceName}, d.DriverVersion)
			shown.Devices = append(shown.Devices, ShownDevice{d.DeviceName, fmt.Sprintf("%x", d.DeviceUUID),
				fmt.Sprintf("%x", d.DriverUUID), d.DriverName, int32(d.DriverVersion), version})
		}
	}
	return shown
}
