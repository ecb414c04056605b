package settings

import (
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/pathname"
)

// ReadResult is the result of reading a settings file. Without In, the call has no settings. Kept and None differ in
// the remembered settings of the global functions (SET-15).
type ReadResult uint8

// Outcomes.
const (
	In   ReadResult = iota // settings are in force
	Kept                   // the global functions keep the remembered settings
	None                   // the global functions forget the remembered settings
)

// Read returns a program's settings from a settings file. style is the path syntax of the program's system.
func Read(doc *document.Document, file string, style pathname.Style, exe func() facts.Exe) (
	*Settings, ReadResult, []manifest.Line,
) {
	var lines []manifest.Line
	add := func(at document.Value, l manifest.Line) {
		l.Code = diag.SettingsIgnored
		l.Line, l.Column = at.Position()
		lines = append(lines, l)
	}
	say := func(at document.Value, flags uint32, text string) { add(at, manifest.Line{Flags: flags, Text: text}) }
	prefix := "Loader settings file from " + file
	const suffix = " - no loader settings will be active"
	top := doc.Top()
	if !top.IsObject() { // SET-24
		add(top, manifest.Line{Cause: diag.NoObject})
		return nil, None, lines
	}
	if _, ok := top.Member("file_format_version").Text(); !ok { // SET-20, SET-21
		say(top, diag.Debug, prefix+" missing required field file_format_version"+suffix)
		return nil, Kept, lines
	}
	first := top.Member("settings_array") // SET-23
	if first.Exists() {
		first = first.First()
	} else if first = top.Member("settings"); !first.Exists() {
		say(top, diag.Debug, prefix+
			" missing required settings objects: Either one of the \"settings\" or \"settings_array\" objects must be present"+
			suffix)
		return nil, Kept, lines
	}
	chosen := document.Value{}
search:
	// SET-35: after a single "settings", the members that follow count as well
	for v := first; v.Exists(); v = v.Next() {
		if !v.IsObject() { // SET-33
			say(v, diag.Debug, prefix+" has a settings element that is not an object")
			break
		}
		keys := v.Member("app_keys")
		if !keys.Exists() {
			if !chosen.Exists() {
				chosen = v // the first global one (SET-28)
			}
			continue
		}
		program := exe()
		if program.None { // FUC-005: a later global object counts
			continue
		}
		if !program.Known { // SET-34
			break
		}
		for k := keys.First(); k.Exists(); k = k.Next() {
			if text, ok := k.Text(); ok && text == program.Path { // SET-29, SET-30
				chosen = v
				break search
			}
		}
	}
	if !chosen.Exists() {
		say(top, diag.Debug, prefix+
			" missing global settings and none of the app specific settings matched the current application"+suffix)
		lines[len(lines)-1].Cause = diag.OtherPrograms
		return nil, None, lines
	}
	s, outcome, said := Object(chosen, file, style)
	return s, outcome, append(lines, said...)
}

// Object returns the settings of one object of a settings file.
func Object(chosen document.Value, file string, style pathname.Style) (*Settings, ReadResult, []manifest.Line) {
	var lines []manifest.Line
	say := func(at document.Value, flags uint32, text string) {
		l := manifest.Line{Flags: flags, Text: text, Code: diag.SettingsIgnored}
		l.Line, l.Column = at.Position()
		lines = append(lines, l)
	}
	s := &Settings{File: file}
	s.level(chosen.Member("stderr_log"))
	s.layers(chosen.Member("layers"))
	if s.drivers(chosen); len(s.Drivers) > MaxDrivers { // FUZ-023: a driver costs far more than the bytes of an entry
		s.Drivers = s.Drivers[len(s.Drivers)-MaxDrivers:]
		say(chosen.Member("additional_drivers"), diag.Warn|diag.Driver, "Loader settings file from "+file+
			" has more than "+
			strconv.Itoa(MaxDrivers)+
			" additional_drivers; only the last ones are used")
	}
	s.hardware(chosen.Member(HardwareMember))
	if path, _ := chosen.Member(LogFileMember).Text(); len(path) < maxLogFile && style.Full(path) {
		s.LogFile = path
	}
	s.devices(chosen.Member("device_configurations"))
	if !s.HasLevel && !s.ControlsLayers && len(s.Drivers) == 0 && !s.HasDevices && s.Hardware == AnyHardware &&
		s.LogFile == "" { // SET-25
		say(chosen, diag.Info, "vk_loader_settings.json file found at \""+file+
			"\" but did not contain any valid settings.")
		return nil, None, lines
	}
	return s, In, lines
}

// hardware reads the hardware policy; unknown words are ignored.
func (s *Settings) hardware(v document.Value) {
	word, _ := v.Text()
	for _, h := range []Hardware{PresentHardware, AwakeHardware} {
		if word == h.String() {
			s.Hardware = h
		}
	}
}

// levels are the kinds of messages: their words in stderr_log, and their names in the log in the order of SET-81; "":
// the log does not name it.
var levels = [...]struct {
	bit        uint32
	word, name string
}{{diag.Error, "error", "ERROR"}, {diag.Warn, "warn", "WARNING"}, {diag.Info, "info", "INFO"},
	{diag.Debug, "debug", "DEBUG"},
	{diag.Perf, "perf", "PERF"}, {diag.Driver, "driver", "DRIVER"}, {diag.Layer, "layer", "LAYER"},
	{diag.Validation, "validation", ""}}

// level reads stderr_log (SET-76).
func (s *Settings) level(v document.Value) {
	if v.Kind() != document.Array {
		return
	}
	for w := v.First(); w.Exists(); w = w.Next() {
		word, ok := w.Text()
		if !ok {
			break
		}
		for i := range levels {
			if word == levels[i].word || word == "all" {
				s.Level |= levels[i].bit
			}
		}
	}
	s.HasLevel = s.Level != 0
}

// layers reads the layer entries; one bad entry discards all (SET-36 to SET-40).
func (s *Settings) layers(v document.Value) {
	if !v.Exists() {
		return
	}
	count := 0
	for e := v.First(); e.Exists(); e = e.Next() {
		if e.Member("control").Kind() != document.String {
			return
		}
		count++
	}
	list := make([]LayerEntry, 0, count)
	for e := v.First(); e.Exists(); e = e.Next() {
		control, _ := e.Member("control").Text()
		var entry LayerEntry
		for c := On; c <= Unordered; c++ {
			if control == c.String() {
				entry.Control = c
			}
		}
		if entry.Control != Unordered {
			var named, placed bool
			entry.Name, named = e.Member("name").Text()
			entry.Path, placed = e.Member("path").Text()
			if !named || !placed {
				return
			}
			entry.Implicit = e.Member("treat_as_implicit_manifest").IsTrue()
		}
		list = append(list, entry)
	}
	s.ControlsLayers, s.Layers = true, list
}

// drivers reads the additional drivers; one bad entry discards all (SET-83 to SET-87).
func (s *Settings) drivers(object document.Value) {
	s.Exclusively = object.Member("additional_drivers_use_exclusively").IsTrue()
	drivers := object.Member("additional_drivers")
	list := make([]string, 0, drivers.Count())
	for e := drivers.First(); e.Exists(); e = e.Next() {
		path, ok := e.Member("path").Text()
		if !ok {
			return
		}
		list = append(list, path)
	}
	s.Drivers = list
}

// devices reads the device configurations (SET-90 to SET-92).
func (s *Settings) devices(v document.Value) {
	if v.Kind() != document.Array {
		return
	}
	var list []Device
	for e := v.First(); e.Exists(); e = e.Next() {
		if !e.IsObject() {
			return
		}
		var d Device
		version, ok := e.Member("driverVersion").Number()
		if !ok || !uuid(e.Member("deviceUUID"), &d.DeviceUUID) || !uuid(e.Member("driverUUID"), &d.DriverUUID) {
			continue
		}
		d.DriverVersion = uint32(int32(max(-1<<31, min(version, 1<<31-1))))
		d.DeviceName, d.HasDeviceName = e.Member("deviceName").Text()
		d.DriverName, d.HasDriverName = e.Member("driverName").Text()
		list = append(list, d)
	}
	s.HasDevices, s.Devices = true, list
}

// uuid reads an array of 16 numbers from 0 to 255. It returns false for other values (SET-90).
func uuid(v document.Value, out *[16]byte) bool {
	if v.Kind() != document.Array {
		return false
	}
	count := 0
	for e := v.First(); e.Exists(); e = e.Next() {
		n, ok := e.Number()
		if !ok || !(n > -1 && n < 256) || count == len(out) {
			return false
		}
		out[count] = byte(n)
		count++
	}
	return count == len(out)
}

// Dump returns the log lines about the settings in force, all at level DEBUG (SET-81).
func (s *Settings) Dump() []string {
	var lines []string
	say := func(text string) { lines = append(lines, text) }
	names := ""
	for i := range levels {
		if l := &levels[i]; s.Level&l.bit != 0 && l.name != "" {
			names += " | " + l.name
		}
	}
	if names, any := strings.CutPrefix(names, " | "); any {
		say("Loader Settings Filters for Logging to Standard Error: " + names)
	}
	if s.ControlsLayers {
		say("Layer Configurations count = " + strconv.Itoa(len(s.Layers)))
		for i := range s.Layers {
			e := &s.Layers[i]
			say("---- Layer Configuration [" + strconv.Itoa(i) + "] ----")
			if e.Control != Unordered {
				say("Name: " + e.Name)
				say("Path: " + e.Path)
				if e.Implicit {
					say("Layer Type: Implicit")
				} else {
					say("Layer Type: Explicit")
				}
			}
			say("Control: " + e.Control.String())
		}
	}
	if len(s.Drivers) > 0 {
		say("----")
		if s.Exclusively {
			say("Use Additional Drivers Exclusively = true")
		} else {
			say("Use Additional Drivers Exclusively = false")
		}
		say("Additional Driver Configurations count = " + strconv.Itoa(len(s.Drivers)))
		for i, path := range s.Drivers {
			say("---- Driver Configuration [" + strconv.Itoa(i) + "] ----")
			say("Path: " + path)
		}
	}
	if s.HasDevices {
		say("----")
		say("Device Configurations count = " + strconv.Itoa(len(s.Devices)))
		for i := range s.Devices {
			d := &s.Devices[i]
			say("---- Device Configuration [" + strconv.Itoa(i) + "] ----")
			say("deviceUUID: " + uuidText(d.DeviceUUID))
			say("driverUUID: " + uuidText(d.DriverUUID))
			say("driverVersion: " + strconv.Itoa(int(int32(d.DriverVersion))))
			if d.HasDeviceName {
				say("deviceName: " + d.DeviceName)
			}
			if d.HasDriverName {
				say("driverName: " + d.DriverName)
			}
		}
	}
	say("---------------------------------")
	return lines
}

func uuidText(u [16]byte) string {
	const digits = "0123456789abcdef"
	out := make([]byte, 0, 36)
	for i, b := range u {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			out = append(out, '-')
		}
		out = append(out, digits[b>>4], digits[b&15])
	}
	return string(out)
}

// Same reports whether two settings are equal. Settings that include the ordinary search are never equal to others
// (SET-14).
func (s *Settings) Same(o *Settings) bool {
	if s == nil || o == nil {
		return s == o
	}
	return !s.Merged() && s.File == o.File && s.Level == o.Level && s.ControlsLayers == o.ControlsLayers &&
		slices.Equal(s.Layers, o.Layers) && s.Exclusively == o.Exclusively && slices.Equal(s.Drivers, o.Drivers) &&
		s.HasDevices == o.HasDevices && slices.Equal(s.Devices, o.Devices) && s.Hardware == o.Hardware &&
		s.LogFile == o.LogFile
}
