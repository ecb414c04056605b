package chain

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: LAY-340 LAY-345 LAY-350 LAY-351 LAY-352 LAY-311 HND-036 LAY-309 LAY-357
func TestDeviceStructures(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a ext=VK_KHR_swapchain")
	names := []string{"VK_LAYER_1", "VK_LAYER_2", "VK_LAYER_3", "VK_LAYER_4"}
	for i, name := range names {
		f := w.ExplicitLayer(name)
		if i == 1 {
			f.Script("negotiate_null gdpa")
		}
	}
	h := start(w)
	h.Do("allocator", "as", "a")
	h.OK("create_instance", "layer", names[0], "layer", names[1], "layer", names[2], "layer", names[3])
	pd := device(h)
	w.ForgetLog()
	before := len(h.Stderr())
	a := h.OK("create_device", "pd", pd, "ext", "VK_KHR_swapchain", "unknown", "999123", "unknown", "999124", "allocator", "a", "layer", "VK_LAYER_unknown")
	if a.Int("unchanged") != 1 {
		t.Errorf("what the application passed was changed")
	}
	chain := []string{names[0], names[2], names[3]}
	same(t, "created", calls(w, "vkCreateDevice"), append(slices.Clone(chain), "a"))
	var gipas, gdpas []string
	for i, name := range chain {
		e := first(t, w, name, "vkCreateDevice")
		if want := "48.1 48.0 999123 999124"; shape(e) != want {
			t.Errorf("%s: chain %s, want %s", name, shape(e), want)
		}
		if e.Objects("chain")[0].Int("set") != 1 || len(links(e)) != 3-i || e.IsNull("handle") || e.Text("allocator") != address(t, h, "a") {
			t.Errorf("%s: %v", name, e)
		}
		same(t, name, e.Strings("extensions"), []string{"VK_KHR_swapchain"})
		gipas, gdpas = append(gipas, e.Text("own gipa")), append(gdpas, e.Text("own gdpa"))
	}
	all := links(first(t, w, chain[0], "vkCreateDevice"))
	for i := range 2 {
		if all[i].Text("gipa") != gipas[i+1] || all[i].Text("gdpa") != gdpas[i+1] {
			t.Errorf("link %d: %v, want %s, %s", i, all[i], gipas[i+1], gdpas[i+1])
		}
	}
	if all[2].IsNull("gipa") || all[2].IsNull("gdpa") || slices.Contains(gipas, all[2].Text("gipa")) || slices.Contains(gdpas, all[2].Text("gdpa")) {
		t.Errorf("last link: %v", all[2])
	}
	made := first(t, w, "a", "vkCreateDevice")
	if got := made.Ints("next"); !slices.Equal(got, []int{48, 48, 999123, 999124}) || made.Int("layer_count") != 0 || !made.IsNull("layer_names") {
		t.Errorf("the driver got %v", made)
	}
	var inserted []string
	for _, m := range body(h.Stderr()[before:]) {
		if rest, ok := strings.CutPrefix(m, `Inserted device layer "`); ok {
			inserted = append(inserted, rest)
		}
	}
	same(t, "inserted", inserted, []string{fmt.Sprintf(`VK_LAYER_4" (%s)`, w.Path("lib/VK_LAYER_4.so")), fmt.Sprintf(`VK_LAYER_3" (%s)`, w.Path("lib/VK_LAYER_3.so")),
		fmt.Sprintf(`VK_LAYER_1" (%s)`, w.Path("lib/VK_LAYER_1.so"))})
	exit := h.Quit()
	said(t, exit.Stderr, 1, "INFO | LAYER", fmt.Sprintf(`Inserted device layer "VK_LAYER_1" (%s)`, w.Path("lib/VK_LAYER_1.so")))
	said(t, exit.Stderr, 1, "INFO | LAYER", fmt.Sprintf(`Failed to find vkGetDeviceProcAddr in layer "%s"`, w.Path("lib/VK_LAYER_2.so")))
}

// holds: LAY-341 LAY-342 LAY-343 DEV-022
func TestDeviceLayerNames(t *testing.T) {
	t.Parallel()
	const warning = "loader_create_device_chain: Using deprecated and ignored 'ppEnabledLayerNames' member of 'VkDeviceCreateInfo' when creating a Vulkan device."
	for name, c := range map[string]struct {
		words []string
		warns int
	}{
		"the same":       {[]string{"layer", "VK_LAYER_1", "layer", "VK_LAYER_2"}, 0},
		"fewer":          {[]string{"layer", "VK_LAYER_1"}, 1},
		"more":           {[]string{"layer", "VK_LAYER_1", "layer", "VK_LAYER_2", "layer", "VK_LAYER_i"}, 1},
		"another order":  {[]string{"layer", "VK_LAYER_2", "layer", "VK_LAYER_1"}, 1},
		"others":         {[]string{"layer", "VK_LAYER_1", "layer", "VK_LAYER_idle"}, 1},
		"unknown":        {[]string{"layer", "VK_LAYER_nobody"}, 1},
		"none":           {nil, 0},
		"NULL array":     {[]string{"layer_count", "2"}, 0},
		"count of zero":  {[]string{"layer", "VK_LAYER_2", "layer_count", "0"}, 0},
		"NULL in it":     {[]string{"layer", "VK_LAYER_1", "layer", "null"}, 1},
		"implicit alone": {[]string{"layer", "VK_LAYER_i"}, 1},
	} {
		w := world.New(t)
		w.Driver("a")
		w.ImplicitLayer("VK_LAYER_i")
		w.ExplicitLayer("VK_LAYER_1")
		w.ExplicitLayer("VK_LAYER_2")
		w.ExplicitLayer("VK_LAYER_idle").Set("device_extensions", extensions("VK_XX_idle"))
		h := start(w)
		h.OK("create_instance", "layer", "VK_LAYER_1", "layer", "VK_LAYER_2")
		pd := device(h)
		if a := h.OK("create_device", append(c.words, "pd", pd)...); a.Int("unchanged") != 1 {
			t.Errorf("%s: changed", name)
		}
		same(t, name, calls(w, "vkCreateDevice"), []string{"VK_LAYER_i", "VK_LAYER_1", "VK_LAYER_2", "a"})
		if got := h.Do("create_device", append(c.words, "pd", pd, "ext", "VK_XX_idle")...).Result(); got != extensionNotPresent {
			t.Errorf("%s: extension of an inactive layer: %d", name, got)
		}
		said(t, h.Quit().Stderr, 2*c.warns, "WARNING", warning)
	}
}

// holds: LAY-346 LAY-347 LAY-348 LAY-349 GPA-059
func TestDeviceExtensions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ext     string
		result  int
		drivers []string
	}{
		"the driver's":                     {"VK_KHR_swapchain", 0, []string{"VK_KHR_swapchain"}},
		"reported by a layer":              {"VK_XX_reported", 0, nil},
		"manifest of an explicit layer":    {"VK_XX_explicit", 0, nil},
		"manifest of an implicit layer":    {"VK_XX_implicit", 0, nil},
		"manifest of an inactive layer":    {"VK_XX_idle", extensionNotPresent, nil},
		"manifest of a disabled layer":     {"VK_XX_off", extensionNotPresent, nil},
		"unknown":                          {"VK_XX_nobody", extensionNotPresent, nil},
		"of a layer's instance extensions": {"VK_EXT_direct_mode_display", extensionNotPresent, nil},
	} {
		w := world.New(t)
		f := w.Driver("a", "device name=a ext=VK_KHR_swapchain,VK_XX_driver")
		w.ImplicitLayer("VK_LAYER_i").Set("device_extensions", extensions("VK_XX_implicit"))
		w.ImplicitLayer("VK_LAYER_off").Set("device_extensions", extensions("VK_XX_off"))
		w.Env["DISABLE_VK_LAYER_off"] = "1"
		w.ExplicitLayer("VK_LAYER_e", "device_ext VK_XX_reported").Set("device_extensions", extensions("VK_XX_explicit")).
			Set("instance_extensions", extensions("VK_EXT_direct_mode_display"))
		w.ExplicitLayer("VK_LAYER_idle").Set("device_extensions", extensions("VK_XX_idle"))
		h := start(w)
		h.OK("create_instance", "layer", "VK_LAYER_e")
		a := h.Do("create_device", "pd", device(h), "ext", "null", "ext", c.ext, "ext", "VK_XX_driver", "ext", "null", "layer", "VK_LAYER_e")
		if a.Result() != c.result || (c.result != 0 && a.Int("written") != 0) {
			t.Errorf("%s: %v", name, a)
		}
		exit := h.Quit()
		refused, dropped := 1, 0
		if c.result == 0 {
			same(t, name, calls(w, "vkCreateDevice"), []string{"VK_LAYER_i", "VK_LAYER_e", "a"})
			same(t, name, first(t, w, "VK_LAYER_e", "vkCreateDevice").Strings("extensions"), []string{"<null>", c.ext, "VK_XX_driver", "<null>"})
			same(t, name, first(t, w, "a", "vkCreateDevice").Strings("extensions"), append(c.drivers, "VK_XX_driver"))
			refused, dropped = 0, 1-len(c.drivers)
		} else {
			same(t, name, calls(w, "vkCreateDevice"), nil)
		}
		said(t, exit.Stderr, refused, "ERROR", "loader_validate_device_extensions: Device extension "+c.ext+" not supported by selected physical device or enabled layers.")
		said(t, exit.Stderr, refused, "ERROR", "vkCreateDevice: Failed to validate extensions in list")
		said(t, exit.Stderr, dropped, "DEBUG | DRIVER", fmt.Sprintf("vkCreateDevice extension %s not available for devices associated with ICD %s", c.ext, f.Library))
	}
}

// holds: LAY-354 LAY-355 LAY-360 LAY-363 LAY-359 LAY-382 LAY-383 LAY-381 LAY-376 GPA-070 GPA-073 GPA-061
func TestWrappingOrders(t *testing.T) {
	t.Parallel()
	const wrap = "wrap instance physdev device"
	for name, wraps := range map[string][3]bool{
		"none": {}, "top": {true}, "middle": {false, true}, "bottom": {false, false, true}, "top and middle": {true, true},
		"outer": {true, false, true}, "lower": {false, true, true}, "all": {true, true, true},
	} {
		w := world.New(t)
		w.Driver("a", "device name=a1", "device name=a2")
		var words []string
		var layers []string
		for i, on := range wraps {
			layer := fmt.Sprintf("VK_LAYER_%d", i)
			layers = append(layers, layer)
			f := w.ExplicitLayer(layer, "intercept vkCmdDraw", "intercept vkQueueWaitIdle", "offer vkOfLayers")
			if on {
				f.Script(wrap)
			}
			words = append(words, "layer", layer)
		}
		chain := append(slices.Clone(layers), "a")
		h := w.Start()
		h.OK("create_instance", words...)
		devices := h.OK("physical_devices").Ints("devices")
		w.ForgetLog()
		h.OK("create_device", "pd", world.Ref(devices[1]))
		same(t, name, calls(w, "vkCreateDevice"), chain)
		for _, layer := range layers {
			if e := first(t, w, layer, "vkCreateDevice"); e.Int("known") != 1 {
				t.Errorf("%s: %s does not know the physical device", name, layer)
			}
		}
		if got := first(t, w, "a", "vkCreateDevice").Text("id"); got != "a2" {
			t.Errorf("%s: device of %s", name, got)
		}
		queue, buffers := h.Do("get_queue"), h.OK("command_buffers", "count", "3")
		if queue.Int("same_word") != 1 || buffers.Int("same_word") != 1 {
			t.Errorf("%s: first words differ: %v, %v", name, queue, buffers)
		}
		// The application's device is the top layer's.
		if w.ForgetLog(); true {
			h.Do("call", "name", "vkCmdDraw", "arg", "c1", "arg", "3")
			h.Do("call", "name", "vkQueueWaitIdle", "arg", "q")
			same(t, name+": vkCmdDraw", w.Log().Fn("vkCmdDraw").Who(), chain)
			same(t, name+": vkQueueWaitIdle", w.Log().Fn("vkQueueWaitIdle").Who(), chain)
		}
		if got := w.Log().By("a").Fn("vkCmdDraw")[0].Strings("args")[:2]; !slices.Equal(got, []string{"command_buffer:2", "3"}) {
			t.Errorf("%s: the driver saw vkCmdDraw%v", name, got)
		}
		if name == "none" {
			h.Do("call", "name", "vkDeviceWaitIdle", "arg", "d")
			if got := w.Log().By("a").Fn("vkDeviceWaitIdle")[0].Strings("args")[0]; got != "device:1" {
				t.Errorf("the driver's device is %s", got)
			}
		}
		word := h.Do("peek", "ref", "d").Int("ptr")
		h.OK("create_device", "as", "d2", "pd", world.Ref(devices[0]))
		if other := h.Do("peek", "ref", "d2").Int("ptr"); other == word || word == h.Do("peek", "ref", "i").Int("ptr") {
			t.Errorf("%s: first words of two devices are the same", name)
		}
		w.ForgetLog()
		h.Do("destroy_device")
		same(t, name, calls(w, "vkDestroyDevice"), chain)
		for _, layer := range layers {
			if e := first(t, w, layer, "vkDestroyDevice"); e.Int("known") != 1 {
				t.Errorf("%s: %s does not know the device", name, layer)
			}
		}
		w.ForgetLog()
		h.Do("call", "name", "vkDestroyDevice", "arg", "null", "arg", "null")
		same(t, name+": NULL", w.Log().Names(), nil)
		h.Do("destroy_device", "name", "d2")
		h.Do("destroy_instance")
		same(t, name, calls(w, "vkDestroyInstance"), chain)
		h.Quit()
	}
}

// holds: LAY-356 LAY-355 DEV-030
func TestDeviceGroupsThroughLayers(t *testing.T) {
	t.Parallel()
	for _, scripts := range [][]string{nil, {"wrap physdev"}, {"wrap instance physdev device"}} {
		for _, position := range []string{"first", "last"} {
			w := world.New(t)
			w.Driver("a", "device name=a1", "device name=a2", "group a1 a2").API("1.1.0")
			w.ExplicitLayer("VK_LAYER_1", scripts...)
			w.ExplicitLayer("VK_LAYER_2")
			h := w.Start()
			h.OK("create_instance", "api", "1.1.0", "layer", "VK_LAYER_1", "layer", "VK_LAYER_2")
			devices := h.OK("physical_devices").Ints("devices")
			words := []string{"group", world.Ref(devices[0]) + "," + world.Ref(devices[1]), "unknown", "999123"}
			if position == "last" {
				words = append(words[2:], words[:2]...)
			}
			a := h.OK("create_device", append(words, "pd", world.Ref(devices[0]))...)
			if a.Int("unchanged") != 1 {
				t.Errorf("%v: the application's chain was changed", scripts)
			}
			for _, layer := range []string{"VK_LAYER_1", "VK_LAYER_2"} {
				if got := first(t, w, layer, "vkCreateDevice").Ints("group"); !slices.Equal(got, []int{1, 1}) {
					t.Errorf("%v: members known to %s: %v", scripts, layer, got)
				}
			}
			same(t, fmt.Sprint(scripts), first(t, w, "a", "vkCreateDevice").Strings("group"), []string{"physical_device:1", "physical_device:2"})
			h.Quit()
		}
	}
}

// holds: LAY-357 LAY-358 HND-033 HND-034 HND-035 HND-036 DEV-042 DEV-043
func TestDamagedDevice(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"null", "other", "zero"} {
		w := world.New(t)
		w.Driver("a")
		w.ExplicitLayer("VK_LAYER_x", "corrupt device "+how)
		h := w.Start()
		h.OK("create_instance", "layer", "VK_LAYER_x")
		exit := h.Dies("create_device", "pd", device(h))
		aborted(t, exit)
		same(t, how, calls(w, "vkCreateDevice"), []string{"VK_LAYER_x"})
		handle := first(t, w, "VK_LAYER_x", "vkCreateDevice").Text("handle")
		switch how {
		case "null":
			said(t, exit.Stderr, 1, "ERROR", "terminator_CreateDevice: Loader device pointer null encountered.  Possibly set by active layer. (Policy #LLP_LAYER_22)")
		case "zero":
			said(t, exit.Stderr, 1, "ERROR", "terminator_CreateDevice: Device pointer ("+world.Pointer(handle)+") has invalid MAGIC value 0x00000000. The expected value is 0x10ADED040410ADED. Device value possibly corrupted by active layer (Policy #LLP_LAYER_22).  ")
		default:
			if !strings.Contains(exit.Stderr, ") has invalid MAGIC value 0x00000000. The expected value is 0x10ADED040410ADED. Device value possibly corrupted by active layer (Policy #LLP_LAYER_22).  \n") || strings.Contains(exit.Stderr, world.Pointer(handle)) {
				t.Errorf("%s: %s", how, exit.Stderr)
			}
		}
	}
}

// holds: LAY-354 LAY-361 DEV-037
func TestErrorsOfDeviceCreation(t *testing.T) {
	t.Parallel()
	const message = "vkCreateDevice:  Failed to create device chain."
	for name, c := range map[string]struct {
		layer, driver string
		result        int
	}{
		"layer, before":  {"error vkCreateDevice -1000012000 before", "", invalidShader},
		"layer, after":   {"error vkCreateDevice -4 after", "", -4},
		"extension":      {"error vkCreateDevice -7 before", "", -7},
		"driver":         {"", "result vkCreateDevice -8", -8},
		"driver, memory": {"", "result vkCreateDevice -2", -2},
	} {
		w := world.New(t)
		d := w.Driver("a", "device name=a")
		x := w.ExplicitLayer("VK_LAYER_x")
		if c.layer != "" {
			x.Script(c.layer)
		}
		if c.driver != "" {
			d.Script(c.driver)
		}
		h := start(w)
		h.OK("create_instance", "layer", "VK_LAYER_x")
		if a := h.Do("create_device", "pd", device(h)); a.Result() != c.result || a.Int("written") != 0 {
			t.Errorf("%s: %v", name, a)
		}
		stderr := h.Quit().Stderr
		said(t, stderr, 1, "ERROR", message)
		failed := 0
		if c.driver != "" {
			failed = 1
		}
		said(t, stderr, failed, "ERROR | DRIVER", "terminator_CreateDevice: Failed in ICD "+d.Library+" vkCreateDevice call")
	}
	w := world.New(t)
	w.Driver("a")
	x := w.ExplicitLayer("VK_LAYER_x")
	h := start(w)
	h.OK("create_instance", "layer", "VK_LAYER_x")
	pd := device(h)
	x.Script("gipa_null vkCreateDevice")
	if a := h.Do("create_device", "pd", pd); a.Result() != initializationError || a.Int("written") != 0 {
		t.Errorf("no vkCreateDevice: %v", a)
	}
	same(t, "created", calls(w, "vkCreateDevice"), nil)
	said(t, h.Quit().Stderr, 1, "ERROR", "loader_create_device_chain: Failed to find 'vkCreateDevice' in layers or ICD")
}

// holds: LAY-354 LAY-362 LAY-404 LAY-402 LAY-403 LAY-399 LAY-401
func TestLookupThroughLayers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	w.ExplicitLayer("VK_LAYER_1", "log_lookups", "wrap instance", "intercept vkCmdDraw", "next_create_with_instance")
	w.ExplicitLayer("VK_LAYER_2", "intercept vkCmdDispatch")
	w.ExplicitLayer("VK_LAYER_3", "intercept vkCmdDraw", "intercept vkCmdSetEvent", "next_create_with_instance")
	h := w.Start()
	for _, name := range []string{"vkCreateInstance", "vkEnumerateInstanceVersion", "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties", "vkGetInstanceProcAddr"} {
		if h.Do("gipa", "instance", "null", "name", name).Int("ptr") != h.Do("dlsym", "name", name).Int("ptr") {
			t.Errorf("%s is not the loader's", name)
		}
	}
	h.OK("create_instance", "layer", "VK_LAYER_1", "layer", "VK_LAYER_2", "layer", "VK_LAYER_3")
	wrapper := leave(t, w, "VK_LAYER_1", "vkCreateInstance").Text("handle")
	asked := map[string]int{}
	created := false
	for _, e := range w.Log().By("VK_LAYER_1") {
		created = created || e.Text("fn") == "vkCreateInstance" && e.Text("phase") == "leave"
		if e.Text("fn") == "gipa" && created {
			if e.Text("handle") != wrapper {
				t.Errorf("asked for %s with %s, want the layer's own %s", e.Text("name"), e.Text("handle"), wrapper)
			}
			asked[e.Text("name")]++
		}
	}
	for _, name := range []string{"vkDestroyInstance", "vkEnumeratePhysicalDevices", "vkGetPhysicalDeviceProperties2", "vkDestroySurfaceKHR",
		"vkCreateDebugUtilsMessengerEXT", "vkGetPhysicalDeviceToolProperties", "vkCreateDevice"} {
		if asked[name] != 1 {
			t.Errorf("asked %d times for %s, want once", asked[name], name)
		}
	}
	pd := device(h)
	w.ForgetLog()
	h.OK("create_device", "pd", pd)
	if e := w.Log().By("VK_LAYER_1").Fn("gipa"); len(e) == 0 || e[0].Text("name") != "vkCreateDevice" || e[0].Text("handle") != wrapper {
		t.Errorf("asked for vkCreateDevice: %v", e)
	}
	asked = map[string]int{}
	for _, e := range w.Log().By("VK_LAYER_1").Fn("gdpa") {
		if e.Text("handle") != address(t, h, "d") {
			t.Errorf("GDPA asked with %s", e.Text("handle"))
		}
		asked[e.Text("name")]++
	}
	for _, name := range []string{"vkCmdDraw", "vkQueueSubmit2", "vkCreateSwapchainKHR", "vkCmdDrawMeshTasksEXT", "vkDestroyDevice", "vkDebugMarkerSetObjectNameEXT"} {
		if asked[name] != 1 {
			t.Errorf("asked %d times for %s, want once", asked[name], name)
		}
	}
	module := func(name string) string {
		text := h.Do("gdpa", "device", "d", "name", name).Text("module")
		return text[strings.LastIndex(text, "/")+1:]
	}
	for name, want := range map[string]string{"vkCmdDraw": "VK_LAYER_1.so", "vkCmdDispatch": "VK_LAYER_2.so", "vkCmdSetEvent": "VK_LAYER_3.so",
		"vkCmdCopyBuffer": "a.so", "vkGetDeviceQueue": ownLibrary, "vkCmdDrawMeshTasksEXT": ""} {
		if got := module(name); got != want {
			t.Errorf("GDPA(%s) is of %q, want %q", name, got, want)
		}
	}
	h.OK("command_buffers")
	for name, want := range map[string][]string{"vkCmdDraw": {"VK_LAYER_1", "VK_LAYER_3", "a"}, "vkCmdDispatch": {"VK_LAYER_2", "a"}, "vkCmdCopyBuffer": {"a"}} {
		for _, via := range []string{"export", "gipa", "gdpa"} {
			w.ForgetLog()
			h.Do("call", "name", name, "via", via, "instance", "i", "device", "d", "arg", "c0")
			same(t, name+" via "+via, w.Log().Fn(name).Who(), want)
		}
	}
	h.Quit()
}
