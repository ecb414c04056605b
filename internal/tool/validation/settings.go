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
				c.at(diag.SettingsKeys, k,
					"matches no program: it must be the full path of an executable, character by character")
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
			c.line(&l)
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
			c.at(diag.SettingsShadowed, v,
				"the member %q comes after settings: the loader reads it as another settings object", v.Name())
		}
		list = append(list, v)
	}
	return list
}

// parts maps the members of a settings object to the findings about a value that the schema does not allow. The loader
// drops such a part alone (SET-27).
var parts = map[string]diag.Code{"app_keys": diag.SettingsKeys, "stderr_log": diag.SettingsLog,
	"layers":             diag.SettingsLayers,
	"additional_drivers": diag.SettingsDrivers, "additional_drivers_use_exclusively": diag.SettingsDrivers,
	"device_configurations": diag.SettingsDevices}

// partOfSettings returns the code of a violation at a path from the top, by the part of the settings.
func partOfSettings(path string) diag.Code {
	words := strings.Split(path, ".")
	if len(words) > 1 && words[0] == "settings_array" {
		words = words[1:]
	} else if words[0] != "settings" {
		return diag.FileSchema
	}
	code := diag.FileSchema
	if len(words) > 1 && parts[words[1]] != 0 {
		code = parts[words[1]]
	}
	if last := words[len(words)-1]; code == diag.SettingsLayers &&
		(last == "control" || last == "treat_as_implicit_manifest") {
		code = diag.SettingsControl // SET-37: another control is treated as auto
	}
	return code
}

// object checks a settings object by the rules that no schema has.
func (c *checker) object(v document.Value) {
	drivers, only, devices := v.Member("additional_drivers"), v.Member("additional_drivers_use_exclusively"),
		v.Member("device_configurations")
	if only.IsTrue() && !drivers.First().Exists() {
		c.at(diag.SettingsDrivers, only,
			"without additional drivers, this member has no effect, or excludes every driver")
	}
	if devices.Kind() == document.Array && !devices.First().Exists() {
		c.at(diag.SettingsDevices, devices, "an empty list hides every device")
	}
	place := document.Value{}
	for e := v.Member("layers").First(); e.IsObject(); e = e.Next() {
		control, _ := e.Member("control").Text()
		path, named := e.Member("path").Text()
		switch {
		case control == "unordered_layer_location" && place.Exists(): // SET-48
			line, _ := place.Position()
			c.at(diag.SettingsControl, e, "without effect: the place of all other layers is in line %d", line)
		case control == "unordered_layer_location":
			place = e
		case named && control != "off" && !search.IsManifestName(path): // SET-42
			c.at(diag.SettingsControl, e.Member("path"), "without effect: the path does not end in .json")
		}
	}
}

// LogWords are the words of stderr_log (SET-76).
var LogWords = []string{"all", "error", "warn", "info", "debug", "perf", "layer", "driver", "validation"}
