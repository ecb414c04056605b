package drivers

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// busy creates a world with two drivers that support everything.
func busy(t *testing.T) *world.World {
	t.Helper()
	w := loud(t)
	for _, name := range []string{"one", "two"} {
		w.Driver(name, "device name="+name+" ext=VK_KHR_swapchain:70", "ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1", "ext VK_EXT_debug_utils 2",
			"ext VK_EXT_debug_report 10", "use_allocator").API("1.1.0")
	}
	return w
}

// holds: DRV-067 DRV-068 DRV-069 DRV-070 DRV-071 DRV-072 INS-073
func TestWhatDriversAreGiven(t *testing.T) {
	t.Parallel()
	w := busy(t)
	h := w.Start()
	h.Do("allocator", "as", "a")
	h.OK("instance_extensions", "layer", "")
	h.OK("instance_extensions")
	h.OK("instance_layers")
	h.OK("create_instance", "api", "1.1.0", "allocator", "a", "ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface", "ext", "VK_EXT_debug_utils",
		"ext", "VK_EXT_debug_report", "messenger", "chained")
	devices := h.OK("physical_devices").Ints("devices")
	h.OK("create_messenger", "allocator", "a")
	h.OK("create_report")
	h.OK("create_surface", "type", "headless", "allocator", "a")
	for i, pd := range devices {
		d := "d" + string(rune('0'+i))
		for _, layer := range []string{"", "null"} {
			words := []string{"pd", world.Ref(pd)}
			if layer == "" {
				words = append(words, "layer", "")
			}
			h.OK("device_extensions", words...)
		}
		h.OK("device_layers", "pd", world.Ref(pd))
		h.Do("queue_families", "pd", world.Ref(pd))
		h.OK("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", world.Ref(pd), "arg", "0", "arg", "s", "arg", "out")
		h.OK("create_device", "pd", world.Ref(pd), "as", d, "ext", "VK_KHR_swapchain", "allocator", "a")
		h.Do("get_queue", "device", d, "as", "q"+d)
		h.OK("command_buffers", "device", d, "as", "c"+d, "count", "2")
		h.OK("create_swapchain", "device", d, "surface", "s", "as", "sc"+d)
		h.Do("call", "name", "vkCmdDraw", "arg", "c"+d+"1", "arg", "3", "arg", "1")
		h.Do("call", "name", "vkQueueWaitIdle", "arg", "q"+d)
		h.Do("call", "name", "vkDeviceWaitIdle", "arg", d)
		h.Do("destroy_swapchain", "device", d, "name", "sc"+d)
		h.Do("destroy_device", "name", d, "allocator", "a")
	}
	h.Do("destroy_surface", "allocator", "a")
	h.Do("destroy_messenger", "allocator", "a")
	h.OK("create_messenger", "as", "left", "allocator", "a")
	h.OK("create_instance", "as", "second", "api", "1.1.0", "allocator", "a")
	h.OK("physical_devices", "instance", "second")
	h.Do("destroy_instance", "allocator", "a")
	h.OK("physical_devices", "instance", "second")
	h.Do("destroy_instance", "name", "second", "allocator", "a")
	h.Quit()

	log := w.Log()
	sound(t, log)
	seen := map[string]bool{}
	for _, event := range log {
		fn := event.Text("fn")
		seen[fn] = true
		switch fn {
		case "vkEnumerateInstanceExtensionProperties", "vkEnumerateDeviceExtensionProperties":
			if !event.IsNull("layer") {
				t.Errorf("%s of %s was called for the layer %q", fn, event.Text("who"), event.Text("layer"))
			}
		case "vkEnumerateInstanceLayerProperties", "vkEnumerateDeviceLayerProperties":
			t.Errorf("%s of %s was called", fn, event.Text("who"))
		case "vkCreateInstance", "vkDestroyInstance":
			if event.IsNull("allocator") {
				t.Errorf("%s of %s was given no allocator", fn, event.Text("who"))
			}
		case "vkCmdDraw", "vkQueueWaitIdle", "vkDeviceWaitIdle":
			want := map[string]string{"vkCmdDraw": "command_buffer:", "vkQueueWaitIdle": "queue:", "vkDeviceWaitIdle": "device:"}[fn]
			if !strings.HasPrefix(event.Strings("args")[0], want) {
				t.Errorf("%s of %s was given %q", fn, event.Text("who"), event.Strings("args")[0])
			}
		}
		if !event.IsNull("allocator") && event.Text("allocator") != "" && event.Int("allocator_good") != 1 {
			t.Errorf("%s of %s was given an allocator without functions", fn, event.Text("who"))
		}
	}
	for _, fn := range []string{"vkCreateDevice", "vkGetDeviceQueue", "vkAllocateCommandBuffers", "vkCmdDraw", "vkDestroyDevice", "vkCreateHeadlessSurfaceEXT",
		"vkDestroySurfaceKHR", "vkCreateDebugUtilsMessengerEXT", "vkDestroyDebugUtilsMessengerEXT", "vkCreateDebugReportCallbackEXT",
		"vkDestroyDebugReportCallbackEXT", "vkGetPhysicalDeviceSurfaceSupportKHR", "vkCreateSwapchainKHR", "vkGetPhysicalDeviceQueueFamilyProperties"} {
		if !seen[fn] {
			t.Errorf("%s reached no driver", fn)
		}
	}
}

// Drivers get the program's allocator, also if the program passes it from another address.
//
// holds: DRV-072 INS-073
func TestAllocatorIsTheProgramsOwn(t *testing.T) {
	t.Parallel()
	w := busy(t)
	h := w.Start()
	h.Do("allocator", "as", "a")
	h.OK("create_instance", "allocator", "a")
	h.Do("destroy_instance", "allocator", "a")
	live := h.Do("allocator_stats", "name", "a")
	h.OK("create_instance")
	h.Do("destroy_instance")
	h.Quit()
	if live.Int("live") != 0 || live.Int("faults") != 0 || live.Int("calls") < 2 {
		t.Errorf("the allocator saw %v", live)
	}
	created, destroyed := w.Log().Fn("vkCreateInstance"), w.Log().Fn("vkDestroyInstance")
	if len(created) != 4 || len(destroyed) != 4 {
		t.Fatalf("%d created, %d destroyed", len(created), len(destroyed))
	}
	for i := range 4 {
		want := created[0].Text("allocator")
		if i >= 2 {
			want = ""
		}
		if created[i].Text("allocator") != want || destroyed[i].Text("allocator") != want {
			t.Errorf("instance %d got the allocators %q and %q, want %q", i, created[i].Text("allocator"), destroyed[i].Text("allocator"), want)
		}
	}
	if created[0].Text("allocator") == "" {
		t.Error("no allocator arrived")
	}
}

// holds: DRV-077 DRV-078 DRV-079 DRV-080
func TestFirstWords(t *testing.T) {
	t.Parallel()
	// a release build does not check the values that drivers set
	for _, magic := range []string{"0x01CDC0DE", "0", "0x12345678"} {
		t.Run(magic, func(t *testing.T) {
			t.Parallel()
			w := busy(t)
			w.Driver("other", "magic "+magic, "device name=other", "device name=another")
			h := w.Start()
			word := func(reference string) int64 { return h.Do("peek", "ref", reference).Int("ptr") }
			seen := map[int64]string{}
			for _, name := range []string{"i", "j"} {
				h.OK("create_instance", "as", name)
				own := word(name)
				devices := h.OK("physical_devices", "instance", name).Ints("devices")
				if len(devices) != 4 {
					t.Fatalf("%d devices", len(devices))
				}
				for _, pd := range devices {
					if word(world.Ref(pd)) != own {
						t.Errorf("instance and physical device %d have different first words", pd)
					}
				}
				if seen[own] != "" {
					t.Errorf("%s and %s have the same first word", name, seen[own])
				}
				seen[own] = name
				for i, pd := range devices {
					d := name + string(rune('0'+i))
					h.OK("create_device", "pd", world.Ref(pd), "as", d)
					h.Do("get_queue", "device", d, "as", "q"+d)
					h.OK("command_buffers", "device", d, "as", "c"+d, "count", "2")
					own := word(d)
					for _, object := range []string{"q" + d, "c" + d + "0", "c" + d + "1"} {
						if word(object) != own {
							t.Errorf("%s and its device have different first words", object)
						}
					}
					if seen[own] != "" {
						t.Errorf("%s and %s have the same first word", d, seen[own])
					}
					seen[own] = d
					bytes := h.Do("peek", "ref", d).Text("bytes")
					if bytes == "dec0cd0100000000" || bytes == "0000000000000000" || bytes == "7856341200000000" {
						t.Errorf("the first word of %s is still the driver's: %s", d, bytes)
					}
					h.Do("call", "name", "vkQueueWaitIdle", "arg", "q"+d)
					h.Do("call", "name", "vkCmdDraw", "arg", "c"+d+"1", "arg", "3")
				}
			}
			h.Quit()
			if n := len(w.Log().Fn("vkCmdDraw")); n != 8 {
				t.Errorf("%d draws arrived", n)
			}
			sound(t, w.Log())
		})
	}
}

// holds: INS-027 INS-028
func TestManyInstances(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	w.Driver("two")
	h := w.Start()
	for range 100 {
		h.OK("create_instance")
		h.Do("destroy_instance")
	}
	if before, after := w.Log().Fn("vkCreateInstance"), w.Log().Fn("vkDestroyInstance"); len(before) != 200 || len(after) != 200 {
		t.Errorf("%d created, %d destroyed", len(before), len(after))
	}
	w.ForgetLog()
	name := func(i int) string { return "n" + string(rune('0'+i/10)) + string(rune('0'+i%10)) }
	seen := map[int64]bool{}
	for i := range 100 {
		instance := h.OK("create_instance", "as", name(i)).Int("instance")
		if instance == 0 || seen[instance] {
			t.Errorf("handle %d of instance %d", instance, i)
		}
		seen[instance] = true
	}
	for i := range 100 { // 37 and 100 have no common divisor: every instance, in a mixed order
		n := i * 37 % 100
		if i%10 == 0 {
			same(t, "devices", deviceNames(h, name(n)), []string{"two", "one"})
		}
		h.Do("destroy_instance", "name", name(n))
	}
	h.Quit()
	log := w.Log()
	sound(t, log)
	var destroyed []string
	for _, event := range log.Fn("vkDestroyInstance") {
		destroyed = append(destroyed, event.Text("who")+event.Text("instance"))
	}
	slices.Sort(destroyed)
	if n := len(slices.Compact(destroyed)); n != 200 || len(destroyed) != 200 {
		t.Errorf("%d of 200 instances destroyed, %d calls", n, len(destroyed))
	}
}
