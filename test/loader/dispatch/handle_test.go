package dispatch

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"vkloader/internal/decide/vk"
	"vkloader/test/lib/world"
)

// Every checked command ends the process for a bad first handle, with its own message, in a forked child as in the
// parent.
//
// holds: HND-001..HND-006 HND-008 HND-013..HND-022 PHY-083 DEV-014 DEV-047 LAY-256 LAY-266 EXP-011
func TestBadHandles(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	everyExtension(w, "one").API("1.3.0")
	h := w.Start()
	words := []string{"api", "1.2.0", "ext", "VK_EXT_debug_utils"}
	for _, gate := range gates() {
		if gate != "VK_EXT_debug_utils" {
			words = append(words, "ext", gate)
		}
	}
	h.OK("create_instance", words...)
	handles := []string{"null", "garbage", "zeros"}
	if world.Variant() != "" || world.Windows() {
		// the plain build for Linux tests them all; here every call needs a process or a thread
		handles = handles[1:2]
	}
	checked := 0
	for _, c := range vk.Commands {
		if c.Kind == vk.Global || unchecked(c) || !world.Offered(c.Name) {
			continue
		}
		name, message := c.Name, c.Name
		if c.Alias != "" && c.Kind != vk.Device && commandOf(c.Alias).Minor != vk.ExtensionMinor && c.Gate != "" {
			message = c.Alias // the same function
		}
		want := fmt.Sprintf("%s: Invalid %s [VUID-%s-%s-parameter]", message, c.Param, message, c.Param)
		if name == "vkGetPhysicalDeviceSurfaceCapabilities2EXT" {
			want = "vkGetPhysicalDeviceExternalImageFormatPropertiesNV: Invalid physicalDevice [VUID-vkGetPhysicalDeviceSurfaceCapabilities2EXT-physicalDevice-parameter]"
		}
		pointer := h.Do("gipa", "instance", "i", "name", name).Int("ptr")
		if pointer == 0 {
			t.Errorf("%s is NULL", name)
			continue
		}
		for _, handle := range handles {
			if handle == "null" && (name == "vkDestroyInstance" || name == "vkDestroyDevice") {
				continue
			}
			before := len(h.Stderr())
			h.Do("script", "as", "bad", "line", world.Line("call", "pointer", world.Ref(int(pointer)), "arg", handle))
			end := h.Do("attempt", "script", "bad", "timeout", "10000")
			line := strings.TrimSpace(h.Stderr()[before:])
			if end.Int("signal") != int64(syscall.SIGABRT) || end.Int("late") != 0 {
				t.Errorf("%s of %s: signal %d, exit %d, late %d", name, handle, end.Int("signal"), end.Int("exit"), end.Int("late"))
			}
			if line != "[Vulkan Loader] ERROR:          "+want {
				t.Errorf("%s of %s says %q, want %q", name, handle, line, want)
			}
			checked++
		}
	}
	if checked < 700*len(handles) {
		t.Errorf("only %d calls", checked)
	}
	h.Quit()
}

// A handle of another kind is rejected like garbage, for any content of its first words.
//
// holds: HND-001 HND-004 HND-006 DEV-014 DEV-047
func TestHandlesOfAnotherKind(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "ext VK_EXT_debug_utils 2").API("1.1.0")
	const device = "the device"
	for _, c := range []struct{ name, param, handle string }{
		{"vkEnumeratePhysicalDevices", "instance", device}, {"vkEnumeratePhysicalDeviceGroups", "instance", "d"}, {"vkDestroyInstance", "instance", device},
		{"vkCreateDevice", "physicalDevice", "i"}, {"vkGetPhysicalDeviceProperties", "physicalDevice", "i"},
		{"vkEnumerateDeviceExtensionProperties", "physicalDevice", "d"}, {"vkEnumerateDeviceLayerProperties", "physicalDevice", "i"},
		{"vkDestroyDevice", "device", "i"}, {"vkGetDeviceQueue", "device", "i"}, {"vkGetDeviceQueue2", "device", device},
		{"vkAllocateCommandBuffers", "device", "i"}, {"vkSetDebugUtilsObjectNameEXT", "device", "i"}, {"vkDeviceWaitIdle", "device", "i"},
		{"vkQueueWaitIdle", "queue", "i"}, {"vkCmdDraw", "commandBuffer", "i"},
	} {
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0", "ext", "VK_EXT_debug_utils")
		physical := world.Ref(h.OK("physical_devices").Ints("devices")[0])
		h.OK("create_device", "pd", physical)
		if c.handle == device {
			c.handle = physical
		}
		end := h.Dies("call", "name", c.name, "via", "gipa", "instance", "i", "arg", c.handle)
		want := fmt.Sprintf("[Vulkan Loader] ERROR:          %s: Invalid %s [VUID-%s-%s-parameter]", c.name, c.param, c.name, c.param)
		if line := strings.TrimSpace(h.Stderr()); end.Signal != syscall.SIGABRT || line != want {
			t.Errorf("%s of %s: signal %d, %q, want %q", c.name, c.handle, end.Signal, line, want)
		}
	}
}

// unchecked reports whether a command's handle is not checked, or the command never ends the process (HND-012, HND-024).
func unchecked(c vk.Command) bool {
	switch c.Name {
	case "vkGetInstanceProcAddr", "vkGetDeviceProcAddr":
		return true
	}
	return c.Kind == vk.Instance && (c.Gate == "VK_EXT_debug_utils" || c.Gate == "VK_EXT_debug_report")
}

// Several threads of a forked child use inherited objects at once, with a messenger: the child ends with SIGABRT, every line is
// complete, and the parent continues.
//
// holds: HND-001 HND-004 HND-006
func TestBadHandlesOfThreads(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a", "ext VK_EXT_debug_utils 2")
	h := w.Start()
	h.OK("create_instance", "ext", "VK_EXT_debug_utils")
	h.OK("create_messenger")
	device := world.Ref(h.OK("physical_devices").Ints("devices")[0])
	h.OK("create_device", "pd", device)
	for name, want := range map[string]string{
		"vkQueueWaitIdle":               "Invalid queue [VUID-vkQueueWaitIdle-queue-parameter]",
		"vkGetPhysicalDeviceProperties": "Invalid physicalDevice [VUID-vkGetPhysicalDeviceProperties-physicalDevice-parameter]",
		"vkEnumeratePhysicalDevices":    "Invalid instance [VUID-vkEnumeratePhysicalDevices-instance-parameter]",
	} {
		h.Do("script", "as", "bad", "line", world.Line("call", "name", name, "arg", "garbage"))
		h.Do("script", "as", "threads", "line", world.Line("run", "script", "bad", "threads", "8"))
		before := len(h.Stderr())
		end := h.Do("attempt", "script", "threads", "timeout", "20000")
		if end.Int("signal") != int64(syscall.SIGABRT) || end.Int("late") != 0 {
			t.Errorf("%s: signal %d, exit %d, late %d", name, end.Int("signal"), end.Int("exit"), end.Int("late"))
		}
		for _, line := range strings.Split(strings.TrimSpace(h.Stderr()[before:]), "\n") {
			if line != "[Vulkan Loader] ERROR:          "+name+": "+want {
				t.Errorf("%s says %q", name, line)
			}
		}
	}
	if world.Windows() {
		return // Windows has no fork
	}
	// The parent's objects are unchanged, and good ones work in a child.
	h.Do("script", "as", "good", "line", world.Line("properties", "pd", device), "line", world.Line("physical_devices"), "line",
		world.Line("get_queue"), "line", world.Line("destroy_device"), "line", world.Line("destroy_messenger"))
	if end := h.Do("fork", "script", "good", "timeout", "20000"); end.Int("exit") != 0 || end.Int("signal") != 0 || end.Int("late") != 0 {
		t.Errorf("on what it inherited: %v", end)
	}
	h.Do("destroy_device")
	h.Do("destroy_messenger")
	h.Do("destroy_instance")
	h.Quit()
}

// holds: HND-010 HND-023 INS-081 DEV-046 LAY-363
func TestNullIsNothingToDestroy(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one")
	w.ImplicitLayer("VK_LAYER_x")
	h := w.Start()
	h.Do("call", "name", "vkDestroyInstance", "arg", "null", "arg", "null")
	h.Do("call", "name", "vkDestroyDevice", "arg", "null", "arg", "null")
	h.OK("create_instance")
	h.Do("call", "via", "gipa", "instance", "i", "name", "vkDestroyDevice", "arg", "null", "arg", "null")
	exit := h.Quit()
	if len(exit.Messages()) != 0 {
		t.Errorf("messages %q", exit.Messages())
	}
	if n := len(w.Log().Fn("vkDestroyInstance", "vkDestroyDevice")); n != 0 {
		t.Errorf("%d calls went down", n)
	}
}

// A destroyed device is rejected, although its memory still exists.
//
// holds: DEV-047
func TestDestroyedDevice(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("one", "device name=a").API("1.1.0")
	for _, command := range []string{"vkDeviceWaitIdle", "vkDestroyDevice"} {
		h := w.Start()
		h.Do("allocator", "as", "a", "keep", "1")
		h.OK("create_instance", "api", "1.1.0")
		device := h.OK("create_device", "pd", world.Ref(h.OK("physical_devices").Ints("devices")[0]), "allocator", "a").Int("device")
		h.Do("destroy_device", "allocator", "a")
		end := h.Dies("call", "name", command, "via", "export", "arg", world.Ref(int(device)), "arg", "0")
		if end.Signal != syscall.SIGABRT || !strings.Contains(h.Stderr(), command+": Invalid ") {
			t.Errorf("%s: signal %d, %q", command, end.Signal, h.Stderr())
		}
	}
}

// Objects of a driver that do not begin with the magic number are used like any other.
//
// holds: HND-037
func TestObjectsWithoutMagic(t *testing.T) {
	t.Parallel()
	for _, magic := range []string{"0", "0x1234567", "0xffffffffffffffff"} {
		w := world.New(t)
		w.Driver("one", "device name=a", "magic "+magic).API("1.1.0")
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0")
		devices := h.OK("physical_devices").Ints("devices")
		if len(devices) != 1 {
			t.Fatalf("magic %s: %d devices", magic, len(devices))
		}
		h.OK("create_device", "pd", world.Ref(devices[0]))
		h.Do("get_queue")
		h.OK("command_buffers")
		h.OK("call", "name", "vkQueueWaitIdle", "arg", "q")
		h.Do("call", "name", "vkCmdDraw", "arg", "c0", "arg", "3", "arg", "1")
		h.Do("destroy_device")
		h.Do("destroy_instance")
		if exit := h.Quit(); len(exit.Messages()) != 0 {
			t.Errorf("magic %s: %q", magic, exit.Messages())
		}
		log := w.Log()
		if wait, draw := log.Fn("vkQueueWaitIdle"), log.Fn("vkCmdDraw"); len(wait) != 1 || len(draw) != 1 || draw[0].Strings("args")[0] != "command_buffer:1" {
			t.Errorf("magic %s: the driver saw %v", magic, log.Names())
		}
	}
}

// The first word of queues and command buffers is set to the device's table; if a driver returns none, or fails, nothing is written.
//
// holds: DEV-049 DEV-050 HND-001
func TestFirstWords(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	d := w.Driver("one", "device name=a ext=VK_NV_external_compute_queue", "offer vkCreateExternalComputeQueueNV").API("1.1.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	h.OK("create_device", "pd", world.Ref(h.OK("physical_devices").Ints("devices")[0]), "ext", "VK_NV_external_compute_queue")
	two := map[string][]string{"vkGetDeviceQueue": nil, "vkGetDeviceQueue2": {"two", "1", "index", "1"}}
	for name, words := range two {
		if a := h.Do("get_queue", words...); a.Int("queue") == 0 || a.Int("same_word") != 1 {
			t.Errorf("%s: %v", name, a)
		}
		d.Script("result " + name + " 0")
		if a := h.Do("get_queue", words...); a.Int("queue") != 0 {
			t.Errorf("%s: %v where the driver has none", name, a)
		}
	}
	h.Do("call", "name", "vkGetDeviceQueue", "arg", "d", "arg", "0", "arg", "0", "arg", "null")
	h.Do("call", "name", "vkGetDeviceQueue2", "arg", "d", "arg", "zeros", "arg", "null")
	if a := h.OK("command_buffers", "count", "3"); a.Int("same_word") != 1 {
		t.Errorf("command buffers: %v", a)
	}

	// The program's earlier handles do not change if nothing is written.
	word := func(ref string) int64 { return h.Do("peek", "ref", ref).Int("ptr") }
	device := word("d")
	h.Do("memory", "as", "object", "size", "16", "ptr@0", "zeros")
	h.Do("memory", "as", "handles", "size", "16", "ptr@8", "object")
	before := word("object")
	h.Do("memory", "as", "info", "size", "32", "u32@28", "2")
	d.Script("result vkAllocateCommandBuffers -2")
	if r := h.Do("call", "name", "vkAllocateCommandBuffers", "arg", "d", "arg", "info", "arg", "handles").Result(); r != -2 || word("object") != before {
		t.Errorf("failed buffers: result %d, first word %d, before %d", r, word("object"), before)
	}
	external := func(handle string) int {
		return h.Do("call", "name", "vkCreateExternalComputeQueueNV", "via", "gipa", "instance", "i", "arg", "d", "arg", "zeros", "arg", "null", "arg", handle).Result()
	}
	d.Script("return vkCreateExternalComputeQueueNV -3")
	if r := external("handles@1"); r != -3 || word("object") != before {
		t.Errorf("a failed external queue: result %d, first word %d, before %d", r, word("object"), before)
	}
	d.Script("result vkCreateExternalComputeQueueNV 0")
	for _, none := range []string{"null", "handles"} {
		if r := external(none); r != 0 {
			t.Errorf("an external queue at %s: result %d", none, r)
		}
	}
	if r := external("handles@1"); r != 0 || word("object") != device {
		t.Errorf("an external queue: result %d, first word %d, the device's is %d", r, word("object"), device)
	}
	h.Quit()
}
