package plan

import (
	"strings"
	"testing"

	"vkloader/internal/core/manifest"
)

// holds: ENV-74 ENV-75 LAY-144 LAY-145 LAY-149 LAY-150 ENV-56 ENV-61 LAY-146 ENV-72 ENV-73
func TestActivationOrder(t *testing.T) {
	for _, c := range []struct {
		variable, enable string
		app              []string
		want             string
	}{
		{"", "", nil, "I"},
		{"E", "", nil, "I E"},
		{"E:I", "", nil, "E I"},
		{"I:E", "", nil, "I E"},
		{"E:none:E", "", nil, "I E"},
		{"xIx", "", nil, ""}, // the name occurs in the text
		{"F", "P3,P1", []string{"E", "I"}, "I F P1 P3 E"},
		{"", "p*", []string{"P3"}, "I P1 P3"},
	} {
		w := newWorld().implicit("i.json", "I", "").explicit("e.json", "E", "").explicit("f.json", "F", "").
			explicit("p1.json", "P1", "").explicit("p3.json", "P3", "").wants(c.app...)
		if c.variable != "" {
			w.Vars["VK_INSTANCE_LAYERS"] = c.variable
		}
		w.Vars["VK_LOADER_LAYERS_ENABLE"] = c.enable
		w.drivers = []Driver{{Usable: true}}
		a := w.ask(t, InstanceDrivers, Name{})
		expect(t, "active with "+c.variable+" "+c.enable, active(a), c.want)
		if c.variable != "" {
			expectLog(t, a, `WARN|LAYER: env var 'VK_INSTANCE_LAYERS' defined and adding layers "`+c.variable+`"`)
		}
		if strings.Contains(c.variable, "none") {
			expectLog(t, a, `ERROR|LAYER: Layer "none" was not found but was requested by env var VK_INSTANCE_LAYERS!`)
		}
	}
}

// holds: LAY-125 LAY-126 LAY-127 LAY-128 LAY-135 ENV-55 ENV-57 ENV-58 ENV-59 ENV-64 ENV-65 ENV-66 ENV-68 LAY-103
func TestImplicitRules(t *testing.T) {
	const enable = `,"enable_environment":{"YES":"1"}`
	type vars = map[string]string
	for _, c := range []struct {
		more   string
		vars   vars
		filter string // D, A, E
		app    bool
		want   string // "-": not listed
	}{
		{"", nil, "", false, "I"}, {"", nil, "D", false, "-"}, {"", nil, "AD", false, "I"}, {"", nil, "DE", false, "I"},
		{"", vars{"NO_I": ""}, "", false, ""}, {"", vars{"NO_I": "0"}, "E", false, ""}, {"", vars{"NO_I": "0"}, "AD", false, ""},
		{"", vars{"NO_I": "0"}, "", true, "I"},
		{enable, nil, "", false, ""}, {enable, vars{"YES": "10"}, "", false, ""}, {enable, vars{"YES": "1"}, "", false, "I"},
		{enable, nil, "E", false, "I"}, {enable, nil, "DE", false, "I"}, {enable, nil, "A", false, ""}, {enable, nil, "", true, "I"},
		{enable, vars{"YES": "1", "NO_I": "1"}, "", false, ""}, {enable, vars{"YES": "1"}, "D", false, "-"},
	} {
		w := newWorld().implicit("i.json", "I", c.more)
		for k, v := range c.vars {
			w.Vars[k] = v
		}
		for _, f := range c.filter {
			w.Vars[map[rune]string{'D': "VK_LOADER_LAYERS_DISABLE", 'A': "VK_LOADER_LAYERS_ALLOW", 'E': "VK_LOADER_LAYERS_ENABLE"}[f]] = "i"
		}
		if c.app {
			w.wants("I")
		}
		w.drivers = []Driver{{Usable: true}}
		a := w.ask(t, InstanceDrivers, Name{})
		if c.want == "-" {
			expect(t, "listed", listed(a), "")
			expectLog(t, w.ask(t, Instance, Name{}), `WARN|LAYER: Layer "I" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`,
				`WARN|LAYER: Implicit layer "I" forced disabled because name matches filter of env var 'VK_LOADER_LAYERS_DISABLE'.`)
			continue
		}
		expect(t, "listed", listed(a), "I")
		expect(t, "active", active(a), c.want)
		forced := c.want == "I" && c.vars["YES"] != "1" && c.more != "" && !c.app
		if forced {
			expectLog(t, a, `WARN|LAYER: Implicit layer "I" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.`)
		} else {
			refuseLog(t, a, "forced")
		}
	}
}

// holds: ENV-46 ENV-47 ENV-48 ENV-49 ENV-53 LAY-114 LAY-117 LAY-267 GEN-15
func TestLayerFilters(t *testing.T) {
	base := func() *world {
		return newWorld().implicit("i.json", "I", "").explicit("e.json", "E", "").wants("E")
	}
	for _, c := range []struct{ disable, allow, active string }{
		{"~implicit~", "", "E"}, {"~explicit~", "", "-"}, {"*", "", "-"}, {"~all~", "e", "E"}, {"~all~", "*", "-"},
		{"e*,~implicit~", "I", "-"}, {"~IMPLICIT~", "", "E"},
	} {
		w := base()
		w.Vars["VK_LOADER_LAYERS_DISABLE"], w.Vars["VK_LOADER_LAYERS_ALLOW"] = c.disable, c.allow
		if c.allow == "*" { // ENV-44 does not hurt: the names have one character
			c.active = "I E"
		}
		a := w.ask(t, Instance, Name{})
		if c.active == "-" {
			if a.Result != LayerNotPresent {
				t.Errorf("%q: %d", c.disable, a.Result)
			}
			expectLog(t, a, "ERROR: loader_validate_layers: Layer 0 does not exist in the list of available layers")
			continue
		}
		expect(t, c.disable, active(a), c.active)
	}
}

// holds: ENV-41 ENV-42 ENV-44
func TestFilterLimits(t *testing.T) {
	many := strings.Repeat("x,", 15)
	for _, c := range []struct {
		list  string
		words bool
		name  string
		want  bool
	}{
		{many + "a,b", false, "a", true}, {many + "a,b", false, "b", false},
		{many + "a,~all~", true, "zz", false}, {"~all~," + many + "a", true, "a", true},
		{"A*Z*", false, "a*zebra", true}, {"*[*", false, "{", false}, {"*zZ", false, "Zz", true}, {"~all~", false, "four", false}, {"~all~", false, "fives", true}, {"**", false, "a", false}, {"***", false, "a*b", true},
		{"*" + strings.Repeat("y", 300) + "*", false, strings.Repeat("y", 255), true}, {"~foo*", false, "~foobar", false},
	} {
		f := parseFilter(c.list, c.words)
		if got := f.disables(c.name, false); got != c.want {
			t.Errorf("%q on %q: %v", c.list, c.name, got)
		}
	}
}

// holds: LAY-104 LAY-105 LAY-107 LAY-108 PATH-25
func TestDuplicates(t *testing.T) {
	w := newWorld().explicit("a.json", "X", "").explicit("b.json", "X", "").explicit("c.json", "X", "").explicit("d.json", "Y", "").implicit("y.json", "Y", "")
	a := w.ask(t, Layers, Name{})
	expect(t, "listed", listed(a), "Y X X")
	if a.Layers[2].Manifest != explicitDirectory+"c.json" {
		t.Error(a.Layers[2].Manifest)
	}
	expectLog(t, a, "WARN: Removing layer X ("+explicitDirectory+"b.json) because it is a duplicate of X ("+explicitDirectory+"a.json)",
		"WARN: Removing layer Y ("+explicitDirectory+"d.json) because it is a duplicate of Y ("+implicitDirectory+"y.json)")
}

// holds: LAY-156 LAY-157 LAY-159 LAY-160 LAY-161 LAY-162 LAY-163 LAY-164 LAY-165 LAY-169 LAY-170 LAY-173 LAY-174 LAY-175 LAY-176 LAY-177 LAY-178 LAY-179 FUZ-033
func TestMetaLayers(t *testing.T) {
	ext := func(n string) string { return `,"instance_extensions":[{"name":"` + n + `","spec_version":"1"}]` }
	w := newWorld().explicit("a.json", "A", ext("XA")).explicit("b.json", "B", ext("XA")).explicit("c.json", "C", ext("XC")).
		implicit("i.json", "I", `,"enable_environment":{"YES":"1"}`).
		meta("m1.json", "inner", `"A"`, "").meta("m2.json", "outer", `"inner","C"`, ext("XO")).meta("m3.json", "withI", `"I","B"`, "").
		meta("m4.json", "both", `"A","B"`, ext("XB")).
		meta("n1.json", "self", `"self"`, "").meta("n2.json", "loop1", `"loop2"`, "").meta("n3.json", "loop2", `"loop1"`, "").
		meta("n4.json", "gone", `"A","nothing"`, "").meta("n5.json", "twice", `"inner","outer"`, "").wants("outer", "inner")
	w.Files[explicitDirectory+"old.json"] = strings.ReplaceAll(layerText("1.1.0", "newer", `,"component_layers":["A"]`), "1.3.0", "1.4.9")
	a := w.ask(t, Instance, Name{})
	expect(t, "listed", listed(a), "I A B C inner outer withI both")
	expect(t, "active", active(a), "A inner C outer")
	if o := firstOf(a.Layers)["outer"]; len(o.Instance) != 3 || o.Instance[0].Name != "XO" || o.Instance[1].Name != "XA" || o.Instance[2].Name != "XC" {
		t.Error(o.Instance)
	}
	if o := firstOf(a.Layers)["both"]; len(o.Instance) != 2 || o.Instance[1].Name != "XA" { // which both offer
		t.Error(o.Instance)
	}
	expectLog(t, a,
		"WARN: verify_meta_layer_component_layers: Meta-layer self lists itself in its component layer list at index 0.  Skipping this layer.",
		"WARN: verify_meta_layer_component_layers: Meta-layer gone can't find component layer nothing at index 1.  Skipping this layer.",
		"WARN: verify_meta_layer_component_layers: Meta-layer uses API version 1.4, but component layer 0 has API version 1.3 that is lower.  Skipping this layer.",
		"WARN: verify_meta_layer_component_layers: Recursive dependency between Meta-layer loop2 and  Meta-layer loop1.  Skipping this layer.",
		"WARN: Meta-layer loop1 component layer loop2 can not find all component layers.  Skipping this layer.",
		"INFO: verify_meta_layer_component_layers: Adding meta-layer outer which also contains meta-layer inner",
		`INFO|LAYER: Meta-layer "outer" all 2 component layers appear to be valid.`, "LAYER:   [0] inner", "LAYER:   [1] C",
		"DEBUG: Meta-layer outer component layer C adding instance extension XC",
		"DEBUG: Removing meta-layer twice from instance layer list since it appears invalid.")
	w.app = App{}
	expect(t, "active", active(w.wants("inner", "outer").ask(t, Instance, Name{})), "A inner inner C outer")
	w.app = App{}
	expect(t, "active", active(w.wants("withI").ask(t, Instance, Name{})), "B withI")
	w.app = App{}
	w.Vars["VK_LOADER_LAYERS_DISABLE"] = "B"
	w.drivers = []Driver{{Usable: true}}
	a = w.wants("withI", "C").ask(t, InstanceDrivers, Name{})
	expect(t, "active", active(a), "C")
	expectLog(t, a, `WARN|LAYER: Failed to find layer name "B" component layer "B" to activate (Policy #LLP_LAYER_7)`)
}

// holds: OVR-1 OVR-2 OVR-4 OVR-5 OVR-6 OVR-7 OVR-8 OVR-10 OVR-12 OVR-13 ENV-33 LAY-187 LAY-189 LAY-192 LAY-199 LAY-204 LAY-213
func TestOverride(t *testing.T) {
	base := func(more string) *world {
		return newWorld().implicitMeta("o.json", manifest.OverrideName, `"C"`, more).explicit("c.json", "C", "").explicit("d.json", "D", "").
			implicit("i.json", "I", "")
	}
	a := base("").ask(t, Instance, Name{})
	expect(t, "active", active(a), "I C "+manifest.OverrideName)
	expectLog(t, a, "INFO|LAYER: Using the global override layer")
	w := base("")
	w.Vars["NO_"+manifest.OverrideName] = "0"
	a = w.ask(t, Instance, Name{})
	expect(t, "listed", listed(a), "I "+manifest.OverrideName+" C D")
	expect(t, "active", active(a), "I")

	a = base(`,"blacklisted_layers":["D","I"]`).ask(t, Instance, Name{})
	expect(t, "listed", listed(a), manifest.OverrideName+" C")
	expectLog(t, a, "DEBUG: loader_remove_layers_in_blacklist: Override layer is active and layer D is in the blacklist inside of it. Removing that layer from current layer list.")

	w = base(`,"override_paths":["/p:/q"]`)
	w.Files["/q/c.json"] = layerText("1.1.0", "C", `,"library_path":"x.so","disable_environment":{"N":""}`)
	w.Vars["VK_LAYER_PATH"], w.Vars["N"] = "/r", "1"
	a = w.ask(t, Instance, Name{})
	expect(t, "active", active(a), "I C "+manifest.OverrideName)
	expect(t, "manifest", firstOf(a.Layers)["C"].Manifest, "/q/c.json")
	expectLog(t, a, "WARN|LAYER: Override layer has override path /p:/q", "INFO|LAYER: /p:/q",
		"INFO|LAYER: Ignoring VK_LAYER_PATH. The Override layer is active and has override paths set, which takes priority. VK_LAYER_PATH is set to /r",
		"LAYER:       /p", "LAYER:       /q")

	a = base(`,"app_keys":["/x"]`).ask(t, Instance, Name{})
	expect(t, "listed", listed(a), "I C D")
	expectLog(t, a, "INFO|LAYER: --Override layer found but not used because app '/bin/program' is not in 'app_keys' list!")
	w = base("").implicitMeta("z.json", manifest.OverrideName, `"D"`, `,"app_keys":["/bin/program"]`)
	a = w.ask(t, Instance, Name{})
	expect(t, "active", active(a), "I D "+manifest.OverrideName)
	expectLog(t, a, "INFO|LAYER: Using the override layer for app key /bin/program")
	w.Program = ""
	expect(t, "active", active(w.ask(t, Instance, Name{})), "I C "+manifest.OverrideName)
}

// holds: INS-005 INS-006 INS-007 INS-008 INS-010 INS-017 LAY-240 LAY-242 LAY-243 LAY-244 LAY-246 LAY-247 LAY-248 LAY-249 GEN-17
func TestExtensions(t *testing.T) {
	const own = "VK_EXT_debug_report VK_EXT_debug_utils VK_KHR_portability_enumeration VK_LUNARG_direct_driver_loading"
	w := newWorld()
	expect(t, "none", extensions(w.ask(t, ExtensionsDrivers, Name{})), own)
	w.driver("a.json", `,"is_portability_driver":true`).implicit("i.json", "I", `,"instance_extensions":[{"name":"VK_XX_thing","spec_version":"7"},{"name":"VK_KHR_surface"}]`).
		explicit("e.json", "E", `,"instance_extensions":[{"name":"VK_E"}]`)
	expect(t, "opened", drivers(w.ask(t, Extensions, Name{Set: true})), "a.json")
	w.drivers = []Driver{{Usable: true, Path: "/d.so", Extensions: []manifest.Extension{{Name: "VK_KHR_surface", Spec: 25}, {Name: "VK_UNKNOWN"}, {Name: "VK_QNX_screen_surface"}, {Name: "VK_EXT_debug_utils", Spec: 9}}}}
	a := w.ask(t, ExtensionsDrivers, Name{})
	expect(t, "merged", extensions(a), "VK_KHR_surface VK_EXT_debug_utils VK_EXT_debug_report VK_KHR_portability_enumeration VK_LUNARG_direct_driver_loading VK_XX_thing")
	if a.Extensions[5].Spec != 7 || a.Extensions[1].Spec != 9 {
		t.Error(a.Extensions)
	}
	w.Vars["VK_LOADER_DISABLE_INST_EXT_FILTER"] = "1"
	expect(t, "unfiltered", extensions(w.ask(t, ExtensionsDrivers, Name{})), "VK_KHR_surface VK_UNKNOWN VK_EXT_debug_utils VK_EXT_debug_report VK_KHR_portability_enumeration VK_LUNARG_direct_driver_loading VK_XX_thing")
	delete(w.Vars, "VK_LOADER_DISABLE_INST_EXT_FILTER")
	w.drivers[0].Result, w.drivers[0].Call = -2, 1
	a = w.ask(t, ExtensionsDrivers, Name{})
	if a.Result != -2 {
		t.Error(a.Result)
	}
	expectLog(t, a, "ERROR: loader_add_instance_extensions: Error getting Instance extension count from /d.so")
	w.drivers = nil
	expect(t, "layer", extensions(w.ask(t, Extensions, Name{"E", true})), "VK_E")
	if r := w.ask(t, Extensions, Name{"F", true}).Result; r != LayerNotPresent {
		t.Error(r)
	}
	if r := w.ask(t, Extensions, Name{"\xc2", true}).Result; r != ExtensionNotPresent {
		t.Error(r)
	}
	w.Vars["NO_I"] = ""
	expect(t, "disabled", extensions(w.ask(t, ExtensionsDrivers, Name{})), own)
	w.implicitMeta("m.json", "M", `"E"`, "")
	w.Vars["NO_M"] = ""
	expect(t, "component", extensions(w.ask(t, ExtensionsDrivers, Name{})), own+" VK_E")
}

// holds: INS-051 INS-052 INS-053 INS-054 INS-056 LAY-272 LAY-273 LAY-274 LAY-245 ENV-78 ENV-109
func TestExtensionChecks(t *testing.T) {
	base := func(ext ...string) *world {
		w := newWorld().explicit("e.json", "E", `,"instance_extensions":[{"name":"VK_KHR_display"},{"name":"VK_made_up"}]`).enables(ext...)
		w.drivers = []Driver{{Usable: true, Extensions: []manifest.Extension{{Name: "VK_KHR_surface"}}}}
		return w
	}
	for _, c := range []struct {
		w      *world
		result int32
		line   string
	}{
		{base("VK_KHR_surface", "VK_EXT_debug_utils"), 0, ""},
		{base("VK_KHR_display"), ExtensionNotPresent, "ERROR: loader_validate_instance_extensions: Instance extension VK_KHR_display not supported by available ICDs or enabled layers."},
		{base("VK_KHR_display").wants("E"), 0, ""},
		{base("VK_made_up").wants("E"), ExtensionNotPresent, "ERROR: loader_validate_instance_extensions: Extension VK_made_up not found in list of known instance extensions."},
		{base("VK_\x01"), ExtensionNotPresent, "ERROR: loader_validate_instance_extensions: Instance ppEnabledExtensionNames contains string that is too long or is badly formed"},
	} {
		a := c.w.ask(t, InstanceDrivers, Name{})
		if a.Result != c.result {
			t.Errorf("%d instead of %d: %s", a.Result, c.result, logText(a))
		}
		if c.line != "" {
			expectLog(t, a, c.line)
		}
	}
	w := base("VK_made_up").wants("E")
	w.Vars["VK_LOADER_DISABLE_INST_EXT_FILTER"] = "1"
	if a := w.ask(t, InstanceDrivers, Name{}); a.Result != 0 {
		t.Error(logText(a))
	}
	w = base()
	w.app.ExtensionCount, w.app.ExtensionsNull = 1, true
	if a := w.ask(t, InstanceDrivers, Name{}); a.Result != ExtensionNotPresent {
		t.Error(logText(a))
	}
}

// holds: LAY-217 LAY-218 LAY-219 LAY-224 LAY-215 LAY-100 LAY-73 LAY-74
func TestPreInstance(t *testing.T) {
	const pre = `,"pre_instance_functions":{"vkEnumerateInstanceVersion":"v","vkEnumerateInstanceLayerProperties":"l"}`
	w := newWorld().implicit("i.json", "I", pre).implicit("j.json", "J", pre+`,"enable_environment":{"YES":"1"}`).explicit("e.json", "E", pre)
	a := w.ask(t, Version, Name{})
	if len(a.PreLayers) != 1 || a.PreLayers[0] != (PreLayer{"I", "libI.so", "v"}) {
		t.Error(a.PreLayers)
	}
	refuseLog(t, a, "explicit")
	a = w.ask(t, Layers, Name{})
	if len(a.PreLayers) != 1 || len(a.Layers) != 0 {
		t.Error(a.PreLayers, a.Layers)
	}
	if a = w.ask(t, Extensions, Name{}); len(a.PreLayers) != 0 {
		t.Error(a.PreLayers)
	}
	w.Vars["VK_LOADER_LAYERS_ENABLE"] = "J"
	if a = w.ask(t, Version, Name{}); len(a.PreLayers) != 2 || a.PreLayers[1].Name != "J" {
		t.Error(a.PreLayers)
	}
	w.Vars["VK_LOADER_LAYERS_DISABLE"], w.Vars["VK_LOADER_LAYERS_ENABLE"] = "~implicit~", ""
	if a = w.ask(t, Layers, Name{}); len(a.PreLayers) != 0 {
		t.Error(a.PreLayers)
	}
	expectLog(t, a, "WARN: Found pre_instance_functions section in explicit layer from \""+explicitDirectory+"e.json\". This section is only valid in implicit layers. The section will be ignored")
}

// holds: DRV-083 DRV-084 DRV-085 DRV-086 DRV-088 DRV-089
func TestDirectDrivers(t *testing.T) {
	w := newWorld().driver("a.json", "").enables("VK_LUNARG_direct_driver_loading")
	a := w.ask(t, Instance, Name{})
	expect(t, "drivers", drivers(a), "a.json")
	expectLog(t, a, "WARN|DRIVER: loader_scan_for_direct_drivers: The VK_LUNARG_direct_driver_loading extension was enabled but the pNext chain of VkInstanceCreateInfo did not contain the VkDirectDriverLoadingListLUNARG structure.")
	w.app.DirectList, w.app.DirectMode, w.app.DirectCount = true, 1, 2
	a = w.ask(t, Instance, Name{})
	expectLog(t, a, "<direct>", "<open liba.json.so>")
	w.app.DirectMode, w.app.DirectNull = 0, true
	a = w.ask(t, Instance, Name{})
	expect(t, "drivers", drivers(a), "")
	refuseLog(t, a, "Searching for driver", "<direct>")
	expectLog(t, a, "WARN|DRIVER: loader_scan_for_direct_drivers: The VkDirectDriverLoadingListLUNARG structure in the pNext chain of VkInstanceCreateInfo has a NULL pDrivers member.")
	w.app.Extensions = nil
	a = w.ask(t, Instance, Name{})
	expect(t, "drivers", drivers(a), "a.json")
}
