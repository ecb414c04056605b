package chain

import (
	"path/filepath"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

var ownLibrary = filepath.Base(world.Library())

// scripts makes a statement of the key for each name.
func scripts(key string, names ...string) []string {
	var out []string
	for _, name := range names {
		out = append(out, key+" "+name)
	}
	return out
}

// holds: LAY-335 LAY-338 LAY-405 GPA-077 GPA-078 GPA-084
func TestLowerEndWithoutInstance(t *testing.T) {
	t.Parallel()
	there := []string{"vkGetInstanceProcAddr", "vk_layerGetPhysicalDeviceProcAddr", "vkCreateInstance", "vkCreateDevice",
		"vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties", "vkEnumerateInstanceVersion"}
	absent := []string{"vkDestroyInstance", "vkEnumeratePhysicalDevices", "vkGetDeviceProcAddr", "vkGetPhysicalDeviceProperties",
		"vkEnumerateDeviceExtensionProperties", "vkDestroyDevice", "vkCmdDraw", "vkDestroySurfaceKHR", "vkSetDebugUtilsObjectNameEXT",
		"vkNobodyKnows", "vk_icdGetPhysicalDeviceProcAddr", ""}
	w := world.New(t)
	w.Driver("a", "device name=a", "offer_gpdpa vkNobodyKnows", "offer vkNobodyKnows").API("1.4.0")
	w.ExplicitLayer("VK_LAYER_x", append(scripts("ask_bad", append(there, absent[:len(absent)-1]...)...), "ask vkGetInstanceProcAddr", "ask vk_layerGetPhysicalDeviceProcAddr")...)
	h := w.Start()
	h.OK("create_instance", "api", "1.3.0", "layer", "VK_LAYER_x", "ext", "VK_EXT_debug_utils")
	h.OK("physical_devices")
	found := map[string]int{}
	for _, e := range w.Log().Fn("asked") {
		if e.Int("bad") == 0 {
			continue
		}
		name := e.Text("name")
		if !e.IsNull("gpdpa") {
			t.Errorf("GPDPA(NULL, %s) is not NULL", name)
		}
		if want := strings.Contains(strings.Join(there, " ")+" ", name+" "); e.IsNull("gipa") == want || (want && e.Text("gipa") != ownLibrary) {
			t.Errorf("GIPA(NULL, %s): %v", name, e)
		}
		found[name]++
	}
	if len(found) != len(there)+len(absent)-1 {
		t.Errorf("asked for %d names", len(found))
	}
	link := links(first(t, w, "VK_LAYER_x", "vkCreateInstance"))[0]
	for _, when := range []string{"create", "enumerate"} {
		if got := asked(t, w, "VK_LAYER_x", when, "vkGetInstanceProcAddr").Text("gipa pointer"); got != link.Text("gipa") {
			t.Errorf("%s: the terminator's vkGetInstanceProcAddr is %s, not itself, %s", when, got, link.Text("gipa"))
		}
		if got := asked(t, w, "VK_LAYER_x", when, "vk_layerGetPhysicalDeviceProcAddr").Text("gipa pointer"); got != link.Text("gpdpa") {
			t.Errorf("%s: vk_layerGetPhysicalDeviceProcAddr is %s, want %s", when, got, link.Text("gpdpa"))
		}
	}
	for _, instance := range []string{"null", "i"} {
		if h.Do("gipa", "instance", instance, "name", "vk_layerGetPhysicalDeviceProcAddr").Int("ptr") != 0 {
			t.Errorf("the application got vk_layerGetPhysicalDeviceProcAddr")
		}
	}
	h.Quit()
}

// holds: LAY-336 LAY-337 LAY-338 LAY-339 GPA-079 GPA-080 GPA-081 GPA-083 GPA-084 DEV-045 UNK-018 UNK-011
func TestLowerEnd(t *testing.T) {
	t.Parallel()
	type answer struct{ gipa, gpdpa bool }
	always := map[string]answer{
		"vkDestroyInstance": {true, true}, "vkEnumeratePhysicalDevices": {true, true}, "vkEnumeratePhysicalDeviceGroups": {true, true},
		"vkEnumeratePhysicalDeviceGroupsKHR": {true, true}, "vkGetPhysicalDeviceProperties": {true, true},
		"vkGetPhysicalDeviceProperties2": {true, true}, "vkGetPhysicalDeviceProperties2KHR": {true, true},
		"vkGetPhysicalDeviceToolProperties": {true, true}, "vkEnumerateDeviceExtensionProperties": {true, true},
		"vkDestroySurfaceKHR": {true, true}, "vkGetPhysicalDeviceSurfaceSupportKHR": {true, true}, "vkCreateDevice": {true, true},
		// Device commands are found only if a driver has them.
		"vkCmdDraw": {true, false}, "vkQueueSubmit": {true, false}, "vkTrimCommandPoolKHR": {true, false}, "vkCmdDrawMeshTasksEXT": {false, false},
		// Unknown names are found only if a driver has them.
		"vkOfDriverDevices": {true, true}, "vkOfDriver": {true, false}, "vkOfLayerDevices": {false, false}, "vkOfLayer": {false, false},
		"vkOfNobody": {false, false},
	}
	for _, debug := range []bool{true, false} {
		want := map[string]answer{"vkSetDebugUtilsObjectNameEXT": {debug, false}, "vkSetDebugUtilsObjectTagEXT": {debug, false},
			"vkQueueBeginDebugUtilsLabelEXT": {debug, false}, "vkQueueEndDebugUtilsLabelEXT": {debug, false},
			"vkQueueInsertDebugUtilsLabelEXT": {debug, false}, "vkCmdBeginDebugUtilsLabelEXT": {debug, false},
			"vkCmdEndDebugUtilsLabelEXT": {debug, false}, "vkCmdInsertDebugUtilsLabelEXT": {debug, false}}
		for name, a := range always {
			want[name] = a
		}
		w := world.New(t)
		w.Driver("a", "device name=a", "offer_gpdpa vkOfDriverDevices", "offer vkOfDriver", "offer vkTrimCommandPoolKHR",
			"offer_gpdpa vkGetPhysicalDeviceMultisamplePropertiesEXT").API("1.4.0")
		names := []string{}
		for name := range want {
			names = append(names, name)
		}
		w.ExplicitLayer("VK_LAYER_top", "offer vkOfLayer", "offer_gpdpa vkOfLayerDevices", "intercept *")
		w.ExplicitLayer("VK_LAYER_x", append(scripts("ask", names...), "intercept *", "device_layers", "offer vkOfLayer", "offer_gpdpa vkOfLayerDevices")...)
		h := start(w)
		words := []string{"api", "1.1.0", "layer", "VK_LAYER_top", "layer", "VK_LAYER_x"}
		if debug {
			words = append(words, "ext", "VK_EXT_debug_utils")
		}
		h.OK("create_instance", words...)
		h.OK("physical_devices")
		// The application also sees the layers' functions, which changes nothing below.
		for _, name := range []string{"vkOfLayerDevices", "vkOfLayer", "vkOfDriverDevices", "vkOfDriver"} {
			if h.Do("gipa", "instance", "i", "name", name).Int("ptr") == 0 {
				t.Errorf("the application does not get %s", name)
			}
		}
		before := len(w.Log())
		h.OK("physical_devices")
		log := w.Log()
		for name, want := range want {
			var first world.Answer
			for i, e := range log {
				if e.Text("fn") != "asked" || e.Text("name") != name {
					continue
				}
				if first == nil {
					first = e
				}
				if e.IsNull("gipa") == want.gipa || e.IsNull("gpdpa") == want.gpdpa {
					t.Errorf("debug %v: %s, %s (late %v): %v, want %v", debug, name, e.Text("when"), i >= before, e, want)
				}
				for _, key := range []string{"gipa", "gpdpa"} {
					if !e.IsNull(key) && (e.Text(key) != ownLibrary || e.Text(key+" pointer") != first.Text(key+" pointer")) {
						t.Errorf("debug %v: %s from %s is %v, first %v", debug, name, key, e, first)
					}
				}
			}
			if first == nil {
				t.Errorf("%s not asked for", name)
			}
		}
		exit := h.Quit()
		for name, answer := range want {
			said := strings.Contains(exit.Stderr, "vk_layerGetPhysicalDeviceProcAddr terminator: unrecognized name "+name+"\n")
			if said == answer.gpdpa {
				t.Errorf("debug %v: that %s is unrecognized is said: %v", debug, name, said)
			}
		}
		for _, name := range []string{"vkOfNobody", "vkOfLayer", "vkOfLayerDevices"} {
			found := false
			for _, l := range strings.Split(exit.Stderr, "\n") {
				found = found || strings.HasPrefix(l, "[Vulkan Loader] DEBUG:") && strings.Contains(l+" ", "unrecognized name "+name+" ")
			}
			if !found {
				t.Errorf("no message of level DEBUG on %s", name)
			}
		}
	}
}

// holds: GPA-088 LAY-254
func TestLowerEndOfDeviceLayers(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	w.ExplicitLayer("VK_LAYER_x", "device_layers", "intercept vkEnumerateDeviceLayerProperties", "offer_gipa vkEnumerateDeviceLayerProperties")
	h := start(w)
	h.OK("create_instance", "layer", "VK_LAYER_x")
	if got := w.Log().Fn("device layers"); len(got) != 1 || got[0].Result() != initializationError {
		t.Errorf("%v", got)
	}
	same(t, "layers", h.OK("device_layers", "pd", device(h)).Strings("layers"), []string{"VK_LAYER_x"})
	if got := w.Log().Fn("vkEnumerateDeviceLayerProperties"); len(got) != 0 {
		t.Errorf("a layer saw %v", got)
	}
	said(t, h.Quit().Stderr, 1, "ERROR", "Encountered the vkEnumerateDeviceLayerProperties terminator.  This means a layer improperly continued.")
}

// holds: GPA-085 GPA-086 LAY-351 LAY-364
func TestLowerEndOfDevices(t *testing.T) {
	t.Parallel()
	names := []string{"vkCreateSwapchainKHR", "vkGetDeviceGroupSurfacePresentModesKHR", "vkCreateSharedSwapchainsKHR",
		"vkDebugMarkerSetObjectTagEXT", "vkDebugMarkerSetObjectNameEXT", "vkSetDebugUtilsObjectNameEXT", "vkSetDebugUtilsObjectTagEXT",
		"vkQueueBeginDebugUtilsLabelEXT", "vkQueueEndDebugUtilsLabelEXT", "vkQueueInsertDebugUtilsLabelEXT", "vkCmdBeginDebugUtilsLabelEXT",
		"vkCmdEndDebugUtilsLabelEXT", "vkCmdInsertDebugUtilsLabelEXT"}
	with := map[string][]string{
		"":                         nil,
		"VK_KHR_swapchain":         names[:2],
		"VK_KHR_device_group":      names[1:2],
		"VK_KHR_display_swapchain": names[2:3],
		"VK_EXT_debug_marker":      names[3:5],
		"VK_EXT_debug_utils":       names[5:],
	}
	for ext, loaders := range with {
		w := world.New(t)
		driver := []string{"device name=a ext=VK_KHR_swapchain,VK_KHR_device_group,VK_KHR_display_swapchain,VK_EXT_debug_marker", "offer vkOfDriver"}
		w.Driver("a", append(driver, scripts("offer", names...)...)...).API("1.1.0")
		w.ExplicitLayer("VK_LAYER_top")
		w.ExplicitLayer("VK_LAYER_x", append(scripts("ask", names...), scripts("ask", "vkGetDeviceProcAddr", "vkCmdDraw", "vkOfDriver", "vkNobody", "vkCreateInstance",
			"vkAcquireNextImageKHR", "vkCmdDrawMeshTasksEXT", "vkGetDeviceQueue", "vkDestroyDevice")...)...)
		h := w.Start()
		words, deviceWords := []string{"api", "1.1.0", "layer", "VK_LAYER_top", "layer", "VK_LAYER_x"}, []string{}
		if ext == "VK_EXT_debug_utils" {
			words = append(words, "ext", ext)
		} else if ext != "" {
			deviceWords = []string{"ext", ext}
		}
		h.OK("create_instance", words...)
		w.ForgetLog()
		h.OK("create_device", append(deviceWords, "pd", device(h))...)
		expect := map[string]string{"vkGetDeviceProcAddr": ownLibrary, "vkCmdDraw": "a.so", "vkOfDriver": "a.so", "vkNobody": "", "vkCreateInstance": "",
			"vkAcquireNextImageKHR": "a.so", "vkCmdDrawMeshTasksEXT": "", "vkGetDeviceQueue": "a.so", "vkDestroyDevice": "a.so"}
		for _, name := range names {
			expect[name] = ""
		}
		for _, name := range loaders {
			expect[name] = ownLibrary
		}
		for _, e := range w.Log().Fn("asked") {
			if e.Text("when") != "create" || e.IsNull("gdpa") && expect[e.Text("name")] == "" {
				continue
			}
			if got := e.Text("gdpa"); got != expect[e.Text("name")] {
				t.Errorf("with %q: GDPA(%s) is of %q, want %q", ext, e.Text("name"), got, expect[e.Text("name")])
			}
		}
		link := links(first(t, w, "VK_LAYER_x", "vkCreateDevice"))[0]
		if got := asked(t, w, "VK_LAYER_x", "create", "vkGetDeviceProcAddr").Text("gdpa pointer"); got != link.Text("gdpa") {
			t.Errorf("GDPA of the terminator is %s, not itself, %s", got, link.Text("gdpa"))
		}
		h.Do("destroy_device")
		h.Quit()
	}
}

// holds: GPA-087
func TestDebugCommandsComeFromTheInstance(t *testing.T) {
	t.Parallel()
	const label = "vkCmdBeginDebugUtilsLabelEXT"
	for _, c := range []struct {
		script string
		want   []string
	}{{"offer_gipa " + label, []string{"VK_LAYER_x", "a"}}, {"offer_gdpa " + label, []string{"a"}}} {
		w := world.New(t)
		w.Driver("a", "device name=a", "ext VK_EXT_debug_utils")
		w.ExplicitLayer("VK_LAYER_x", c.script, "offer_gdpa vkCmdDraw", "offer_gipa vkCmdDispatch")
		h := w.Start()
		h.OK("create_instance", "layer", "VK_LAYER_x", "ext", "VK_EXT_debug_utils")
		h.OK("create_device", "pd", device(h))
		h.OK("command_buffers")
		h.Do("memory", "as", "label", "u32@0", "1000128002", "ptr@16", "label")
		h.Do("call", "name", label, "instance", "i", "arg", "c0", "arg", "label")
		h.Do("call", "name", "vkCmdDraw", "arg", "c0")
		h.Do("call", "name", "vkCmdDispatch", "arg", "c0")
		same(t, c.script, w.Log().Fn(label).Who(), c.want)
		same(t, "vkCmdDraw", w.Log().Fn("vkCmdDraw").Who(), []string{"VK_LAYER_x", "a"})
		same(t, "vkCmdDispatch", w.Log().Fn("vkCmdDispatch").Who(), []string{"a"})
		h.Quit()
	}
}
