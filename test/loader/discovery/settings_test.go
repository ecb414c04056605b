package discovery

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const settingsFile = "/usr/local/etc/vulkan//loader_settings.d/vk_loader_settings.json"

func entry(control, name, path, more string) string {
	return `{"name":"` + name + `","path":"` + path + `","control":"` + control + `"` + more + `}`
}

func list(entries ...string) string { return `{"layers":[` + strings.Join(entries, ",") + `]}` }

const (
	unordered = `{"control":"unordered_layer_location"}`
	treat     = `,"treat_as_implicit_manifest":true`
)

func settings(w *world.World, text string) {
	w.Write("system/usr/local/etc/vulkan/loader_settings.d/vk_loader_settings.json", text)
}

func settingsObject(w *world.World, object string) {
	settings(w, `{"file_format_version":"1.0.0","settings":`+object+`}`)
}

// usual creates a world with a driver, two implicit and two explicit layers.
func usual(t *testing.T) *world.World {
	w := loud(t)
	w.Driver("one")
	for _, n := range []string{"I1", "I2"} {
		w.ImplicitLayer(n)
	}
	for _, n := range []string{"E1", "E2"} {
		w.ExplicitLayer(n)
	}
	return w
}

// holds: SET-1 SET-2 SET-3 SET-4 SET-5 SET-7 SET-8 SET-9 SET-10
func TestSettingsPlaces(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	const rest = "/vulkan/loader_settings.d/vk_loader_settings.json"
	s := start(t, w)
	s.set("XDG_CONFIG_DIRS", w.Path("cd")+":"+w.Path("never")).set("XDG_DATA_DIRS", w.Path("dd")+":"+w.Path("never"))
	s.set("HOME", w.Path("h"))
	w.Write("never"+rest, "[")
	places := []struct{ file, base string }{
		{"dd" + rest, w.Path("dd")}, {"system/etc" + rest, "/etc"}, {"system/usr/local/etc" + rest, "/usr/local/etc"}, {"cd" + rest, w.Path("cd")},
		{"h/.local/share" + rest, w.Path("h/.local/share")}, {"h/.config" + rest, w.Path("h/.config")}, {"dh" + rest, w.Path("dh")}, {"ch" + rest, w.Path("ch")},
	}
	s.create().log.has(t, "INFO", "No valid vk_loader_settings.json file found, no loader settings will be active")
	for _, p := range places { // from the last to the first
		switch p.base {
		case w.Path("dh"):
			s.set("XDG_DATA_HOME", w.Path("dh")+":"+w.Path("never"))
		case w.Path("ch"):
			s.set("XDG_CONFIG_HOME", w.Path("ch"))
		}
		w.Write(p.file, "{}")
		s.create().log.has(t, "DEBUG", "Loader settings file from "+p.base+"/vulkan//loader_settings.d/vk_loader_settings.json missing required field file_format_version - no loader settings will be active")
	}
	s.set("XDG_CONFIG_HOME", ":"+w.Path("ch")).set("XDG_DATA_HOME", "x")
	s.create().log.has(t, "DEBUG", "Loader settings file from "+w.Path("cd")+"/vulkan//loader_settings.d/vk_loader_settings.json missing required field file_format_version - no loader settings will be active")
	s.end()
}

// holds: SET-13 SET-76 SET-77 SET-78 SET-79 SET-80 SET-81 SET-82 SET-112 LOG-14
func TestSettingsLevel(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	w.Write("explicit/a.json", blunt("1.2.0", "A", nil))
	body := func(level string) string {
		return `{` + level + `"log_locations":[{"destinations":["x"],"filters":["all"]}],"layers":[` + entry("on", "A", w.Path("explicit/a.json"), "") + `,` + entry("on", "VK_LAYER_missing", "/q/n.json", "") + `]}`
	}
	settingsObject(w, body(`"stderr_log":["debug","Info",""],`))
	s := start(t, w)
	debug := func(lines ...string) (out []string) {
		for _, l := range lines {
			out = append(out, tagged("DEBUG", l))
		}
		return out
	}
	log := s.create().log
	log.block(t, debug("Loader Settings Filters for Logging to Standard Error: DEBUG", "Layer Configurations count = 2", "---- Layer Configuration [0] ----", "Name: A",
		"Path: "+w.Path("explicit/a.json"), "Layer Type: Explicit", "Control: on", "---- Layer Configuration [1] ----", "Name: VK_LAYER_missing", "Path: /q/n.json",
		"Layer Type: Explicit", "Control: on", "---------------------------------")...)
	used := "Using layer configurations found in loader settings from " + settingsFile
	missing := "loader_get_json: Failed to open JSON file /q/n.json"
	naming := "Layer name A does not conform to naming standard (Policy #LLP_LAYER_3)"
	log.lacks(t, used)
	log.lacks(t, missing)
	log.lacks(t, naming)
	for level, want := range map[string]string{"error": tagged("ERROR", missing), "warn": tagged("WARNING", naming), "info": tagged("INFO", used)} {
		settingsObject(w, body(`"stderr_log":["`+level+`"],`))
		log := s.create().log
		block := []string{want}
		log.block(t, block...)
		for _, other := range []string{used, missing, naming} {
			if !strings.Contains(want, other) {
				log.lacks(t, other)
			}
		}
	}
	for _, none := range []string{``, `"stderr_log":[],`, `"stderr_log":[""],`, `"stderr_log":"all",`, `"stderr_log":["err",5,"all"],`} {
		settingsObject(w, body(none))
		if log := s.create().log; len(log) != 0 {
			t.Errorf("%s: %s", none, log)
		}
	}
	// A global function sets the level of the process, and it stays.
	settingsObject(w, body(`"stderr_log":["warn"],`))
	s.listed()
	s.lines().has(t, "WARNING", naming)
	settings(w, "{}")
	if r := s.create().result; r != success {
		t.Error(r)
	}
	settingsObject(w, body(`"stderr_log":["all"],`))
	s.create().log.has(t, "DEBUG", "Loader Settings Filters for Logging to Standard Error: ERROR | WARNING | INFO | DEBUG | PERF | DRIVER | LAYER")
	s.end()
}

// holds: SET-18 SET-20 SET-21 SET-22 SET-23 SET-24 SET-25 SET-26 SET-27 SET-28 SET-29 SET-30 SET-31 SET-32 SET-33 SET-35 SET-38 SET-39 SET-40 SET-100
func TestSettingsObjects(t *testing.T) {
	t.Parallel()
	w := usual(t)
	on := `"layers":[` + entry("on", "E1", w.Path("explicit/E1.json"), "") + `]`
	from := "Loader settings file from " + settingsFile
	s := start(t, w)
	exe := s.exe()
	for _, c := range []struct{ text, active, line string }{
		{`[]`, "I1 I2", ""},
		{`{"settings":{` + on + `}}`, "I1 I2", from + " missing required field file_format_version - no loader settings will be active"},
		{`{"file_format_version":null,"settings":{` + on + `}}`, "I1 I2", from + " missing required field file_format_version - no loader settings will be active"},
		{`{"file_format_version":"z"}`, "I1 I2", from + ` missing required settings objects: Either one of the "settings" or "settings_array" objects must be present - no loader settings will be active`},
		{`{"File_Format_Version":"z","SETTINGS":{` + strings.ToUpper(on[:8]) + on[8:] + `}}`, "E1", ""},
		{`{"file_format_version":"z","settings":{` + on + `},"settings_array":[]}`, "I1 I2", from + " missing global settings and none of the app specific settings matched the current application - no loader settings will be active"},
		{`{"file_format_version":"z","settings_array":[{"app_keys":[]},{"layers":[]},{"app_keys":[3,"` + exe + `"],` + on + `}]}`, "E1", ""},
		{`{"file_format_version":"z","settings_array":[{"layers":[]},{"app_keys":["/*"],` + on + `}]}`, "", ""},
		{`{"file_format_version":"z","settings_array":[{"layers":{}},4,{"app_keys":["` + exe + `"],` + on + `}]}`, "", from + " has a settings element that is not an object"},
		{`{"file_format_version":"z","settings":{"app_keys":["/x"]},"more":{` + on + `}}`, "E1", ""},
		{`{"file_format_version":"z","settings":{"layers":[{"control":"on"}],"stderr_log":["all"]}}`, "I1 I2", ""},
		{`{"file_format_version":"z","settings":{"layers":null}}`, "", ""},
		{`{"file_format_version":"z","settings":{"layers":7}}`, "", ""},
		{`{"file_format_version":"z","settings":{"additional_drivers":["x"],` + on + `}}`, "E1", ""},
		{`{"file_format_version":"z","settings":{"device_configurations":[5],` + on + `}}`, "E1", ""},
	} {
		settings(w, c.text)
		o := s.create()
		same(t, c.text, o.active, c.active)
		if c.line != "" {
			o.log.has(t, "DEBUG", c.line)
		}
	}
	settings(w, `{"file_format_version":"z","settings":{"stderr_log":[""]}}`)
	s.create().log.has(t, "INFO", `vk_loader_settings.json file found at "`+settingsFile+`" but did not contain any valid settings.`)
	settings(w, `{"file_format_version":"z"`)
	s.create().log.has(t, "ERROR", "loader_get_json: Invalid JSON file "+settingsFile+".")
	s.end()
}

// holds: SET-36 SET-37 SET-41 SET-42 SET-43 SET-44 SET-45 SET-46 SET-47 SET-48 SET-49 SET-50 SET-51 SET-53 SET-65 SET-67 SET-108 SET-109 LAY-435 LAY-436 ENV-34
func TestSettingsLists(t *testing.T) {
	t.Parallel()
	w := usual(t)
	e, i := w.Path("explicit/"), w.Path("implicit/")
	twin := w.ExplicitLayer("E3").Set("name", "E2")
	twin.MoveManifest("work")
	meta(w, implicitDirectory, "M", []string{"E2", "E1"}, nil)
	w.Env["VK_IMPLICIT_LAYER_PATH"] = i + "/I1.json:" + i + "/I2.json:" + w.Path("system"+implicitDirectory+"/M.json")
	s := start(t, w)
	s.set(world.Disable("M"), "1")
	for _, c := range []struct {
		settings, listed, active, app string
	}{
		{list(entry("on", "E2", e+"/E2.json", ""), unordered, entry("on", "I2", i+"/I2.json", treat)), "E2 I1 M E1 I2", "E2 I1 E1 I2", "E1"},
		{list(entry("auto", "E2", e+"/E2.json", ""), entry("any", "I2", i+"/I2.json", treat), entry("auto", "I1", i+"/I1.json", `,"treat_as_implicit_manifest":"true"`)), "E2 I2 I1", "I2", ""},
		{list(entry("off", "I1", "", ""), unordered, unordered), "I2 M E1 E2", "I2", ""},
		{list(entry("on", "I1", "nowhere.json", ""), entry("on", "E1", e+"/E1.txt", ""), entry("on", "XX", e+"/E1.json", ""), unordered), "I1 I2 M E1 E2", "I1 I2", ""},
		{list(entry("on", "E2", e+"/E2.json", ""), entry("on", "E1", e+"/E1.json", ""), entry("on", "E2", e+"/E2.json", ""), entry("on", "E2", w.Path("work/E3.json"), "")), "E2 E1 E2", "E2 E1 E2", "E1 E2"},
	} {
		settingsObject(w, c.settings)
		same(t, "listed with "+c.settings, s.listed(), c.listed)
		w.ForgetLog()
		same(t, "active with "+c.settings, s.create(layers(strings.Fields(c.app)...)...).active, c.active)
		if strings.Contains(c.settings, "E3") {
			var entered []string
			for _, line := range w.Log().Fn("vkCreateInstance") {
				if line.Text("phase") != "leave" {
					entered = append(entered, line.Text("who"))
				}
			}
			same(t, "chain", strings.Join(entered, " "), "E1 E3 one")
		}
	}
	settingsObject(w, list(entry("on", "E1", e+"/E1.json", ""), unordered, entry("auto", "I1", i+"/I1.json", treat)))
	s.set(world.Disable("M"), world.Unset)
	same(t, "meta", s.create().active, "E1 I2 E2 M I1")
	s.end()
}

// holds: SET-54 SET-55 SET-56 SET-57 SET-58 SET-59 SET-60 SET-61 SET-62 SET-63 SET-64 SET-66 SET-71 SET-72 SET-73 SET-74 LAY-437 LAY-438 INS-050
func TestSettingsControl(t *testing.T) {
	t.Parallel()
	const L = "VK_LAYER_l"
	w := loud(t)
	w.Driver("one")
	f := w.ImplicitLayer(L).Set("enable_environment", vars{"EN": "1"}).Set("instance_extensions", []vars{{"name": "VK_EXT_layer_settings", "spec_version": "1"}})
	no := world.Disable(L)
	s := start(t, w)
	for _, c := range []struct {
		vars vars
		want string // active under on, auto, off
		ext  bool   // its extensions are listed, except under off
	}{
		{nil, "X--", false}, {vars{"EN": "0"}, "X--", false}, {vars{"EN": "1"}, "XX-", true}, {vars{no: "0"}, "X--", false}, {vars{"EN": "1", no: ""}, "X--", false},
		{vars{byName: L}, "XX-", false}, {vars{enableFilter: L}, "XX-", true}, {vars{"EN": "1", disableFilter: L, byName: L, enableFilter: L}, "X--", true},
		{vars{"EN": "1", disableFilter: "*"}, "X--", false}, {vars{"EN": "1", disableFilter: "~explicit~"}, "XX-", true},
		{vars{"EN": "1", disableFilter: "~implicit~", allowFilter: L}, "XX-", true},
	} {
		for n, control := range []string{"on", "auto", "off"} {
			settingsObject(w, list(entry(control, L, f.ManifestPath, treat)))
			s.with(c.vars, func() {
				o := s.create()
				want := ""
				if c.want[n] == 'X' {
					want = L
				}
				same(t, control, o.active, want)
				switch {
				case control == "auto" && c.vars[disableFilter] != "" && want == "":
					o.log.has(t, "WARNING | LAYER", removed(L))
				case control == "auto" && c.vars[enableFilter] != "":
					o.log.has(t, "WARNING | LAYER", `Layer "`+L+`" forced enabled due to env var 'VK_LOADER_LAYERS_ENABLE'.`)
				}
				if c.vars[byName] != "" {
					o.log.has(t, "WARNING | LAYER", `env var 'VK_INSTANCE_LAYERS' defined and adding layers: `+L)
				}
				if ext := s.extensions(); strings.Contains(ext, "layer_settings") != (c.ext && control != "off") {
					t.Errorf("%s %v: %s", control, c.vars, ext)
				}
			})
		}
	}
	settingsObject(w, list(entry("off", L, f.ManifestPath, treat)))
	o := s.create(layers(L)...)
	if o.result != layerNotPresent {
		t.Error(o.result)
	}
	o.log.has(t, "ERROR", "loader_validate_layers: Layer 0 was explicitly prevented from being enabled by the loader settings file")
	same(t, "extensions of a layer that is off", s.extensions("layer", L), "")
	if r := s.h.Do("instance_extensions", "layer", "VK_LAYER_other").Result(); r != layerNotPresent {
		t.Error(r)
	}
	settingsObject(w, list(entry("auto", L, f.ManifestPath, treat)))
	s.with(vars{disableFilter: "*"}, func() {
		same(t, "listed", s.listed(), L)
		o := s.create(layers(L)...)
		if o.result != success || o.active != "" {
			t.Error(o.result, o.active)
		}
	})
	settingsObject(w, list(entry("on", L, f.ManifestPath, treat)))
	if r := s.create("ext", "VK_EXT_layer_settings").result; r != success {
		t.Error(r)
	}
	s.end()
}

// holds: SET-11 SET-12 SET-14 SET-15
func TestSettingsRemembered(t *testing.T) {
	t.Parallel()
	w := usual(t)
	w.Write("work/other.json", blunt("1.2.0", "E9", nil)) // only the settings file names it
	settingsObject(w, list(entry("on", "E9", w.Path("work/other.json"), "")))
	s := start(t, w)
	const used = "Using layer configurations"
	same(t, "listed", s.listed(), "E9") // two calls, for the count and the list: the second does not log it again
	text := strings.Join(s.lines(), "\n")
	if n := strings.Count(text, used); n != 1 {
		t.Errorf("said %d times", n)
	}
	same(t, "listed", s.listed(), "E9")
	s.lines().lacks(t, used)
	s.create().log.has(t, "INFO", used+" found in loader settings from "+settingsFile)
	settings(w, "{}")
	same(t, "kept", s.listed(), "E9")
	same(t, "instance", s.create().active, "I1 I2")
	settings(w, "{")
	same(t, "forgotten", s.listed(), "I1 I2 E1 E2")
	settings(w, "{}")
	same(t, "stays forgotten", s.listed(), "I1 I2 E1 E2")
	s.end()
}

// holds: SET-68 SET-69 SET-70 SET-75 LAY-439
func TestSettingsMetaLayers(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	for name, component := range map[string]string{"M": "N", "N": "M", "G": "gone"} {
		w.Write("work/"+name+".json", blunt("1.2.0", name, map[string]any{"library_path": nil, "component_layers": []string{component}}))
	}
	settingsObject(w, list(entry("on", "M", w.Path("work/M.json"), ""), entry("on", "N", w.Path("work/N.json"), ""), entry("on", "G", w.Path("work/G.json"), "")))
	s := start(t, w)
	same(t, "listed", s.listed(), "M N G")
	o := s.create()
	same(t, "active", o.active, "M N")
	o.log.has(t, "WARNING | LAYER", "loader_add_meta_layer: Meta-layer M recursively references itself through its component layers. Skipping the recursive reference.")
	o.log.has(t, "WARNING | LAYER", `Failed to find layer name "gone" component layer "gone" to activate (Policy #LLP_LAYER_7)`)
	o.log.has(t, "WARNING", "Layer name M does not conform to naming standard (Policy #LLP_LAYER_3)")
	s.end()
}

// holds: SET-83 SET-84 SET-85 SET-86 SET-87 SET-88 SET-89 SET-98 SET-110 ENV-14 ENV-16
func TestSettingsDrivers(t *testing.T) {
	t.Parallel()
	w := loud(t)
	for _, name := range []string{"x", "y"} {
		w.Driver(name)
	}
	for _, name := range []string{"a", "b"} {
		w.Driver(name).MoveManifest("work")
	}
	w.Driver("installed").MoveManifest("system" + driverDirectory)
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	a, b := `{"path":"`+w.Path("work/a.json")+`"}`, `{"path":"`+w.Path("work/b.json")+`"}`
	s := start(t, w)
	for _, c := range []struct{ settings, choose, want string }{
		{`{"additional_drivers":[` + a + `,` + b + `]}`, "", "b a x y"},
		{`{"additional_drivers":[` + a + `,` + b + `]}`, "a*,y*", "a y"},
		{`{"additional_drivers":[` + a + `,{"path":"/b.txt"}]}`, "", ""},
		{`{"additional_drivers":[{"path":"/b.txt"},{"path":"/gone.json"},` + a + `]}`, "", "a x y"},
		{`{"additional_drivers":[` + a + `,"x"],"layers":[]}`, "", "x y"},
		{`{"additional_drivers":[` + a + `],"additional_drivers_use_exclusively":true}`, "", "a"},
		{`{"additional_drivers":[` + a + `],"additional_drivers_use_exclusively":true}`, "x*", ""},
		{`{"additional_drivers":[` + a + `],"additional_drivers_use_exclusively":1}`, "", "a x y"},
		{`{"layers":[],"additional_drivers_use_exclusively":true}`, "", ""},
		{`{"additional_drivers_use_exclusively":true}`, "", "x y"},
		{`{"additional_drivers":[{"path":"` + w.Path("drivers/x.json") + `"}]}`, "", "x x y"},
		{`{"device_configurations":[],"additional_drivers":[` + a + `]}`, "y*", "a installed"},
	} {
		settingsObject(w, c.settings)
		set := vars{}
		if c.choose != "" {
			set["VK_LOADER_DRIVERS_SELECT"] = c.choose
		}
		s.with(set, func() {
			w.ForgetLog()
			r := s.h.Do("create_instance").Result()
			got := strings.Join(w.Log().Fn("vkCreateInstance").Who(), " ")
			same(t, c.settings+c.choose, got, c.want)
			if (r == incompatibleDriver) != (c.want == "") {
				t.Error(c.settings, r)
			}
			if r == success {
				s.h.Do("destroy_instance")
			}
		})
	}
	s.end()
}

// holds: SET-17 SET-19 SET-52
func TestSettingsShape(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	var entries, names []string
	for n := range 40 {
		name := "VK_LAYER_" + string(rune('a'+n%26)) + string(rune('a'+n/26))
		w.Write("work/"+name+".json", blunt("1.2.0", name, nil))
		entries = append(entries, entry("on", name, w.Path("work/"+name+".json"), ""))
		names = append(names, name)
	}
	s := start(t, w)
	settings(w, "\xef\xbb\xbf"+`{"file_format_version":"1.0.0","settings":`+list(entries...)+`} and more`)
	same(t, "active", s.create().active, strings.Join(names, " "))
	for depth, want := range map[int]string{998: strings.Join(names, " "), 999: ""} { // below two objects
		settings(w, `{"file_format_version":"1.0.0","x":`+strings.Repeat("[", depth+1)+strings.Repeat("]", depth+1)+`,"settings":`+list(entries...)+`}`)
		same(t, "nested", s.create().active, want)
	}
	settings(w, `{"file_format_version":"1.0.0","settings_array":[{"app_keys":["/opt/game/bin/game"],"layers":[]},{"stderr_log":["error","warn"],
		"log_locations":[{"destinations":["somewhere"],"filters":["all"]}],"layers":[`+entries[3]+`,`+unordered+`,`+entry("auto", names[2], w.Path("work/"+names[2]+".json"), treat)+`],
		"additional_drivers_use_exclusively":false,"additional_drivers":[{"path":"/opt/acme/acme_icd.json"}]}]}`)
	same(t, "active", s.create().active, names[3]+" "+names[2])
	s.end()
}

// Lack of memory while the settings file is read ends the call; no other fault of the file does.
//
// holds: SET-16
func TestSettingsFileThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const file = "system/usr/local/etc/vulkan/loader_settings.d/vk_loader_settings.json"
	w := loud(t)
	w.Driver("one").MoveManifest("system" + driverDirectory) // SET-98: variables may be ignored
	explicit(w, "VK_LAYER_e")
	settingsObject(w, list(entry("on", "VK_LAYER_e", explicitDirectory+"/VK_LAYER_e.json", "")))
	s := start(t, w)
	same(t, "active", s.create().active, "VK_LAYER_e")
	s.set("WORLD_NO_MEMORY", "vk_loader_settings.json")
	if a := s.h.Do("create_instance"); a.Result() != outOfMemory || a.Int("written") != 0 {
		t.Errorf("without memory for the stream: %v", a)
	}
	s.set("WORLD_NO_MEMORY", world.Unset)
	same(t, "active again", s.create().active, "VK_LAYER_e")

	if world.Variant() == "" { // the sanitizer replaces malloc
		large := strings.Repeat(" ", 200000) // a size that no other allocation has
		settings(w, large+`{"file_format_version":"1.0.0","settings":`+list(entry("on", "VK_LAYER_e", explicitDirectory+"/VK_LAYER_e.json", ""))+`}`)
		failed, from := 0, 0
		for ; from < 2000; from++ {
			s.h.Do("malloc_fail", "from", strconv.Itoa(from))
			a := s.h.Do("create_instance")
			calls := s.h.Do("malloc_fail").Int("calls")
			if a.Result() == success {
				s.h.Do("destroy_instance")
				if calls <= int64(from) {
					break
				}
				continue
			}
			failed++
			if a.Result() != outOfMemory || a.Int("written") != 0 {
				t.Errorf("with %d allocations: %v", from, a)
			}
		}
		if failed < 5 || from == 2000 {
			t.Errorf("%d of %d allocations ended the call", failed, from)
		}
	}

	for _, text := range []string{"", " ", "\x00", "{", "[", "null", "[]", "{}", `"x"`, strings.Repeat("[", 5000), "\xff\xfe{\x00}\x00", `{"settings":{"layers":[]}}`,
		`{"file_format_version":1,"settings":{}}`, `{"file_format_version":"1.0.0"}`, `{"file_format_version":"x","settings":7}`,
		`{"file_format_version":"1.0.0","settings_array":{"a":1}}`, `{"file_format_version":"1.0.0","settings_array":[[]]}`,
		`{"file_format_version":"1.0.0","settings":{"layers":7,"stderr_log":7,"additional_drivers":7,"device_configurations":7}}`,
		`{"file_format_version":"1.0.0","settings":{"layers":[{}],"stderr_log":[7],"additional_drivers":[7],"device_configurations":[{}]}}`,
		`{"file_format_version":"1.0.0","settings":{"layers":[{"name":"VK_LAYER_e","path":"/nowhere.json","control":"on"}]}}`,
		`{"file_format_version":"1.0.0","settings":{"additional_drivers":[{"path":"/nowhere.json"}]}}`,
	} {
		settings(w, text)
		if r := s.h.Do("create_instance").Result(); r != success {
			t.Errorf("%.40q: %d", text, r)
			continue
		}
		s.h.Do("destroy_instance")
	}
	os.Remove(w.Path(file))
	for what, place := range map[string]func() error{
		"a directory":     func() error { return os.Mkdir(w.Path(file), 0o755) },
		"a dangling link": func() error { return os.Symlink("/nowhere", w.Path(file)) },
		"a device":        func() error { return os.Symlink("/dev/null", w.Path(file)) },
	} {
		if err := place(); err != nil {
			t.Fatal(err)
		}
		if r := s.create().result; r != success {
			t.Errorf("%s: %d", what, r)
		}
		os.Remove(w.Path(file))
	}
	s.end()
}

// The loader reads only the variables of the list.
//
// holds: ENV-1 SET-6
func TestVariablesRead(t *testing.T) {
	t.Parallel()
	w := usual(t)
	w.Accesses()
	s := start(t, w)
	s.listed()
	s.extensions()
	s.h.OK("instance_version")
	s.create("api", "1.1.0", "layer", "E1")
	s.end()
	known := map[string]bool{}
	for _, name := range strings.Fields(`VK_DRIVER_FILES VK_ICD_FILENAMES VK_ADD_DRIVER_FILES VK_LAYER_PATH VK_ADD_LAYER_PATH VK_IMPLICIT_LAYER_PATH
		VK_ADD_IMPLICIT_LAYER_PATH VK_INSTANCE_LAYERS VK_LOADER_LAYERS_ENABLE VK_LOADER_LAYERS_DISABLE VK_LOADER_LAYERS_ALLOW VK_LOADER_DRIVERS_SELECT
		VK_LOADER_DRIVERS_DISABLE VK_LOADER_DEVICE_ID_FILTER VK_LOADER_VENDOR_ID_FILTER VK_LOADER_DRIVER_ID_FILTER VK_LOADER_DEVICE_SELECT
		VK_LOADER_DISABLE_SELECT VK_LOADER_DISABLE_INST_EXT_FILTER VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING VK_LOADER_DEBUG HOME
		XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS`) {
		known[name] = true
	}
	known[world.Disable("I1")], known[world.Disable("I2")] = true, true
	read := map[string]bool{}
	for _, line := range w.AccessLog() {
		function, name, _ := strings.Cut(line, " ")
		if strings.HasSuffix(function, "getenv") {
			read[name] = true
			if !known[name] {
				t.Errorf("the variable %s is read", name)
			}
		}
	}
	if !read["XDG_DATA_DIRS"] || !read[world.Disable("I2")] {
		t.Error(read)
	}
}

// A settings file that the tool of a release wrote keeps its meaning. Each release adds the file that its tool writes for
//
//	vkloader settings set --layer E2=on --layer E1=off --log warn,error --expires never
//
// holds: SET-13
func TestSettingsOfReleases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/releases/*/vk_loader_settings.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		w := usual(t)
		delete(w.Env, "VK_LOADER_DEBUG")
		settings(w, strings.ReplaceAll(string(text), "DIRECTORY", w.Path("explicit")))
		w.Write("broken/I3.json", "{")
		w.Env["VK_ADD_IMPLICIT_LAYER_PATH"] = w.Path("broken/I3.json")
		s := start(t, w)
		same(t, file+" lists", s.listed(), "E2 I1 I2")
		created := s.create()
		same(t, file+" enables", created.active, "E2 I1 I2")
		if len(created.log) == 0 {
			t.Errorf("%s logs nothing about a broken manifest", file)
		}
		for _, line := range created.log {
			if !strings.Contains(line, "ERROR") && !strings.Contains(line, "WARNING") {
				t.Errorf("%s does not log %s", file, line)
			}
		}
		s.end()
	}
}
