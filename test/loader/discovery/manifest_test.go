package discovery

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

// holds: LAY-21..23 LAY-26..36 LAY-38..43 LAY-45..49 LAY-52..56 LAY-58..63 LAY-65..67 LAY-73 LAY-74 LAY-87..89 LAY-5 LAY-6 LAY-155 FUZ-026..032 FUZ-034 FUZ-035 FUZ-038 FUZ-039 FUZ-041 BIN-012 BIN-021 LOG-18
func TestLayerManifests(t *testing.T) {
	t.Parallel()
	own, other := world.Bits()
	type m = map[string]any
	w := loud(t)
	w.Driver("one")
	path := w.Path("x.json")
	const name = "VK_LAYER_x"
	missing := func(field string) string {
		return "WARNING: Layer located at " + path + ` didn't find required layer value "` + field + `" in manifest JSON file, skipping this layer`
	}
	load := "loader_add_layer_properties: "
	neither := `WARNING: Layer "` + name + `" is missing both library_path and component_layers fields.  One or the other MUST be defined.  Skipping this layer`
	long := strings.Repeat("n", 255)
	one := inner(blunt("", name, nil))
	s := start(t, w)
	for _, c := range []struct {
		text   string
		kind   string // e, i: read as explicit, implicit; both when empty
		listed string
		line   string // tag: text
	}{
		{blunt("1.2.0", name, nil), "", name, "INFO: Found manifest file " + path + " (file version 1.2.0)"},
		{blunt("1.0.0", name, nil), "", name, ""}, {blunt("1.0.1", name, nil), "", name, ""}, {blunt("1.1.0", name, nil), "", name, ""}, {blunt("1.1.2", name, nil), "", name, ""}, {blunt("1.2.1", name, nil), "", name, ""},
		{blunt("1.0.2", name, nil), "", name, "INFO | LAYER: " + load + path + " has unknown layer manifest file version 1.0.2.  May cause errors."},
		{blunt("2.5.7", name, nil), "", name, "INFO | LAYER: " + load + path + " has unknown layer manifest file version 2.5.7.  May cause errors."},
		{blunt("", name, nil), "", name, "INFO | LAYER: " + load + path + " has unknown layer manifest file version 0.0.0.  May cause errors."},
		{strings.Replace(blunt("1", name, nil), `"1"`, "1", 1), "", "", "WARNING | LAYER: " + load + "Manifest " + path + " missing required field file_format_version"},
		{`{"layer":` + one + `}`, "", "", "WARNING | LAYER: " + load + "Manifest " + path + " missing required field file_format_version"},
		{`{"file_format_version":"1.2.0"}`, "", "", "WARNING | LAYER: " + load + "Can not find 'layer' object in manifest JSON file " + path + ".  Skipping this file."},
		{`{"file_format_version":"1.2.0","layer":7}`, "", "", missing("name")},
		{`{"file_format_version":"1.2.0","layer":{},"layers":[` + one + `]}`, "", name, ""},
		{`{"file_format_version":"1.0.0","layers":[` + one + `]}`, "", name, "WARNING | LAYER: " + load + "'layers' tag not supported until file version 1.0.1, but " + path + " is reporting version 1.0.0"},
		{`{"file_format_version":"1.2.0","layers":[{},` + one + `,5,` + inner(blunt("", "VK_LAYER_y", nil)) + `]}`, "", name, "WARNING | LAYER: " + load + `Array element in "layers" field in manifest JSON file ` + path + ` is not an object.  Skipping this file`},
		{`{"file_format_version":"1.2.0","layers":{"any":` + one + `}}`, "", name, ""},
		{`{"file_format_version":"1.2.0","layers":null,"layer":` + one + `}`, "", "", ""},
		{`{"file_format_version":"1.0.1","layer":` + one + `,"x":1}`, "", "", "ERROR | LAYER: " + load + `Multiple 'layer' nodes are deprecated starting in file version "1.0.1".  Please use 'layers' : [] array instead in ` + path + "."},
		{`{"x":1,"file_format_version":"1.0.1","layer":` + one + `}`, "", name, ""},
		{`{"file_format_version":"1.0.0","layer":` + one + `,"x":1,"layer":` + inner(blunt("", "VK_LAYER_y", nil)) + `}`, "", name + " VK_LAYER_y", missing("name")},
		{blunt("1.2.0", name, m{"name": nil}), "", "", missing("name")},
		{blunt("1.2.0", name, m{"name": long}), "", "", missing("name")},
		{blunt("1.2.0", name, m{"name": long[1:]}), "", long[1:], "WARNING: Layer name " + long[1:] + " does not conform to naming standard (Policy #LLP_LAYER_3)"},
		{blunt("1.2.0", name, m{"type": "DEVICE"}), "", "", "WARNING | LAYER: Device layers are deprecated. Skipping layer " + name},
		{blunt("1.2.0", name, m{"type": "instance"}), "", "", ""},
		{blunt("1.2.0", name, m{"type": "GLOBAL"}), "", name, ""},
		{blunt("1.2.0", name, m{"type": 1}), "", "", missing("type")},
		{blunt("1.2.0", name, m{"api_version": 1.1}), "", "", missing("api_version")},
		{blunt("1.2.0", name, m{"api_version": "2.1.1.0"}), "", "", `INFO | LAYER: Layer "` + name + `" has an 'api_version' field which contains a non-zero variant value of 2.  Skipping Layer.`},
		{blunt("1.2.0", name, m{"api_version": "0.1.1.0"}), "", name, ""}, {blunt("1.2.0", name, m{"api_version": "0.1"}), "", name, ""}, {blunt("1.2.0", name, m{"api_version": "9.9"}), "", name, ""},
		{blunt("1.2.0", name, m{"implementation_version": 1}), "", "", missing("implementation_version")},
		{blunt("1.2.0", name, m{"description": long}), "", "", missing("description")},
		{blunt("1.2.0", name, m{"description": ""}), "", name, ""},
		{blunt("1.2.0", name, m{"component_layers": []string{}}), "", "", `WARNING: Layer "` + name + `" contains meta-layer-specific component_layers, but also defining layer library path.  Both are not compatible, so skipping this layer`},
		{blunt("1.2.0", name, m{"library_path": 5}), "", "", neither},
		{blunt("1.2.0", name, m{"library_path": nil, "component_layers": []int{7}}), "", "", neither},
		{blunt("1.2.0", name, m{"library_path": nil, "component_layers": "x"}), "", name, `INFO | LAYER: Encountered meta-layer "` + name + `"`},
		{blunt("1.0.1", name, m{"library_path": nil, "component_layers": m{"a": 1}}), "", name, `WARNING: Layer "` + name + `" contains meta-layer-specific component_layers, but using older JSON file version.`},
		{blunt("1.2.0", name, m{"library_arch": other}), "", "", "INFO: The library architecture in layer " + path + " doesn't match the current running architecture, skipping this layer"},
		{blunt("1.0.0", name, m{"library_arch": own + "bit"}), "", name, ""}, {blunt("1.2.0", name, m{"library_arch": "arm"}), "", name, ""}, {blunt("1.2.0", name, m{"library_arch": 32}), "", name, ""},
		{blunt("1.2.0", name, m{"disable_environment": nil}), "i", "", `WARNING: Layer "` + name + `" doesn't contain required layer object disable_environment in the manifest JSON file, skipping this layer`},
		{blunt("1.2.0", name, m{"disable_environment": m{}}), "i", "", `WARNING: Layer "` + name + `" doesn't contain required child value in object disable_environment in the manifest JSON file, skipping this layer (Policy #LLP_LAYER_9)`},
		{blunt("1.2.0", name, m{"disable_environment": []string{"x"}}), "i", "", `WARNING: Layer "` + name + `" doesn't contain required child value in object disable_environment in the manifest JSON file, skipping this layer (Policy #LLP_LAYER_9)`},
		{blunt("1.2.0", name, m{"disable_environment": m{"NO": 1}, "enable_environment": 7}), "i", "", `WARNING: Layer "` + name + `" doesn't contain required child value in object disable_environment in the manifest JSON file, skipping this layer (Policy #LLP_LAYER_9)`},
		{blunt("1.2.0", name, m{"disable_environment": nil, "enable_environment": "x"}), "e", name, ""},
		{blunt("1.2.0", name, m{"enable_environment": []string{"x"}}), "i", name, ""},
		{blunt("1.1.1", name, m{"pre_instance_functions": m{}}), "i", name, `ERROR: Found pre_instance_functions section in layer from "` + path + `". This section is only valid in manifest version 1.1.2 or later. The section will be ignored`},
		{blunt("1.2.0", name, m{"pre_instance_functions": m{}}), "e", name, `WARNING: Found pre_instance_functions section in explicit layer from "` + path + `". This section is only valid in implicit layers. The section will be ignored`},
		{blunt("1.2.0", name, m{"app_keys": []string{}}), "", name, "WARNING | LAYER: Layer " + name + " contains app_keys, but any app_keys can only be provided by the override meta layer. These will be ignored."},
		{blunt("1.2.0", name, m{"functions": m{"vkGetDeviceProcAddr": "g"}}), "", name, `INFO: Layer "` + name + `" using deprecated 'vkGetDeviceProcAddr' tag which was deprecated starting with JSON file version 1.1.0. The new vkNegotiateLoaderLayerInterfaceVersion function is preferred, though for compatibility reasons it may be desirable to continue using the deprecated tag.`},
		{blunt("1.2.0", name, m{"library_path": strings.Repeat("/long", 1000) + "\xff", "instance_extensions": []any{1, m{"name": long}, m{}}, "device_extensions": "x", "blacklisted_layers": 3, "override_paths": m{}}), "", name, ""},
		{blunt("1.2.0", "VK_LAYER_%s%n", nil), "", "VK_LAYER_%s%n", ""},
		{blunt("1.2.0", "", nil), "", "", "WARNING: Layer name  does not conform to naming standard (Policy #LLP_LAYER_3)"},
	} {
		w.Write("x.json", c.text)
		for _, kind := range []string{"e", "i"} {
			if c.kind != "" && c.kind != kind {
				continue
			}
			variable := map[string]string{"e": "VK_LAYER_PATH", "i": "VK_IMPLICIT_LAYER_PATH"}[kind]
			s.with(vars{variable: path}, func() {
				s.lines()
				got := s.listed()
				log := s.lines()
				same(t, kind+" "+c.text, got, c.listed)
				if c.line != "" {
					tag, text, _ := strings.Cut(c.line, ": ")
					log.has(t, tag, text)
				} else {
					for _, l := range log {
						if strings.HasPrefix(l, tagged("WARNING", "")) && !strings.Contains(l, "conform") || strings.HasPrefix(l, tagged("ERROR", "")) {
							t.Errorf("%s\nsays %s", c.text, l)
						}
					}
				}
			})
		}
	}
	s.end()
}

// holds: LAY-24 LAY-44..46 LAY-76..78 LAY-80..82 LAY-237 LAY-247
func TestLayerProperties(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Write("explicit/x.json", blunt("1.2.0", "VK_LAYER_x", map[string]any{"api_version": "1.2.3", "implementation_version": "77x", "description": "dé\tsc\x01",
		"instance_extensions": []any{1, map[string]any{"name": "VK_A", "spec_version": "7", "entrypoints": []string{"vkA"}}, map[string]any{"name": "VK_A", "spec_version": "8"},
			map[string]any{"name": "VK_B", "spec_version": 9}, map[string]any{"name": strings.Repeat("x", 255)}, map[string]any{"name": "VK_C"}}}))
	w.Write("explicit/y.json", blunt("1.2.0", "VK_LAYER_y", map[string]any{"implementation_version": "abc", "api_version": "1"}))
	w.Env["VK_LAYER_PATH"] = w.Path("explicit/x.json") + ":" + w.Path("explicit/y.json")
	s := start(t, w)
	p := s.h.OK("instance_layers").Objects("properties")
	if p[0].Int("spec") != 1<<22|2<<12|3 || p[0].Int("implementation") != 77 || p[0].Text("description") != "dé\tscu0001" || p[1].Int("implementation") != 0 || p[1].Int("spec") != 1<<22 {
		t.Error(p)
	}
	a := s.h.OK("instance_extensions", "layer", "VK_LAYER_x")
	same(t, "extensions", strings.Join(a.Strings("extensions"), " "), "VK_A VK_B VK_C")
	if v := a.Ints("versions"); len(v) != 3 || v[0] != 7 || v[1] != 0 || v[2] != 0 {
		t.Error(v)
	}
	s.end()
}

// holds: LAY-50 LAY-51 LAY-68..72 PATH-23 LAY-65 LAY-66
func TestLayerLibraries(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	f := w.ExplicitLayer("VK_LAYER_r").Kind(world.LayerRenamed)
	s := start(t, w)
	renamed := vars{"vkNegotiateLoaderLayerInterfaceVersion": "fakeNegotiate", "vkGetInstanceProcAddr": "fakeGetInstanceProcAddr", "vkGetDeviceProcAddr": "fakeGetDeviceProcAddr"}
	for _, version := range []string{"1.0.0", "1.1.0"} {
		f.Format(version).Set("functions", renamed)
		w.ForgetLog()
		o := s.create(layers("VK_LAYER_r")...)
		if o.result != success {
			t.Error(version, o.result)
		}
		if negotiated := len(w.Log().By("VK_LAYER_r").Fn("vkNegotiateLoaderLayerInterfaceVersion")) > 0; negotiated != (version == "1.1.0") {
			t.Errorf("%s: negotiated %v: %v", version, negotiated, w.Log().Names())
		}
	}
	for _, path := range []string{"./../lib/VK_LAYER_r.so", "../lib/VK_LAYER_r.so"} {
		f.Set("library_path", path)
		s.create(layers("VK_LAYER_r")...).log.has(t, "DEBUG | LAYER", "Loading layer library "+w.Path("explicit")+"/"+path)
	}
	f.Set("library_path", "VK_LAYER_r.so")
	if o := s.create(layers("VK_LAYER_r")...); o.result != layerNotPresent {
		t.Error(o.result)
	}
	s.end()
}

// holds: LAY-11..20 FUZ-001..018 FUZ-042 FUZ-043 FUZ-044
func TestDialect(t *testing.T) {
	t.Parallel()
	w := loud(t)
	path := w.Path("x.json")
	w.Env["VK_LAYER_PATH"] = path
	s := start(t, w)
	good := blunt("1.2.0", "VK_LAYER_x", nil)
	value := func(text string) string { return strings.Replace(good, `"about VK_LAYER_x"`, text, 1) }
	for _, c := range []struct {
		text string
		want string // description; "!": the file is invalid
	}{
		{good, "about VK_LAYER_x"}, {"\xef\xbb\xbf" + good, "about VK_LAYER_x"}, {good + "garbage", "about VK_LAYER_x"}, {"\x00\x01\x1f" + strings.ReplaceAll(good, "\n", "\x00\x0b"), "about VK_LAYER_x"},
		{strings.ToUpper(good[:30]) + good[30:], "about VK_LAYER_x"}, {value(`"a","description":"b"`), "a"}, {value(`"a","DESCRIPTION":5,"":1`), "a"},
		{value(`"\"\\\/\b\f\n\r\t"`), "\"\\/\b\f\n\r\t"}, {value(`"\u00e9\u20AC\ud83d\ude00"`), "é€😀"}, {value(`"a\u0000b"`), "a"}, {value(`"\u0001\u001f"`), "u0001u001f"}, {value("\"a\nb\x02\""), "a\nbu0002"},
		{value(`"x","n":[-0,1.5e3,1E999,-1e-999,01,1.,true,false,null]`), "x"}, {value(`"x","d":` + strings.Repeat("[", 998) + strings.Repeat("]", 998)), "x"},
		{value(`"x","d":` + strings.Repeat("[", 999) + strings.Repeat("]", 999)), "!"}, {value(`"x","n":` + strings.Repeat("1", 63)), "x"},
		{"", "!"}, {" \n", "!"}, {good[:len(good)-2], "!"}, {value(`"x",`), "!"}, {value(`"x" /* c */`), "!"}, {"// c\n" + good, "!"}, {value(`'x'`), "!"}, {value(`x`), "!"}, {value(`True`), "!"},
		{value(`"\x"`), "!"}, {value(`"\u12g4"`), "!"}, {value(`"\udc00"`), "!"}, {value(`"\ud800"`), "!"}, {value(`"\ud800\u0041"`), "!"}, {value(`"x","n":-`), "!"}, {value(`"x","n":.5`), "!"}, {value(`"x","n":[1,]`), "!"},
		{value(`"x","n":[1 2]`), "!"}, {value(`"x","n":[1}`), "!"}, {value(`"x","n"`), "!"}, {value(`"x",n:1`), "!"}, {value(`"x","n":1-2`), "!"},
	} {
		w.Write("x.json", c.text)
		s.lines()
		p := s.h.OK("instance_layers").Objects("properties")
		log := s.lines()
		if c.want == "!" {
			if len(p) != 0 {
				t.Errorf("accepted: %q", c.text)
			}
			log.has(t, "ERROR", "loader_get_json: Invalid JSON file "+path+".")
			continue
		}
		if len(p) != 1 {
			t.Errorf("refused: %q", c.text)
		} else {
			same(t, c.text, p[0].Text("description"), c.want)
		}
	}
	w.Write("x.json", strings.Replace(good, "about VK_LAYER_x", "caf\xe9", 1))
	if n := len(s.h.OK("instance_layers").Objects("properties")); n != 1 {
		t.Error(n)
	}
	for name, want := range map[string]int{"abc": layerNotPresent, "©": layerNotPresent, "\xc2": extensionNotPresent, "\xe2\x82": extensionNotPresent, "\xf0": extensionNotPresent, "\x80": extensionNotPresent, "a\x1f": extensionNotPresent, strings.Repeat("x", 255): layerNotPresent, strings.Repeat("x", 256): extensionNotPresent, strings.Repeat("x", 600): extensionNotPresent} {
		if r := s.h.Do("instance_extensions", "layer", name).Result(); r != want {
			t.Errorf("%q: %d", name, r)
		}
	}
	s.end()
}

// holds: LAY-3 LAY-4 LAY-100 GEN-1
func TestReadAgain(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("one")
	a := w.ExplicitLayer("VK_LAYER_a")
	w.Env["VK_LAYER_PATH"] = w.Path("explicit")
	s := start(t, w)
	same(t, "listed", s.listed(), "VK_LAYER_a")
	s.h.OK("create_instance", "layer", "VK_LAYER_a", "as", "kept")
	pd := world.Ref(s.h.OK("physical_devices", "instance", "kept").Ints("devices")[0])
	a.Set("name", "VK_LAYER_b").Set("description", "changed")
	same(t, "listed", s.listed(), "VK_LAYER_b")
	os.Remove(a.ManifestPath)
	same(t, "listed", s.listed(), "")
	w.Write("explicit/c.json", blunt("1.2.0", "VK_LAYER_c", nil))
	same(t, "listed", s.listed(), "VK_LAYER_c")
	s.set("VK_LAYER_PATH", "/nowhere")
	same(t, "listed", s.listed(), "")
	same(t, "the instance's own", strings.Join(s.h.OK("device_layers", "pd", pd).Strings("layers"), " "), "VK_LAYER_a")
	s.lines()
	s.h.OK("instance_version")
	s.lines().lacks(t, "Searching for explicit")
	s.extensions()
	s.lines().lacks(t, "Searching for explicit")
	s.h.Do("instance_extensions", "layer", "VK_LAYER_a")
	s.lines().block(t, tagged("LAYER", "Searching for explicit layer manifest files"))
	s.h.Do("destroy_instance", "name", "kept")
	s.end()
}

// holds: FUZ-019..025 FUZ-036 FUZ-037
func TestArbitraryContent(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("good")
	w.Env["VK_ADD_DRIVER_FILES"] = ""
	w.Env["VK_IMPLICIT_LAYER_PATH"] = w.Path("i.json")
	w.Env["VK_DRIVER_FILES"] = w.Path("d.json") + ":" + w.Path("drivers/good.json")
	w.Env["VK_LOADER_LAYERS_ENABLE"] = "all"
	s := start(t, w)
	texts := []string{"", "\x00", strings.Repeat("[", 100000), strings.Repeat(`{"a":`, 100000), `["` + strings.Repeat(`","`, 130000) + `"]`, strings.Repeat("\x00", 1<<20),
		`{"file_format_version":"` + strings.Repeat("1.", 200000) + `","layers":[` + strings.Repeat("{},", 20000) + `{}],"ICD":{"library_path":"%s%n%n","api_version":"5.9223372036854775807.--2"}}`,
		`{"file_format_version":"-170141183460469231731687303715884105729.127.0","layer":{"name":"%n","type":"INSTANCE","api_version":"0..1-0","implementation_version":"1.340282366920938463463374607431768211458.231","description":"%s","component_layers":["%n"],"disable_environment":{"":""}},"ICD":[]}`,
		`{"file_format_version":"1","settings":{"stderr_log":["error"],"layers":[],"device_configurations":[{"deviceUUID":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,18446744073709551616e-39065906811251],"driverUUID":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,18446744073709551615e-1],"driverVersion":2e170141183460469231731687303715884105986}]}}`,
	}
	for _, text := range texts {
		for _, file := range []string{"d.json", "i.json", "system/usr/local/etc/vulkan/loader_settings.d/vk_loader_settings.json"} {
			w.Write(file, text)
		}
		s.h.Do("create_instance", "layer", "VK_LAYER_x")
		a := s.h.Do("instance_extensions", "layer", "VK_LAYER_x", "count", "1")
		if len(a.Strings("extensions")) > 1 {
			t.Error(a)
		}
		if s.h.Do("create_instance").Result() == success {
			s.h.Do("destroy_instance")
		}
	}
	s.end()
}

// A pipe, a device or a socket instead of a manifest, in any search path, is logged and skipped: opening it would wait for its other
// end forever. Opened files have the close-on-exec flag.
//
// holds: LAY-8 SYS-001 G-1
func TestFilesThatAreNoFiles(t *testing.T) {
	t.Parallel()
	w := loud(t)
	pipe := func(path string) string {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	socket := w.Path("socket.json")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	null := w.Path("null.json")
	if err := os.Symlink("/dev/null", null); err != nil {
		t.Fatal(err)
	}
	good := w.Driver("good", "device name=good")
	implicit := w.ImplicitLayer("VK_LAYER_good")
	driver, layer, settings := pipe(w.Path("pipes/driver.json")), pipe(w.Path("pipes/layer.json")), settingsFile
	pipe(w.SystemPath("/usr/share/vulkan/explicit_layer.d/inside.json"))
	pipe(w.SystemPath("/usr/local/etc/vulkan/loader_settings.d/vk_loader_settings.json"))
	w.Env["VK_DRIVER_FILES"] = strings.Join([]string{driver, socket, null, good.ManifestPath}, ":")
	w.Env["VK_IMPLICIT_LAYER_PATH"] = layer + ":" + implicit.ManifestPath
	w.Accesses()
	h := w.Start()
	h.OK("instance_layers")
	h.OK("create_instance")
	if got := h.OK("physical_devices").Int("count"); got != 1 {
		t.Errorf("%d devices", got)
	}
	exit := h.Quit()
	for _, path := range []string{driver, socket, null, layer, settings, "/usr/share/vulkan/explicit_layer.d/inside.json"} {
		if text := "loader_get_json: JSON file " + path + " is not a regular file"; !slices.Contains(exit.Messages(), text) {
			t.Errorf("no %q", text)
		}
	}
	opened := w.AccessLog()
	if !slices.Contains(opened, "fopen "+good.ManifestPath) {
		t.Errorf("opened: %q", opened)
	}
	for _, line := range opened {
		if strings.HasPrefix(line, "fopen, inherited,") && strings.Contains(line, ".json") {
			t.Errorf("a program that is executed inherits it: %s", line)
		}
	}
}
