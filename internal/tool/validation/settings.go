package validation

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/core/settings"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/reasons"
)

// Faults with several places.
const (
	noArray      = "not an array: treated as missing"
	onlyTrue     = "only the JSON value true counts"
	layerWithout = "%s is missing or not a string; the loader ignores the whole list"
)

// settings checks every object of a settings file. The loader reads only the object for its program.
func (c *checker) settings(doc *document.Document) {
	top := doc.Top()
	var chosen []document.Value // the objects that are for some program
	objects := c.objects(top)
	global := document.Value{}
	owner := map[string]document.Value{}
	for _, v := range objects {
		keys := v.Member("app_keys")
		if !keys.Exists() {
			if global.Exists() { // SET-28
				line, _ := global.Position()
				c.at(diag.SettingsShadowed, v, "never used: the object in line %d is also for all programs", line)
			} else {
				global = v
				chosen = append(chosen, v)
			}
		} else if keys.Kind() != document.Array || !keys.First().Exists() { // SET-31
			c.at(diag.SettingsKeys, keys, "app_keys names no program: the object is never used")
		}
		for k := keys.First(); k.Exists(); k = k.Next() {
			path, ok := k.Text()
			if first, twice := owner[path]; ok && twice { // SET-30
				line, _ := first.Position()
				c.at(diag.SettingsShadowed, k, "never used: %s is named in line %d already", path, line)
			} else if ok {
				owner[path] = k
				if n := len(chosen); n == 0 || chosen[n-1] != v {
					chosen = append(chosen, v)
				}
			}
			if !ok || !machine.Style.Full(path) || strings.ContainsAny(path, "*?") { // SET-29
				c.at(diag.SettingsKeys, k, "matches no program: it must be the full path of an executable, character by character")
			}
		}
		c.object(v)
	}
	told := map[manifest.Line]bool{}
	read := func(outcome settings.ReadResult, lines []manifest.Line) {
		c.result.Accepted = c.result.Accepted || outcome == settings.In
		for _, l := range lines {
			// A file that is only for named programs is no fault.
			if told[l] || l.Cause == diag.OtherPrograms {
				continue
			}
			told[l] = true
			c.find(l.Code, l.Line, l.Column, reasons.Line(l.Text, l.Code, l.Cause, l.Detail))
		}
	}
	// The faults of the whole file, as a program gets them that no object names.
	_, outcome, lines := settings.Read(doc, c.path, machine.Style, func() facts.Exe { return facts.Exe{Known: true} })
	if read(outcome, lines); !top.IsObject() || outcome == settings.Kept {
		return
	}
	for _, v := range chosen {
		_, outcome, lines := settings.Object(v, c.path, machine.Style)
		read(outcome, lines)
	}
}

// objects returns the settings objects that the loader examines (SET-23, SET-33, SET-35).
func (c *checker) objects(top document.Value) (list []document.Value) {
	array, single := top.Member("settings_array"), top.Member("settings")
	if array.Exists() {
		if single.Exists() {
			c.at(diag.SettingsShadowed, single, "never used: there is also a settings_array")
		}
		for v := array.First(); v.IsObject(); v = v.Next() {
			list = append(list, v)
		}
		return list
	}
	for v := single; v.IsObject(); v = v.Next() {
		if v != single {
			c.at(diag.SettingsShadowed, v, "the member %q comes after settings: the loader reads it as another settings object", v.Name())
		}
		list = append(list, v)
	}
	return list
}

// object checks the parts of a settings object. The loader drops each invalid part alone (SET-27).
func (c *checker) object(v document.Value) {
	c.log(v.Member("stderr_log"))
	c.layers(v.Member("layers"))
	drivers := v.Member("additional_drivers")
	c.drivers(drivers)
	if only := v.Member("additional_drivers_use_exclusively"); only.Exists() {
		switch {
		case only.Kind() != document.True && only.Kind() != document.False:
			c.at(diag.SettingsDrivers, only, onlyTrue) // SET-87
		case only.IsTrue() && !drivers.First().Exists():
			c.at(diag.SettingsDrivers, only, "without additional drivers, this member has no effect, or excludes every driver")
		}
	}
	c.devices(v.Member("device_configurations"))
}

// LogWords are the words of stderr_log (SET-76).
var LogWords = []string{"all", "error", "warn", "info", "debug", "perf", "layer", "driver", "validation"}

func (c *checker) log(v document.Value) {
	if v.Exists() && v.Kind() != document.Array {
		c.at(diag.SettingsLog, v, noArray)
		return
	}
	for w := v.First(); w.Exists(); w = w.Next() {
		word, ok := w.Text()
		if !ok {
			c.at(diag.SettingsLog, w, "not a string: the loader ignores this word and the words after it")
			return
		}
		if !slices.Contains(LogWords, word) {
			c.at(diag.SettingsLog, w, "%q is not one of %s", word, strings.Join(LogWords, ", "))
		}
	}
}

func (c *checker) layers(v document.Value) {
	if v.Exists() && v.Kind() != document.Array { // SET-40
		c.at(diag.SettingsLayers, v, "not an array of layers: programs get no layer at all")
		if v.Kind() != document.Object {
			return
		}
	}
	place := document.Value{}
	for e := v.First(); e.Exists(); e = e.Next() {
		if !e.IsObject() {
			c.at(diag.SettingsLayers, e, "not an object; the loader ignores the whole list")
			continue
		}
		control, ok := e.Member("control").Text()
		if !ok {
			c.at(diag.SettingsLayers, memberOr(e, "control"), layerWithout, "control")
			continue
		}
		switch control {
		case "auto", "on", "off":
		case "unordered_layer_location":
			if place.Exists() { // SET-48
				line, _ := place.Position()
				c.at(diag.SettingsControl, e, "without effect: the place of all other layers is in line %d", line)
			} else {
				place = e
			}
			continue
		default: // SET-37
			c.at(diag.SettingsControl, e.Member("control"), "%q is treated as auto", control)
		}
		for _, name := range []string{"name", "path"} { // SET-38
			if _, ok := e.Member(name).Text(); !ok {
				c.at(diag.SettingsLayers, memberOr(e, name), layerWithout, name)
			}
		}
		if path, ok := e.Member("path").Text(); ok && control != "off" && !search.IsManifestName(path) { // SET-42
			c.at(diag.SettingsControl, e.Member("path"), "without effect: the path does not end in .json")
		}
		if t := e.Member("treat_as_implicit_manifest"); t.Exists() && t.Kind() != document.True && t.Kind() != document.False {
			c.at(diag.SettingsControl, t, onlyTrue)
		}
	}
}

func (c *checker) drivers(v document.Value) {
	if v.Exists() && v.Kind() != document.Array && v.Kind() != document.Object {
		c.at(diag.SettingsDrivers, v, "not an array of drivers: treated as missing")
		return
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		path, ok := e.Member("path").Text()
		switch {
		case !ok: // SET-85
			c.at(diag.SettingsDrivers, memberOr(e, "path"), "not an object with a string path; the loader ignores the whole list")
		case search.IsManifestName(path):
		case e.Next().Exists(): // SET-86
			c.at(diag.SettingsDrivers, e.Member("path"), "skipped: the path does not end in .json")
		default:
			c.at(diag.SettingsDrivers, e.Member("path"), "the last path does not end in .json: no driver at all is found")
		}
	}
}

// devices checks the device configurations (SET-90 to SET-92).
func (c *checker) devices(v document.Value) {
	if v.Exists() && v.Kind() != document.Array {
		c.at(diag.SettingsDevices, v, noArray)
		return
	}
	if v.Exists() && !v.First().Exists() {
		c.at(diag.SettingsDevices, v, "an empty list hides every device")
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		if !e.IsObject() {
			c.at(diag.SettingsDevices, e, "not an object; the loader ignores the whole list")
			continue
		}
		for _, name := range []string{"deviceUUID", "driverUUID"} {
			if !settings.IsUUID(e.Member(name)) {
				c.at(diag.SettingsDevices, memberOr(e, name), "%s is not 16 numbers from 0 to 255; the entry is skipped", name)
			}
		}
		if _, ok := e.Member("driverVersion").Number(); !ok {
			c.at(diag.SettingsDevices, memberOr(e, "driverVersion"), "driverVersion is missing or not a number; the entry is skipped")
		}
	}
}

// memberOr returns a member, or the object itself without the member.
func memberOr(v document.Value, name string) document.Value {
	if m := v.Member(name); m.Exists() {
		return m
	}
	return v
}
