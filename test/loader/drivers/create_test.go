package drivers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: INS-020 INS-021
func TestArgumentsThatAreMissing(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("it")
	h := w.Start()
	for null, line := range map[string]string{"info": "[ERROR] vkCreateInstance: 'pCreateInfo' is NULL (VUID-vkCreateInstance-pCreateInfo-parameter)",
		"instance": "[ERROR] vkCreateInstance 'pInstance' not valid (VUID-vkCreateInstance-pInstance-parameter)"} {
		if got := h.Do("create_instance", "null", null).Result(); got != initializationError {
			t.Errorf("%s NULL: %d", null, got)
		}
		defer func() { says(t, h.Quit(), line) }()
	}
	if log := w.Log(); len(log) != 0 {
		t.Errorf("a driver was asked: %v", log.Names())
	}
}

// holds: INS-022 INS-023 INS-024
func TestCreateInfoIsOnlyRead(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("old", "device name=old", "ext VK_KHR_surface 25", "ext VK_KHR_get_physical_device_properties2 2")
	w.Driver("new", "device name=new", "ext VK_KHR_surface 25").API("1.2.0")
	w.ExplicitLayer("VK_LAYER_it")
	h := w.Start()
	for _, words := range [][]string{{"app", "0"}, {"api", "0"}, {"api", "1.1.0", "flags", "0x7"}, {"api", "1.0.0", "layer", "VK_LAYER_it"},
		{"api", "1.3.0", "app_name", "x", "engine_name", "y", "ext", "VK_KHR_surface", "ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report", "messenger", "m", "report", "r"}} {
		a := h.OK("create_instance", append(words, "readonly", "1")...)
		if a.Int("unchanged") != 1 {
			t.Errorf("%q was changed", words)
		}
		h.OK("physical_devices") // the host's structures are unmapped now
		h.Do("destroy_instance")
	}
	h.Quit()
}

// Each fault takes precedence over those after it, and leaves nothing behind.
//
// holds: INS-025 INS-026 INS-029 INS-074
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	const none = "VK_DRIVER_FILES"
	layer := []string{"layer", "VK_LAYER_nobody"}
	broken := []string{"layer", "VK_LAYER_broken"}
	fails := []string{"layer", "VK_LAYER_fails"}
	extension := []string{"ext", "VK_KHR_display"}
	cases := []struct {
		name   string
		words  []string
		driver string // script of the driver; "none": no driver
		result int
	}{
		{"layer before driver", slices.Concat(layer, broken, extension), "none", layerNotPresent},
		{"layer before extension", slices.Concat(layer, extension), "", layerNotPresent},
		{"driver before extension", slices.Concat(extension, broken), "none", incompatibleDriver},
		{"extension before layer library", slices.Concat(extension, broken), "", extensionNotPresent},
		{"layer library before driver's instance", broken, "result vkCreateInstance -3", layerNotPresent},
		{"driver's instance", nil, "result vkCreateInstance -3", incompatibleDriver},
		{"driver out of memory", nil, "result vkCreateInstance -1", outOfMemory},
		{"driver out of memory while listing", slices.Concat(extension, broken), "result vkEnumerateInstanceExtensionProperties -1", outOfMemory},
		{"layer's create call", fails, "", -4},
		{"layer's create call before the driver's", fails, "result vkCreateInstance -1", -4},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			if c.driver == "none" {
				w.Env[none] = ""
			} else {
				w.Driver("first")
				w.Driver("second", "device name=second", c.driver)
			}
			w.ExplicitLayer("VK_LAYER_good")
			w.ExplicitLayer("VK_LAYER_fails", "error vkCreateInstance -4 before")
			w.ExplicitLayer("VK_LAYER_broken").Set("library_path", w.BadBinary("broken"))
			h := w.Start()
			h.Do("allocator", "as", "a")
			// If another driver works, one that fails with its own code does not end the call.
			result := c.result
			if c.name == "driver's instance" {
				result = success
			}
			a := h.Do("create_instance", slices.Concat([]string{"layer", "VK_LAYER_good", "allocator", "a"}, c.words)...)
			if a.Result() != result || a.Int("written") != 0 && result != success {
				t.Errorf("result %d, want %d; written: %d", a.Result(), result, a.Int("written"))
			}
			if result == success {
				h.Do("destroy_instance", "allocator", "a")
			}
			mapped := h.Do("maps", "match", w.Path("lib")).Strings("maps")
			stats := h.Do("allocator_stats", "name", "a")
			h.Quit()
			if len(mapped) != 0 || stats.Int("live") != 0 || stats.Int("faults") != 0 {
				t.Errorf("left: libraries %v, %d blocks, %d faults", mapped, stats.Int("live"), stats.Int("faults"))
			}
			made, gone := 0, 0
			for _, event := range w.Log() {
				if event.Text("made") != "" && event.Text("fn") == "vkCreateInstance" && strings.HasPrefix(event.Text("made"), "instance:") && event.Text("phase") == "" {
					made++
				}
				if event.Text("fn") == "vkDestroyInstance" && strings.HasPrefix(event.Text("instance"), "instance:") && event.Text("phase") == "" {
					gone++
				}
			}
			if made != gone {
				t.Errorf("%d driver instances made, %d destroyed\n%s", made, gone, w.Log())
			}
			sound(t, w.Log().By("first"))
		})
	}
}

// holds: INS-029 INS-030
func TestDriversWithoutDevices(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("empty", "api 1.0.0")
	h := w.Start()
	h.OK("create_instance")
	if got := h.Do("physical_devices").Result(); got != initializationError {
		t.Errorf("enumeration gave %d", got)
	}
	h.Do("destroy_instance")
	h.Quit()
}

// holds: INS-031 INS-032 INS-033 INS-034 INS-047 INS-051
func TestWhatTheProgramAskedForIsLogged(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name   string
		words  []string
		lines  []string
		result int
	}{
		{"everything", []string{"app_name", "MyApp", "app_version", "42", "engine_name", "MyEngine", "engine_version", "7", "api", "1.2.0", "layer", "VK_LAYER_it",
			"ext", "VK_EXT_debug_utils", "ext", "VK_KHR_surface"}, []string{
			`[INFO] vkCreateInstance: applicationName: "MyApp", applicationVersion: 42, engineName: "MyEngine", engineVersion: 7, apiVersion: 1.2.0`,
			"[INFO] vkCreateInstance: Requested 1 instance layer(s):", "[INFO]    VK_LAYER_it",
			"[INFO] vkCreateInstance: Requested 2 instance extension(s):", "[INFO]    VK_EXT_debug_utils", "[INFO]    VK_KHR_surface"}, success},
		{"nothing", []string{"app", "0"}, []string{
			`[INFO] vkCreateInstance: applicationName: "", applicationVersion: 0, engineName: "", engineVersion: 0, apiVersion: 0.0.0`,
			"[INFO] vkCreateInstance: Requested 0 instance layer(s):", "[INFO] vkCreateInstance: Requested 0 instance extension(s):"}, success},
		{"no names", []string{"api", "1.3.280", "app_version", "4294967295"}, []string{
			`[INFO] vkCreateInstance: applicationName: "", applicationVersion: 4294967295, engineName: "", engineVersion: 0, apiVersion: 1.3.280`}, success},
		{"NULL arrays", []string{"layer_count", "3", "ext_count", "2"}, []string{
			"[INFO] vkCreateInstance: Requested 3 instance layer(s):", "[INFO] vkCreateInstance: Requested 2 instance extension(s):",
			"[ERROR] loader_validate_layers: ppEnabledLayerNames is NULL but enabledLayerCount is greater than zero"}, layerNotPresent},
		{"a NULL array of extensions", []string{"ext_count", "2"}, []string{
			"[INFO] vkCreateInstance: Requested 0 instance layer(s):", "[INFO] vkCreateInstance: Requested 2 instance extension(s):",
			"[ERROR] loader_validate_instance_extensions: Instance ppEnabledExtensionNames is NULL but enabledExtensionCount is greater than zero"}, extensionNotPresent},
		{"NULL elements", []string{"layer", "null", "layer", "VK_LAYER_it", "ext", "VK_KHR_surface", "ext", "null"}, []string{
			"[INFO] vkCreateInstance: Requested 2 instance layer(s):", "[INFO]    <NULL>", "[INFO]    VK_LAYER_it",
			"[INFO] vkCreateInstance: Requested 2 instance extension(s):", "[INFO]    VK_KHR_surface", "[INFO]    <NULL>",
			"[ERROR] loader_validate_layers: ppEnabledLayerNames contains string that is too long or is badly formed"}, layerNotPresent},
		{"a call that fails", []string{"ext", "VK_ACME_nothing"}, []string{
			"[INFO] vkCreateInstance: Requested 1 instance extension(s):", "[INFO]    VK_ACME_nothing"}, extensionNotPresent},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("it", "device name=it", "ext VK_KHR_surface 25")
			w.ExplicitLayer("VK_LAYER_it")
			l := live(t, w, c.words...)
			l.wants(t, c.result, "it")
			inOrder(t, l.exit, c.lines...)
			if strings.HasPrefix(c.name, "N") || c.name == "nothing" {
				n := 0
				for n < len(c.lines) && strings.HasPrefix(c.lines[n], "[INFO]") {
					n++
				}
				block(t, l.exit, c.lines[:n])
			}
		})
	}
}

// holds: INS-035 INS-036 INS-037 INS-024
func TestVersionsThatAreAskedFor(t *testing.T) {
	t.Parallel()
	const low = "which is not permitted"
	const variant = "The API Variant specified"
	cases := []struct {
		api  uint32
		say  string
		want int64 // the version that a 1.2 driver sees
	}{
		{0, "", 0},
		{1, "[ERROR] VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of 1 which is not permitted. If apiVersion is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]", 1},
		{1<<22 - 1, "[ERROR] VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of 4194303 which is not permitted. If apiVersion is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]", 1<<22 - 1},
		{1 << 22, "", 1 << 22},
		{1<<22 | 99<<12, "", 1<<22 | 99<<12},
		{7 << 22, "", 7 << 22},
		{1<<22 | 3<<12 | 7, "", 1<<22 | 3<<12 | 7},
		{1<<29 | 1<<22, "[WARN] vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is 1 instead of the expected value of 0.", 1<<29 | 1<<22},
		{7<<29 | 1<<22 | 1<<12, "[WARN] vkCreateInstance: The API Variant specified in pCreateInfo->pApplicationInfo.apiVersion is 7 instead of the expected value of 0.", 7<<29 | 1<<22 | 1<<12},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%#x", c.api), func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("it").API("1.2.0")
			l := live(t, w, "api", fmt.Sprint(c.api))
			l.wants(t, success, "it")
			if c.say != "" {
				says(t, l.exit, c.say)
			} else {
				quietAbout(t, l.exit, low, variant)
			}
			if got := l.log.Fn("vkCreateInstance")[0].Object("app").Int("api"); got != c.want {
				t.Errorf("the driver saw %#x", got)
			}
		})
	}
}

// holds: INS-038 INS-039 INS-040 INS-041 INS-042 INS-043 INS-044 INS-045 DRV-035 DRV-034
func TestPortability(t *testing.T) {
	t.Parallel()
	const extension = "VK_KHR_portability_enumeration"
	const on = "[INFO] Portability enumeration bit was set, enumerating portability drivers."
	const found = "[ERROR|DRIVER] vkCreateInstance: Found drivers that contain devices which support the portability subset, but the instance does not enumerate portability drivers! Applications that wish to enumerate portability drivers must set the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit in the VkInstanceCreateInfo flags"
	neither := found + " and enable the VK_KHR_portability_enumeration instance extension."
	const flagAlone = "[ERROR|DRIVER] VkInstanceCreateInfo: If flags has the VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR bit set, the list of enabled extensions in ppEnabledExtensionNames must contain VK_KHR_portability_enumeration [VUID-VkInstanceCreateInfo-flags-06559 ]Applications that wish to enumerate portability drivers must enable the VK_KHR_portability_enumeration instance extension."
	const none = "[ERROR|DRIVER] vkCreateInstance: Found no drivers!"
	cases := []struct {
		name    string
		drivers string // p: portability, P: that lists the extension, n: normal, N: that lists the extension
		words   []string
		created string
		say     []string
	}{
		{"neither, alone", "p", nil, "", []string{neither, none}},
		{"extension, alone", "p", []string{"ext", extension}, "", []string{found + ".", none}},
		{"flag, alone", "p", []string{"flags", "1"}, "", []string{flagAlone, none}},
		{"both, alone", "p", []string{"flags", "1", "ext", extension}, "p", []string{on}},
		{"neither, beside others", "pn", nil, "n", nil},
		{"extension, beside others", "np", []string{"ext", extension}, "n", nil},
		{"flag, beside others", "pn", []string{"flags", "1"}, "n", nil},
		{"both, beside others", "pnPN", []string{"flags", "5", "ext", extension}, "pnPN", []string{on}},
		{"flags without the bit", "n", []string{"flags", "6"}, "n", nil},
		{"both without portability drivers", "nN", []string{"flags", "7", "ext", extension}, "nN", []string{on}},
		{"no drivers", "", []string{"flags", "1", "ext", extension}, "", []string{on, none}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Accesses()
			w.ImplicitLayer("VK_LAYER_implicit")
			w.ExplicitLayer("VK_LAYER_explicit")
			if c.drivers == "" {
				w.Env["VK_DRIVER_FILES"] = ""
			}
			for _, kind := range strings.Split(c.drivers, "") {
				if kind == "" {
					continue
				}
				name := kind
				if kind != strings.ToLower(kind) {
					name += "_" // the case of a file's name does not count on Windows
				}
				f := w.Driver(name)
				if strings.ToLower(kind) == "p" {
					f.Set("is_portability_driver", true)
				}
				if strings.ToUpper(kind) == kind {
					f.Script("ext " + extension + " 1")
				}
			}
			words := slices.Concat(c.words, []string{"layer", "VK_LAYER_explicit"})
			l := live(t, w, words...)
			created := strings.ReplaceAll(strings.Join(drivers(l.log).Fn("vkCreateInstance").Who(), ""), "_", "")
			if created != c.created {
				t.Errorf("created %q, want %q", created, c.created)
			}
			want := success
			if c.created == "" {
				want = incompatibleDriver
			}
			if l.result != want {
				t.Errorf("result %d, want %d", l.result, want)
			}
			inOrder(t, l.exit, c.say...)
			if !slices.Contains(c.say, on) {
				quietAbout(t, l.exit, on[7:])
			}
			if c.created != "" {
				quietAbout(t, l.exit, found[17:], flagAlone[17:])
				for _, layer := range []string{"VK_LAYER_implicit", "VK_LAYER_explicit"} {
					if len(l.log.By(layer).Fn("vkCreateInstance")) == 0 {
						t.Errorf("%s took no part", layer)
					}
				}
			}
			if !strings.Contains(c.created, "p") && slices.Contains(w.AccessLog(), "dlopen "+w.Path("lib/p.so")+" 1") {
				t.Error("the portability driver was opened")
			}
			flags := int64(0)
			for i := 0; i+1 < len(c.words); i += 2 {
				if c.words[i] == "flags" {
					fmt.Sscan(c.words[i+1], &flags)
				}
			}
			for _, made := range drivers(l.log).Fn("vkCreateInstance") {
				want := flags &^ 1
				if who := made.Text("who"); strings.ToUpper(who) == who {
					want = flags
				}
				if made.Int("flags") != want {
					t.Errorf("%s saw flags %#x, want %#x", made.Text("who"), made.Int("flags"), want)
				}
			}
		})
	}
}

// holds: DRV-036
func TestPortabilityDriversAreListed(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("it", "device name=it", "ext VK_KHR_surface 25").Set("is_portability_driver", true)
	h := w.Start()
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), slices.Concat([]string{"VK_KHR_surface"}, ownExtensions))
	h.Quit()
}

// holds: INS-046 INS-048 INS-049 INS-052 INS-053 INS-054
func TestNamesThatAreRefused(t *testing.T) {
	t.Parallel()
	const badLayer = "[ERROR] loader_validate_layers: ppEnabledLayerNames contains string that is too long or is badly formed"
	const badExtension = "[ERROR] loader_validate_instance_extensions: Instance ppEnabledExtensionNames contains string that is too long or is badly formed"
	long := strings.Repeat("x", 255)
	cases := []struct {
		name string
		good bool
	}{
		{"VK_KHR_nothing", true}, {long, true}, {"", true}, {" ", true}, {"~", true}, {"\u00e9", true}, {"\u20ac", true}, {"\U0001f30b", true}, {"\xc0\x80", true},
		{"\xf7\xbf\xbf\xbf", true},
		{long + "x", false}, {"VK\x01", false}, {"\x1f", false}, {"\n", false}, {"\x7f", false}, {"\x80", false}, {"\xbf", false}, {"\xff", false}, {"\xf8\x80\x80\x80\x80", false},
		{"\xc3", false}, {"x\xe2\x82", false}, {"x\xf0\x9f\x8c", false}, {"\xc3x", false}, {"\xe2\x82x", false}, {"\xe2x\x82", false}, {"null", false},
		{strings.Repeat("x", 254) + "\xc3", false},
	}
	w := loud(t)
	w.Driver("it")
	h := w.Start()
	var lines []string
	for _, c := range cases {
		for _, kind := range []string{"layer", "ext"} {
			result, line := layerNotPresent, badLayer
			switch {
			case kind == "layer" && c.good:
				line = "[ERROR] loader_validate_layers: Layer 0 does not exist in the list of available layers"
			case kind == "ext" && c.good:
				result, line = extensionNotPresent, "[ERROR] loader_validate_instance_extensions: Extension "+c.name+" not found in list of known instance extensions."
			case kind == "ext":
				result, line = extensionNotPresent, badExtension
			}
			if got := h.Do("create_instance", kind, c.name).Result(); got != result {
				t.Errorf("%s %q: %d", kind, c.name, got)
			}
			lines = append(lines, line)
		}
	}
	if got := h.Do("create_instance", "ext", "VK_EXT_debug_utils", "ext", "VK_KHR_display").Result(); got != extensionNotPresent {
		t.Errorf("an extension that nobody offers: %d", got)
	}
	lines = append(lines, "[ERROR] loader_validate_instance_extensions: Instance extension VK_KHR_display not supported by available ICDs or enabled layers.")
	exit := h.Quit()
	var said []string
	for _, line := range spoken(strings.ReplaceAll(exit.Stderr, "\n not found", " not found")) {
		if strings.Contains(line, "loader_validate_") {
			said = append(said, line)
		}
	}
	same(t, "messages", said, lines)
	if n := len(w.Log().Fn("vkCreateInstance")); n != 0 {
		t.Errorf("%d instances were made", n)
	}
}

// holds: INS-049 INS-048
func TestIndexOfTheUnknownLayer(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("it")
	w.ExplicitLayer("VK_LAYER_good")
	l := live(t, w, "layer", "VK_LAYER_good", "layer", "VK_LAYER_good", "layer", "VK_LAYER_bad", "layer", "VK_LAYER_bad")
	l.wants(t, layerNotPresent)
	says(t, l.exit, "[ERROR] loader_validate_layers: Layer 2 does not exist in the list of available layers")
}

// holds: INS-053 INS-054 INS-055 INS-056
func TestExtensionsThatCanBeEnabled(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("none")
	w.Driver("some", "device name=some", "ext VK_KHR_surface 25", "ext VK_ACME_driver 1")
	offers := func(f *world.Fake, name string) {
		f.Set("instance_extensions", []any{map[string]any{"name": name, "spec_version": "1"}})
	}
	offers(w.ImplicitLayer("VK_LAYER_implicit"), "VK_KHR_display")
	offers(w.ExplicitLayer("VK_LAYER_explicit"), "VK_KHR_get_surface_capabilities2")
	offers(w.ExplicitLayer("VK_LAYER_forced"), "VK_KHR_get_display_properties2")
	offers(w.ExplicitLayer("VK_LAYER_member"), "VK_EXT_display_surface_counter")
	w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_forced"
	meta := w.Write("explicit/meta.json", world.JSON(map[string]any{"file_format_version": "1.1.1", "layer": map[string]any{"name": "VK_LAYER_meta", "type": "GLOBAL",
		"api_version": "1.3.0", "implementation_version": "1", "description": "members", "component_layers": []any{"VK_LAYER_member"}}}))
	h := w.Start()
	h.Do("setenv", "name", "VK_LAYER_PATH", "value", strings.Join([]string{w.Path("explicit/VK_LAYER_explicit.json"), w.Path("explicit/VK_LAYER_forced.json"),
		w.Path("explicit/VK_LAYER_member.json"), meta}, ":"))
	for _, c := range []struct {
		words  []string
		result int
	}{
		{[]string{"ext", "VK_KHR_surface"}, success},
		{[]string{"ext", "VK_EXT_debug_report", "ext", "VK_EXT_debug_utils", "ext", "VK_KHR_portability_enumeration", "ext", "VK_LUNARG_direct_driver_loading"}, success},
		{[]string{"ext", "VK_KHR_display"}, success},
		{[]string{"ext", "VK_KHR_get_display_properties2"}, success},
		{[]string{"ext", "VK_KHR_get_surface_capabilities2"}, extensionNotPresent},
		{[]string{"ext", "VK_KHR_get_surface_capabilities2", "layer", "VK_LAYER_explicit"}, success},
		{[]string{"ext", "VK_EXT_display_surface_counter"}, extensionNotPresent},
		{[]string{"ext", "VK_EXT_display_surface_counter", "layer", "VK_LAYER_meta"}, success},
		{[]string{"ext", "VK_ACME_driver"}, extensionNotPresent},
	} {
		if got := h.Do("create_instance", c.words...).Result(); got != c.result {
			t.Errorf("%q: %d, want %d", c.words, got, c.result)
		} else if got == success {
			h.Do("destroy_instance")
		}
	}
	h.Do("setenv", "name", "VK_LOADER_DISABLE_INST_EXT_FILTER", "value", "1")
	h.OK("create_instance", "ext", "VK_ACME_driver")
	if got := h.Do("create_instance", "as", "j", "ext", "VK_ACME_nobody").Result(); got != extensionNotPresent {
		t.Errorf("an unknown extension that nobody offers, unfiltered: %d", got)
	}
	exit := h.Quit()
	says(t, exit, "[ERROR] loader_validate_instance_extensions: Instance extension VK_ACME_nobody not supported by available ICDs or enabled layers.",
		"[ERROR] loader_validate_instance_extensions: Extension VK_ACME_driver not found in list of known instance extensions.")
}

// The messages about active layers come after the drivers, once.
//
// holds: INS-025
func TestLinesAboutActiveLayers(t *testing.T) {
	t.Parallel()
	for _, words := range [][]string{nil, {"ext", "VK_EXT_debug_utils"}} {
		w := loud(t)
		w.Driver("it")
		w.ExplicitLayer("VK_LAYER_it")
		w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_it"
		const line = `[WARN|LAYER] env var 'VK_INSTANCE_LAYERS' defined and adding layers "VK_LAYER_it"`
		l := live(t, w, words...)
		l.wants(t, success, "it")
		inOrder(t, l.exit, "[DRIVER] Found ICD manifest file "+w.Path("drivers/it.json")+", version 1.0.1", line,
			`[INFO|LAYER] Insert instance layer "VK_LAYER_it" (`+w.Path("lib/VK_LAYER_it.so")+")")
		if n := strings.Count(strings.Join(spoken(l.exit.Stderr), "\n"), line); n != 1 {
			t.Errorf("said %d times", n)
		}
	}
}

// An extension that cannot be enabled is no reason to keep silent about VK_INSTANCE_LAYERS.
//
// holds: ENV-72 ENV-73 LAY-138 LAY-139 INS-025
func TestLinesAboutVariablesComeWithAFailure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		words []string
		line  string
	}{
		{[]string{"ext", "VK_ACME_gone"}, "Extension VK_ACME_gone not found in list of known instance extensions."},
		{[]string{"ext", "VK_EXT_direct_mode_display"}, "Instance extension VK_EXT_direct_mode_display not supported by available ICDs or enabled layers."},
		{[]string{"ext", "\x01"}, "Instance ppEnabledExtensionNames contains string that is too long or is badly formed"},
		{[]string{"ext_count", "1"}, "Instance ppEnabledExtensionNames is NULL but enabledExtensionCount is greater than zero"},
	} {
		w := loud(t)
		w.Driver("it")
		w.ExplicitLayer("VK_LAYER_it").Set("api_version", "1.0.0")
		w.Env["VK_INSTANCE_LAYERS"] = "VK_LAYER_it:VK_LAYER_gone"
		l := live(t, w, append(c.words, "api", "1.1.0")...)
		l.wants(t, extensionNotPresent)
		inOrder(t, l.exit, `[WARN|LAYER] env var 'VK_INSTANCE_LAYERS' defined and adding layers "`+world.Separated("VK_LAYER_it:VK_LAYER_gone")+`"`,
			`[ERROR|LAYER] Layer "VK_LAYER_gone" was not found but was requested by env var VK_INSTANCE_LAYERS!`,
			"[ERROR] loader_validate_instance_extensions: "+c.line)
		quietAbout(t, l.exit, "which is older than the application specified") // no layer is used
	}
}

// holds: INS-057
func TestLayerThatClaimsAMissingExtension(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "after"} {
		t.Run(when, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			w.Driver("it")
			w.ExplicitLayer("VK_LAYER_it", "error vkCreateInstance -7 "+when)
			l := live(t, w, "layer", "VK_LAYER_it")
			l.wants(t, extensionNotPresent)
			says(t, l.exit, "[WARN] vkCreateInstance: Layer returning invalid extension error not triggered by ICD/Loader (Policy #LLP_LAYER_17).")
		})
	}
}

// drivers leaves out what layers saw.
func drivers(log world.Log) world.Log {
	var out world.Log
	for _, event := range log {
		if !strings.HasPrefix(event.Text("who"), "VK_LAYER_") {
			out = append(out, event)
		}
	}
	return out
}
