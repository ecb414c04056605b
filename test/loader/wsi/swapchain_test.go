package wsi

import (
	"slices"
	"strconv"
	"testing"

	"vkloader/test/lib/world"
)

// swapchains creates a world with one driver, the surface s, and the device d with the given extensions.
func swapchains(t *testing.T, script []string, extensions ...string) (*world.World, *world.Host, string) {
	w := world.New(t)
	driver(w, "one", "VK_KHR_xcb_surface").Replace(append([]string{"api 1.1.0", "ext VK_KHR_surface 1", "ext VK_KHR_xcb_surface 1", "ext VK_KHR_display 1",
		"device name=one ext=VK_KHR_swapchain:70,VK_KHR_display_swapchain:10,VK_KHR_device_group:4"}, script...)...)
	h := saying(w)
	instance(h, "ext", "VK_KHR_xcb_surface", "ext", "VK_KHR_display")
	pd := devices(h)["one"]
	xcb(h, "s")
	words := []string{"pd", pd}
	for _, e := range extensions {
		words = append(words, "ext", e)
	}
	h.OK("create_device", words...)
	return w, h, pd
}

// swapchainInfo creates a VkSwapchainCreateInfoKHR.
func swapchainInfo(h *world.Host, as, surface string) {
	h.Do("memory", "as", as, "size", "104", "u32@0", "1000001000", "ptr@24", surface, "u32@32", "2", "ptr@96", "0x777")
}

// holds: WSI-056 WSI-057 WSI-069 DEV-054
func TestSwapchain(t *testing.T) {
	t.Parallel()
	w, h, _ := swapchains(t, []string{"result vkCreateSwapchainKHR -1000000001 4"}, "VK_KHR_swapchain")
	swapchainInfo(h, "info", "s")
	h.Do("allocator")
	for _, via := range []string{"export", "gipa", "gdpa"} {
		a := h.OK("call", "name", "vkCreateSwapchainKHR", "via", via, "instance", "i", "device", "d", "arg", "d", "arg", "info", "arg", "a", "arg", "out", "as", "sc_"+via)
		if a.Int("ptr") == 0 {
			t.Error("no swapchain")
		}
	}
	if r := h.Do("call", "name", "vkCreateSwapchainKHR", "arg", "d", "arg", "info", "arg", "null", "arg", "out").Result(); r != -1000000001 {
		t.Errorf("result %d", r)
	}
	last := 24 // the half of the last pointer that has its value
	if world.Machine().BigEndian {
		last = 25
	}
	if got := at(h, "info", 104); got[0] != 1000001000 || got[last] != 0x777 {
		t.Errorf("the program's structure became %v", got)
	}
	h.Do("get_queue")
	h.Do("memory", "as", "next", "size", "24", "u32@0", "1000060011") // VkDeviceGroupPresentInfoKHR
	h.Do("memory", "as", "present", "size", "64", "u32@0", "1000001001", "ptr@8", "next")
	h.Do("call", "name", "vkGetSwapchainImagesKHR", "arg", "d", "arg", "sc_export", "arg", "zeros", "arg", "null")
	h.Do("call", "name", "vkAcquireNextImageKHR", "arg", "d", "arg", "sc_gipa", "arg", "5", "arg", "6", "arg", "7", "arg", "zeros")
	h.Do("call", "name", "vkAcquireNextImage2KHR", "arg", "d", "arg", "zeros", "arg", "zeros")
	h.Do("call", "name", "vkGetDeviceGroupPresentCapabilitiesKHR", "arg", "d", "arg", "zeros")
	h.Do("call", "name", "vkQueuePresentKHR", "arg", "q", "arg", "present")
	h.Do("call", "name", "vkDestroySwapchainKHR", "arg", "d", "arg", "sc_gdpa", "arg", "null")
	wantSilence(t, h.Quit())
	log := w.Log()
	for i, e := range log.Fn("vkCreateSwapchainKHR") {
		if e.Text("device") != "device:1" || e.Text("surface") != "surface:1" || e.Text("old") != "foreign 0x777" || (!e.IsNull("allocator")) != (i < 3) {
			t.Errorf("the driver saw %v", e)
		}
	}
	for name, want := range map[string][]string{
		"vkGetSwapchainImagesKHR":                {"device:1", "swapchain:1"},
		"vkAcquireNextImageKHR":                  {"device:1", "swapchain:2", "5", "6", "7"},
		"vkAcquireNextImage2KHR":                 {"device:1"},
		"vkGetDeviceGroupPresentCapabilitiesKHR": {"device:1"},
		"vkQueuePresentKHR":                      {"queue:1"},
	} {
		got := log.Fn(name)
		if len(got) != 1 || !slices.Equal(got[0].Strings("args")[:len(want)], want) {
			t.Errorf("%s: the driver saw %s", name, got)
		}
	}
	if got := log.Fn("vkDestroySwapchainKHR"); len(got) != 1 || got[0].Text("swapchain") != "swapchain:3" {
		t.Errorf("the driver saw %s", got)
	}
}

// holds: WSI-056 WSI-066
func TestSwapchainWithoutDriverSurface(t *testing.T) {
	t.Parallel()
	w, h, _ := swapchains(t, []string{"result vkCreateXcbSurfaceKHR -1000000001"}, "VK_KHR_swapchain", "VK_KHR_display_swapchain")
	swapchainInfo(h, "info", "s")
	for _, a := range [][]string{
		{"name", "vkCreateSwapchainKHR", "arg", "d", "arg", "info", "arg", "null", "arg", "out"},
		{"name", "vkCreateSharedSwapchainsKHR", "arg", "d", "arg", "1", "arg", "info", "arg", "null", "arg", "out"},
		{"name", "vkGetDeviceGroupSurfacePresentModesKHR", "arg", "d", "arg", "s", "arg", "out"},
	} {
		if r := h.Do("call", a...).Result(); r != -1000000001 {
			t.Errorf("%s: result %d", a[1], r)
		}
	}
	h.Quit()
	if calls := w.Log().Fn("vkCreateSwapchainKHR", "vkCreateSharedSwapchainsKHR", "vkGetDeviceGroupSurfacePresentModesKHR"); len(calls) != 0 {
		t.Errorf("the driver was called: %s", calls)
	}
}

const noSwapchain = "vkCreateSwapchainKHR: Driver's function pointer was NULL, returning VK_SUCCESS. Was the VK_KHR_swapchain extension enabled?"

// holds: WSI-058
func TestSwapchainExtensionNotEnabled(t *testing.T) {
	t.Parallel()
	for _, via := range []string{"export", "gipa"} {
		t.Run(via, func(t *testing.T) {
			t.Parallel()
			_, h, _ := swapchains(t, []string{"missing vkCreateSwapchainKHR", "missing vkGetSwapchainImagesKHR", "missing vkDestroySwapchainKHR"})
			for _, name := range []string{"vkCreateSwapchainKHR", "vkGetSwapchainImagesKHR", "vkDestroySwapchainKHR"} {
				if h.Do("gdpa", "device", "d", "name", name).Int("ptr") != 0 {
					t.Errorf("%s is there", name)
				}
			}
			swapchainInfo(h, "info", "s")
			wantAbort(t, h.Dies("call", "name", "vkCreateSwapchainKHR", "via", via, "instance", "i", "arg", "d", "arg", "info", "arg", "null", "arg", "out"), noSwapchain)
		})
	}
}

// holds: WSI-059 WSI-064 WSI-067
func TestDriverGaveNoFunction(t *testing.T) {
	t.Parallel()
	w, h, _ := swapchains(t, []string{"missing vkCreateSwapchainKHR", "missing vkCreateSharedSwapchainsKHR", "missing vkGetDeviceGroupSurfacePresentModesKHR"},
		"VK_KHR_swapchain", "VK_KHR_display_swapchain")
	swapchainInfo(h, "info", "s")
	for _, a := range [][]string{
		{"name", "vkCreateSwapchainKHR", "arg", "d", "arg", "info", "arg", "null", "arg", "out"},
		{"name", "vkCreateSharedSwapchainsKHR", "arg", "d", "arg", "1", "arg", "info", "arg", "null", "arg", "out"},
		{"name", "vkGetDeviceGroupSurfacePresentModesKHR", "arg", "d", "arg", "s", "arg", "out"},
	} {
		if a := h.OK("call", a...); a.Ints("words")[0] != 0 {
			t.Errorf("something was created: %v", a)
		}
	}
	wantSaid(t, h.Quit(), noSwapchain,
		"vkCreateSharedSwapchainsKHR Terminator: Driver's function pointer was NULL, returning VK_SUCCESS. Was the VK_KHR_display_swapchain extension enabled?",
		"vkGetDeviceGroupSurfacePresentModesKHR: Driver's function pointer was NULL, returning VK_SUCCESS. Was either Vulkan 1.1 and VK_KHR_swapchain enabled or both the VK_KHR_device_group and VK_KHR_surface extensions enabled when using Vulkan 1.0?")
	if n := len(w.Log().Fn("vkCreateXcbSurfaceKHR")); n != 0 {
		t.Errorf("%d surfaces", n)
	}
}

// holds: WSI-060
func TestNoSwapchainInfo(t *testing.T) {
	t.Parallel()
	_, h, _ := swapchains(t, nil, "VK_KHR_swapchain")
	wantAbort(t, h.Dies("call", "name", "vkCreateSwapchainKHR", "arg", "d", "arg", "null", "arg", "null", "arg", "out"),
		"vkCreateSwapchainKHR: Invalid pCreateInfo pointer [VUID-vkCreateSwapchainKHR-pCreateInfo-parameter]")
}

// holds: WSI-016 WSI-061
func TestSwapchainOfNullSurface(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"0", "2", "3", "7"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			w, h, pd := swapchains(t, []string{"interface 0 " + version}, "VK_KHR_swapchain", "VK_KHR_display_swapchain")
			swapchainInfo(h, "info", "null")
			one := []string{"name", "vkCreateSwapchainKHR", "arg", "d", "arg", "info", "arg", "null", "arg", "out"}
			shared := []string{"name", "vkCreateSharedSwapchainsKHR", "arg", "d", "arg", "1", "arg", "info", "arg", "null", "arg", "out"}
			if version < "3" { // an old driver gets the program's arguments
				h.OK("call", one...)
				h.OK("call", shared...)
				h.Quit()
				if got := surfaces(w.Log(), "one", "vkCreateSwapchainKHR"); len(got) != 1 || got[0] != "" {
					t.Errorf("the driver saw %v", got)
				}
				return
			}
			h.Do("script", "as", "child", "line", world.Line("call", shared...))
			if a := h.Do("attempt", "script", "child"); a.Int("signal") != 6 {
				t.Errorf("shared: %v", a)
			}
			support(h, pd, "s")
			wantAbort(t, h.Dies("call", one...), "vkCreateSwapchainKHR: Invalid surface [VUID-VkSwapchainCreateInfoKHR-surface-parameter]")
		})
	}
}

// wrapper creates bytes that begin like the device: they look like a layer's wrapper.
func wrapper(h *world.Host) {
	word := h.Do("peek", "ref", "d").Int("ptr")
	h.Do("memory", "as", "wrapper", "size", "512", "ptr@0", world.Ref(int(word)))
}

// holds: WSI-062 WSI-065 WSI-068
func TestWrappedDeviceReachesTheLowerEnd(t *testing.T) {
	t.Parallel()
	unwrap := "This is likely the result of a layer wrapping device handles and failing to unwrap them in all functions. "
	for name, text := range map[string]string{
		"vkCreateSwapchainKHR":                   "vkCreateSwapchainKHR Terminator: device handle. " + unwrap + "[VUID-vkCreateSwapchainKHR-device-parameter]",
		"vkCreateSharedSwapchainsKHR":            "vkCreateSharedSwapchainsKHR Terminator: Invalid device handle. " + unwrap + "[VUID-vkCreateSharedSwapchainsKHR-device-parameter]",
		"vkGetDeviceGroupSurfacePresentModesKHR": "vkGetDeviceGroupSurfacePresentModesKHR: Invalid device [VUID-vkGetDeviceGroupSurfacePresentModesKHR-device-parameter]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, h, _ := swapchains(t, nil, "VK_KHR_swapchain", "VK_KHR_display_swapchain")
			wrapper(h)
			wantAbort(t, h.Dies("call", "name", name, "arg", "wrapper", "arg", "zeros", "arg", "zeros", "arg", "zeros", "arg", "zeros"), text)
		})
	}
}

// holds: WSI-063
func TestSharedSwapchains(t *testing.T) {
	t.Parallel()
	w, h, pd := swapchains(t, []string{"result vkCreateSharedSwapchainsKHR -1000001004 3"}, "VK_KHR_swapchain", "VK_KHR_display_swapchain")
	xcb(h, "s2")
	support(h, pd, "s2") // its surface in the driver has number 1
	for _, n := range []int{2, 11, 1} {
		name := "infos" + strconv.Itoa(n)
		memory := []string{"as", name, "size", strconv.Itoa(104 * n)}
		for i := range n {
			memory = append(memory, "u32@"+strconv.Itoa(104*i), "1000001000", "ptr@"+strconv.Itoa(104*i+24), []string{"s", "s2"}[i%2],
				"u32@"+strconv.Itoa(104*i+32), strconv.Itoa(2+i), "u64@"+strconv.Itoa(104*i+96), strconv.Itoa(0x700+i))
		}
		h.Do("memory", memory...)
		a := h.Do("call", "name", "vkCreateSharedSwapchainsKHR", "arg", "d", "arg", strconv.Itoa(n), "arg", name, "arg", "null", "arg", "out:88")
		if want := map[int]int{1: -1000001004}[n]; a.Result() != want {
			t.Errorf("%d swapchains: result %d, want %d", n, a.Result(), want)
		}
	}
	h.Quit()
	log := w.Log().Fn("vkCreateSharedSwapchainsKHR")
	if len(log) != 3 {
		t.Fatalf("the driver saw %s", log)
	}
	for _, e := range log {
		for i, s := range e.Strings("surfaces") {
			if want := []string{"surface:2", "surface:1"}[i%2]; s != want || e.Text("device") != "device:1" {
				t.Errorf("element %d has %s, want %s", i, s, want)
			}
			if e.Ints("images")[i] != 2+i || e.Strings("old")[i] != "foreign 0x7"+strconv.FormatInt(int64(0x100+i), 16)[1:] {
				t.Errorf("element %d: %v", i, e)
			}
		}
	}
	if n := len(log[1].Strings("surfaces")); n != 11 {
		t.Errorf("%d elements", n)
	}
}

// holds: WSI-066
func TestDeviceGroupPresentModes(t *testing.T) {
	t.Parallel()
	w, h, _ := swapchains(t, []string{"return vkGetDeviceGroupSurfacePresentModesKHR 5"}, "VK_KHR_swapchain")
	if r := h.Do("call", "name", "vkGetDeviceGroupSurfacePresentModesKHR", "arg", "d", "arg", "s", "arg", "out").Result(); r != incomplete {
		t.Errorf("result %d", r)
	}
	h.Quit()
	if got := w.Log().Fn("vkGetDeviceGroupSurfacePresentModesKHR"); len(got) != 1 || !slices.Equal(got[0].Strings("args")[:2], []string{"device:1", "surface:1"}) {
		t.Errorf("the driver saw %s", got)
	}
}
