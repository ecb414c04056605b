package plan

import (
	"strings"
	"testing"

	"vkloader/internal/core/manifest"
)

const settingsPath = "/usr/local/etc/vulkan//loader_settings.d/vk_loader_settings.json"

func (w *world) settings(object string) *world {
	w.Files[settingsPath] = `{"file_format_version":"1.0.0","settings":` + object + `}`
	return w
}

func entry(control, name, path, more string) string {
	return `{"name":"` + name + `","path":"` + path + `","control":"` + control + `"` + more + `}`
}

func layers(entries ...string) string { return `{"layers":[` + strings.Join(entries, ",") + `]}` }

const unordered = `{"control":"unordered_layer_location"}`

// usual is a world with two implicit and two explicit layers.
func usual() *world {
	return newWorld().implicit("i1.json", "I1", "").implicit("i2.json", "I2", "").explicit("e1.json", "E1", "").explicit("e2.json", "E2", "")
}

// holds: SET-1 SET-2 SET-3 SET-4 SET-7
func TestSettingsPlace(t *testing.T) {
	w := newWorld()
	w.Vars["XDG_CONFIG_HOME"], w.Vars["XDG_DATA_HOME"], w.Vars["XDG_DATA_DIRS"] = ":/no", "/d:/no", "x:/no"
	w.Files["/d/vulkan//loader_settings.d/vk_loader_settings.json"] = "{"
	w.settings("{}")
	expectLog(t, w.ask(t, Instance, Name{}), "ERROR: loader_get_json: Invalid JSON file /d/vulkan//loader_settings.d/vk_loader_settings.json.")
	w.Elevated = true
	expectLog(t, w.ask(t, Instance, Name{}), `INFO: vk_loader_settings.json file found at "`+settingsPath+`" but did not contain any valid settings.`)
}

// holds: SET-13 SET-81 SET-82 SET-76 SET-77
func TestSettingsDump(t *testing.T) {
	w := newWorld().settings(`{"stderr_log":["debug","Info",7,"error"],"layers":[` + entry("on", "A", "/p/a.json", "") + `,` + unordered + `],
		"additional_drivers":[{"path":"/d.json"}],"device_configurations":[{"deviceUUID":[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15],"driverUUID":[16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,255.5],"driverVersion":9e9,"deviceName":"n"},{"deviceUUID":[7]}]}`)
	a := w.ask(t, Instance, Name{})
	if !strings.Contains(logText(a), `INFO: Using layer configurations found in loader settings from `+settingsPath+`
DEBUG: Loader Settings Filters for Logging to Standard Error: DEBUG
DEBUG: Layer Configurations count = 2
DEBUG: ---- Layer Configuration [0] ----
DEBUG: Name: A
DEBUG: Path: /p/a.json
DEBUG: Layer Type: Explicit
DEBUG: Control: on
DEBUG: ---- Layer Configuration [1] ----
DEBUG: Control: unordered_layer_location
DEBUG: ----
DEBUG: Use Additional Drivers Exclusively = false
DEBUG: Additional Driver Configurations count = 1
DEBUG: ---- Driver Configuration [0] ----
DEBUG: Path: /d.json
DEBUG: ----
DEBUG: Device Configurations count = 1
DEBUG: ---- Device Configuration [0] ----
DEBUG: deviceUUID: 00010203-0405-0607-0809-0a0b0c0d0e0f
DEBUG: driverUUID: 10111213-1415-1617-1819-1a1b1c1d1eff
DEBUG: driverVersion: 2147483647
DEBUG: deviceName: n
DEBUG: ---------------------------------
`) {
		t.Error(logText(a))
	}
	level := uint32(0)
	for _, s := range a.Steps {
		if s.Kind == StepLevel {
			level = s.Flags
		}
	}
	if level != 16 {
		t.Error(level)
	}
}

// holds: SET-20 SET-21 SET-22 SET-23 SET-24 SET-25 SET-28 SET-29 SET-30 SET-31 SET-32 SET-33 SET-34 SET-35 SET-38 SET-39 SET-40 SET-27
func TestSettingsObject(t *testing.T) {
	on := `"layers":[` + entry("on", "E1", explicitDirectory+"e1.json", "") + `]`
	from := "DEBUG: Loader settings file from " + settingsPath
	for _, c := range []struct{ text, listed, line string }{
		{`[]`, "I1 I2 E1 E2", ""},
		{`{"settings":{` + on + `}}`, "I1 I2 E1 E2", from + " missing required field file_format_version - no loader settings will be active"},
		{`{"file_format_version":"z"}`, "I1 I2 E1 E2", from + ` missing required settings objects: Either one of the "settings" or "settings_array" objects must be present - no loader settings will be active`},
		{`{"file_format_version":"z","settings":{` + on + `}}`, "E1", ""},
		{`{"file_format_version":"z","settings":{` + on + `},"settings_array":[]}`, "I1 I2 E1 E2", from + " missing global settings and none of the app specific settings matched the current application - no loader settings will be active"},
		{`{"file_format_version":"z","settings_array":[{"app_keys":[]},{"layers":[]},{"app_keys":[3,"/bin/program"],` + on + `}]}`, "E1", ""},
		{`{"file_format_version":"z","settings_array":[{"layers":{}},4,{"app_keys":["/bin/program"],` + on + `}]}`, "", from + " has a settings element that is not an object"},
		{`{"file_format_version":"z","settings":{"app_keys":["/x"]},"more":{` + on + `}}`, "E1", ""},
		{`{"file_format_version":"z","settings":{"layers":[{"control":"on"}],"stderr_log":["all"]}}`, "I1 I2 E1 E2", ""},
		{`{"file_format_version":"z","settings":{"layers":null}}`, "", ""},
		{`{"file_format_version":"z","settings":{"stderr_log":[""]}}`, "I1 I2 E1 E2", `INFO: vk_loader_settings.json file found at "` + settingsPath + `" but did not contain any valid settings.`},
	} {
		w := usual()
		w.Files[settingsPath] = c.text
		a := w.ask(t, Instance, Name{})
		expect(t, c.text, listed(a), c.listed)
		if c.line != "" {
			expectLog(t, a, c.line)
		}
	}
}

// holds: SET-41 SET-42 SET-45 SET-46 SET-47 SET-48 SET-49 SET-50 SET-51 SET-53 SET-65 SET-67
func TestSettingsLists(t *testing.T) {
	i, e := implicitDirectory, explicitDirectory
	treat := `,"treat_as_implicit_manifest":true`
	for _, c := range []struct {
		settings, listed, active string
		app                      []string
	}{
		{layers(entry("on", "E2", e+"e2.json", ""), unordered, entry("on", "I2", i+"i2.json", treat)), "E2 I1 E1 I2", "E2 I1 E1 I2", []string{"E1"}},
		{layers(entry("auto", "E2", e+"e2.json", ""), entry("auto", "I2", i+"i2.json", treat), entry("auto", "I1", i+"i1.json", "")), "E2 I2 I1", "I2", nil},
		{layers(entry("off", "I1", "", ""), unordered, unordered), "I2 E1 E2", "I2", nil},
		{layers(entry("on", "I1", "nowhere.json", ""), entry("on", "E1", e+"e1.txt", ""), entry("on", "XX", e+"e1.json", ""), unordered), "I1 I2 E1 E2", "I1 I2", nil},
		{layers(entry("on", "E2", e+"e2.json", ""), entry("on", "E2", e+"e2.json", ""), entry("on", "E2", "/other.json", "")), "E2 E2", "E2 E2", nil},
	} {
		w := usual().settings(c.settings).wants(c.app...)
		w.Files["/other.json"] = strings.ReplaceAll(w.Files[e+"e2.json"], "libE2.so", "other.so")
		a := w.ask(t, Instance, Name{})
		expect(t, c.settings, listed(a), c.listed)
		expect(t, c.settings, active(a), c.active)
	}
	w := usual().settings(layers(entry("on", "E1", e+"e1.json", ""), unordered, entry("auto", "I1", i+"i1.json", treat))).
		implicitMeta("m.json", "M", `"E2","I2"`, "")
	expect(t, "meta", active(w.ask(t, Instance, Name{})), "E1 I2 E2 M I1")
}

// holds: SET-54 SET-55 SET-56 SET-57 SET-58 SET-59 SET-60 SET-61 SET-62 SET-63 SET-64 SET-66 SET-74
func TestSettingsControl(t *testing.T) {
	treat := `,"treat_as_implicit_manifest":true`
	type vars = map[string]string
	for _, c := range []struct {
		vars vars
		want string // active under on, auto, off
	}{
		{nil, "X--"}, {vars{"EN": "0"}, "X--"}, {vars{"EN": "1"}, "XX-"}, {vars{"NO_L": "0"}, "X--"}, {vars{"EN": "1", "NO_L": ""}, "X--"},
		{vars{"VK_INSTANCE_LAYERS": "L"}, "XX-"}, {vars{"VK_LOADER_LAYERS_ENABLE": "L"}, "XX-"},
		{vars{"EN": "1", "VK_LOADER_LAYERS_DISABLE": "l", "VK_INSTANCE_LAYERS": "L"}, "X--"},
		{vars{"EN": "1", "VK_LOADER_LAYERS_DISABLE": "~explicit~"}, "XX-"}, {vars{"EN": "1", "VK_LOADER_LAYERS_DISABLE": "~implicit~", "VK_LOADER_LAYERS_ALLOW": "L"}, "XX-"},
	} {
		for n, control := range []string{"on", "auto", "off"} {
			w := newWorld().settings(layers(entry(control, "L", "/l.json", treat)))
			w.Files["/l.json"] = layerText("1.2.0", "L", `,"library_path":"x","disable_environment":{"NO_L":""},"enable_environment":{"EN":"1"}`)
			for k, v := range c.vars {
				w.Vars[k] = v
			}
			want := ""
			if c.want[n] == 'X' {
				want = "L"
			}
			expect(t, control, active(w.ask(t, Instance, Name{})), want)
		}
	}
	w := newWorld().settings(layers(entry("off", "L", "", ""))).wants("L")
	a := w.ask(t, Instance, Name{})
	if a.Result != LayerNotPresent {
		t.Error(a.Result)
	}
	expectLog(t, a, "ERROR: loader_validate_layers: Layer 0 was explicitly prevented from being enabled by the loader settings file")
	if a := w.ask(t, Extensions, Name{"L", true}); a.Result != Success || len(a.Extensions) != 0 {
		t.Error(a.Result)
	}
}

// holds: SET-83 SET-86 SET-87 SET-88 SET-98
func TestSettingsDrivers(t *testing.T) {
	for _, c := range []struct{ settings, choose, want string }{
		{`{"additional_drivers":[{"path":"/a.json"},{"path":"/b.json"}]}`, "", "b.json a.json x.json y.json"},
		{`{"additional_drivers":[{"path":"/a.json"},{"path":"/b.json"}]}`, "a*,y*", "a.json y.json"},
		{`{"additional_drivers":[{"path":"/a.json"},{"path":"/b.txt"}]}`, "", ""},
		{`{"additional_drivers":[{"path":"/a.json"},"x"],"layers":[]}`, "", "x.json y.json"},
		{`{"additional_drivers":[{"path":"/a.json"}],"additional_drivers_use_exclusively":true}`, "", "a.json"},
		{`{"layers":[],"additional_drivers_use_exclusively":true}`, "", ""},
		{`{"device_configurations":[]}`, "a*", "x.json y.json"},
	} {
		w := newWorld().driver("x.json", "").driver("y.json", "").settings(c.settings)
		w.Files["/a.json"], w.Files["/b.json"] = w.Files[driverDirectory+"x.json"], w.Files[driverDirectory+"x.json"]
		if c.choose != "" {
			w.Vars["VK_LOADER_DRIVERS_SELECT"] = c.choose
		}
		expect(t, c.settings+c.choose, drivers(w.ask(t, Instance, Name{})), c.want)
	}
}

// holds: SET-12 SET-14 SET-15
func TestSettingsMemory(t *testing.T) {
	w := usual().settings(layers(entry("on", "E1", explicitDirectory+"e1.json", "")))
	w.memory = &Memory{}
	ask := func() *Answer {
		w.memory = &Memory{Remembered: w.memory.Remembered}
		a := w.ask(t, Layers, Name{})
		if a.Remember != nil {
			w.memory.Remembered = *a.Remember
		}
		return a
	}
	const used = "Using layer configurations"
	a := ask()
	expect(t, "listed", listed(a), "E1")
	if !strings.Contains(logText(a), used) {
		t.Error("not said")
	}
	refuseLog(t, ask(), used)
	delete(w.Files, settingsPath)
	expect(t, "kept", listed(ask()), "E1")
	expect(t, "instance", listed(w.ask(t, Instance, Name{})), "I1 I2 E1 E2")
	w.Files[settingsPath] = "["
	expect(t, "forgotten", listed(ask()), "I1 I2 E1 E2")
	w.settings(layers(entry("on", "E2", explicitDirectory+"e2.json", "")))
	if a = ask(); !strings.Contains(logText(a), used) {
		t.Error("what was forgotten was remembered")
	}
}

// holds: SET-68 SET-69
func TestSettingsMeta(t *testing.T) {
	w := newWorld().settings(layers(entry("on", "M", "/m.json", ""), entry("on", "N", "/n.json", ""), entry("on", "G", "/g.json", "")))
	w.Files["/m.json"] = layerText("1.2.0", "M", `,"component_layers":["N"]`)
	w.Files["/n.json"] = layerText("1.2.0", "N", `,"component_layers":["M","N"]`)
	w.Files["/g.json"] = layerText("1.2.0", "G", `,"component_layers":["gone"]`)
	w.drivers = []Driver{{Usable: true}}
	a := w.ask(t, InstanceDrivers, Name{})
	expect(t, "listed", listed(a), "M N G")
	expect(t, "active", active(a), "M N")
	expectLog(t, a, "WARN|LAYER: loader_add_meta_layer: Meta-layer M recursively references itself through its component layers. Skipping the recursive reference.",
		`WARN|LAYER: Failed to find layer name "gone" component layer "gone" to activate (Policy #LLP_LAYER_7)`)
}

// Meta-layers that lead back to themselves only through others that stand at places of their own.
//
// holds: SET-69
func TestSettingsLongCircle(t *testing.T) {
	w := newWorld().settings(layers(entry("on", "A", "/a.json", ""), entry("on", "B", "/b.json", ""), entry("on", "C", "/c.json", "")))
	w.Files["/a.json"] = layerText("1.2.0", "A", `,"component_layers":["B"]`)
	w.Files["/b.json"] = layerText("1.2.0", "B", `,"component_layers":["C"]`)
	w.Files["/c.json"] = layerText("1.2.0", "C", `,"component_layers":["A"]`)
	w.drivers = []Driver{{Usable: true}}
	a := w.ask(t, InstanceDrivers, Name{})
	expect(t, "active", active(a), "A B C")
	for _, name := range []string{"A", "B", "C"} {
		text := "Meta-layer " + name + " recursively references itself"
		if n := strings.Count(logText(a), text); n != 1 {
			t.Errorf("%d times: %s", n, text)
		}
	}
}

// TestSettingsSameName checks that the last active layer of a name is in the call chain; an inactive layer replaces none.
//
// holds: SET-44
func TestSettingsSameName(t *testing.T) {
	chained := func(a *Answer) string {
		var out []string
		for _, active := range a.Active {
			if !active.Unchained {
				out = append(out, a.Layers[active.Layer].Manifest)
			}
		}
		return strings.Join(out, " ")
	}
	w := newWorld().implicit("i.json", "X", "").explicit("e1.json", "X", "").explicit("e2.json", "X", "").settings(layers(unordered))
	a := w.ask(t, Instance, Name{})
	expect(t, "listed", listed(a), "X X") // the one in between is a duplicate of the first
	expect(t, "active", active(a), "X")
	expect(t, "chained", chained(a), implicitDirectory+"i.json")

	w = newWorld().explicit("a.json", "X", "").explicit("b.json", "X", "")
	w.Files[explicitDirectory+"b.json"] = strings.Replace(w.Files[explicitDirectory+"b.json"], "libX", "libY", 1)
	w.settings(layers(entry("on", "X", explicitDirectory+"a.json", ""), entry("on", "X", explicitDirectory+"b.json", "")))
	a = w.ask(t, Instance, Name{})
	expect(t, "active", active(a), "X X")
	expect(t, "chained", chained(a), explicitDirectory+"b.json")
}

// TestSettingsRemembered checks that an answer has remembered settings only if they have changed.
//
// holds: SET-15
func TestSettingsRemembered(t *testing.T) {
	w := usual()
	w.memory = &Memory{}
	ask := func(changes bool) {
		t.Helper()
		w.memory = &Memory{Remembered: w.memory.Remembered}
		a := w.ask(t, Layers, Name{})
		if (a.Remember != nil) != changes {
			t.Fatalf("%+v after %+v", a.Remember, w.memory.Remembered)
		}
		if changes {
			w.memory.Remembered = *a.Remember
		}
	}
	ask(false)
	w.settings(layers(entry("on", "E1", explicitDirectory+"e1.json", "")))
	text := w.Files[settingsPath]
	ask(true)
	if want := (File{settingsPath, text, true}); w.memory.Remembered != want {
		t.Errorf("remembered %+v, want %+v", w.memory.Remembered, want)
	}
	ask(false)
	delete(w.Files, settingsPath)
	ask(false)
	w.settings(layers(entry("on", "E2", explicitDirectory+"e2.json", "")))
	ask(true)
	w.Files[settingsPath] = "["
	ask(true)
	if w.memory.Remembered.Set {
		t.Errorf("remembered %+v", w.memory.Remembered)
	}
	ask(false)
	w.memory.Remembered = File{settingsPath, text, true}
	if a := w.ask(t, Instance, Name{}); a.Remember != nil || a.Settings != nil {
		t.Error("vkCreateInstance has to do with what the others remember")
	}
	for _, damaged := range []string{"[", `{"file_format_version":"1.0.0","settings":{"app_keys":[]}}`} {
		w.memory = &Memory{Remembered: File{settingsPath, damaged, true}}
		delete(w.Files, settingsPath)
		if a := w.ask(t, Layers, Name{}); a.Settings != nil {
			t.Errorf("%s is in force", damaged)
		}
	}
}

// holds: OVR-19 LAY-177 SET-44 SET-51 SET-53 SET-56 SET-67 SET-68
func TestSettingsComponents(t *testing.T) {
	t.Parallel()
	const treat = `,"treat_as_implicit_manifest":true`
	wish := `,"enable_environment":{"WISH":"1"}`
	on := func(name string) string { return entry("on", name, "/"+name+".json", "") }
	auto := func(name string) string { return entry("auto", name, "/"+name+".json", "") }
	for _, c := range []struct{ name, settings, listed, active string }{
		{"components at their place", layers(on("M"), auto("E"), auto("F")), "M E F", "F E M"},
		{"one that is on", layers(on("M"), on("E"), auto("F")), "M E F", "F M E"},
		{"and before", layers(on("E"), on("M"), auto("F")), "E M F", "E F M"},
		{"inner ones, too", layers(on("O"), on("M"), auto("E"), auto("F")), "O M E F", "O F E M"},
		{"the inner one is incomplete", layers(on("O"), auto("M"), auto("E")), "O M E", "E O"},
		{"both are", layers(on("M"), auto("O"), auto("E")), "M O E", "E"},
		{"an override layer", layers(entry("on", manifest.OverrideName, "/V.json", treat), entry("auto", "W", "/W.json", treat), auto("E")),
			manifest.OverrideName + " W E", "E " + manifest.OverrideName},
		{"two meta-layers of one name", layers(on("M"), on("M"), auto("E"), auto("F")), "M M E F", "F E M M"},
		{"off comes first", layers(entry("off", "E", "", ""), unordered, on("E"), auto("F")), "F", ""},
		{"off comes later", layers(on("E"), entry("off", "E", "", "")), "E", "E"},
		{"off decides nothing of others", layers(entry("off", "M", "", ""), on("E"), on("F")), "E F", "E F"},
	} {
		w := newWorld().settings(c.settings)
		for _, name := range []string{"E", "F"} {
			w.Files["/"+name+".json"] = layerText("1.2.0", name, `,"library_path":"lib`+name+`.so"`)
		}
		w.Files["/W.json"] = layerText("1.2.0", "W", `,"library_path":"x","disable_environment":{"NO":""}`+wish)
		w.Files["/M.json"] = layerText("1.2.0", "M", `,"component_layers":["F","E"]`)
		w.Files["/O.json"] = layerText("1.2.0", "O", `,"component_layers":["M"]`)
		w.Files["/V.json"] = layerText("1.2.0", manifest.OverrideName, `,"component_layers":["W","E"],"disable_environment":{"NO":""}`)
		a := w.ask(t, Instance, Name{})
		expect(t, c.name, listed(a), c.listed)
		expect(t, c.name, active(a), c.active)
	}
}

// holds: SET-72 LAY-246
func TestSettingsExtensions(t *testing.T) {
	t.Parallel()
	for _, merged := range []bool{false, true} {
		entries := []string{entry("auto", "M", "/M.json", `,"treat_as_implicit_manifest":true`), entry("on", "E", "/E.json", "")}
		want := 1 // the meta-layer's own
		if merged {
			entries = append(entries, unordered)
			want = 2
		}
		w := newWorld().settings(layers(entries...))
		w.Files["/E.json"] = layerText("1.2.0", "E", `,"library_path":"x","instance_extensions":[{"name":"XE"}]`)
		w.Files["/M.json"] = layerText("1.2.0", "M", `,"component_layers":["E"],"instance_extensions":[{"name":"XM"}],"disable_environment":{"NO":""}`)
		if n := len(w.ask(t, ExtensionsDrivers, Name{}).Extensions) - len(loaderExtensions); n != want {
			t.Errorf("with the search %v: %d, not %d", merged, n, want)
		}
	}
}

// A meta-layer that is active offers nothing itself, its components do (LAY-273); of implicit layers of one name the
// first counts before there is an instance (LAY-109).
//
// holds: LAY-273 LAY-109
func TestOffers(t *testing.T) {
	t.Parallel()
	ext := func(names ...string) string {
		return `,"instance_extensions":[{"name":"` + strings.Join(names, `"},{"name":"`) + `"}]`
	}
	w := ready().explicit("e.json", "E", ext("VK_EXT_direct_mode_display")).meta("m.json", "M", `"E"`, ext("VK_EXT_display_surface_counter")).
		wants("M").enables("VK_EXT_direct_mode_display")
	if r := w.ask(t, InstanceDrivers, Name{}).Result; r != Success {
		t.Errorf("of a component: %d", r)
	}
	if r := w.enables("VK_EXT_display_surface_counter").ask(t, InstanceDrivers, Name{}).Result; r != ExtensionNotPresent {
		t.Errorf("of the meta-layer itself: %d", r)
	}
	w = newWorld()
	for _, n := range []string{"1", "2", "3"} {
		w.Files[implicitDirectory+n+".json"] = layerText("1.2.0", "X", `,"library_path":"`+n+`","disable_environment":{"NO_`+n+
			`":""},"pre_instance_functions":{"vkEnumerateInstanceVersion":"v"}`+ext("XX"+n))
	}
	for _, c := range []struct{ set, library, extension string }{{"", "1", "XX1"}, {"NO_2", "1", "XX1"}, {"NO_1", "", ""}} {
		w.Vars = map[string]string{"HOME": "/h"}
		if c.set != "" {
			w.Vars[c.set] = ""
		}
		library, extension := "", ""
		for _, p := range w.ask(t, Version, Name{}).PreLayers {
			library += p.Library
		}
		for _, e := range w.ask(t, ExtensionsDrivers, Name{}).Extensions[len(loaderExtensions):] {
			extension += e.Name
		}
		expect(t, "hooks with "+c.set, library, c.library)
		expect(t, "extensions with "+c.set, extension, c.extension)
	}
}
