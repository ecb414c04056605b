package discovery

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: GEN-3 LOG-14 LOG-15 GEN-2
func TestStateEndsWithTheLibrary(t *testing.T) {
	t.Parallel()
	w := usual(t)
	w.Env["VK_LOADER_DEBUG"] = "error"
	settingsObject(w, `{"stderr_log":["all"],"layers":[`+entry("on", "E1", w.Path("explicit/E1.json"), "")+`]}`)
	s := start(t, w)
	same(t, "listed", s.listed(), "E1")
	settings(w, "{}")
	same(t, "kept", s.listed(), "E1")
	s.h.Do("setenv", "name", "VK_LOADER_DEBUG", "value", "warn")
	s.lines()
	s.h.Do("close")
	s.h.Do("open", "path", w.Loader)
	same(t, "listed", s.listed(), "I1 I2 E1 E2")
	log := s.lines()
	log.lacks(t, "Searching for")
	log.lacks(t, "Loader Version")
	log.has(t, "WARNING", "Layer name E1 does not conform to naming standard (Policy #LLP_LAYER_3)")
	s.h.Do("setenv", "name", "VK_LOADER_DEBUG", "value", "info")
	s.h.Do("close")
	s.h.Do("open", "path", w.Loader)
	if world.Windows() { // on Windows the library logs its first lines at the first call
		s.h.OK("instance_version")
	}
	log = s.lines()
	if world.Windows() && len(log) > 2 {
		log = log[:1]
	}
	if len(log) != 1 || !strings.HasPrefix(log[0], tagged("INFO", "Vulkan Loader Version 1.")) || strings.Count(log[0], ".") != 2 {
		t.Error(log)
	}
	s.end()
}

// holds: GEN-16 GEN-18 LAY-143 LAY-180 LAY-276 LAY-277 LAY-282 LAY-296..299 LAY-301 LAY-302 LAY-303 LAY-430 BIN-012..020 ENV-79
func TestLayersThatDoNotLoad(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	w.ImplicitLayer("VK_LAYER_i").Set("library_path", w.BadBinary("bad"))
	w.ExplicitLayer("VK_LAYER_bad").Set("library_path", w.BadBinary("bad2"))
	w.ExplicitLayer("VK_LAYER_class").Set("library_path", w.WrongClass("class"))
	w.ExplicitLayer("VK_LAYER_gone").Set("library_path", "/nowhere/gone.so").Set("instance_extensions", []vars{{"name": "VK_KHR_display"}})
	w.ExplicitLayer("VK_LAYER_good")
	meta(w, explicitDirectory, "VK_LAYER_m", []string{"VK_LAYER_bad", "VK_LAYER_good"}, nil)
	w.Env["VK_LAYER_PATH"] = w.Path("explicit") + ":" + w.Path("system"+explicitDirectory)
	s := start(t, w)
	same(t, "listed", strings.Join(sorted(s.listed()), " "), "VK_LAYER_bad VK_LAYER_class VK_LAYER_gone VK_LAYER_good VK_LAYER_i VK_LAYER_m")
	s.lines().lacks(t, "Loading layer library")
	badFails, classFails := world.Failure(world.HeaderError("")), world.Failure(world.ClassError(""))
	for _, c := range []struct {
		app, variable string
		result        int
		active        string
		lines         []string
	}{
		{"VK_LAYER_good", "", success, "VK_LAYER_i VK_LAYER_good", []string{"INFO | LAYER: Requested layer \"VK_LAYER_i\" " + badFails + "."}},
		{"VK_LAYER_bad", "", layerNotPresent, "", []string{"INFO | LAYER: Requested layer \"VK_LAYER_i\" " + badFails + ".", "ERROR | LAYER: Requested layer \"VK_LAYER_bad\" " + badFails + "!"}},
		{"VK_LAYER_good VK_LAYER_class VK_LAYER_gone", "", layerNotPresent, "", []string{"ERROR | LAYER: Requested layer \"VK_LAYER_class\" " + classFails + "!"}},
		{"VK_LAYER_i", "", layerNotPresent, "", []string{"ERROR | LAYER: Requested layer \"VK_LAYER_i\" " + badFails + "!"}},
		{"VK_LAYER_m", "", success, "VK_LAYER_i VK_LAYER_bad VK_LAYER_good VK_LAYER_m", []string{"INFO | LAYER: Requested layer \"VK_LAYER_bad\" " + badFails + "."}},
		{"ext VK_KHR_display", "VK_LAYER_class:VK_LAYER_gone:VK_LAYER_good", success, "VK_LAYER_i VK_LAYER_class VK_LAYER_gone VK_LAYER_good", []string{
			"INFO | LAYER: Requested layer \"VK_LAYER_class\" " + classFails + ".", "INFO | LAYER: Requested layer \"VK_LAYER_gone\" failed to load."}},
	} {
		words := strings.Fields(c.app)
		if words[0] != "ext" {
			words = layers(words...)
		}
		set := vars{}
		if c.variable != "" {
			set[byName] = c.variable
		}
		s.with(set, func() {
			w.ForgetLog()
			o := s.create(words...)
			if o.result != c.result {
				t.Errorf("%s: %d", c.app, o.result)
			}
			same(t, "active with "+c.app, o.active, c.active)
			for _, l := range c.lines {
				tag, text, _ := strings.Cut(l, ": ")
				o.log.has(t, tag, text)
			}
			if c.result != success && len(w.Log().By("one").Fn("vkCreateInstance")) != 0 {
				t.Errorf("%s: the driver was asked", c.app)
			}
			if good := strings.Contains(strings.Join(o.log, "\n"), `Insert instance layer "VK_LAYER_good" (`+w.Path("lib/VK_LAYER_good.so")+")"); good != strings.Contains(o.active, "good") && c.result == success {
				t.Errorf("%s: good in the chain: %v", c.app, good)
			}
			for _, bad := range []string{"i", "bad", "class", "gone"} {
				o.log.lacks(t, `Insert instance layer "VK_LAYER_`+bad+`"`)
			}
		})
	}
	s.end()
}

// holds: LOG-20 LAY-423..426
func TestCallStack(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	i := w.ImplicitLayer("VK_LAYER_i").Set("enable_environment", vars{"EN": "yes"})
	e := w.ExplicitLayer("VK_LAYER_e")
	v := w.ExplicitLayer("VK_LAYER_v")
	f := w.ExplicitLayer("VK_LAYER_f")
	c := w.ExplicitLayer("VK_LAYER_c")
	meta(w, explicitDirectory, "VK_LAYER_m", []string{"VK_LAYER_c"}, nil)
	w.Env["VK_LAYER_PATH"] = w.Path("explicit") + ":" + w.Path("system"+explicitDirectory)
	w.Env["EN"], w.Env[byName], w.Env[enableFilter] = "yes", "VK_LAYER_v", "*_f"
	s := start(t, w)
	var want []string
	add := func(lines ...string) {
		for _, l := range lines {
			want = append(want, tagged("LAYER", l))
		}
	}
	layer := func(l *world.Fake, kind, by string, more ...string) {
		add("   "+l.Name, "           Type: "+kind, "           Enabled By: "+by)
		add(more...)
		add("           Manifest: "+l.ManifestPath, "           Library:  "+l.Library, "     ||")
	}
	add("vkCreateInstance layer callstack setup to:", "   <Application>", "     ||", "   <Loader>", "     ||")
	layer(i, "Implicit", "Implicit Layer", "               Disable Env Var:  "+world.Disable("VK_LAYER_i"), "               This layer was enabled because Env Var EN was set to Value yes")
	layer(v, "Explicit", "Environment Variable VK_INSTANCE_LAYERS")
	layer(f, "Explicit", "Environment Variable VK_LOADER_LAYERS_ENABLE")
	layer(e, "Explicit", "By the Application")
	layer(c, "Explicit", "Meta Layer (Vulkan Configurator)")
	add("   <Drivers>")
	s.create(layers("VK_LAYER_e", "VK_LAYER_m")...).log.block(t, want...)
	want = nil
	add("vkCreateInstance layer callstack setup to:", "   <Application>", "     ||", "   <Loader>", "     ||", "   <Drivers>")
	s.set("EN", "").set(byName, world.Unset).set(enableFilter, "")
	s.create().log.block(t, want...)
	settingsObject(w, list(entry("on", "VK_LAYER_e", e.ManifestPath, "")))
	s.create().log.block(t, tagged("LAYER", "           Enabled By: Loader Settings File (Vulkan Configurator)"))
	s.end()
}

// holds: LOG-5 LOG-7 LOG-8 LAY-231 INS-035
func TestFatalMessages(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	h := w.Start()
	h.Do("create_instance", "null", "info")
	h.Do("instance_version", "arg", "null")
	h.OK("create_instance", "api", "0.0.1")
	h.Do("destroy_instance")
	text := h.Quit().Stderr
	for _, part := range []string{"vkCreateInstance: 'pCreateInfo' is NULL (VUID-vkCreateInstance-pCreateInfo-parameter)",
		"vkEnumerateInstanceVersion: 'pApiVersion' must not be NULL (VUID-vkEnumerateInstanceVersion-pApiVersion-parameter",
		"VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of 1 which is not permitted. If apiVersion is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]"} {
		if !strings.Contains(text, tagged("ERROR", part)+"\n") {
			t.Errorf("no %s in %s", part, text)
		}
	}
	if n := strings.Count(text, "\n"); n != 3 {
		t.Error(text)
	}
}

// holds: LOG-12 LOG-13 LAY-429
func TestMessagesReachMessengers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	w.ExplicitLayer("VK_LAYER_e")
	w.Write("explicit/bad.json", "")
	w.Env["VK_LAYER_PATH"] = w.Path("explicit")
	h := w.Start()
	a := h.OK("create_instance", "layer", "VK_LAYER_e", "ext", "VK_EXT_debug_utils", "messenger", "m:0x1111:7")
	for _, want := range []string{"vkCreateInstance: Requested 1 instance layer(s):", "Searching for driver manifest files", "loader_get_json: Invalid JSON file " + w.Path("explicit/bad.json") + ".",
		"Searching for ICD drivers named " + w.Path("lib/one.so"), "No valid vk_loader_settings.json file found, no loader settings will be active"} {
		if !slices.Contains(a.Texts("m"), want) {
			t.Errorf("no %q in %q", want, a.Texts("m"))
		}
	}
	h.Do("destroy_instance")
	if text := h.Quit().Stderr; text != "" {
		t.Error(text)
	}
}

// holds: ENV-6 ENV-11 ENV-12 ENV-13 ENV-17 ENV-23 ENV-25 PATH-27
func TestDriversByVariable(t *testing.T) {
	t.Parallel()
	w := loud(t)
	long := strings.Repeat("n", 245)
	w.Driver("a")
	w.Driver("b")
	w.DriverKind(world.OnlyGIPA, "gipa", "device name=gipa")
	w.DriverKind(world.OnlyNeg, "neg", "device name=neg")
	w.Driver("l1").MoveManifest(long + "x.json")
	w.Driver("l2").MoveManifest(long + "y.json")
	broken := w.Write("broken.json", "{")
	direct := w.DirectDriver("direct", "interface 0 7", "device name=direct", "api 1.1.0")
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	w.Env["VK_DRIVER_FILES"] = w.Path("drivers/a.json")
	s := start(t, w)
	devices := func(words ...string) (string, log) {
		s.lines()
		if s.h.Do("create_instance", words...).Result() != success {
			return "", s.lines()
		}
		var names []string
		for _, d := range s.h.OK("physical_devices").Ints("devices") {
			names = append(names, s.h.Do("properties", "pd", world.Ref(d)).Text("name"))
		}
		s.h.Do("destroy_instance")
		return strings.Join(names, " "), s.lines()
	}
	d := func(names ...string) string {
		var out []string
		for _, n := range names {
			if !strings.Contains(n, "/") {
				n = w.Path("drivers/" + n + ".json")
			}
			out = append(out, n)
		}
		return strings.Join(out, ":")
	}
	for _, c := range []struct{ files, choose, refuse, want string }{
		{d("a"), "", "", "a"}, {d("a", "b"), "", "", "b a"}, {d("b", "a"), "", "", "a b"},
		{d("/gone.json", broken, "a"), "", "", "a"}, {d(broken), "*", "", ""}, {d("gipa", "neg"), "", "", "gipa"}, {d("neg"), "", "", ""},
		{d(w.Path(long+"x.json"), w.Path(long+"y.json")), "*x.json", "", "l1"}, {d(w.Path(long+"x.json"), w.Path(long+"y.json")), "", long + "x.json", "l2"},
		{d(w.Path(long+"x.json"), w.Path(long+"y.json")), "*" + long[1:] + "y*", "", "l2"},
	} {
		s.with(vars{"VK_DRIVER_FILES": c.files, "VK_LOADER_DRIVERS_SELECT": c.choose, "VK_LOADER_DRIVERS_DISABLE": c.refuse}, func() {
			got, log := devices()
			same(t, c.files, got, c.want)
			if c.files == broken {
				log.lacks(t, "ignored because")
			}
		})
	}
	s.with(vars{"VK_DRIVER_FILES": d("a"), "VK_LOADER_DRIVERS_DISABLE": "*"}, func() {
		got, _ := devices("direct", direct.Library, "direct_mode", "inclusive", "ext", "VK_LUNARG_direct_driver_loading")
		same(t, "direct", got, "direct")
	})
	s.end()
}

// holds: ENV-110 GEN-8 LAY-227
func TestUnloadingDisabled(t *testing.T) {
	t.Parallel()
	for value, disabled := range map[string]bool{"1": true, "10": false, "true": false, "": false} {
		w := loud(t)
		w.Driver("one")
		w.Env["VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING"] = value
		s := &session{t: t, w: w, h: w.Start()}
		s.h.Do("state")
		log := s.lines()
		if disabled {
			log.has(t, "WARNING", "Vulkan Loader: library unloading is disabled")
		} else {
			log.lacks(t, "library unloading")
		}
		log = s.create().log
		log.lacks(t, "non-secure environment variable lookup")
		s.end()
	}
}

// holds: LAY-101 LAY-116 OVR-19 LAY-37 LAY-203
func TestOrderOfSteps(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	explicit(w, "VK_LAYER_a")
	explicit(w, "VK_LAYER_b")
	// The override layer's black-list removes its own component and one of two duplicates; the filter then removes
	// the rest.
	meta(w, implicitDirectory, override, []string{"VK_LAYER_a"}, map[string]any{"blacklisted_layers": []string{"VK_LAYER_b"}})
	w.Write("system"+implicitDirectory+"/i.json", blunt("1.2.0", "VK_LAYER_i", map[string]any{"enable_environment": vars{"YES": "1"}, "instance_extensions": []vars{{"name": "XI"}}}))
	w.Write("system"+implicitDirectory+"/t.json", blunt("1.2.0", "VK_LAYER_t", map[string]any{"type": nil}))
	s := start(t, w)
	s.set(disableFilter, "VK_LAYER_a")
	o := s.create()
	steps := []string{"Searching for implicit layer", "Using the global override layer", "Searching for explicit layer", "all 1 component layers appear to be valid",
		"loader_remove_layers_in_blacklist", "forced disabled because", "Searching for driver"}
	at := -1
	for _, step := range steps {
		next := slices.IndexFunc(o.log, func(l string) bool { return strings.Contains(l, step) })
		if next <= at {
			t.Errorf("%s is not after the step before it", step)
		}
		at = next
	}
	same(t, "extensions", s.extensions(), own)
	s.set(disableFilter, "")
	unmerged := list(entry("on", "VK_LAYER_b", explicitDirectory+"/VK_LAYER_b.json", ""))
	settingsObject(w, unmerged)
	o = s.create()
	same(t, "exclusive", o.active, "VK_LAYER_b")
	o.log.lacks(t, "override")
	settingsObject(w, list(unordered, entry("off", "VK_LAYER_other", "", "")))
	same(t, "merged", s.create().active, "VK_LAYER_a "+override)
	s.end()
}
