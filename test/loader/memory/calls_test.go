package memory

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// injector makes calls fail by refusing allocations, one after the other.
type injector struct {
	t     *testing.T
	w     *world.World
	h     *world.Host
	own   bool   // malloc fails; otherwise the program's callbacks
	mode  string // "from": all allocations from the n-th on are refused; "once": only the n-th; "perform": none
	tried int    // calls in which an allocation was refused
	seen  map[string]int
}

// modes are the ways of refusing allocations.
var modes = []string{"from", "once"}

func (i *injector) arm(n int) {
	switch {
	case i.mode == "perform":
		i.h.Do("allocator", "as", "a", "perform", "elsewhere")
	case i.own:
		i.h.Do("malloc_fail", i.mode, strconv.Itoa(n))
	default:
		i.h.Do("allocator", "as", "a", "fail_"+i.mode, strconv.Itoa(n), "fill", "0xff")
	}
}

// disarm reports whether an allocation was refused.
func (i *injector) disarm(n int) bool {
	if i.own {
		return i.h.Do("malloc_fail").Int("calls") > int64(n)
	}
	failed := i.h.Do("allocator_stats").Int("failed") > 0
	if i.mode != "perform" {
		i.h.Do("allocator", "as", "a")
	}
	return failed
}

// live returns the number of blocks that the library has.
func (i *injector) live() int64 {
	if i.own {
		return i.h.Do("malloc_fail").Int("live")
	}
	return i.h.Do("allocator_stats").Int("live")
}

// call repeats a call until no allocation is refused any more. A call that succeeds although an allocation was
// refused must be complete; undo reverses it.
func (i *injector) call(name string, undo func(), f func() world.Answer) world.Answer {
	i.t.Helper()
	for n := 0; n < 5000; n++ {
		before := i.live()
		i.arm(n)
		a := f()
		refused := i.disarm(n)
		if !refused {
			if a.Result() != 0 {
				i.t.Fatalf("%s: %v with all the memory there is", name, a)
			}
			return a
		}
		i.tried++
		if a.Result() == 0 {
			if undo != nil {
				undo()
			}
			continue
		}
		i.seen[name]++
		if a.Result() != outOfMemory {
			i.t.Errorf("%s with %d allocations (%s): result %d", name, n, i.mode, a.Result())
		}
		// The lists of an instance's objects may have grown; they belong to the instance (ALC-037).
		if after := i.live(); after != before && (!i.own && name == "create_instance" || name == "create_device") {
			i.t.Errorf("%s with %d allocations (%s): %d blocks live, %d before", name, n, i.mode, after, before)
		}
	}
	i.t.Fatalf("%s never succeeds", name)
	return nil
}

// everything creates two drivers, one of which lacks the newer commands, three devices to sort, a group of two, and a
// layer.
func everything(t *testing.T, more ...string) (*world.World, []string) {
	t.Helper()
	w := world.New(t)
	var words []string
	extensions := []string{"VK_KHR_surface", "VK_EXT_headless_surface", "VK_KHR_xcb_surface", "VK_KHR_display",
		"VK_KHR_get_surface_capabilities2", "VK_EXT_debug_utils", "VK_EXT_debug_report", "VK_KHR_device_group_creation"}
	lines := more
	for _, e := range extensions {
		lines = append(lines, "ext "+e)
		words = append(words, "ext", e)
	}
	w.Driver("one", append([]string{"device name=a type=cpu pci=0:2:0:0 uuid=1 driver_uuid=7 ext=VK_KHR_swapchain,VK_KHR_display_swapchain,VK_EXT_pci_bus_info,VK_EXT_tooling_info",
		"device name=b type=discrete pci=0:1:0:0 uuid=2 driver_uuid=7 ext=VK_KHR_swapchain,VK_KHR_display_swapchain,VK_EXT_pci_bus_info", "group a b",
		"missing vkGetPhysicalDeviceSurfaceFormats2KHR", "missing vkGetPhysicalDeviceQueueFamilyProperties2",
		"missing vkGetPhysicalDeviceSparseImageFormatProperties2", "formats 150", "offer vkGetPhysicalDeviceToolPropertiesEXT",
		"write vkGetPhysicalDeviceDisplayPropertiesKHR 1 0 u32 2", "write vkGetPhysicalDeviceDisplayPlanePropertiesKHR 1 0 u32 2",
		"write vkGetDisplayModePropertiesKHR 2 0 u32 2", "write vkGetPhysicalDeviceToolPropertiesEXT 1 0 u32 2", "use_allocator"}, lines...)...).API("1.1.0").MoveManifest("system/usr/share/vulkan/icd.d")
	w.Driver("two", append([]string{"device name=c type=discrete api=1.1.0 uuid=3 driver_uuid=7", "ext VK_KHR_get_physical_device_properties2",
		"missing vkEnumeratePhysicalDeviceGroupsKHR", "use_allocator"}, lines...)...).MoveManifest("system/usr/share/vulkan/icd.d")
	w.Env["WORLD_SORTED"] = "1"
	w.ImplicitLayer("VK_LAYER_x", append([]string{"use_allocator"}, more...)...)
	w.ExplicitLayer("VK_LAYER_y").Set("device_extensions", []map[string]any{
		{"name": "VK_YY_a", "spec_version": "1", "entrypoints": []string{"vkA1YY", "vkA2YY"}}, {"name": "VK_YY_b", "spec_version": "1"}})
	words = append(words, "layer", "VK_LAYER_y", "layer", "VK_LAYER_y")
	var configurations []string // all devices, in sorted order
	for _, n := range []int{2, 3, 1} {
		uuid := func(n int) string { return "[" + strings.Repeat(fmt.Sprint(n, ","), 15) + fmt.Sprint(n) + "]" }
		configurations = append(configurations, fmt.Sprintf(`{"deviceUUID":%s,"driverUUID":%s,"driverVersion":1}`, uuid(n), uuid(7)))
	}
	w.Write("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json",
		`{"file_format_version":"1.0.0","settings":{"device_configurations":[`+strings.Join(configurations, ",")+`]}}`)
	return w, append(words, "api", "1.1.0", "messenger", "cm:0x1111:7", "report", "cr:0x1f")
}

// Every single allocation of every call fails in turn: the call returns the right error, leaves nothing allocated and does not crash,
// and succeeds the next time.
//
// holds: ALC-027 ALC-028 ALC-030 ALC-034 ALC-036 ALC-037 ALC-040 ALC-047 ALC-016 WSI-010 WSI-011
func TestEveryCallWithoutMemory(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		name := "callbacks"
		if own {
			name = "malloc"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if own && world.Variant() != "" {
				t.Skip("the sanitizer has a malloc of its own")
			}
			if own && world.Windows() {
				t.Skip("the fakes are loaded more often than there is room for what mingw's libraries keep by thread")
			}
			w, words := everything(t)
			i := &injector{t: t, w: w, h: w.Start(), own: own, mode: "from", seen: map[string]int{}}
			i.h.Do("allocator", "as", "a")
			i.memory()
			if !own {
				words = append(words, "allocator", "a")
			}
			i.h.OK("create_instance", words...) // opens the core
			i.h.Do("destroy_instance", i.allocator()...)
			// The cache of answers grows in the first lives and then stops; a leak occurs every time.
			even := map[string]bool{}
			for n := 0; len(even) < len(modes); n++ {
				i.mode = modes[n%len(modes)]
				before := i.live()
				i.life(words)
				if t.Failed() {
					return
				}
				after := i.live()
				if after == before {
					even[i.mode] = true
				} else if n == 12 {
					t.Fatalf("%d blocks live after a life (%s), %d before", after, i.mode, before)
				}
			}
			balanced(t, i.h, "a", "in the end")
			i.h.Quit()
			least := map[string]int{"create_instance": 6, "create_device": 2, "create_messenger": 2, "create_report": 2, "surface headless": 2,
				"surface xcb": 2, "surface display": 2, "formats": 2, "tools": 2, "shared swapchains": 2}
			if own {
				for _, call := range []string{"physical_devices", "device_groups", "trimmed groups", "filtered devices", "filtered groups", "device_extensions", "displays", "planes", "modes", "queue families", "sparse formats"} {
					least[call] = 2
				}
			}
			for call, n := range least {
				if i.seen[call] < n {
					t.Errorf("%s: failed for lack of memory %d times only", call, i.seen[call])
				}
			}
			t.Logf("%d calls in which an allocation was refused", i.tried)
		})
	}
}

func (i *injector) allocator(words ...string) []string {
	if i.own {
		return words
	}
	return append(words, "allocator", "a")
}

// memory creates the arguments of the calls of a life.
func (i *injector) memory() {
	i.h.Do("memory", "as", "count", "size", "8")
	i.h.Do("memory", "as", "many", "size", "16384")
	i.h.Do("memory", "as", "sparse", "size", "64", "u32@0", "1000059008")
	i.h.Do("memory", "as", "info", "size", "32")
	i.h.Do("memory", "as", "chains", "size", "1040") // ten VkSwapchainCreateInfoKHR of 104 bytes
}

// life makes every kind of call once.
func (i *injector) life(words []string) {
	h, t := i.h, i.t
	undo := func(verb string, words ...string) func() { return func() { h.Do(verb, i.allocator(words...)...) } }
	complete := func() { // all extensions of the layer
		if a := h.OK("physical_devices"); len(a.Ints("devices")) == 3 {
			if n := h.OK("device_extensions", "pd", world.Ref(a.Ints("devices")[0]), "layer", "VK_LAYER_y").Int("count"); n != 2 {
				t.Errorf("%d extensions of the layer", n)
			}
		}
		h.Do("destroy_instance", i.allocator()...)
	}
	i.call("create_instance", complete, func() world.Answer {
		i.w.ForgetLog()
		a := h.Do("create_instance", words...)
		if a.Result() == 0 { // every driver is there
			seen := i.w.Log().Fn("vkCreateInstance")
			for _, name := range []string{"one", "two", "VK_LAYER_x", "VK_LAYER_y"} {
				if len(seen.By(name)) == 0 {
					t.Errorf("an instance without %s", name)
				}
			}
		}
		return a
	})
	devicesOf := func() world.Answer {
		a := h.Do("physical_devices")
		if n := len(a.Ints("devices")); a.Result() == 0 && n != 3 {
			t.Errorf("%d devices", n)
		}
		for _, d := range a.Ints("devices") { // an unwrapped handle is a layer's or the driver's
			if a.Result() == outOfMemory && d != 0 {
				t.Errorf("a device that is none: %v", a)
			}
		}
		return a
	}
	list := i.call("physical_devices", nil, devicesOf).Ints("devices")
	groups := func(words ...string) func() world.Answer {
		return func() world.Answer {
			a := h.Do("device_groups", words...)
			for _, g := range a.Objects("groups") {
				if a.Result() == outOfMemory && g.Int("members") != 0xabababab && g.Int("members") != 0 {
					t.Errorf("a group of devices that are none: %v", a)
				}
			}
			if n := len(a.Objects("groups")); a.Result() == 0 && n != 2 || a.Result() == incomplete && n != 1 {
				t.Errorf("%d groups", n)
			}
			if a.Result() == incomplete {
				a["result"] = json.Number("0")
			}
			return a
		}
	}
	i.call("device_groups", nil, groups())
	i.call("trimmed groups", nil, groups("count", "1", "chain", "1"))
	h.Do("setenv", "name", "VK_LOADER_VENDOR_ID_FILTER", "value", "0-0xffffffff")
	i.call("filtered devices", nil, devicesOf)
	i.call("filtered groups", nil, groups())
	h.Do("unsetenv", "name", "VK_LOADER_VENDOR_ID_FILTER")
	devices := map[string]string{}
	for _, d := range list {
		devices[h.Do("properties", "pd", world.Ref(d)).Text("name")] = world.Ref(d)
		i.call("device_extensions", nil, func() world.Answer { return h.Do("device_extensions", "pd", world.Ref(d)) })
	}
	if order := []string{devices["b"], devices["c"], devices["a"]}; fmt.Sprint(order) != fmt.Sprint([]string{world.Ref(list[0]), world.Ref(list[1]), world.Ref(list[2])}) {
		t.Errorf("not sorted: %v, %v", devices, list)
	}
	for _, kind := range []string{"messenger", "report"} {
		i.call("create_"+kind, undo("destroy_"+kind, "name", "x"+kind), func() world.Answer {
			return h.Do("create_"+kind, i.allocator("as", "x"+kind)...)
		})
	}
	surfaces := []string{"headless", "xcb", "display"}
	for _, kind := range surfaces {
		i.call("surface "+kind, undo("destroy_surface", "name", kind), func() world.Answer {
			return h.Do("create_surface", i.allocator("type", kind, "as", kind)...)
		})
	}
	for _, kind := range surfaces { // the first use creates the driver's surface
		i.call("capabilities", nil, func() world.Answer {
			return h.Do("call", "name", "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "arg", devices["a"], "arg", kind, "arg", "out:64")
		})
	}
	h.Do("memory", "as", "info", "u32@0", "1000119000", "ptr@16", "headless")
	i.call("formats", nil, func() world.Answer {
		h.Do("memory", "as", "count", "u32@0", "200")
		a := h.Do("call", "name", "vkGetPhysicalDeviceSurfaceFormats2KHR", "arg", devices["a"], "arg", "info", "arg", "count", "arg", "many")
		return a
	})
	for name, arguments := range map[string][]string{
		"displays": {"vkGetPhysicalDeviceDisplayProperties2KHR", "count", "many"},
		"planes":   {"vkGetPhysicalDeviceDisplayPlaneProperties2KHR", "count", "many"},
		"modes":    {"vkGetDisplayModeProperties2KHR", "0x1234", "count", "many"},
		"tools":    {"vkGetPhysicalDeviceToolPropertiesEXT", "count", "many"},
		// these two report the failure by a count of 0
		"queue families": {"vkGetPhysicalDeviceQueueFamilyProperties2", "count", "many"},
		"sparse formats": {"vkGetPhysicalDeviceSparseImageFormatProperties2", "sparse", "count", "many"},
	} {
		line := []string{"name", arguments[0], "arg", devices["a"]}
		if name == "tools" {
			line = append(line, "via", "gipa", "instance", "i")
		}
		for _, a := range arguments[1:] {
			line = append(line, "arg", a)
		}
		silent := arguments[1] == "sparse" || name == "queue families"
		i.call(name, nil, func() world.Answer {
			h.Do("memory", "as", "count", "u32@0", "3")
			a := h.Do("call", line...)
			count := h.Do("peek", "ref", "count", "size", "4").Text("bytes")
			switch {
			case silent && count == "00000000":
				return world.Answer{"result": json.Number("-1")}
			case silent:
				return world.Answer{"result": json.Number("0")}
			case a.Result() == 0 && count != "02000000":
				t.Errorf("%s: %v, count %s", name, a, count)
			}
			return a
		})
	}
	i.call("create_device", undo("destroy_device"), func() world.Answer {
		return h.Do("create_device", i.allocator("pd", devices["a"], "group", devices["a"]+","+devices["b"], "ext", "VK_KHR_swapchain",
			"ext", "VK_KHR_display_swapchain")...)
	})
	i.call("create_swapchain", undo("destroy_swapchain"), func() world.Answer {
		return h.Do("create_swapchain", i.allocator("surface", "headless")...)
	})
	for n := range 10 {
		h.Do("memory", "as", "chains", fmt.Sprintf("u32@%d", 104*n), "1000001000", fmt.Sprintf("ptr@%d", 104*n+24), surfaces[n%3])
	}
	allocator := "null"
	if !i.own {
		allocator = "a"
	}
	i.call("shared swapchains", nil, func() world.Answer {
		return h.Do("call", "name", "vkCreateSharedSwapchainsKHR", "arg", "d", "arg", "10", "arg", "chains", "arg", allocator, "arg", "out:80")
	})
	// Destruction works without memory.
	i.arm(0)
	undo("destroy_swapchain")()
	undo("destroy_device")()
	for _, kind := range surfaces {
		undo("destroy_surface", "name", kind)()
	}
	undo("destroy_messenger", "name", "xmessenger")()
	undo("destroy_report", "name", "xreport")()
	undo("destroy_instance")()
	i.disarm(0)
}

// More drivers than a call has stack room for.
//
// holds: ALC-027 ALC-030 ALC-037
func TestManyDriversWithoutMemory(t *testing.T) {
	t.Parallel()
	if world.Variant() != "" {
		t.Skip("the sanitizer has a malloc of its own")
	}
	w := world.New(t)
	for n := range 33 {
		w.Driver(fmt.Sprint("d", n), fmt.Sprint("device name=", n), "ext VK_KHR_surface", "ext VK_EXT_headless_surface", "ext VK_EXT_debug_utils")
	}
	i := &injector{t: t, w: w, h: w.Start(), own: true, seen: map[string]int{}}
	h := i.h
	h.OK("create_instance", "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface", "ext", "VK_EXT_debug_utils")
	for _, i.mode = range modes {
		i.call("create_surface", func() { h.Do("destroy_surface") }, func() world.Answer { return h.Do("create_surface") })
		h.Do("destroy_surface")
		i.call("create_messenger", func() { h.Do("destroy_messenger", "name", "x") }, func() world.Answer {
			w.ForgetLog()
			a := h.Do("create_messenger", "as", "x")
			if n := len(w.Log().Fn("vkCreateDebugUtilsMessengerEXT")); a.Result() == 0 && n != 33 {
				t.Errorf("made in %d drivers", n)
			}
			return a
		})
		h.Do("destroy_messenger", "name", "x")
	}
	if i.seen["create_surface"] < 4 || i.seen["create_messenger"] < 4 {
		t.Errorf("failed for lack of memory: %v", i.seen)
	}
	h.Do("destroy_instance")
	h.Quit()
}
