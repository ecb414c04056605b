package physdev

import (
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// holds: PHY-091 EXT-042 EXT-043 EXT-044 EXT-046
func TestToolProperties(t *testing.T) {
	t.Parallel()
	const missing = "terminator_GetPhysicalDeviceToolProperties: The ICD's vkGetPhysicalDeviceToolProperties was NULL yet the physical device supports Vulkan API Version 1.3."
	for _, c := range []struct {
		name, driver, device, api string
		missing, called           bool
	}{
		{"1.3", "1.3.0", "1.3.0", "1.3.0", false, true},
		{"1.4 device", "1.4.0", "1.4.0", "1.3.0", false, true},
		{"1.0 program", "1.3.0", "1.3.0", "1.0.0", false, true},
		{"1.2 device", "1.3.0", "1.2.0", "1.3.0", false, false},
		{"2.0 device", "1.3.0", "2.0.0", "1.3.0", false, true}, // ENV-80
		{"0.9 device", "1.3.0", "0.9.0", "1.3.0", false, false},
		{"1.0 driver", "1.0.0", "1.0.0", "1.3.0", true, false},
		{"1.2 driver", "1.2.0", "1.3.0", "1.3.0", true, false},
	} {
		w := world.New(t)
		w.Env["VK_LOADER_DEBUG"] = "error"
		w.Driver("a", "device name=a api="+c.device, "write vkGetPhysicalDeviceToolProperties 1 0 u32 4", "return vkGetPhysicalDeviceToolProperties 5").API(c.driver)
		h := w.Start()
		h.OK("create_instance", "api", c.api)
		device := all(h)[0]
		for _, array := range []string{"null", "x"} {
			h.Do("memory", "as", "n", "size", "8", "u32@0", "77")
			h.Do("memory", "as", "x", "size", "64")
			w.ForgetLog()
			result := h.Do("call", "name", "vkGetPhysicalDeviceToolProperties", "arg", world.Ref(device), "arg", "n", "arg", array).Result()
			calls := len(w.Log().Fn("vkGetPhysicalDeviceToolProperties"))
			count := word(t, h, "n", 0)
			if c.called && (result != 5 || calls != 1 || count != 4) || !c.called && (result != 0 || calls != 0 || count != 0) {
				t.Errorf("%s: result %d, count %d, %d calls", c.name, result, count, calls)
			}
		}
		n := 0
		if c.missing {
			n = 2
			saidLine(t, h, "ERROR", missing)
		}
		said(t, h.Messages(), missing, n)
		h.Quit()
	}
}

// holds: PHY-092 EXT-045 EXT-046
func TestToolPropertiesEXT(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		lines  []string
		called bool
	}{
		{"both", []string{"device name=a ext=VK_KHR_x,VK_EXT_tooling_info:1", "offer vkGetPhysicalDeviceToolPropertiesEXT"}, true},
		{"not listed", []string{"device name=a ext=VK_KHR_x,VK_EXT_tooling_info2", "offer vkGetPhysicalDeviceToolPropertiesEXT"}, false},
		{"no extension at all", []string{"device name=a", "offer vkGetPhysicalDeviceToolPropertiesEXT"}, false},
		{"no function", []string{"device name=a ext=VK_EXT_tooling_info"}, false},
	} {
		w := world.New(t)
		w.Env["VK_LOADER_DEBUG"] = "error,warn"
		w.Driver("a", append(c.lines, "write vkGetPhysicalDeviceToolPropertiesEXT 1 0 u32 4")...)
		h := w.Start()
		h.Do("allocator", "as", "a")
		h.OK("create_instance", "allocator", "a")
		device := all(h)[0]
		mark := len(h.Messages())
		h.Do("memory", "as", "n", "size", "8", "u32@0", "77")
		w.ForgetLog()
		result := h.Do("call", "name", "vkGetPhysicalDeviceToolPropertiesEXT", "via", "gipa", "instance", "i", "arg", world.Ref(device), "arg", "n", "arg", "null").Result()
		calls := w.Log().Fn("vkGetPhysicalDeviceToolPropertiesEXT")
		count := word(t, h, "n", 0)
		if c.called && (result != 0 || len(calls) != 1 || count != 4) || !c.called && (result != 0 || len(calls) != 0 || count != 0) {
			t.Errorf("%s: result %d, count %d, %v", c.name, result, count, calls)
		}
		if len(calls) == 1 && calls[0].Strings("args")[0] != "physical_device:1" {
			t.Errorf("%s: the driver saw %v", c.name, calls)
		}
		if messages := since(h.Messages(), mark); len(messages) != 0 {
			t.Errorf("%s: %q", c.name, messages)
		}
		if c.called { // the temporary memory cannot be allocated
			h.Do("allocator", "as", "a", "fail_from", "0")
			w.ForgetLog()
			result = h.Do("call", "name", "vkGetPhysicalDeviceToolPropertiesEXT", "via", "gipa", "instance", "i", "arg", world.Ref(device), "arg", "n", "arg", "null").Result()
			if calls := w.Log().Fn("vkGetPhysicalDeviceToolPropertiesEXT"); result != outOfHostMemory || len(calls) != 0 {
				t.Errorf("without memory: result %d, %v", result, calls)
			}
			h.Do("allocator", "as", "a")
		}
		h.Do("destroy_instance", "allocator", "a")
		if a := h.Do("allocator_stats", "name", "a"); a.Int("live") != 0 || a.Int("faults") != 0 {
			t.Errorf("%s: left behind: %v", c.name, a)
		}
		h.Quit()
	}
}

// holds: EXT-056 EXT-057
func TestExternalImageFormatNV(t *testing.T) {
	t.Parallel()
	const command, extension = "vkGetPhysicalDeviceExternalImageFormatPropertiesNV", "VK_NV_external_memory_capabilities"
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	w.Driver("lacks", "device name=lacks", "ext "+extension, "missing "+command)
	w.Driver("has", "device name=has", "ext "+extension, "offer "+command, "args "+command+" 8", "return "+command+" 5")
	h := w.Start()
	h.OK("create_instance", "ext", extension)
	devices := all(h)
	call := func(device int, handleType string) int {
		h.Do("memory", "as", "x", "size", "64", "u32@12", "99", "u32@32", "9", "u32@36", "9", "u32@40", "9", "u32@44", "171")
		w.ForgetLog()
		return h.Do("call", "name", command, "via", "gipa", "instance", "i", "arg", world.Ref(device), "arg", "37", "arg", "1", "arg", "0",
			"arg", "3", "arg", "4", "arg", handleType, "arg", "x").Result()
	}
	mark := len(h.Messages())
	if got := call(devices[0], "2"); got != 5 {
		t.Errorf("with the function: result %d", got)
	}
	if log := w.Log(); len(log) != 1 || !slices.Equal(log[0].Strings("args")[:7], []string{"physical_device:1", "37", "1", "0", "3", "4", "2"}) {
		if len(log) != 1 || !strings.HasPrefix(log[0].Strings("args")[0], "physical_device:1") {
			t.Errorf("the driver saw %v", log)
		}
	}
	if got := call(devices[1], "2"); got != formatNotSupported || word(t, h, "x", 12) != 99 || word(t, h, "x", 32) != 9 || len(w.Log()) != 0 {
		t.Errorf("with a handle type: result %d", got)
	}
	if got := call(devices[1], "0"); got != 0 || word(t, h, "x", 12) != 7 || functions(w.Log())[0] != "vkGetPhysicalDeviceImageFormatProperties" {
		t.Errorf("without a handle type: result %d, %v", got, w.Log())
	}
	for i, want := range []uint32{0, 0, 0, 171} {
		if got := word(t, h, "x", 32+4*i); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
	if messages := since(h.Messages(), mark); len(messages) != 0 {
		t.Errorf("talks about it: %q", messages)
	}
	h.Quit()
}
