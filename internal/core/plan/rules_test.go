package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
)

// holds: INS-008 INS-009
func TestKnownExtensions(t *testing.T) {
	t.Parallel()
	const known = `VK_KHR_surface VK_KHR_display VK_KHR_xlib_surface VK_KHR_xcb_surface VK_KHR_wayland_surface
		VK_KHR_get_physical_device_properties2 VK_KHR_device_group_creation VK_KHR_external_memory_capabilities
		VK_KHR_external_semaphore_capabilities VK_KHR_external_fence_capabilities VK_KHR_get_surface_capabilities2
		VK_KHR_get_display_properties2 VK_KHR_surface_protected_capabilities VK_KHR_portability_enumeration
		VK_KHR_surface_maintenance1 VK_EXT_debug_report VK_NV_external_memory_capabilities VK_EXT_validation_flags
		VK_EXT_direct_mode_display VK_EXT_acquire_xlib_display VK_EXT_display_surface_counter VK_EXT_swapchain_colorspace
		VK_EXT_debug_utils VK_EXT_validation_features VK_EXT_headless_surface VK_EXT_surface_maintenance1
		VK_EXT_acquire_drm_display VK_GOOGLE_surfaceless_query VK_LUNARG_direct_driver_loading VK_EXT_layer_settings
		VK_NV_display_stereo`
	q := &Question{Platform: platform}
	for _, name := range strings.Fields(known) {
		if !q.knows(name) || q.knows(name+"1") {
			t.Error(name)
		}
	}
	w := ready()
	for _, name := range append(strings.Fields(known), "VK_QNX_screen_surface", "VK_EXT_directfb_surface", "VK_KHR_win32_surface") {
		w.drivers[0].Extensions = append(w.drivers[0].Extensions, manifest.Extension{Name: name})
	}
	expect(t, "a driver that has all", extensions(w.ask(t, ExtensionsDrivers, Name{})), strings.Join(strings.Fields(known), " "))
	w.Vars["VK_LOADER_DISABLE_INST_EXT_FILTER"] = "1"
	expect(t, "without the filter", extensions(w.ask(t, ExtensionsDrivers, Name{})), strings.Join(strings.Fields(known), " ")+" VK_KHR_win32_surface")
}

// holds: INS-046
func TestWellFormedNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, " ~": true, "\x1f": false, "\x7f": false, strings.Repeat("x", 255): true, strings.Repeat("x", 256): false,
		"\u0080\u07ff": true, "\u0800\uffff": true, "\U00010000x": true, "\x80": false, "\xbf": false, "\xf8\x80\x80\x80": false, "\xff": false,
		"\xc3": false, "\xc3\xc3": false, "\xc3x": false, "\xe2\x82": false, "\xe2\x82x": false, "\xe2x\x82": false, "\xf0\x9f\x98": false,
		"\xf0\x9f\x98x": false, "\xc3\xa9\xa9": false, "\xe2\x82\xac\x80": false, "\xf0\x9f\x98\x80\x80": false,
	} {
		if wellFormed(Name{text, true}) != want || wellFormed(Name{text, false}) {
			t.Errorf("%q: not %v", text, want)
		}
	}
}

// holds: ENV-91 ENV-108
func TestNumbersOfSwitches(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": false, "0": false, "00": false, "1": true, "9": true, "01": true, "10": true, "1x": true, "x1": false, " 1": true, "\t\n\v\f\r1": true, "\x081": false,
		"\x0e1": false, "-1": true, "+1": true, "-0": false, "--1": false, "+-1": false, "- 1": false, "/1": false, ":1": false, "0:1": false, "0x1": false, "true": false,
	} {
		if nonZero(text) != want {
			t.Errorf("%q: not %v", text, want)
		}
	}
}

// holds: ENV-41 ENV-42
func TestLongFilterEntries(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]bool{254: true, 255: true, 256: false} {
		if name := strings.Repeat("x", n); Matches(name, name) != want {
			t.Errorf("%d characters: not %v", n, want)
		}
	}
	if !Matches("a,*", "anything") || !Matches("*z", "z") || Matches("*zz", "z") || !Matches("z*", "z") {
		t.Error("short patterns")
	}
}

// Components are looked at one by one: an implicit one has its own variables, but not below the override layer.
//
// holds: LAY-134 LAY-177 LAY-178 LAY-179 LAY-425 ENV-72 ENV-73 ENV-56
func TestComponents(t *testing.T) {
	t.Parallel()
	const enable = `,"enable_environment":{"YES":"1"}`
	reasons := func(a *Answer) string {
		var out []string
		for _, active := range a.Active {
			out = append(out, fmt.Sprintf("%s:%d", a.Layers[active.Layer].Name, active.EnabledBy))
		}
		return strings.Join(out, " ")
	}
	w := ready().implicit("i.json", "I", enable).explicit("e.json", "E", "").meta("m.json", "withI", `"I","E"`, "")
	w.Vars["VK_INSTANCE_LAYERS"] = "withI" // which names the implicit layer, too, by a part of it
	expect(t, "disabled", reasons(w.ask(t, Instance, Name{})), fmt.Sprintf("E:%d withI:%d", ByMeta, ByVariable))
	w.Vars["YES"] = "1"
	expect(t, "enabled", reasons(w.ask(t, Instance, Name{})), fmt.Sprintf("I:%d E:%d withI:%d", ByImplicit, ByMeta, ByVariable))

	w = ready().implicit("i.json", "I", enable).implicitMeta("o.json", manifest.OverrideName, `"I"`, "")
	expect(t, "below the override layer", reasons(w.ask(t, Instance, Name{})), fmt.Sprintf("I:%d %s:%d", ByImplicit, manifest.OverrideName, ByImplicit))

	w = ready().explicit("b.json", "B", "").explicit("e.json", "E", "").meta("m.json", "inner", `"E"`, "").meta("n.json", "outer", `"B","inner"`, "")
	w.Vars["VK_LOADER_LAYERS_DISABLE"], w.Vars["VK_LOADER_LAYERS_ENABLE"] = "B", "outer"
	a := w.ask(t, InstanceDrivers, Name{})
	expect(t, "incomplete", active(a), "E inner")
	expect(t, "log", stepText(a), `WARN|LAYER: Layer "outer" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'
WARN|LAYER: Failed to find layer name "B" component layer "B" to activate (Policy #LLP_LAYER_7)
`)
}

// TestOldLayers checks the comparison of versions: without the variant, and for every kind of request (ENV-80).
//
// holds: LAY-132
func TestOldLayers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		layer string
		app   uint32
		old   string // "": not said
	}{
		{"1.3.0", 1<<22 | 3<<12, ""}, {"1.3.0", 1<<22 | 3<<12 | 99, ""}, {"1.2.99", 1<<22 | 3<<12, "1.2, 1.3"}, {"0.9.0", 0, "0.9, 1.0"},
		{"0.9.0", 7, ""}, {"1.0.0", 0, ""}, {"1.4.0", 1<<22 | 3<<12, ""}, {"0.9.0", 9 << 12, ""}, {"0.8.0", 9 << 12, "0.8, 0.9"},
		{"1.9.0", 2 << 22, "1.9, 2.0"}, {"2.0.0", 1<<22 | 9<<12, ""}, {"1.1.0", 1<<29 | 1<<22 | 1<<12, ""},
	} {
		w := ready().explicit("e.json", "E", "").wants("E")
		w.Files[explicitDirectory+"e.json"] = strings.Replace(w.Files[explicitDirectory+"e.json"], "1.3.0", c.layer, 1)
		w.app.API = c.app
		var said []string
		for _, f := range w.ask(t, InstanceDrivers, Name{}).Diagnostics {
			if f.Code == diag.LayerOldVersion {
				text, _ := strings.CutPrefix(f.What, "Layer E uses API version ")
				said = append(said, strings.TrimSuffix(strings.Replace(text, " which is older than the application specified API version of ", ", ", 1), ". May cause issues."))
			}
		}
		expect(t, c.layer, strings.Join(said, "|"), c.old)
	}
}

// What meta-layers ask for is bounded by the size of the files: the one that asks for more is left out, with a line that
// names it, and those beside it are there.
//
// holds: LAY-176 FUZ-023
func TestMetaWork(t *testing.T) {
	t.Parallel()
	const many = 1 << 14
	var text strings.Builder
	text.WriteString(`{"file_format_version":"1.2.0","layers":[`)
	for i := range many {
		fmt.Fprintf(&text, `{"name":"M%d","type":"INSTANCE","api_version":"1.3","implementation_version":"1","description":"","component_layers":[]},`, i)
	}
	w := newWorld()
	w.Files[explicitDirectory+"m.json"] = strings.TrimSuffix(text.String(), ",") + "]}"
	if n := len(w.ask(t, Layers, Name{}).Layers); n != many {
		t.Errorf("%d meta-layers of %d", n, many)
	}
	// Each component is a meta-layer with as many components, so validation would visit all of these for each.
	const each = 1 << 11
	text.Reset()
	text.WriteString(`{"file_format_version":"1.2.0","layers":[`)
	layer := func(name, more string) {
		fmt.Fprintf(&text, `{"name":"%s","type":"INSTANCE","api_version":"1.3","implementation_version":"1","description":"",%s},`, name, more)
	}
	layer("E", `"library_path":"l"`)
	layer("all", `"component_layers":["E"`+strings.Repeat(`,"E"`, each-1)+`]`)
	layer("cheap", `"component_layers":["E"]`)
	for i := range each {
		layer(fmt.Sprint("M", i), `"component_layers":["all"]`)
	}
	w = newWorld()
	w.Files[explicitDirectory+"m.json"] = strings.TrimSuffix(text.String(), ",") + "]}"
	a := w.ask(t, Layers, Name{})
	if got := strings.Fields(listed(a)); len(got) > each/10 || strings.Join(got[:3], " ") != "E all cheap" {
		t.Errorf("%d layers are listed, the first are %v", len(got), got[:3])
	}
	holds(t, "log", a, fmt.Sprintf("WARN|LAYER: Meta-layer M%d (%sm.json) is left out: what it asks for is out of proportion to the size of the files that were read", each-1, explicitDirectory))
	// Each level doubles the ways.
	doubled := func(depth int) *world {
		w := ready()
		entries := []string{entry("on", "first", "/first.json", "")}
		meta := func(control, name string, components ...string) {
			text := ""
			if len(components) > 0 {
				text = `"` + strings.Join(components, `","`) + `"`
			}
			w.Files["/"+name+".json"] = layerText("1.2.0", name, `,"component_layers":[`+text+`]`)
			entries = append(entries, entry(control, name, "/"+name+".json", ""))
		}
		w.Files["/first.json"] = layerText("1.2.0", "first", `,"library_path":"l"`)
		meta("on", "doubling", "A0", "last")
		for i := range depth {
			meta("auto", fmt.Sprint("A", i), fmt.Sprint("A", i+1), fmt.Sprint("A", i+1))
		}
		meta("auto", fmt.Sprint("A", depth))
		meta("on", "other", "last", "A"+fmt.Sprint(depth))
		w.Files["/last.json"] = layerText("1.2.0", "last", `,"library_path":"l"`)
		entries = append(entries, entry("auto", "last", "/last.json", ""))
		return w.settings(layers(entries...))
	}
	a = doubled(8).ask(t, Instance, Name{})
	if n := len(a.Active); n != 1+511+1+1+2 {
		t.Errorf("%d are active", n)
	}
	a = doubled(60).ask(t, Instance, Name{})
	expect(t, "active", active(a), "first last A60 other")
	holds(t, "log", doubled(60).ask(t, InstanceDrivers, Name{}), "WARN|LAYER: Meta-layer doubling (/doubling.json) is left out: what it asks for is out of proportion to the size of the files that were read")
}

// TestDeepMetaLayers checks nested meta-layers: a chain of reasonable length is valid, a cycle invalidates its own members,
// and a chain deeper than the limit is left out alone.
//
// holds: LAY-160 LAY-162 LAY-165 LAY-174
func TestDeepMetaLayers(t *testing.T) {
	t.Parallel()
	chain := func(n int, end string) (*world, []string) {
		w := newWorld().explicit("e.json", "E", "")
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("M", i))
			next := fmt.Sprint("M", i+1)
			if i == n-1 {
				next = end
			}
			w.meta(fmt.Sprintf("m%04d.json", i), names[i], `"`+next+`"`, "")
		}
		return w, names
	}
	w, names := chain(metaDepth, "E")
	expect(t, "a chain", listed(w.ask(t, Layers, Name{})), "E "+strings.Join(names, " "))
	slices.Reverse(names)
	expect(t, "active", active(w.wants("M0").ask(t, Instance, Name{})), "E "+strings.Join(names, " "))
	w, names = chain(metaDepth+3, "E")
	a := w.ask(t, Layers, Name{})
	expect(t, "a deeper chain", listed(a), "E "+strings.Join(names[3:], " "))
	holds(t, "log", a, "WARN|LAYER: Meta-layer M0 ("+explicitDirectory+"m0000.json) is left out: what it asks for is out of proportion to the size of the files that were read")
	for _, n := range []int{2, 19, 200, 1000} {
		w, _ = chain(n, "M0")
		expect(t, "a cycle", listed(w.meta("z.json", "Z", `"E"`, "").ask(t, Layers, Name{})), "E Z")
	}
}

// A meta-layer offers its own extensions and those of its components, of instances and of devices.
//
// holds: LAY-169 LAY-170
func TestExtensionsOfMetaLayers(t *testing.T) {
	t.Parallel()
	list := func(names ...string) string {
		return `[{"name":"` + strings.Join(names, `"},{"name":"`) + `"}]`
	}
	w := newWorld().explicit("e.json", "E", `,"instance_extensions":`+list("VK_a", "VK_b")+`,"device_extensions":`+list("VK_c", "VK_d")).
		meta("m.json", "M", `"E"`, `,"instance_extensions":`+list("VK_b", "VK_x")+`,"device_extensions":`+list("VK_d", "VK_y"))
	a := w.ask(t, Layers, Name{})
	m := firstOf(a.Layers)["M"]
	expect(t, "of instances", extensions(&Answer{Extensions: m.Instance}), "VK_b VK_x VK_a")
	expect(t, "of devices", extensions(&Answer{Extensions: m.Device}), "VK_d VK_y VK_c")
	holds(t, "log", a, "DEBUG: Meta-layer M component layer E adding instance extension VK_a", "DEBUG: Meta-layer M component layer E adding instance extension VK_b",
		"DEBUG: Meta-layer M component layer E adding device extension VK_c", "DEBUG: Meta-layer M component layer E adding device extension VK_d")
}

// holds: LAY-190 LAY-191 LAY-207 OVR-10 ENV-33 LAY-115
func TestSeveralOverrides(t *testing.T) {
	t.Parallel()
	keyed := `,"app_keys":["/bin/program"]`
	w := newWorld()
	for i, more := range []string{"", "", keyed, keyed} {
		w.implicitMeta(fmt.Sprint("o", i, ".json"), manifest.OverrideName, "", more)
	}
	w.Vars["VK_LAYER_PATH"] = "/r"
	a := w.ask(t, Layers, Name{})
	expect(t, "listed", listed(a), manifest.OverrideName)
	expect(t, "chosen", a.Layers[0].Manifest, implicitDirectory+"o2.json")
	holds(t, "log", a, "WARN|LAYER: remove_all_non_valid_override_layers: Multiple global override layers found. Using the first global layer found",
		"WARN|LAYER: remove_all_non_valid_override_layers: Multiple override layers where the same path in app_keys was found. Using the first layer found",
		"INFO|LAYER: Using the override layer for app key /bin/program")
	refuseLog(t, a, "Ignoring VK_LAYER_PATH") // there are no override paths
	expect(t, "ignored", foundOf(a, "VK_LAYER_PATH"), "location-missing|/r|no such directory")

	w = newWorld().implicitMeta("o.json", manifest.OverrideName, `"C"`, `,"override_paths":["/p"],"blacklisted_layers":["D"]`).
		explicit("c.json", "C", "").explicit("d.json", "D", "")
	w.Files["/p/c.json"] = w.Files[explicitDirectory+"c.json"]
	a = w.ask(t, Layers, Name{})
	expect(t, "listed", listed(a), manifest.OverrideName+" C")
	holds(t, "paths", a, "WARN|LAYER: Override layer has override path /p", "INFO|LAYER: /p")
	w.Vars["VK_LOADER_LAYERS_DISABLE"] = manifest.OverrideName // then nothing of it counts
	a = w.ask(t, Layers, Name{})
	expect(t, "listed without", listed(a), "C D")
	expect(t, "from", a.Layers[0].Manifest, explicitDirectory+"c.json")
	holds(t, "disabled", a, `WARN|LAYER: Implicit layer "`+manifest.OverrideName+`" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`)
}

// holds: SET-48 SET-57 SET-58 SET-59 SET-60 SET-63
func TestSettingsMessages(t *testing.T) {
	t.Parallel()
	w := usual().settings(layers(unordered, entry("auto", "E2", explicitDirectory+"e2.json", ""), unordered))
	expect(t, "the first place counts", listed(w.ask(t, Layers, Name{})), "I1 I2 E1 E2")
	w.drivers = []Driver{{Usable: true}}
	w.Vars["VK_INSTANCE_LAYERS"], w.Vars["VK_LOADER_LAYERS_ENABLE"] = "E2:nobody:E1", "E1"
	a := w.ask(t, InstanceDrivers, Name{})
	expect(t, "active", active(a), "I1 I2 E1 E2")
	expect(t, "log", stepText(a), `WARN|LAYER: env var 'VK_INSTANCE_LAYERS' defined and adding layers: E2:nobody:E1
WARN|LAYER: Layer "E1" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.
`)
	w = ready().settings(layers(entry("auto", "G", "/g.json", "")))
	w.Files["/g.json"], w.Vars["VK_LOADER_LAYERS_ENABLE"] = layerText("1.2.0", "G", `,"component_layers":["gone"]`), "G"
	expect(t, "what is missing comes after", stepText(w.ask(t, InstanceDrivers, Name{})), `WARN|LAYER: Layer "G" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.
WARN|LAYER: Failed to find layer name "gone" component layer "gone" to activate (Policy #LLP_LAYER_7)
`)
	for _, c := range []struct{ disable, allow, out string }{
		{"~all~", "", "E1 E2"}, {"~implicit~", "", "E1 E2"}, {"~explicit~", "", ""}, {"e2", "", "E2"}, {"*", "e1", "E2"}, {"", "", ""},
	} {
		w = ready().explicit("e1.json", "E1", "").explicit("e2.json", "E2", "").
			settings(layers(entry("auto", "E1", explicitDirectory+"e1.json", ""), entry("auto", "E2", explicitDirectory+"e2.json", "")))
		w.Vars["VK_LOADER_LAYERS_DISABLE"], w.Vars["VK_LOADER_LAYERS_ALLOW"] = c.disable, c.allow
		w.wants("E1", "E2")
		want := ""
		for _, name := range strings.Fields(c.out) {
			want += `WARN|LAYER: Layer "` + name + `" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.` + "\n"
		}
		if want == "" {
			want = "\n"
		}
		expect(t, c.disable, stepText(w.ask(t, InstanceDrivers, Name{})), want)
	}
	// Of layers with one name, those that are in the chain do not depend on a meta-layer of that name.
	w = ready().settings(layers(entry("on", "X", "/a.json", ""), entry("on", "X", "/m.json", "")))
	w.Files["/a.json"] = layerText("1.2.0", "X", `,"library_path":"x.so"`)
	w.Files["/m.json"] = layerText("1.2.0", "X", `,"component_layers":[]`)
	a = w.ask(t, Instance, Name{})
	if len(a.Active) != 2 || a.Active[0].Unchained || a.Active[1].Unchained {
		t.Errorf("%+v", a.Active)
	}
}

// The level of the settings file counts in every call, also where nothing is said of it again.
//
// holds: SET-12 SET-14 SET-15 SET-77
func TestSettingsInEveryCall(t *testing.T) {
	t.Parallel()
	w := usual().settings(`{"stderr_log":["warn"],"layers":[` + entry("on", "I1", implicitDirectory+"i1.json", `,"treat_as_implicit_manifest":true`) + "," +
		entry("auto", "I2", implicitDirectory+"i2.json", `,"treat_as_implicit_manifest":true`) + `]}`)
	memory, store := &Memory{}, facts.NewStore()
	ask := func() *Answer {
		for range 9 {
			a := Decide(&Question{Kind: Extensions, Memory: memory, Platform: platform}, store)
			if len(a.Needs) == 0 {
				if a.Remember != nil {
					memory.Remembered = *a.Remember
				}
				return a
			}
			store.Fetch(store.TakeNeeds(), &w.Tree)
		}
		t.Fatal("never decided")
		return nil
	}
	holds(t, "first", ask(), "<level 0x2>", "INFO: Using layer configurations found in loader settings from "+settingsPath)
	a := ask()
	if !strings.HasPrefix(stepText(a), "<level 0x2>\nINFO: Found manifest file") {
		t.Error(stepText(a))
	}
}

// Extensions of explicit layers are listed where they are components and there is an implicit meta-layer, and not else.
//
// holds: LAY-246
func TestExtensionsOfComponents(t *testing.T) {
	t.Parallel()
	const own = "VK_EXT_debug_report VK_EXT_debug_utils VK_KHR_portability_enumeration VK_LUNARG_direct_driver_loading"
	offers := func(name string) string { return `,"instance_extensions":[{"name":"` + name + `"}]` }
	base := func() *world {
		return ready().implicit("i.json", "I", offers("VK_i")).explicit("e.json", "E", offers("VK_e")).explicit("d.json", "D", offers("VK_d")).
			meta("m.json", "M", `"E"`, "")
	}
	ask := func(w *world) string { return extensions(w.ask(t, ExtensionsDrivers, Name{})) }
	expect(t, "explicit meta-layers", ask(base()), own+" VK_i")
	w := base().implicitMeta("n.json", "N", `"E","I"`, "")
	w.Vars["NO_I"], w.Vars["NO_N"] = "", ""
	expect(t, "an implicit meta-layer that is disabled", ask(w), own+" VK_e")
	list := []string{entry("auto", "I", implicitDirectory+"i.json", `,"treat_as_implicit_manifest":true`), entry("auto", "E", explicitDirectory+"e.json", ""),
		entry("auto", "M", explicitDirectory+"m.json", "")}
	expect(t, "the settings file's", ask(base().settings(layers(list...))), own+" VK_i")
	expect(t, "the settings file's explicit ones", ask(base().settings(layers(list[1:]...))), own)
}

// A question for the version goes by the settings file as the others do.
//
// holds: SET-9 SET-56
func TestSettingsOfVersions(t *testing.T) {
	t.Parallel()
	const pre = `,"pre_instance_functions":{"vkEnumerateInstanceVersion":"v"}`
	w := newWorld().implicit("i.json", "I", pre).implicit("j.json", "J", pre)
	for _, c := range []struct{ settings, want string }{
		{"", "I J"}, {layers(entry("off", "I", "", ""), unordered), "J"}, {layers(), ""},
	} {
		if c.settings != "" {
			w.settings(c.settings)
		}
		var got []string
		for _, l := range w.ask(t, Version, Name{}).PreLayers {
			got = append(got, l.Name)
		}
		expect(t, c.settings, strings.Join(got, " "), c.want)
	}
}
