package settingsfile

import (
	"fmt"
	"time"

	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/settings"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
)

// Schema is raised when a field of what settings show, set and clear print changes its meaning or goes.
const Schema = 1

// Shown is what settings show says.
type Shown struct {
	Schema   int           `json:"schema"`
	File     string        `json:"file,omitempty"` // that programs get; "": none
	Ours     bool          `json:"ours"`
	Expires  string        `json:"expires,omitempty"`
	Ignored  []string      `json:"ignored,omitempty"` // one sentence for each program whose loader does not read the file or a part of it
	Shadowed []string      `json:"shadowed"`          // settings files that loaders ignore, because they use another one
	Places   []string      `json:"places"`            // that are tried, in order
	Programs []ForPrograms `json:"programs"`          // what the file says for whom
	Order    []RuleNow     `json:"order,omitempty"`   // rules about the order of layers

	LayerSettings *ShownLayers `json:"layer_settings,omitempty"` // the file that layers read

	Findings []validation.Remark `json:"findings"`           // what is wrong with the file
	For      string              `json:"for,omitempty"`      // --app
	InForce  *ForPrograms        `json:"in_force,omitempty"` // what that program gets
}

// ForPrograms are the settings for one program, or for all that none is named for.
type ForPrograms struct {
	App       string        `json:"app,omitempty"` // "": all others
	Log       []string      `json:"log,omitempty"`
	LogFile   string        `json:"log_file,omitempty"` // that gets the log, too
	Layers    []ShownLayer  `json:"layers"`             // null: layers are as without the file
	Drivers   []string      `json:"drivers,omitempty"`
	Exclusive bool          `json:"drivers_exclusive,omitempty"`
	Devices   []ShownDevice `json:"devices"`                   // null: all
	Hardware  string        `json:"driver_hardware,omitempty"` // the hardware policy: present or awake
	Compute   string        `json:"compute_layers,omitempty"`  // which layers programs get that show nothing: no_overlays
	Service   string        `json:"driver_service,omitempty"`  // when the driver service is asked: always or never
}

// ShownLayer is an entry of the list of layers.
type ShownLayer struct {
	Name     string `json:"name,omitempty"` // "": the place of all others
	Path     string `json:"path,omitempty"`
	Control  string `json:"control"`
	Implicit bool   `json:"implicit,omitempty"`
}

// ShownDevice is a device configuration.
type ShownDevice struct {
	Name          string `json:"name,omitempty"`
	DeviceUUID    string `json:"device_uuid"`
	DriverUUID    string `json:"driver_uuid"`
	DriverName    string `json:"driver_name,omitempty"`
	DriverVersion int32  `json:"driver_version"`
	DriverText    string `json:"driver_version_text"` // as its maker packs it, as far as the names tell who that is
}

// Show tells what the file in force says; app is the program that is asked for, "" for none.
func (p *Found) Show(app string) *Shown {
	shown := &Shown{Schema: Schema, Places: p.Places, Shadowed: []string{}, Programs: []ForPrograms{},
		Findings: []validation.Remark{}, For: app}
	f := p.InForce()
	if f == nil {
		return shown
	}
	shown.File, shown.Ours = f.Path, f.Ours
	if !f.Expires.IsZero() {
		shown.Expires = f.Expires.Format(time.RFC3339)
	}
	shown.Shadowed = append(shown.Shadowed, term.Words(p.Files[1:], func(other *File) string { return other.Path })...)
	result, _ := validation.Judge(facts.File{Content: f.Content}, f.Path, validation.Settings)
	shown.Findings = result.Findings
	doc, fault := document.Parse(f.Content)
	if fault != nil {
		return shown
	}
	for _, program := range append(namedPrograms(doc), "") {
		if settings := settingsFor(doc, f.Path, program); settings != nil {
			shown.Programs = append(shown.Programs, *settings)
		}
	}
	if app != "" {
		shown.InForce = settingsFor(doc, f.Path, app)
	}
	return shown
}

// namedPrograms are those that a file has settings of their own for.
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

// settingsFor is what a program gets; nil when it gets no settings.
func settingsFor(doc *document.Document, path, program string) *ForPrograms {
	set, _, _ := settings.Read(doc, path, machine.Style, func() facts.Exe { return facts.Exe{Path: program, Known: true} })
	if set == nil {
		return nil
	}
	shown := &ForPrograms{App: program, Drivers: set.Drivers, Exclusive: set.Exclusively}
	if set.Hardware != settings.AnyHardware {
		shown.Hardware = set.Hardware.String()
	}
	if set.Service != settings.ServiceLast {
		shown.Service = set.Service.String()
	}
	if set.Compute != settings.AllLayers {
		shown.Compute = set.Compute.String()
	}
	shown.LogFile = set.LogFile
	if set.HasLevel {
		shown.Log = levelWords(set.Level)
	}
	if set.ControlsLayers {
		shown.Layers = []ShownLayer{}
		for _, l := range set.Layers {
			shown.Layers = append(shown.Layers, ShownLayer{l.Name, l.Path, l.Control.String(), l.Implicit})
		}
	}
	if set.HasDevices {
		shown.Devices = []ShownDevice{}
		for _, d := range set.Devices {
			version := term.DriverVersion(term.Maker{Driver: d.DriverName, Device: d.DeviceName}, d.DriverVersion)
			shown.Devices = append(shown.Devices, ShownDevice{d.DeviceName, fmt.Sprintf("%x", d.DeviceUUID),
				fmt.Sprintf("%x", d.DriverUUID), d.DriverName, int32(d.DriverVersion), version})
		}
	}
	return shown
}
