package plan

import (
	"fmt"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
)

// stepText writes down every step of an answer.
func stepText(a *Answer) string {
	var out []string
	for _, s := range a.Steps {
		switch s.Kind {
		case StepLog:
			out = append(out, flagText(s.Flags)+": "+s.Text)
		case StepDriver:
			out = append(out, "<open "+a.Drivers[s.Driver].Library+">")
		case StepLevel:
			out = append(out, fmt.Sprintf("<level %#x>", s.Flags))
		case StepLogFile:
			out = append(out, fmt.Sprintf("<log file %s, level %#x>", s.Text, s.Flags))
		default:
			out = append(out, map[StepKind]string{StepLayers: "<layers>", StepActive: "<active>", StepDirect: "<direct>",
				StepPreLayers: "<pre-layers>", StepExtensions: "<extensions>", StepDevices: "<devices>"}[s.Kind])
		}
	}
	return strings.Join(out, "\n") + "\n"
}

// holds expects steps one after the other, and once.
func holds(t *testing.T, what string, a *Answer, lines ...string) {
	t.Helper()
	text := "\n" + stepText(a)
	if n := strings.Count(text, "\n"+strings.Join(lines, "\n")+"\n"); n != 1 {
		t.Errorf("%s: %d times, in this order:\n%s\nin%s", what, n, strings.Join(lines, "\n"), text)
	}
}

// ready is a world with drivers that have been opened.
func ready() *world {
	w := newWorld()
	w.drivers = []Driver{{Usable: true, Path: "/d.so"}}
	return w
}

// TestMessagesToPrograms checks every message of vkCreateInstance about the program's arguments, in full.
//
// holds: INS-025 INS-031 INS-033 INS-034 INS-035 INS-036 INS-040 INS-041 INS-042 INS-043 INS-046 INS-047 INS-048 INS-049
// holds: INS-050 INS-051 INS-052 DRV-084 DRV-085 DRV-089 LAY-132
func TestMessagesToPrograms(t *testing.T) {
	t.Parallel()
	const (
		list        = "VkDirectDriverLoadingListLUNARG structure"
		scan        = ": loader_scan_for_direct_drivers: The "
		noSettings  = "INFO: No valid vk_loader_settings.json file found, no loader settings will be active"
		portability = "ERROR|DRIVER: vkCreateInstance: Found drivers that contain devices which support the portability subset, but the " +
			"instance does not enumerate portability drivers! Applications that wish to enumerate portability drivers must set the " +
			"VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit in the VkInstanceCreateInfo flags"
		noDrivers = "ERROR|DRIVER: vkCreateInstance: Found no drivers!"
	)
	portable := func() *world { return newWorld().driver("p.json", `,"is_portability_driver":true`) }
	for _, c := range []struct {
		name   string
		world  *world
		kind   Kind
		change func(*App)
		result int32
		want   []string
	}{
		{"names that are NULL", newWorld(), Instance, func(a *App) {
			a.LayerCount, a.Layers = 1, []Name{{}}
			a.ExtensionCount, a.Extensions = 2, []Name{{"", true}, {}}
		}, LayerNotPresent, []string{"INFO: vkCreateInstance: Requested 1 instance layer(s):", "INFO:    <NULL>",
			"INFO: vkCreateInstance: Requested 2 instance extension(s):", "INFO:    ", "INFO:    <NULL>", noSettings}},
		{"a version below 1.0", ready(), Instance, func(a *App) { a.API = 1<<22 - 1 }, Success, []string{noSettings,
			"FATAL|ERROR: VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of 4194303 which is not permitted. If apiVersion is not 0, then it must be " +
				"greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]",
			"LAYER: Searching for implicit layer manifest files"}},
		{"a variant", ready(), Instance, func(a *App) { a.API = 2<<29 | 1<<22 }, Success, []string{noSettings,
			"WARN: vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is 2 instead of the expected value of 0.",
			"LAYER: Searching for implicit layer manifest files"}},
		{"version 1.0", ready(), Instance, func(a *App) { a.API = 1 << 22 }, Success, []string{noSettings, "LAYER: Searching for implicit layer manifest files"}},
		{"no version", ready(), Instance, nil, Success, []string{noSettings, "LAYER: Searching for implicit layer manifest files"}},
		{"no list of layers", ready(), Instance, func(a *App) { a.LayerCount, a.LayersNull = 1, true }, LayerNotPresent,
			[]string{"ERROR: loader_validate_layers: ppEnabledLayerNames is NULL but enabledLayerCount is greater than zero"}},
		{"a bad layer name", ready().wants("a\x7f"), Instance, nil, LayerNotPresent,
			[]string{"ERROR: loader_validate_layers: ppEnabledLayerNames contains string that is too long or is badly formed"}},
		{"an unknown layer", ready().explicit("e.json", "E", "").wants("E", "F"), Instance, nil, LayerNotPresent,
			[]string{"ERROR: loader_validate_layers: Layer 1 does not exist in the list of available layers"}},
		{"a layer that is off", ready().settings(layers(entry("off", "E", "", ""))).wants("E"), Instance, nil, LayerNotPresent,
			[]string{"ERROR: loader_validate_layers: Layer 0 was explicitly prevented from being enabled by the loader settings file"}},
		{"no list of extensions", ready(), InstanceDrivers, func(a *App) { a.ExtensionCount, a.ExtensionsNull = 1, true }, ExtensionNotPresent,
			[]string{"ERROR: loader_validate_instance_extensions: Instance ppEnabledExtensionNames is NULL but enabledExtensionCount is greater than zero"}},
		{"a bad extension name", ready().enables("\x80"), InstanceDrivers, nil, ExtensionNotPresent,
			[]string{"ERROR: loader_validate_instance_extensions: Instance ppEnabledExtensionNames contains string that is too long or is badly formed"}},
		{"older layers", ready().explicit("e.json", "E", "").wants("E"), InstanceDrivers, func(a *App) { a.API = 1<<22 | 4<<12 }, Success,
			[]string{"WARN|LAYER: Layer E uses API version 1.3 which is older than the application specified API version of 1.4. May cause issues."}},
		{"a list of drivers without the extension", ready().enables("VK_KHR_surface"), Instance, func(a *App) { a.DirectList, a.DirectCount = true, 1 }, Success,
			[]string{"WARN|DRIVER" + scan + "pNext chain of VkInstanceCreateInfo contained the " + list + ", but the VK_LUNARG_direct_driver_loading extension was not enabled.",
				"DRIVER: Searching for driver manifest files"}},
		{"an empty list of drivers", ready().enables(directExtension), Instance, func(a *App) { a.DirectList = true }, Success, []string{
			"INFO|DRIVER" + scan + "VK_LUNARG_direct_driver_loading extension is active and specified VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG, " +
				"skipping system and environment variable driver search mechanisms.",
			"WARN|DRIVER" + scan + list + " in the pNext chain of VkInstanceCreateInfo has a non-null pDrivers member but a driverCount member with a value of zero."}},
		{"no drivers", newWorld(), InstanceDrivers, nil, IncompatibleDriver, []string{noDrivers}},
		{"portability drivers alone", portable(), InstanceDrivers, nil, IncompatibleDriver,
			[]string{portability + " and enable the VK_KHR_portability_enumeration instance extension.", noDrivers}},
		{"portability: the extension without the flag", portable().enables(portabilityExtension), InstanceDrivers, nil, IncompatibleDriver,
			[]string{portability + ".", noDrivers}},
		{"portability: the flag with another extension", portable().enables("VK_EXT_debug_utils"), InstanceDrivers, func(a *App) { a.Flags = 1 }, IncompatibleDriver,
			[]string{"ERROR|DRIVER: VkInstanceCreateInfo: If flags has the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit set, the list of enabled " +
				"extensions in ppEnabledExtensionNames must contain VK_KHR_portability_enumeration [VUID-VkInstanceCreateInfo-flags-06559 ]Applications that wish " +
				"to enumerate portability drivers must enable the VK_KHR_portability_enumeration instance extension.", noDrivers}},
	} {
		if c.change != nil {
			c.change(&c.world.app)
		}
		a := c.world.ask(t, c.kind, Name{})
		holds(t, c.name, a, c.want...)
		if a.Result != c.result {
			t.Errorf("%s: result %d, want %d", c.name, a.Result, c.result)
		}
		if last := a.Steps[len(a.Steps)-1]; c.result == LayerNotPresent && (last.Kind != StepLog || last.Flags != diag.Error) {
			t.Errorf("%s: the call goes on\n%s", c.name, stepText(a))
		}
		if c.kind == InstanceDrivers && len(a.Steps) != len(c.want) {
			t.Errorf("%s: there is more\n%s", c.name, stepText(a))
		}
	}
}

// TestDriverFailures checks that a driver that fails to list its extensions is left out. A lack of memory or of other drivers
// ends the call, regardless of other errors (INS-017).
//
// holds: INS-017
func TestDriverFailures(t *testing.T) {
	t.Parallel()
	line := func(what, path string) string {
		return "ERROR: loader_add_instance_extensions: Error getting Instance " + what + " from " + path + "\n"
	}
	for _, kind := range []Kind{ExtensionsDrivers, InstanceDrivers} {
		for call, what := range []string{"extensions", "extension count"} {
			for _, c := range []struct {
				results []int32
				want    int32
				left    string // of the drivers, by digits
				said    string
			}{
				{[]int32{-4}, -4, "", line(what, "/0.so")},
				{[]int32{-4, -3}, -4, "", line(what, "/0.so") + line(what, "/1.so")},
				{[]int32{1}, 1, "", line(what, "/0.so")},
				{[]int32{-4, -1}, -1, "", line(what, "/0.so") + line(what, "/1.so")},
				{[]int32{0, -2, -3}, -2, "", line(what, "/1.so")},
				{[]int32{-4, 0, -3, 0}, 0, "13", line(what, "/0.so") + line(what, "/2.so")},
			} {
				w := ready().enables("VK_unknown")
				w.drivers = []Driver{{Path: "/out.so", Result: -1}}
				for i, result := range c.results {
					w.drivers = append(w.drivers, Driver{Index: uint32(i), Usable: true, Path: fmt.Sprintf("/%d.so", i), Result: result, Call: uint32(call),
						Extensions: []manifest.Extension{{Name: fmt.Sprintf("VK_X%d", i)}}})
				}
				w.Vars["VK_LOADER_DISABLE_INST_EXT_FILTER"] = "1"
				a := w.ask(t, kind, Name{})
				text := stepText(a)
				left, out := "", map[int]bool{}
				for _, s := range a.Steps {
					if s.Kind == StepDrop {
						out[s.Driver] = true
					}
				}
				for i := range c.results {
					if a.Result == 0 || a.Result == ExtensionNotPresent {
						if !out[i] {
							left += fmt.Sprint(i)
						}
					}
				}
				want := c.want
				if want == 0 && kind == InstanceDrivers {
					want = ExtensionNotPresent // for VK_unknown
				}
				if !strings.HasPrefix(text, c.said) || a.Result != want || left != c.left || c.want != 0 && text != c.said {
					t.Errorf("%v: %d, left %s:\n%s", c.results, a.Result, left, text)
				}
				if kind == ExtensionsDrivers && c.want == 0 && (a.Extensions[0].Name != "VK_X1" || a.Extensions[1].Name != "VK_X3") {
					t.Errorf("%v: %v", c.results, a.Extensions)
				}
			}
		}
	}
	w := ready().enables("VK_EXT_direct_mode_display") // of the driver that is left out
	w.drivers = append(w.drivers, Driver{Usable: true, Result: -3, Extensions: []manifest.Extension{{Name: "VK_EXT_direct_mode_display"}}})
	if r := w.ask(t, InstanceDrivers, Name{}).Result; r != ExtensionNotPresent {
		t.Error(r)
	}
}

// Every kind of answer has its steps in its order, and nothing of the look before it.
func TestSteps(t *testing.T) {
	t.Parallel()
	const pre = `,"enable_environment":{"YES":"1"},"pre_instance_functions":{"vkEnumerateInstanceExtensionProperties":"e","vkEnumerateInstanceVersion":"v",` +
		`"vkEnumerateInstanceLayerProperties":"l"}`
	const forced = `WARN|LAYER: Implicit layer "I" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.`
	base := func() *world {
		w := ready().driver("a.json", "").implicit("i.json", "I", pre).implicitMeta("m.json", "M", `"E"`, pre).explicit("e.json", "E", "")
		w.Vars["VK_LOADER_LAYERS_ENABLE"] = "I,M" // a meta-layer has no library to call first
		return w
	}
	last := func(a *Answer) string {
		lines := strings.Split(strings.TrimSuffix(stepText(a), "\n"), "\n")
		return lines[len(lines)-1]
	}
	for _, kind := range []Kind{Version, Layers, Extensions} {
		a := base().ask(t, kind, Name{})
		if len(a.PreLayers) != 1 || a.PreLayers[0].Name != "I" || last(a) != "<pre-layers>" {
			t.Errorf("%d: %v\n%s", kind, a.PreLayers, stepText(a))
		}
		holds(t, "enabled", a, forced)
		w := base() // from below the layers
		w.terminator = true
		if a = w.ask(t, kind, Name{}); len(a.PreLayers) != 0 {
			t.Errorf("%d: %v", kind, a.PreLayers)
		}
		w = base().settings(layers(entry("off", "I", "", ""), unordered)) // no layer is left
		if a = w.ask(t, kind, Name{}); len(a.PreLayers) != 0 || last(a) == "<pre-layers>" {
			t.Errorf("%d: %v", kind, a.PreLayers)
		}
		holds(t, "settings", a, "INFO: Using layer configurations found in loader settings from "+settingsPath)
		w = base()
		w.Vars["VK_LOADER_LAYERS_ENABLE"], w.Vars["VK_LOADER_LAYERS_DISABLE"], w.Vars["YES"] = "", "I", "1"
		holds(t, "disabled", w.ask(t, kind, Name{}), `WARN|LAYER: Implicit layer "I" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`,
			`WARN|LAYER: Layer "I" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`)
		w = base() // only the call's own messages remain of the layer search
		delete(w.Vars, "VK_LOADER_LAYERS_ENABLE")
		a = w.ask(t, kind, Name{})
		holds(t, "searched once", a, "LAYER: Searching for implicit layer manifest files")
		if want := map[Kind]string{Layers: "<layers>", Extensions: "<open liba.json.so>"}[kind]; want != "" && last(a) != want {
			t.Errorf("%d: ends with %s", kind, last(a))
		}
		missing := 0
		for _, f := range a.Diagnostics {
			if f.Code == diag.LocationMissing && f.Path == "/usr/local/share/vulkan/implicit_layer.d" {
				missing++
			}
		}
		if missing != 1 {
			t.Errorf("%d: a directory is missing %d times", kind, missing)
		}
	}
	a := base().ask(t, ExtensionsDrivers, Name{})
	if !strings.HasSuffix(stepText(a), "<extensions>\n") || strings.Count(stepText(a), "\n") != 1 {
		t.Error(stepText(a))
	}
	for _, c := range []struct{ layer, off string }{{"E", ""}, {"E", "E"}} {
		w := base()
		if c.off != "" {
			w.settings(layers(entry("off", "E", "", ""), unordered))
		}
		w.terminator = true
		if a = w.ask(t, Extensions, Name{c.layer, true}); last(a) != "<extensions>" {
			t.Errorf("%+v: %s", c, stepText(a))
		}
	}
	a = ready().ask(t, Extensions, Name{strings.Repeat("x", 256), true})
	holds(t, "a long name", a, "ERROR: vkEnumerateInstanceExtensionProperties:  pLayerName is too long or is badly formed")

	w := base().settings(`{"stderr_log":["warn"],"device_configurations":[]}`).wants("E").enables("VK_EXT_debug_utils")
	w.Vars["VK_INSTANCE_LAYERS"], w.Vars["VK_LOADER_LAYERS_ENABLE"] = "::E::", "I"
	a = w.ask(t, Instance, Name{})
	holds(t, "the level", a, "<level 0x2>", "INFO: Using layer configurations found in loader settings from "+settingsPath)
	holds(t, "the lists", a, "<layers>", "<active>", "<devices>", "DRIVER: Searching for driver manifest files")
	refuseLog(t, a, "VK_INSTANCE_LAYERS")
	if a.Settings == nil || a.Settings.Level != 2 {
		t.Errorf("settings %+v", a.Settings)
	}
	a = w.ask(t, InstanceDrivers, Name{})
	expect(t, "after the drivers", stepText(a), forced+"\nWARN|LAYER: env var 'VK_INSTANCE_LAYERS' defined and adding layers \"::E::\"\n")
}

// Files that cannot be used are said to be, once, and found with their place.
//
// holds: LOG-19 LAY-7 LAY-8 LAY-9 PATH-21
func TestBadFiles(t *testing.T) {
	t.Parallel()
	const path = explicitDirectory + "e.json"
	files := []string{"LAYER:    Found the following files:", "LAYER:       " + path}
	for _, c := range []struct {
		name   string
		change func(*world)
		line   string
		found  string
	}{
		{"open", func(w *world) { w.Broken[path] = facts.FileNotOpened }, "ERROR: loader_get_json: Failed to open JSON file " + path, "file-open 0:0 failed to open it"},
		{"read", func(w *world) { w.Broken[path] = facts.FileNotRead }, "ERROR: loader_get_json: Failed to read entire JSON file " + path, "file-read 0:0 failed to read all of it"},
		{"size", func(w *world) { w.Broken[path] = facts.FileNoSize }, "ERROR: loader_get_json: Failed to read file size of JSON file " + path, "file-read 0:0 failed to read its size"},
		{"syntax", func(w *world) { w.Files[path] = "{\n 1}" }, "ERROR: loader_get_json: Invalid JSON file " + path + ".", "file-syntax 2:2 expected a member name in double quotes; JSON allows no comma after the last entry, and no comment"},
		{"version", func(w *world) { w.Files[path] = "{\n \"file_format_version\":\n  1}" }, "WARN|LAYER: loader_add_layer_properties: Manifest " + path +
			" missing required field file_format_version", "manifest-version 3:3 \"file_format_version\" must be a string, and is a number"},
	} {
		w := newWorld()
		w.Files[path] = ""
		c.change(w)
		w.Directories[strings.TrimSuffix(explicitDirectory, "/")] = []string{"e.json"}
		a := w.ask(t, Layers, Name{})
		holds(t, c.name, a, append(append([]string{}, files...), c.line, "<layers>")...)
		var found []string
		for _, f := range a.Diagnostics {
			if f.Path == path && f.Code != diag.LocationMissing {
				what := ""
				if !strings.HasSuffix(c.line, f.What) {
					what = " " + f.What
				}
				found = append(found, fmt.Sprintf("%s %d:%d%s", f.Code, f.Line, f.Column, what))
			}
		}
		expect(t, c.name, strings.Join(found, "\n"), c.found)
	}
	w := newWorld()
	long := "/" + strings.Repeat("x", 2043) + ".json"
	w.Vars["VK_LAYER_PATH"] = long
	a := w.ask(t, Layers, Name{})
	holds(t, "too long", a, "DEBUG: add_data_files: Path to "+long+" too long", "LAYER: Searching for explicit layer manifest files",
		"LAYER:    In following locations:", "LAYER:    Found no files", "<layers>")
	if foundOf(a, long) == "" {
		t.Error("a path that is too long is not found to be")
	}
	if n := len(a.Searched[search.ImplicitLayers].List); n != 7 {
		t.Errorf("%d places searched", n)
	}
}
