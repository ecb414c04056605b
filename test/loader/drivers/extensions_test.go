package drivers

import (
	"debug/elf"
	"debug/pe"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// known are the instance extensions of INS-008.
var known = []string{"VK_KHR_surface", "VK_KHR_display", "VK_KHR_xlib_surface", "VK_KHR_xcb_surface", "VK_KHR_wayland_surface",
	"VK_KHR_get_physical_device_properties2", "VK_KHR_device_group_creation", "VK_KHR_external_memory_capabilities", "VK_KHR_external_semaphore_capabilities",
	"VK_KHR_external_fence_capabilities", "VK_KHR_get_surface_capabilities2", "VK_KHR_get_display_properties2", "VK_KHR_surface_protected_capabilities",
	"VK_KHR_portability_enumeration", "VK_KHR_surface_maintenance1", "VK_EXT_debug_report", "VK_NV_external_memory_capabilities", "VK_EXT_validation_flags",
	"VK_EXT_direct_mode_display", "VK_EXT_acquire_xlib_display", "VK_EXT_display_surface_counter", "VK_EXT_swapchain_colorspace", "VK_EXT_debug_utils",
	"VK_EXT_validation_features", "VK_EXT_headless_surface", "VK_EXT_surface_maintenance1", "VK_EXT_acquire_drm_display", "VK_GOOGLE_surfaceless_query",
	"VK_LUNARG_direct_driver_loading", "VK_EXT_layer_settings", "VK_NV_display_stereo"}

// constants returns the constant data of a library, with its texts.
func constants(library string) ([]byte, error) {
	if world.Windows() {
		file, err := pe.Open(library)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		return file.Section(".rdata").Data()
	}
	file, err := elf.Open(library)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return file.Section(".rodata").Data()
}

// version returns the header version that the library was built with, from its file name (EXP-002).
func version(t *testing.T, w *world.World) string {
	t.Helper()
	text, err := constants(w.Loader)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(string(text), "\x00") {
		if rest, ok := strings.CutPrefix(part, "1.4."); ok && len(rest) == 3 {
			return part
		}
	}
	t.Fatal("the library has no version")
	return ""
}

// holds: INS-001 INS-002 INS-003 INS-093
func TestInstanceVersion(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		build func(w *world.World)
	}{
		{"none", func(*world.World) {}},
		{"old", func(w *world.World) { w.Driver("old").API("1.0.5") }},
		{"new", func(w *world.World) { w.Driver("new").API("1.9.9") }},
		{"layer", func(w *world.World) { w.ImplicitLayer("VK_LAYER_plain").Set("api_version", "1.1.7") }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			c.build(w)
			h := w.Start()
			want := version(t, w)
			if got := h.OK("instance_version").Text("text"); got != "0."+want {
				t.Errorf("the version is %s, want 0.%s", got, want)
			}
			answer := h.Do("instance_version", "arg", "null")
			exit := h.Quit()
			if answer.Result() != outOfMemory {
				t.Errorf("NULL gave %d", answer.Result())
			}
			says(t, exit, "[ERROR] vkEnumerateInstanceVersion: 'pApiVersion' must not be NULL (VUID-vkEnumerateInstanceVersion-pApiVersion-parameter",
				"[INFO] Vulkan Loader Version "+want)
			if n := len(w.Log().Fn("vkEnumerateInstanceVersion")); n != 0 {
				t.Errorf("a driver was asked for its version %d times", n)
			}
		})
	}
}

// A fatal message is written even if no messages are requested.
//
// holds: INS-003 INS-020 INS-021 INS-035
func TestFatalMessagesAreAlwaysThere(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("it")
	h := w.Start()
	h.Do("instance_version", "arg", "null")
	if got := h.Do("create_instance", "null", "info").Result(); got != initializationError {
		t.Errorf("no create info: %d", got)
	}
	if got := h.Do("create_instance", "null", "instance").Result(); got != initializationError {
		t.Errorf("no instance: %d", got)
	}
	h.OK("create_instance", "api", "1")
	same(t, "messages", spoken(h.Quit().Stderr), []string{
		"[ERROR] vkEnumerateInstanceVersion: 'pApiVersion' must not be NULL (VUID-vkEnumerateInstanceVersion-pApiVersion-parameter",
		"[ERROR] vkCreateInstance: 'pCreateInfo' is NULL (VUID-vkCreateInstance-pCreateInfo-parameter)",
		"[ERROR] vkCreateInstance 'pInstance' not valid (VUID-vkCreateInstance-pInstance-parameter)",
		"[ERROR] VkInstanceCreateInfo::pApplicationInfo::apiVersion has value of 1 which is not permitted. If apiVersion is not 0, then it must be greater than or equal to the value of VK_API_VERSION_1_0 [VUID-VkApplicationInfo-apiVersion]"})
}

// holds: INS-004
func TestLayerThatChangesTheVersion(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.ImplicitLayer("VK_LAYER_version", "pre_version 0x00402007").Set("pre_instance_functions", map[string]any{"vkEnumerateInstanceVersion": "fakePreVersion"})
	h := w.Start()
	if got := h.OK("instance_version").Text("text"); got != "0.1.2.7" {
		t.Errorf("the version is %s", got)
	}
	h.Quit()
}

// holds: INS-005 INS-006 INS-007 INS-008 INS-010 INS-011 INS-016
func TestInstanceExtensions(t *testing.T) {
	t.Parallel()
	w := loud(t)
	one := []string{"device name=one", "ext VK_KHR_surface 25", "ext VK_ACME_one 3", "ext VK_EXT_debug_utils 77"}
	two := []string{"device name=two", "ext VK_KHR_xcb_surface 6", "ext VK_KHR_surface 99", "ext VK_ACME_two 4", "ext VK_ACME_one 9"}
	w.Driver("one", one...)
	w.Driver("two", two...)
	w.ImplicitLayer("VK_LAYER_with").Set("instance_extensions", []any{map[string]any{"name": "VK_ACME_layer", "spec_version": "12"},
		map[string]any{"name": "VK_KHR_surface", "spec_version": "1"}})
	w.ExplicitLayer("VK_LAYER_other").Set("instance_extensions", []any{map[string]any{"name": "VK_ACME_other", "spec_version": "5"}})
	h := w.Start()
	pair := func(a world.Answer) (out []string) {
		for i, name := range a.Strings("extensions") {
			out = append(out, fmt.Sprint(name, " ", a.Ints("versions")[i]))
		}
		return out
	}
	filtered := []string{"VK_KHR_surface 25", "VK_EXT_debug_utils 77", "VK_KHR_xcb_surface 6", "VK_EXT_debug_report 10", "VK_KHR_portability_enumeration 1",
		"VK_LUNARG_direct_driver_loading 1", "VK_ACME_layer 12"}
	everything := []string{"VK_KHR_surface 25", "VK_ACME_one 3", "VK_EXT_debug_utils 77", "VK_KHR_xcb_surface 6", "VK_ACME_two 4", "VK_EXT_debug_report 10",
		"VK_KHR_portability_enumeration 1", "VK_LUNARG_direct_driver_loading 1", "VK_ACME_layer 12"}
	same(t, "NULL", pair(h.OK("instance_extensions")), filtered)
	same(t, "empty", pair(h.OK("instance_extensions", "layer", "")), filtered)
	for value, want := range map[string][]string{"1": everything, "0": filtered, "": filtered, "x1": filtered, " -2x": everything, "00": filtered} {
		h.Do("setenv", "name", "VK_LOADER_DISABLE_INST_EXT_FILTER", "value", value)
		same(t, "filter "+value, pair(h.OK("instance_extensions")), want)
	}
	h.Do("unsetenv", "name", "VK_LOADER_DISABLE_INST_EXT_FILTER")
	h.Do("setenv", "name", "DISABLE_VK_LAYER_with", "value", "1")
	same(t, "without the layer", pair(h.OK("instance_extensions")), filtered[:len(filtered)-1])
	h.Do("setenv", "name", "VK_DRIVER_FILES", "value", "")
	same(t, "without drivers", pair(h.OK("instance_extensions")), []string{"VK_EXT_debug_report 10", "VK_EXT_debug_utils 2", "VK_KHR_portability_enumeration 1",
		"VK_LUNARG_direct_driver_loading 1"})
	h.Quit()
}

// holds: INS-008 INS-009 INS-053 INS-054
func TestKnownExtensions(t *testing.T) {
	t.Parallel()
	w := loud(t)
	var script []string
	known := slices.DeleteFunc(slices.Clone(known), func(name string) bool { return !world.Offered(name) })
	for _, name := range known {
		script = append(script, "ext "+name+" 3")
	}
	foreign := []string{"VK_EXT_directfb_surface", "VK_QNX_screen_surface"}
	others := []string{"VK_KHR_win32_surface", "VK_EXT_metal_surface", "VK_KHR_android_surface", "VK_ACME_new", "VK_KHR_swapchain"}
	switch { // its own is known
	case world.Windows():
		others = others[1:]
	case world.MacOS():
		known = append(known, "VK_MVK_macos_surface")
		script = append(script, "ext VK_MVK_macos_surface 3")
		others[1] = "VK_MVK_ios_surface"
	}
	for _, name := range slices.Concat(foreign, others) {
		script = append(script, "ext "+name+" 3")
	}
	w.Driver("it", script...)
	h := w.Start()
	same(t, "known", h.OK("instance_extensions").Strings("extensions"), known)
	for _, name := range slices.Concat(foreign, others) {
		if got := h.Do("create_instance", "ext", name).Result(); got != extensionNotPresent {
			t.Errorf("%s: %d", name, got)
		}
	}
	for _, name := range known {
		h.OK("create_instance", "ext", name)
		h.Do("destroy_instance")
	}
	h.Do("setenv", "name", "VK_LOADER_DISABLE_INST_EXT_FILTER", "value", "1")
	same(t, "unfiltered", h.OK("instance_extensions").Strings("extensions"), slices.Concat(known, others))
	for _, name := range others {
		h.OK("create_instance", "ext", name)
		h.Do("destroy_instance")
	}
	exit := h.Quit()
	for _, name := range slices.Concat(foreign, others) {
		says(t, exit, "[ERROR] loader_validate_instance_extensions: Extension "+name+" not found in list of known instance extensions.")
	}
}

// holds: INS-012
func TestCountsOfInstanceExtensions(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("it", "ext VK_KHR_surface 25", "ext VK_KHR_xcb_surface 6")
	h := w.Start()
	all := slices.Concat([]string{"VK_KHR_surface", "VK_KHR_xcb_surface"}, ownExtensions)
	if a := h.OK("instance_extensions", "count", "only", "before", "2"); a.Int("count") != 6 {
		t.Errorf("the number alone is %d", a.Int("count"))
	}
	for _, room := range []int{0, 1, 5, 6, 7, 100} {
		a := h.Do("instance_extensions", "count", fmt.Sprint(room))
		want, result := min(room, 6), success
		if room < 6 {
			result = incomplete
		}
		if a.Result() != result || int(a.Int("count")) != want || int(a.Int("written")) != want || !slices.Equal(a.Strings("extensions"), all[:want]) {
			t.Errorf("room for %d: result %d, count %d, %d written, %q", room, a.Result(), a.Int("count"), a.Int("written"), a.Strings("extensions"))
		}
	}
	h.Quit()
}

// holds: INS-013 INS-014 INS-015
func TestExtensionsOfALayer(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("it", "ext VK_KHR_surface 25")
	extensions := func(name string) []any { return []any{map[string]any{"name": name, "spec_version": "5"}} }
	w.ExplicitLayer("VK_LAYER_explicit").Set("instance_extensions", extensions("VK_ACME_explicit"))
	w.ImplicitLayer("VK_LAYER_implicit").Set("instance_extensions", extensions("VK_ACME_implicit"))
	h := w.Start()
	same(t, "explicit", h.OK("instance_extensions", "layer", "VK_LAYER_explicit").Strings("extensions"), []string{"VK_ACME_explicit"})
	same(t, "implicit", h.OK("instance_extensions", "layer", "VK_LAYER_implicit").Strings("extensions"), []string{"VK_ACME_implicit"})
	for name, want := range map[string]int{"VK_LAYER_nobody": layerNotPresent, "VK_LAYER_\u00e9": layerNotPresent, strings.Repeat("x", 255): layerNotPresent,
		strings.Repeat("x", 256): extensionNotPresent, "VK_LAYER\x01": extensionNotPresent, "VK\x7f": extensionNotPresent, "VK_\xc3": extensionNotPresent,
		"VK_\xff": extensionNotPresent, "VK_\xe2\x82x": extensionNotPresent, "\x80": extensionNotPresent} {
		a := h.Do("instance_extensions", "layer", name, "count", "only", "before", "77")
		if a.Result() != want || a.Int("count") != 77 {
			t.Errorf("%q: result %d, count %d", name, a.Result(), a.Int("count"))
		}
	}
	h.Quit()
	if log := w.Log().By("it"); len(log) != 0 {
		t.Errorf("the driver was asked: %q", log.Names())
	}
}

// holds: INS-017
func TestDriverThatCannotListItsExtensions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		script, phase string
		result        int
	}{
		{"result vkEnumerateInstanceExtensionProperties -4 count", "extension count", -4},
		{"result vkEnumerateInstanceExtensionProperties -3 fill", "extensions", initializationError},
		{"result vkEnumerateInstanceExtensionProperties -1 count", "extension count", outOfMemory},
	} {
		t.Run(c.script[len("result vkEnumerateInstance"):], func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			bad := w.Driver("bad", "device name=bad", "ext VK_KHR_surface 25", c.script)
			h := w.Start()
			listed := h.Do("instance_extensions", "count", "only", "before", "77")
			made := h.Do("create_instance")
			bad.Replace("device name=bad", "ext VK_KHR_surface 25")
			after := h.Do("create_instance")
			exit := h.Quit()
			if listed.Result() != c.result || made.Result() != c.result {
				t.Errorf("results %d and %d, want %d", listed.Result(), made.Result(), c.result)
			}
			if made.Int("written") != 0 || after.Result() != success {
				t.Errorf("written %d, afterwards %d", made.Int("written"), after.Result())
			}
			line := "[ERROR] loader_add_instance_extensions: Error getting Instance " + c.phase + " from " + bad.Library
			says(t, exit, line)
			if n := strings.Count(strings.Join(spoken(exit.Stderr), "\n"), line); n != 2 {
				t.Errorf("said %d times", n)
			}
		})
	}
}

// A driver that fills its list with VK_INCOMPLETE has returned a part of the list; the loader asks again, at most eight times
// (INS-017).
//
// holds: INS-017 INS-019
func TestIncompleteListOfExtensions(t *testing.T) {
	t.Parallel()
	for line, asked := range map[string]int{
		"result vkEnumerateInstanceExtensionProperties 5 fill":  18,
		"result vkEnumerateInstanceExtensionProperties 5 count": 2,
		"result vkEnumerateInstanceExtensionProperties 5 2":     4,
	} {
		w := world.New(t)
		w.Driver("long", "device name=a", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1", line)
		h := w.Start()
		got := h.OK("instance_extensions", "count", "50").Strings("extensions")
		if !slices.Contains(got, "VK_KHR_surface") || !slices.Contains(got, "VK_EXT_headless_surface") {
			t.Errorf("%s: %v", line, got)
		}
		if n := len(w.Log().Fn("vkEnumerateInstanceExtensionProperties")); n != asked {
			t.Errorf("%s: asked %d times, want %d", line, n, asked)
		}
		h.OK("create_instance", "ext", "VK_KHR_surface")
		h.Quit()
	}
}

// holds: INS-018
func TestDriverThatIsTheLoader(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Driver("good", "device name=good", "ext VK_KHR_surface 25")
	w.Driver("mirror", "device name=mirror", "export_of vkEnumerateInstanceExtensionProperties "+w.Loader)
	h := w.Start()
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), slices.Concat([]string{"VK_KHR_surface"}, ownExtensions))
	h.OK("create_instance")
	same(t, "devices", deviceNames(h, "i"), []string{"mirror", "good"})
	says(t, h.Quit(), "[ERROR] loader_add_instance_extensions: "+w.Path("lib/mirror.so")+
		"'s vkEnumerateInstanceExtensionProperties points to the loader, this would lead to infinite recursion.")
}

// holds: INS-019
func TestDriverThatReportsMoreThanItCounted(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("it", "ext VK_KHR_surface 25", "ext VK_KHR_xcb_surface 6", "more vkEnumerateInstanceExtensionProperties 1000")
	h := w.Start()
	same(t, "extensions", h.OK("instance_extensions").Strings("extensions"), slices.Concat([]string{"VK_KHR_surface", "VK_KHR_xcb_surface"}, ownExtensions))
	h.OK("create_instance", "ext", "VK_KHR_surface")
	h.Quit()
}

// A driver that fails to list its extensions is left out, with a line that names it: its library is closed, and the others are used.
// Lack of memory ends the call, and so does a failure if there is no other driver (INS-017).
//
// holds: INS-017 DRV-046
func TestOneBadDriverLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	const list = "result vkEnumerateInstanceExtensionProperties "
	for _, c := range []struct {
		name       string
		bad, worse string // the scripts of two drivers around a good one; "": it works
		result     int
		left       []string // the used drivers, in the order of their devices
		said       int      // the number of lines
	}{
		{"count", list + "-4 count", "", success, []string{"worse", "good"}, 1},
		{"fill", list + "-3 fill", "", success, []string{"worse", "good"}, 1},
		{"a positive result", list + "1 count", "", success, []string{"worse", "good"}, 1},
		{"both", list + "-4 count", list + "-3 count", success, []string{"good"}, 2},
		{"the last", "", list + "-4", success, []string{"good", "bad"}, 1},
		{"no memory", list + "-1 count", "", outOfMemory, nil, 1},
		{"no memory after another", list + "-3", list + "-1 fill", outOfMemory, nil, 2},
		{"no memory on the device", "", list + "-2", -2, nil, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := loud(t)
			add := func(name, script string) {
				w.Driver(name, "device name="+name, "log_load", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1", script)
			}
			add("bad", c.bad)
			add("good", "steady")
			add("worse", c.worse)
			h := w.Start()
			listed := h.Do("instance_extensions", "count", "only").Result()
			var open []string
			for _, name := range []string{"bad", "good", "worse"} {
				if len(h.Do("maps", "match", "/"+name+".so").Strings("maps")) > 0 {
					open = append(open, name)
				}
			}
			made := h.Do("create_instance", "ext", "VK_KHR_surface")
			if listed != c.result || made.Result() != c.result {
				t.Errorf("results %d and %d, want %d", listed, made.Result(), c.result)
			}
			for _, name := range []string{"bad", "good", "worse"} {
				if c.result != success {
					break // INS-087: listed drivers stay open
				}
				if want := slices.Contains(c.left, name); slices.Contains(open, name) != want {
					t.Errorf("%v are mapped", open)
				}
			}
			if c.result == success {
				same(t, "devices", deviceNames(h, "i"), c.left)
				same(t, "extensions", h.OK("instance_extensions").Strings("extensions"),
					slices.Concat([]string{"VK_KHR_surface", "VK_EXT_headless_surface"}, ownExtensions))
			}
			text := strings.Join(spoken(h.Quit().Stderr), "\n")
			calls := 2
			if c.result == success {
				calls = 4 // count and fill of the second list, too
			}
			if n := strings.Count(text, "[ERROR] loader_add_instance_extensions: Error getting Instance extension"); n != calls*c.said {
				t.Errorf("%d lines, want %d", n, calls*c.said)
			}
			for _, name := range w.Log().Fn("vkCreateInstance").Who() {
				if !slices.Contains(c.left, name) {
					t.Errorf("%s was to make an instance", name)
				}
			}
		})
	}
}
