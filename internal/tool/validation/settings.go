package validation

import (
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
				c.at(diag.SettingsShadowed, v, secondForAll(line))
			} else {
				global = v
				chosen = append(chosen, v)
			}
		} else if keys.Kind() != document.Array || !keys.First().Exists() { // SET-31
			c.at(diag.SettingsKeys, keys, forNobody)
		}
		for k := keys.First(); k.Exists(); k = k.Next() {
			path, ok := k.Text()
			if first, twice := owner[path]; ok && twice { // SET-30
				line, _ := first.Position()
				c.at(diag.SettingsShadowed, k, namedAlready{path, line})
			} else if ok {
				owner[path] = k
				if n := len(chosen); n == 0 || chosen[n-1] != v {
					chosen = append(chosen, v)
				}
			}
			if !ok || !machine.Style.Full(path) || strings.ContainsAny(path, "*?") { // SET-29
				c.at(diag.SettingsKeys, k, noFullPath)
			}
		}
		c.object(v)
	}
	told := map[manifest.Line]bool{}
	read := func(outcome settings.ReadResult, lines []manifest.Line) {
		c.report.Accepted = c.report.Accepted || outcome == settings.In
		for _, l := range lines {
			// A file that is only for named programs is no fault.
			if told[l] || l.Cause == diag.OtherPrograms {
				continue
			}
			told[l] = true
			c.find(l.Code, l.Line, l.Column, said(reasons.Line(l.Text, l.Code, l.Cause, l.Detail)))
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
			c.at(diag.SettingsShadowed, single, besideArray)
		}
		for v := array.First(); v.IsObject(); v = v.Next() {
			list = append(list, v)
		}
		return list
	}
	for v := single; v.IsObject(); v = v.Next() {
		if v != single {
			c.at(diag.SettingsShadowed, v, afterSettings(v.Name()))
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
			c.at(diag.SettingsDrivers, only, onlyNoDrivers)
		}
	}
	c.devices(v.Member("device_configurations"))
}

// words are the words of stderr_log (SET-76).
var words = []string{"all", "error", "warn", "info", "debug", "perf", "layer", "driver", "validation"}

func (c *checker) log(v document.Value) {
	if v.Exists() && v.Kind() != document.Array {
		c.at(diag.SettingsLog, v, noArray)
		return
	}
	for w := v.First(); w.Exists(); w = w.Next() {
		word, ok := w.Text()
		if !ok {
			c.at(diag.SettingsLog, w, noString)
			return
		}
		known := false
		for _, one := range words {
			known = known || one == word
		}
		if !known {
			c.at(diag.SettingsLog, w, unknownWord(word))
		}
	}
}

func (c *checker) layers(v document.Value) {
	if v.Exists() && v.Kind() != document.Array { // SET-40
		c.at(diag.SettingsLayers, v, noLayers)
		if v.Kind() != document.Object {
			return
		}
	}
	place := document.Value{}
	for e := v.First(); e.Exists(); e = e.Next() {
		if !e.IsObject() {
			c.at(diag.SettingsLayers, e, layerNoObject)
			continue
		}
		control, ok := e.Member("control").Text()
		if !ok {
			c.at(diag.SettingsLayers, memberOr(e, "control"), layerWithout("control"))
			continue
		}
		switch control {
		case "auto", "on", "off":
		case "unordered_layer_location":
			if place.Exists() { // SET-48
				line, _ := place.Position()
				c.at(diag.SettingsControl, e, secondPlace(line))
			} else {
				place = e
			}
			continue
		default: // SET-37
			c.at(diag.SettingsControl, e.Member("control"), takenAsAuto(control))
		}
		for _, name := range []string{"name", "path"} { // SET-38
			if _, ok := e.Member(name).Text(); !ok {
				c.at(diag.SettingsLayers, memberOr(e, name), layerWithout(name))
			}
		}
		if path, ok := e.Member("path").Text(); ok && control != "off" && !search.IsManifestName(path) { // SET-42
			c.at(diag.SettingsControl, e.Member("path"), noManifest)
		}
		if t := e.Member("treat_as_implicit_manifest"); t.Exists() && t.Kind() != document.True && t.Kind() != document.False {
			c.at(diag.SettingsControl, t, onlyTrue)
		}
	}
}

func (c *checker) drivers(v document.Value) {
	if v.Exists() && v.Kind() != document.Array && v.Kind() != document.Object {
		c.at(diag.SettingsDrivers, v, noDrivers)
		return
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		path, ok := e.Member("path").Text()
		switch {
		case !ok: // SET-85
			c.at(diag.SettingsDrivers, memberOr(e, "path"), driverNoPath)
		case search.IsManifestName(path):
		case e.Next().Exists(): // SET-86
			c.at(diag.SettingsDrivers, e.Member("path"), skippedNoManifest)
		default:
			c.at(diag.SettingsDrivers, e.Member("path"), lastNoManifest)
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
		c.at(diag.SettingsDevices, v, hidesAll)
	}
	for e := v.First(); e.Exists(); e = e.Next() {
		if !e.IsObject() {
			c.at(diag.SettingsDevices, e, deviceNoObject)
			continue
		}
		for _, name := range []string{"deviceUUID", "driverUUID"} {
			if !settings.IsUUID(e.Member(name)) {
				c.at(diag.SettingsDevices, memberOr(e, name), noUUID(name))
			}
		}
		if _, ok := e.Member("driverVersion").Number(); !ok {
			c.at(diag.SettingsDevices, memberOr(e, "driverVersion"), noVersion)
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
