package layers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const extensionNotPresent = -7

// holds: LAY-340 LAY-344..LAY-345 LAY-350..LAY-356 LAY-359 LAY-294 DEV-025..DEV-030 DEV-034 DEV-041
func TestDeviceChain(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a type=discrete ext=VK_KHR_swapchain", "device name=b type=discrete ext=VK_KHR_swapchain", "group a b").API("1.1.0")
	w.ImplicitLayer("VK_LAYER_top", "wrap physdev")
	w.ImplicitLayer("VK_LAYER_nogdpa", "negotiate_null gdpa").Kind(world.LayerNegOnly)
	w.ImplicitLayer("VK_LAYER_bottom", "add_device_ext VK_KHR_swapchain", "add_device_ext VK_EXT_nobody_has")
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	devices := h.OK("physical_devices").Ints("devices")
	h.Do("allocator")
	a := h.OK("create_device", "pd", world.Ref(devices[0]), "features", "1", "unknown", "2147483001", "group", world.Ref(devices[0])+","+world.Ref(devices[1]), "unknown", "2147483002", "allocator", "a")
	if a.Int("unchanged") != 1 {
		t.Error("the program's structures are not as before")
	}
	h.Do("destroy_device", "allocator", "a")
	if stats := h.Do("allocator_stats"); stats.Int("live") != 0 || stats.Int("faults") != 0 {
		t.Errorf("allocator: %v", stats)
	}
	h.Do("destroy_instance")
	exit := h.Quit()
	for i, name := range []string{"VK_LAYER_top", "VK_LAYER_bottom"} {
		e := enter(t, w, name, "vkCreateDevice")
		kinds, own := functions(e, 48)
		if !slices.Equal(kinds, []int64{1, 0}) || !slices.Equal(own, []int64{2147483001, 1000070001, 2147483002}) {
			t.Errorf("%s got the loader's %v and the program's %v", name, kinds, own)
		}
		if e.IsNull("handle") || e.IsNull("allocator") || e.Int("known") != 1 {
			t.Errorf("%s got %v", name, e)
		}
		if !slices.Equal(e.Strings("group"), []string{"1", "1"}) {
			t.Errorf("%s got a group of foreign handles: %v", name, e)
		}
		links := e.Objects("chain")[1].Objects("links")
		if len(links) != 2-i || links[0].IsNull("gipa") || links[0].IsNull("gdpa") {
			t.Errorf("%s got the links %v", name, links)
		}
	}
	for _, e := range w.Log().By("VK_LAYER_nogdpa").Fn("vkCreateDevice", "vkDestroyDevice") {
		t.Errorf("a layer without GDPA got %v", e)
	}
	made := w.Log().By("one").Fn("vkCreateDevice")[0]
	if !slices.Equal(made.Strings("next"), []string{"48", "48", "2147483001", "1000070001", "2147483002"}) || !slices.Equal(made.Strings("extensions"), []string{"VK_KHR_swapchain"}) ||
		made.Int("layer_count") != 0 || !made.IsNull("layer_names") || made.Int("features") != 1 || made.Int("allocator_good") != 1 {
		t.Errorf("the driver got %v", made)
	}
	if !slices.Equal(made.Strings("group"), []string{"physical_device:1", "physical_device:2"}) {
		t.Errorf("the driver got the group %v", made.Strings("group"))
	}
	text := strings.Join(exit.Messages(), "\n")
	for _, want := range []string{"Failed to find vkGetDeviceProcAddr in layer \"", "Inserted device layer \"VK_LAYER_bottom\" (", "Inserted device layer \"VK_LAYER_top\" (",
		"vkCreateDevice extension VK_EXT_nobody_has not available for devices associated with ICD "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Index(text, "Inserted device layer \"VK_LAYER_bottom\"") > strings.Index(text, "Inserted device layer \"VK_LAYER_top\"") {
		t.Error("not inserted bottom to top")
	}
}

// holds: LAY-341..LAY-343 LAY-346..LAY-349 DEV-015..DEV-023 DEV-025 LAY-274 GPA-059
func TestDeviceExtensionsAndLayers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a type=discrete ext=VK_KHR_swapchain,VK_XX_unknown")
	extension := []map[string]any{{"name": "VK_YY_of_layer", "spec_version": "1"}}
	w.ExplicitLayer("VK_LAYER_active").Set("device_extensions", extension)
	w.ExplicitLayer("VK_LAYER_idle").Set("device_extensions", []map[string]any{{"name": "VK_YY_of_idle", "spec_version": "1"}})
	w.ImplicitLayer("VK_LAYER_hook", "device_ext VK_YY_hooked 3")
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_active")
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	const deprecated = "loader_create_device_chain: Using deprecated and ignored 'ppEnabledLayerNames' member of 'VkDeviceCreateInfo' when creating a Vulkan device."
	for _, c := range []struct {
		words  []string
		result int
		driver []string
		text   string
		not    string
	}{
		{words: []string{"ext", "VK_KHR_swapchain", "ext", "VK_XX_unknown"}, driver: []string{"VK_KHR_swapchain", "VK_XX_unknown"}},
		{words: []string{"ext", "VK_XX_unknown", "ext", "null", "ext", "VK_KHR_swapchain"}, driver: []string{"VK_XX_unknown", "VK_KHR_swapchain"}},
		{words: []string{"ext", "VK_YY_of_layer"}, text: "vkCreateDevice extension VK_YY_of_layer not available for devices associated with ICD "},
		{words: []string{"ext", "VK_YY_hooked"}},
		{words: []string{"ext", "VK_YY_of_idle"}, result: extensionNotPresent, text: "loader_validate_device_extensions: Device extension VK_YY_of_idle not supported by selected physical device or enabled layers."},
		{words: []string{"ext", "VK_YY_of_idle", "layer", "VK_LAYER_idle"}, result: extensionNotPresent, text: "vkCreateDevice: Failed to validate extensions in list"},
		{words: []string{"ext", "bad\x01name"}, result: extensionNotPresent, text: "loader_validate_device_extensions: Device ppEnabledExtensionNames contains string that is too long or is badly formed"},
		{words: []string{"ext_count", "3"}},
		{words: []string{"layer", "VK_LAYER_active"}, not: deprecated},
		{words: []string{"layer", "VK_LAYER_other"}, text: deprecated},
		{words: []string{"layer", "VK_LAYER_active", "layer", "VK_LAYER_idle"}, text: deprecated},
		{words: []string{"layer_count", "2"}, not: deprecated},
		{words: []string{"layer", "VK_LAYER_other", "layer_count", "0"}, not: deprecated},
	} {
		w.ForgetLog()
		before := len(h.Messages())
		a := h.Do("create_device", append([]string{"pd", pd}, c.words...)...)
		text := strings.Join(h.Messages()[before:], "\n")
		if a.Result() != c.result {
			t.Errorf("%v: result %d, want %d", c.words, a.Result(), c.result)
		}
		if !strings.Contains(text, c.text) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%v: want %q, not %q, in\n%s", c.words, c.text, c.not, text)
		}
		made := w.Log().Fn("vkCreateDevice")
		if c.result != 0 {
			if len(made) != 0 {
				t.Errorf("%v: somebody's vkCreateDevice was called", c.words)
			}
			continue
		}
		if got := made.By("one")[0].Strings("extensions"); len(got)+len(c.driver) > 0 && !slices.Equal(got, c.driver) {
			t.Errorf("%v: the driver got %v, want %v", c.words, got, c.driver)
		}
		if made.By("one")[0].Int("layer_count") != 0 {
			t.Errorf("%v: the driver got layers", c.words)
		}
		if len(made.By("VK_LAYER_idle")) != 0 {
			t.Errorf("%v: an idle layer was called", c.words)
		}
		h.Do("destroy_device")
	}
	h.Quit()
}

// holds: LAY-354 LAY-361 LAY-363 DEV-037 DEV-038 DEV-048 DEV-020 ALC-026
//
// A failing extension list ends the call even if no extension is requested.
func TestDevicesThatFail(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		driver, layer string
		result        int
		texts         []string
		bare          bool // no extension is requested
	}{
		{"result vkCreateDevice -4", "", -4, []string{"terminator_CreateDevice: Failed in ICD ", "vkCreateDevice:  Failed to create device chain."}, false},
		{"result vkCreateDevice -1", "", -1, []string{"vkCreateDevice:  Failed to create device chain."}, false},
		{"result vkCreateDevice 1", "", 1, []string{"terminator_CreateDevice: Failed in ICD ", "vkCreateDevice:  Failed to create device chain."}, false}, // DEV-037
		{"result vkCreateDevice 2", "", 2, nil, false},
		{"result vkCreateDevice 5", "", 5, nil, false},
		{"result vkCreateDevice 1000001003", "", 1000001003, nil, false},
		{"", "error vkCreateDevice 5 before", 5, []string{"vkCreateDevice:  Failed to create device chain."}, false},
		{"", "error vkCreateDevice 1000001003 after", 1000001003, nil, false},
		{"", "error vkCreateDevice -1000012000 before", -1000012000, []string{"vkCreateDevice:  Failed to create device chain."}, false},
		{"", "error vkCreateDevice -1 after", -1, []string{"vkCreateDevice:  Failed to create device chain."}, false},
		{"", "gipa_null vkCreateDevice", initFailed, []string{"loader_create_device_chain: Failed to find 'vkCreateDevice' in layers or ICD"}, false},
		{"result vkEnumerateDeviceExtensionProperties -2", "", -2, []string{"vkCreateDevice: Failed to add extensions to list"}, false},
		{"result vkEnumerateDeviceExtensionProperties -2", "", -2, []string{"vkCreateDevice: Failed to add extensions to list"}, true},
	} {
		t.Run(fmt.Sprint(c.driver, c.layer, c.bare), func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("one", "device name=a type=discrete ext=VK_KHR_swapchain", c.driver)
			w.ImplicitLayer("VK_LAYER_x", c.layer)
			w.Env["VK_LOADER_DEBUG"] = "all"
			h := w.Start()
			h.OK("create_instance")
			pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
			h.Do("allocator")
			words := []string{"pd", pd, "allocator", "a", "group", pd}
			if !c.bare {
				words = append(words, "ext", "VK_KHR_swapchain")
			}
			a := h.Do("create_device", words...)
			if a.Result() != c.result || a.Int("written") != 0 || a.Int("unchanged") != 1 {
				t.Errorf("answer %v, want result %d, nothing written, nothing changed", a, c.result)
			}
			if stats := h.Do("allocator_stats"); stats.Int("live") != 0 || stats.Int("faults") != 0 {
				t.Errorf("allocator: %v", stats)
			}
			h.Do("destroy_instance")
			exit := h.Quit()
			text := strings.Join(exit.Messages(), "\n")
			for _, want := range c.texts {
				if !strings.Contains(text, want) {
					t.Errorf("no %q in\n%s", want, text)
				}
			}
		})
	}
}

// holds: LAY-360 LAY-364..LAY-374 LAY-378 LAY-379 DEV-044 DEV-045
func TestDevicesOfLayers(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "after", "instead"} {
		for _, wrap := range []string{"", "wrap instance physdev device"} {
			t.Run(when+" "+wrap, func(t *testing.T) {
				t.Parallel()
				w := world.New(t)
				w.Driver("one")
				w.ImplicitLayer("VK_LAYER_above")
				w.ImplicitLayer("VK_LAYER_maker", "own_device "+when, wrap)
				w.ImplicitLayer("VK_LAYER_below", "wrap device")
				h := w.Start()
				h.OK("create_instance")
				pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
				h.Do("allocator")
				h.OK("create_device", "pd", pd, "allocator", "a")
				h.OK("command_buffers")
				h.Do("call", "name", "vkCmdDraw", "arg", "c0", "arg", "1")
				h.OK("call", "name", "vkDeviceWaitIdle", "arg", "d")
				h.Do("destroy_device", "allocator", "a")
				if left := h.Do("allocator_stats"); left.Int("live") != 0 || left.Int("faults") != 0 {
					t.Errorf("left: %v", left)
				}
				h.Do("destroy_instance")
				h.Quit()
				own := w.Log().Fn("own device")
				if len(own) != 1 || own[0].Int("result") != 0 || own[0].Int("gdpa") != 1 {
					t.Fatalf("the layer's own device: %v", own)
				}
				want := map[string]int{"before": 2, "after": 2, "instead": 1}[when]
				made, gone := w.Log().By("one").Fn("vkCreateDevice"), w.Log().By("one").Fn("vkDestroyDevice")
				if len(made) != want || len(gone) != want {
					t.Errorf("%d devices made, %d destroyed, want %d", len(made), len(gone), want)
				}
				below := 0
				for _, e := range w.Log().By("VK_LAYER_below").Fn("vkCreateDevice") {
					if e.Text("phase") == "enter" {
						below++
					}
				}
				above := 0
				for _, e := range w.Log().By("VK_LAYER_above").Fn("vkCreateDevice") {
					if e.Text("phase") == "enter" {
						above++
					}
				}
				if below != want || above != 1 {
					t.Errorf("the layer below saw %d creations, want %d; the one above %d, want 1", below, want, above)
				}
				for _, e := range w.Log().By("one") {
					for key, value := range e {
						if text, ok := value.(string); ok && (strings.HasPrefix(text, "foreign") || strings.HasPrefix(text, "dead")) {
							t.Errorf("the driver's %s got %s = %s", e.Text("fn"), key, text)
						}
					}
				}
				if n := len(w.Log().By("one").Fn("vkCmdDraw", "vkDeviceWaitIdle")); n != 2 {
					t.Errorf("the driver saw %d of 2 calls", n)
				}
			})
		}
	}
}

// holds: LAY-387..LAY-397 PHY-080..PHY-082 PHY-032
func TestLayersThatChangeDevices(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=c type=discrete", "device name=b type=integrated", "device name=a type=cpu").API("1.1.0")
	w.ImplicitLayer("VK_LAYER_reverse", "reverse_devices", "reverse_groups")
	w.ImplicitLayer("VK_LAYER_add", "add_devices 2", "add_group")
	w.ImplicitLayer("VK_LAYER_remove", "remove_device 1", "remove_group 1")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	all := h.OK("physical_devices").Ints("devices")
	var names []string
	for _, d := range all {
		names = append(names, h.Do("properties", "pd", world.Ref(d)).Text("name"))
	}
	if want := []string{"added 1", "added 0", "a", "c"}; !slices.Equal(names, want) {
		t.Errorf("devices %v, want %v", names, want)
	}
	for n := 0; n <= 5; n++ {
		a := h.Do("physical_devices", "count", []string{"0", "1", "2", "3", "4", "5"}[n])
		want := 5
		if n >= 4 {
			want = 0
		}
		if a.Result() != want || int(a.Int("count")) != min(n, 4) || !slices.Equal(a.Ints("devices"), all[:min(n, 4)]) {
			t.Errorf("asked for %d: %v, of %v", n, a, all)
		}
	}
	groups := h.OK("device_groups").Objects("groups")
	if len(groups) != 3 || groups[0].Int("subset") != 1 || groups[1].Ints("devices")[0] != all[2] || groups[2].Ints("devices")[0] != all[3] {
		t.Errorf("groups %v, devices %v", groups, all)
	}
	if a := h.Do("device_groups", "count", "2"); a.Result() != 5 || len(a.Objects("groups")) != 2 {
		t.Errorf("two groups: %v", a)
	}
	h.OK("create_device", "pd", world.Ref(all[0]))
	h.Do("destroy_device")
	h.Quit()
}

// holds: LAY-399 LAY-401..LAY-413 GPA-053 GPA-083 GPA-087
func TestFunctionsOfLayers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a type=discrete").API("1.1.0")
	layer := w.ImplicitLayer("VK_LAYER_x", "offer_gipa vkReleaseDisplayEXT", "terminal vkReleaseDisplayEXT", "return vkReleaseDisplayEXT 77",
		"offer_gdpa vkTrimCommandPoolKHR", "terminal vkTrimCommandPoolKHR", "intercept vkGetPhysicalDeviceFeatures", "intercept vkDeviceWaitIdle",
		"offer_gipa vkSetDebugUtilsObjectNameEXT", "log_lookups")
	layer.Set("instance_extensions", []map[string]any{{"name": "VK_EXT_direct_mode_display", "spec_version": "1"}, {"name": "VK_EXT_display_surface_counter", "spec_version": "1"}})
	layer.Set("device_extensions", []map[string]any{{"name": "VK_KHR_maintenance1", "spec_version": "1", "entrypoints": []string{"vkTrimCommandPoolKHR"}}})
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0", "ext", "VK_EXT_direct_mode_display", "ext", "VK_EXT_debug_utils")
	if gipaOf(h, "vkReleaseDisplayEXT") == 0 || gipaOf(h, "vkGetPhysicalDeviceSurfaceCapabilities2EXT") != 0 {
		t.Error("the enabled extension's function is NULL, or the other's is not")
	}
	w.ForgetLog()
	if gipaOf(h, "vkCmdDraw") == 0 || len(w.Log()) != 0 {
		t.Errorf("a known name asked the layer: %v", w.Log())
	}
	if h.Do("gipa", "instance", "null", "name", "vkCreateInstance").Int("ptr") == 0 || len(w.Log()) != 0 {
		t.Errorf("a NULL instance asked the layer: %v", w.Log())
	}
	trim := gipaOf(h, "vkTrimCommandPoolKHR")
	pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	if a := h.Do("call", "name", "vkReleaseDisplayEXT", "via", "gipa", "instance", "i", "arg", pd, "arg", "42"); a.Result() != 77 {
		t.Errorf("the layer's result came back as %d", a.Result())
	}
	h.Do("call", "name", "vkGetPhysicalDeviceFeatures", "arg", pd, "arg", "out:220")
	h.OK("create_device", "as", "plain", "pd", pd)
	h.OK("create_device", "pd", pd, "ext", "VK_KHR_maintenance1")
	if gipaOf(h, "vkTrimCommandPoolKHR") != trim {
		t.Error("the pointer changed with the device")
	}
	if p := h.Do("gdpa", "device", "d", "name", "vkTrimCommandPoolKHR"); p.Text("module") != layer.Library {
		t.Errorf("vkGetDeviceProcAddr gives %v", p)
	}
	h.OK("call", "name", "vkTrimCommandPoolKHR", "via", "gipa", "instance", "i", "arg", "d", "arg", "1", "arg", "2")
	h.OK("call", "name", "vkTrimCommandPoolKHR", "via", "gdpa", "device", "d", "arg", "d", "arg", "1", "arg", "2")
	h.OK("call", "name", "vkDeviceWaitIdle", "arg", "d")
	h.OK("set_name", "instance", "i", "type", "0", "handle", "0", "name", "x")
	h.Quit()
	log := w.Log()
	if n := len(log.By("VK_LAYER_x").Fn("vkTrimCommandPoolKHR")); n != 2 {
		t.Errorf("the layer saw %d of 2 calls", n)
	}
	for _, fn := range []string{"vkGetPhysicalDeviceFeatures", "vkDeviceWaitIdle"} {
		if who := log.Fn(fn).Who(); !slices.Equal(who, []string{"VK_LAYER_x", "one"}) {
			t.Errorf("%s went %v", fn, who)
		}
	}
	if n := len(log.By("VK_LAYER_x").Fn("vkSetDebugUtilsObjectNameEXT")); n != 1 {
		t.Errorf("the layer's vkSetDebugUtilsObjectNameEXT was called %d times", n)
	}
	asked := map[string]int{}
	for _, e := range log.By("VK_LAYER_x").Fn("gdpa") {
		asked[e.Text("name")]++
	}
	if asked["vkCmdDraw"] == 0 || asked["vkSetDebugUtilsObjectNameEXT"] != 0 {
		t.Errorf("GDPA was asked %d times for vkCmdDraw, %d times for vkSetDebugUtilsObjectNameEXT", asked["vkCmdDraw"], asked["vkSetDebugUtilsObjectNameEXT"])
	}
}

// holds: LAY-411 GPA-022 GPA-016
func TestMissingDeviceFunctionsEndTheProcess(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"vkTrimCommandPoolKHR", "vkGetSwapchainStatusKHR", "vkSetDeviceMemoryPriorityEXT", "vkDebugMarkerSetObjectTagEXT", "vkCmdBeginRendering"} {
		w := world.New(t)
		w.Driver("one")
		h := w.Start()
		h.OK("create_instance")
		pd := world.Ref(h.OK("physical_devices").Ints("devices")[0])
		h.OK("create_device", "pd", pd)
		exit := h.Dies("call", "via", "gipa", "instance", "i", "name", name, "arg", "d", "arg", "out:128", "arg", "out:128")
		if exit.Signal == 0 {
			t.Errorf("%s: code %d", name, exit.Code)
		}
	}
}
