package discovery

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// pre are the pre-instance functions of the fake layer.
var pre = vars{"vkEnumerateInstanceVersion": "fakePreVersion", "vkEnumerateInstanceLayerProperties": "fakePreLayers",
	"vkEnumerateInstanceExtensionProperties": "fakePreExtensions", "vkSomethingElse": "x"}

// holds: LAY-75 LAY-217..220 LAY-223..230 LAY-232 LAY-233 LAY-238 LAY-251 OVR-18 INS-004 ENV-52 ENV-69
func TestPreInstanceFunctions(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	a := w.ImplicitLayer("VK_LAYER_a").Set("pre_instance_functions", pre)
	b := w.ImplicitLayer("VK_LAYER_b").Set("pre_instance_functions", pre)
	w.ExplicitLayer("VK_LAYER_e").Set("pre_instance_functions", pre)
	s := start(t, w)
	asked := func() string {
		var who []string
		for _, l := range w.Log() {
			if strings.HasPrefix(l.Text("fn"), "fakePre") {
				who = append(who, l.Text("who"))
			}
		}
		w.ForgetLog()
		return strings.Join(who, " ")
	}
	version := func() int64 { return s.h.OK("instance_version").Int("version") }
	plain := int64(1<<22 | 4<<12)
	for _, variable := range []string{byName, enableFilter} {
		s.with(vars{variable: "VK_LAYER_e"}, func() {
			if v := version(); v < plain || asked() != "VK_LAYER_b VK_LAYER_a" {
				t.Error(v, variable)
			}
		})
	}
	same(t, "listed", s.listed(), "VK_LAYER_a VK_LAYER_b VK_LAYER_e")
	same(t, "asked", asked(), "VK_LAYER_b VK_LAYER_a VK_LAYER_b VK_LAYER_a") // count and fill
	same(t, "extensions", s.extensions(), own)
	same(t, "asked", asked(), "VK_LAYER_b VK_LAYER_a VK_LAYER_b VK_LAYER_a")
	s.create()
	same(t, "asked by vkCreateInstance", asked(), "")
	b.Replace("pre_version 123456", "pre_layers 17", "pre_extensions 9")
	if v := version(); v != 123456 {
		t.Error(v)
	}
	if n := s.h.Do("instance_layers", "count", "0").Int("count"); n > 17 {
		t.Error(n)
	}
	b.Replace()
	s.with(vars{world.Disable("VK_LAYER_a"): "", disableFilter: "*b"}, func() {
		w.ForgetLog()
		version()
		same(t, "asked", asked(), "")
	})
	// A library that cannot be opened, or lacks the function, is left out.
	b.Set("library_path", "/nowhere.so")
	a.Set("pre_instance_functions", vars{"vkEnumerateInstanceVersion": "gone", "vkEnumerateInstanceLayerProperties": "gone", "vkEnumerateInstanceExtensionProperties": "gone"})
	s.lines()
	if v := version(); v < plain {
		t.Error(v)
	}
	same(t, "listed", s.listed(), "VK_LAYER_a VK_LAYER_b VK_LAYER_e")
	same(t, "extensions", s.extensions(), own)
	log := s.lines()
	const unable = `: Unable to resolve symbol "gone" in implicit layer library "`
	log.has(t, "WARNING", "vkEnumerateInstanceVersion"+unable+a.Library+`"`)
	log.has(t, "WARNING", "vkEnumerateInstanceLayerProperties"+unable+a.Library+`"`)
	log.has(t, "WARNING | LAYER", "vkEnumerateInstanceExtensionProperties"+unable+a.Library+`"`)
	s.end()
}

// holds: INS-005..008 INS-010..016 LAY-79 LAY-234..236 LAY-239..244 LAY-247..250 GEN-17 ENV-24 ENV-108 SET-74
func TestInstanceExtensions(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.ImplicitLayer("VK_LAYER_i").Set("instance_extensions", []vars{{"name": "VK_XX_thing", "spec_version": "7"}, {"name": "VK_KHR_surface", "spec_version": "99"}, {"name": "VK_QNX_screen_surface"}})
	w.ExplicitLayer("VK_LAYER_e").Set("instance_extensions", []vars{{"name": "VK_E", "spec_version": "2"}})
	w.ExplicitLayer("VK_LAYER_none")
	s := start(t, w)
	same(t, "no driver", s.extensions(), own+" VK_XX_thing VK_KHR_surface")
	s.with(vars{world.Disable("VK_LAYER_i"): ""}, func() {
		a := s.h.OK("instance_extensions")
		same(t, "nothing", strings.Join(a.Strings("extensions"), " "), own)
		if v := a.Ints("versions"); v[0] != 10 || v[1] != 2 || v[2] != 1 || v[3] != 1 {
			t.Error(v)
		}
	})
	w.Driver("one", "ext VK_KHR_surface 25", "ext VK_unknown 4", "ext VK_EXT_debug_utils 9", "ext VK_QNX_screen_surface 1")
	w.Driver("two", "ext VK_KHR_display 5", "ext VK_KHR_surface 24").Set("is_portability_driver", true)
	w.Env["VK_DRIVER_FILES"] = w.Path("drivers/one.json") + ":" + w.Path("drivers/two.json")
	s.set("VK_DRIVER_FILES", w.Env["VK_DRIVER_FILES"])
	const rest = " VK_EXT_debug_report VK_KHR_portability_enumeration VK_LUNARG_direct_driver_loading VK_XX_thing"
	a := s.h.OK("instance_extensions")
	same(t, "merged", strings.Join(a.Strings("extensions"), " "), "VK_KHR_surface VK_EXT_debug_utils VK_KHR_display"+rest)
	if v := a.Ints("versions"); v[0] != 25 || v[1] != 9 || v[6] != 7 {
		t.Error(v)
	}
	same(t, "empty name", s.extensions("layer", ""), "VK_KHR_surface VK_EXT_debug_utils VK_KHR_display"+rest)
	for value, off := range map[string]bool{"1": true, "-7x": true, "0": false, "": false, "true": false, " 2": true} {
		s.with(vars{"VK_LOADER_DISABLE_INST_EXT_FILTER": value}, func() {
			want := "VK_KHR_surface VK_EXT_debug_utils VK_KHR_display" + rest
			if off {
				want = "VK_KHR_surface VK_unknown VK_EXT_debug_utils VK_KHR_display" + rest
			}
			same(t, "filter "+value, s.extensions(), want)
		})
	}
	s.with(vars{"VK_LOADER_DRIVERS_DISABLE": "ONE*"}, func() {
		same(t, "without one", s.extensions(), "VK_KHR_display VK_KHR_surface VK_EXT_debug_report VK_EXT_debug_utils VK_KHR_portability_enumeration VK_LUNARG_direct_driver_loading VK_XX_thing")
	})
	s.with(vars{byName: "VK_LAYER_e", enableFilter: "VK_LAYER_e"}, func() {
		if strings.Contains(s.extensions(), "VK_E ") {
			t.Error("an explicit layer's extension")
		}
	})
	same(t, "a layer's", s.extensions("layer", "VK_LAYER_e"), "VK_E")
	same(t, "a layer's", s.extensions("layer", "VK_LAYER_none"), "")
	if r := s.h.Do("instance_extensions", "layer", "VK_LAYER_gone", "count", "only").Result(); r != layerNotPresent {
		t.Error(r)
	}
	s.with(vars{disableFilter: "*_e"}, func() {
		if r := s.h.Do("instance_extensions", "layer", "VK_LAYER_e").Result(); r != layerNotPresent {
			t.Error(r)
		}
	})
	for count, want := range map[string]int{"0": 5, "6": 5, "7": 0, "40": 0} {
		if r := s.h.Do("instance_extensions", "count", count).Result(); r != want {
			t.Errorf("count %s: %d", count, r)
		}
	}
	s.end()
}

// holds: INS-051..056 LAY-272..274 LAY-141 LAY-303 ENV-78 ENV-109 INS-025
func TestExtensionChecks(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one", "device name=a", "ext VK_KHR_surface", "ext VK_unknown")
	w.Driver("two", "device name=b")
	w.ExplicitLayer("VK_LAYER_e").Set("instance_extensions", []vars{{"name": "VK_KHR_display"}, {"name": "VK_made_up"}})
	meta(w, explicitDirectory, "VK_LAYER_m", []string{"VK_LAYER_e"}, nil)
	w.Env["VK_LAYER_PATH"] = w.Path("explicit") + ":" + w.Path("system"+explicitDirectory)
	s := start(t, w)
	const prefix = "loader_validate_instance_extensions: "
	unknown := func(n string) string {
		return prefix + "Extension " + n + " not found in list of known instance extensions."
	}
	unsupported := func(n string) string {
		return prefix + "Instance extension " + n + " not supported by available ICDs or enabled layers."
	}
	const malformed = prefix + "Instance ppEnabledExtensionNames contains string that is too long or is badly formed"
	for _, c := range []struct {
		words string
		vars  vars
		line  string
	}{
		{"ext VK_KHR_surface ext VK_EXT_debug_utils ext VK_EXT_debug_report ext VK_KHR_portability_enumeration ext VK_LUNARG_direct_driver_loading", nil, ""},
		{"ext VK_KHR_display", nil, unsupported("VK_KHR_display")},
		{"ext VK_KHR_display layer VK_LAYER_e", nil, ""}, {"ext VK_KHR_display layer VK_LAYER_m", nil, ""},
		{"ext VK_KHR_display", vars{byName: "VK_LAYER_e"}, ""}, {"ext VK_KHR_display", vars{enableFilter: "VK_LAYER_m"}, ""},
		{"ext VK_made_up layer VK_LAYER_e", nil, unknown("VK_made_up")}, {"ext VK_unknown", nil, unknown("VK_unknown")},
		{"ext VK_made_up layer VK_LAYER_e", vars{"VK_LOADER_DISABLE_INST_EXT_FILTER": "1"}, ""}, {"ext VK_unknown", vars{"VK_LOADER_DISABLE_INST_EXT_FILTER": "1"}, ""},
		{"ext VK_made_up", vars{"VK_LOADER_DISABLE_INST_EXT_FILTER": "1"}, unsupported("VK_made_up")},
		{"ext a\x01", nil, malformed}, {"ext " + strings.Repeat("x", 256), nil, malformed}, {"ext null", nil, malformed}, {"ext VK_KHR_surface ext \xc2", nil, malformed},
		{"ext_count 1", nil, prefix + "Instance ppEnabledExtensionNames is NULL but enabledExtensionCount is greater than zero"},
		{"ext VK_gone ext_count 0", nil, ""},
	} {
		s.with(c.vars, func() {
			o := s.create(strings.Fields(c.words)...)
			want := success
			if c.line != "" {
				want = extensionNotPresent
				o.log.has(t, "ERROR", c.line)
			}
			if o.result != want {
				t.Errorf("%q %v: %d\n%s", c.words, c.vars, o.result, strings.Join(o.log, "\n"))
			}
		})
	}
	s.set("VK_DRIVER_FILES", "")
	if r := s.create("ext", "VK_gone").result; r != incompatibleDriver {
		t.Error(r)
	}
	s.end()
}

// holds: LOG-1..6 LOG-9 LOG-10 GEN-2 LAY-428
func TestLogWords(t *testing.T) {
	t.Parallel()
	const (
		info, warn, errorLine, debug, layer, driver, infoLayer, warnLayer, errorDriver = 1, 2, 4, 8, 16, 32, 64, 128, 256
		all                                                                            = 511
	)
	long := strings.Repeat("x", 600)
	cases := map[string]int{
		"": 0, "all": all, "a": all, "info": info | infoLayer, "i": info | infoLayer, "warn": warn | warnLayer, "w": warn | warnLayer, "error": errorLine | errorDriver, "e": errorLine | errorDriver,
		"debug": debug, "d": debug, "layer": layer | infoLayer | warnLayer, "driver": driver | errorDriver, "icd": driver | errorDriver, "implem": driver | errorDriver, "dr": driver | errorDriver, "im": driver | errorDriver,
		"ic": driver | errorDriver, "l": layer | infoLayer | warnLayer, "perf": 0, "p": 0, "WARN": 0, "warning": 0, "errors": 0, "error, warn": errorLine | errorDriver, ",,warn,,info,": warn | warnLayer | info | infoLayer,
		"unknown,layer": layer | infoLayer | warnLayer, world.Unset: 0,
	}
	// Every prefix of every word, tried in the order of LOG-4.
	known := []string{"all", "warn", "info", "perf", "error", "debug", "layer", "driver", "implem", "icd"}
	for _, word := range known {
		for n := 1; n <= len(word); n++ {
			at := slices.IndexFunc(known, func(k string) bool { return strings.HasPrefix(k, word[:n]) })
			cases[word[:n]] = cases[known[at]]
		}
		cases[word+"x"], cases[" "+word] = 0, 0
	}
	for words, want := range cases {
		w := world.New(t)
		w.Env["VK_LOADER_DEBUG"] = words
		w.Write("explicit/a.json", blunt("9.0.0", "odd", nil))
		w.Write("explicit/b.json", "")
		w.Write("explicit/c.json", "{}")
		w.Env["VK_LAYER_PATH"] = w.Path("explicit") + ":/" + long + strings.Repeat("y", 1500) + ".json"
		h := w.Start()
		h.Do("setenv", "name", "VK_LOADER_DEBUG", "value", "all") // too late
		h.Do("create_instance", "app_name", long)
		text := h.Quit().Stderr
		got := 0
		for bit, part := range map[int]string{info: tagged("INFO", "vkCreateInstance: Requested 0 instance layer(s):"), warn: tagged("WARNING", "Layer name odd does"),
			errorLine: tagged("ERROR", "loader_get_json: Invalid JSON file "), debug: tagged("DEBUG", "add_data_files: Path to"), layer: tagged("LAYER", "Searching for implicit"),
			driver: tagged("DRIVER", "Searching for driver"), infoLayer: tagged("INFO | LAYER", "loader_add_layer_properties:"), warnLayer: tagged("WARNING | LAYER", "loader_add_layer_properties: Manifest "), errorDriver: tagged("ERROR | DRIVER", "vkCreateInstance: Found no drivers!\n")} {
			if strings.Contains(text, part) {
				got |= bit
			}
		}
		if want != got {
			t.Errorf("%q: %b instead of %b", words, got, want)
		}
		if words == "all" {
			cut := tagged("INFO", `vkCreateInstance: applicationName: "`+long)[:32+511]
			if !strings.Contains(text, cut+"\n") {
				t.Error("a long line is not cut after 511 bytes")
			}
		}
		if words == world.Unset && text != "" {
			t.Error(text)
		}
	}
}
