package physdev

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

const (
	display  = "VK_KHR_display"
	display2 = "VK_KHR_get_display_properties2"
)

var surface = []string{"ext", "VK_KHR_surface"}

// displayCommand is a command of VK_KHR_display: its arguments after the physical device, where "n" is the count and
// "x" the array or structure.
type displayCommand struct {
	name string
	args []string
}

var displayQueries = []displayCommand{
	{"vkGetPhysicalDeviceDisplayPropertiesKHR", []string{"n", "x"}},
	{"vkGetPhysicalDeviceDisplayPlanePropertiesKHR", []string{"n", "x"}},
	{"vkGetDisplayPlaneSupportedDisplaysKHR", []string{"3", "n", "x"}},
	{"vkGetDisplayModePropertiesKHR", []string{"0x1234", "n", "x"}},
	{"vkGetDisplayPlaneCapabilitiesKHR", []string{"0x1234", "2", "x"}},
}

var createMode = displayCommand{"vkCreateDisplayModeKHR", []string{"0x1234", "x", "null", "n"}}

func (c displayCommand) call(h *world.Host, device int, words ...string) world.Answer {
	line := append([]string{"name", c.name, "arg", world.Ref(device)}, words...)
	for _, a := range c.args {
		line = append(line, "arg", a)
	}
	return h.Do("call", line...)
}

// scratch allocates the memory for "n" and "x" in calls; kind is the type of x, if the case reads it.
func scratch(h *world.Host, kind ...string) {
	h.Do("memory", "as", "n", "size", "8", "u32@0", "1", "u32@4", "171")
	line := []string{"as", "x", "size", "256"}
	for _, k := range kind {
		line = append(line, "type@0", k)
	}
	for offset := 0; offset < 256; offset += 4 {
		line = append(line, fmt.Sprintf("u32@%d", offset), "171")
	}
	h.Do("memory", line...)
}

// holds: EXT-063 HND-019
func TestDisplayNotEnabled(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "error"
	w.Driver("a", "device name=a", "ext VK_KHR_surface", "ext "+display)
	h := w.Start()
	h.OK("create_instance", surface...)
	device := all(h)[0]
	for _, c := range append(slices.Clone(displayQueries), createMode) {
		scratch(h)
		w.ForgetLog()
		want := 0
		if c.name == createMode.name {
			want = extensionNotPresent
		}
		if got := c.call(h, device).Result(); got != want || word(t, h, "n", 0) != 1 || word(t, h, "x", 0) != 171 {
			t.Errorf("%s: result %d, count %d", c.name, got, word(t, h, "n", 0))
		}
		if log := w.Log(); len(log) != 0 {
			t.Errorf("%s: the driver saw %v", c.name, log)
		}
		text := display + " extension not enabled. " + c.name + " not executed!"
		said(t, h.Messages(), text, 1)
		saidLine(t, h, "ERROR", text)
	}
	h.Quit()
}

// holds: EXT-064 EXT-065 EXT-066
func TestDisplayLacking(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	w.Driver("has", "device name=has", "ext VK_KHR_surface", "ext "+display)
	w.Driver("lacks", "device name=lacks")
	h := w.Start()
	h.OK("create_instance", append([]string{"ext", display}, surface...)...)
	device := all(h)[0]
	for _, c := range displayQueries {
		scratch(h)
		if got := c.call(h, device).Result(); got != 0 {
			t.Errorf("%s: result %d", c.name, got)
		}
		if c.name == "vkGetDisplayPlaneCapabilitiesKHR" {
			for offset := 0; offset < 72; offset += 4 {
				want := uint32(0)
				if offset == 68 {
					want = 171
				}
				if got := word(t, h, "x", offset); got != want {
					t.Errorf("%s: word at %d is %d, want %d", c.name, offset, got, want)
				}
			}
		} else if word(t, h, "n", 0) != 0 || word(t, h, "x", 0) != 171 {
			t.Errorf("%s: count %d", c.name, word(t, h, "n", 0))
		}
		text := "ICD for selected physical device does not export " + c.name + "!"
		said(t, h.Messages(), text, 1)
		saidLine(t, h, "WARNING", text)
		nothing := displayCommand{c.name, slices.Clone(c.args)} // NULL outputs are accepted
		for i, a := range nothing.args {
			if a == "n" || a == "x" {
				nothing.args[i] = "null"
			}
		}
		if got := nothing.call(h, device).Result(); got != 0 {
			t.Errorf("%s(NULL): result %d", c.name, got)
		}
	}
	scratch(h)
	if got := createMode.call(h, device).Result(); got != initializationFailed {
		t.Errorf("%s: result %d", createMode.name, got)
	}
	saidLine(t, h, "ERROR", "ICD for selected physical device does not export vkCreateDisplayModeKHR!")
	h.Quit()
}

// holds: EXT-067 EXT-001 EXT-048
func TestDisplayForwarded(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	lines := []string{"device name=a", "ext VK_KHR_surface", "ext " + display}
	for _, c := range append(slices.Clone(displayQueries), createMode) {
		lines = append(lines, "return "+c.name+" 5", fmt.Sprintf("args %s %d", c.name, 1+len(c.args)))
	}
	w.Driver("a", lines...)
	w.Driver("other", "device name=other")
	h := w.Start()
	h.OK("create_instance", append([]string{"ext", display}, surface...)...)
	device := all(h)[1]
	for _, c := range append(slices.Clone(displayQueries), createMode) {
		scratch(h)
		w.ForgetLog()
		if got := c.call(h, device).Result(); got != 5 {
			t.Errorf("%s: result %d", c.name, got)
		}
		log := w.Log()
		if len(log) != 1 || log[0].Text("fn") != c.name || log[0].Text("who") != "a" || log[0].Strings("args")[0] != "physical_device:1" {
			t.Errorf("%s: the driver saw %v", c.name, log)
			continue
		}
		if args := log[0].Strings("args"); c.args[0] == "0x1234" && args[1] != "4660" && args[1] != "0x1234" {
			t.Errorf("%s: the display arrived as %v", c.name, args)
		}
	}
	h.Quit()
}

// The commands of VK_KHR_get_display_properties2, with the element size of the older command and the elements' offset
// in the newer.
var displayTwos = []struct {
	displayCommand
	old      string
	oldSize  int
	newSize  int
	elements bool
	kind     string // the type of x; for the last command x is one structure, not an array
}{
	{displayCommand{"vkGetPhysicalDeviceDisplayProperties2KHR", []string{"n", "x"}}, "vkGetPhysicalDeviceDisplayPropertiesKHR", 48, 64, true, "VkDisplayProperties2KHR"},
	{displayCommand{"vkGetPhysicalDeviceDisplayPlaneProperties2KHR", []string{"n", "x"}}, "vkGetPhysicalDeviceDisplayPlanePropertiesKHR", 16, 32, true, "VkDisplayPlaneProperties2KHR"},
	{displayCommand{"vkGetDisplayModeProperties2KHR", []string{"0x1234", "n", "x"}}, "vkGetDisplayModePropertiesKHR", 24, 40, true, "VkDisplayModeProperties2KHR"},
	{displayCommand{"vkGetDisplayPlaneCapabilities2KHR", []string{"info", "x"}}, "vkGetDisplayPlaneCapabilitiesKHR", 68, 88, false, "VkDisplayPlaneCapabilities2KHR:1"},
}

// holds: EXT-068 EXT-074
func TestDisplay2WithTheDriversFunction(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	lines := []string{"device name=a", "ext " + display2}
	for _, c := range displayTwos {
		lines = append(lines, "return "+c.name+" 5")
	}
	w.Driver("a", lines...)
	h := w.Start()
	h.OK("create_instance") // EXT-074: nothing is enabled
	device := all(h)[0]
	h.Do("memory", "as", "info", "size", "32")
	for _, c := range displayTwos {
		scratch(h)
		mark := len(h.Messages())
		w.ForgetLog()
		if got := c.call(h, device).Result(); got != 5 {
			t.Errorf("%s: result %d", c.name, got)
		}
		if log := w.Log(); len(log) != 1 || log[0].Text("fn") != c.name || log[0].Strings("args")[0] != "physical_device:1" {
			t.Errorf("%s: the driver saw %v", c.name, log)
		}
		if messages := since(h.Messages(), mark); len(messages) != 0 {
			t.Errorf("%s: %q", c.name, messages)
		}
	}
	h.Quit()
}

// holds: EXT-068 EXT-069 EXT-073
func TestDisplay2LackingBoth(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	d := w.Driver("a", "device name=a")
	h := w.Start()
	h.OK("create_instance")
	device := all(h)[0]
	h.Do("memory", "as", "info", "size", "32")
	for _, c := range displayTwos {
		scratch(h, c.kind)
		if got := c.call(h, device).Result(); got != 0 {
			t.Errorf("%s: result %d", c.name, got)
		}
		if c.elements && (word(t, h, "n", 0) != 0 || word(t, h, "x", 16) != 171) {
			t.Errorf("%s: count %d", c.name, word(t, h, "n", 0))
		}
		if !c.elements && (word(t, h, "x", 0) != 171 || word(t, h, "x", 16) != 0 || word(t, h, "x", 80) != 0 || word(t, h, "x", 84) != 171) {
			t.Errorf("%s: %d %d %d %d", c.name, word(t, h, "x", 0), word(t, h, "x", 16), word(t, h, "x", 80), word(t, h, "x", 84))
		}
		said(t, h.Messages(), fmt.Sprintf(`%s: Emulating call in ICD "%s"`, c.name, d.Library), 1)
	}
	h.Quit()
}

// holds: EXT-070 EXT-071 EXT-072
func TestDisplay2Emulated(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	lines := []string{"device name=a", "ext VK_KHR_surface", "ext " + display}
	for _, c := range displayTwos {
		array, count := 2, 1
		if c.old == "vkGetDisplayModePropertiesKHR" {
			array, count = 3, 2
		}
		if c.elements { // the driver reports two elements, with 11 and 22 in their first words
			lines = append(lines, fmt.Sprintf("write %s %d 0 u32 2", c.old, count), fmt.Sprintf("write %s %d 0 u32 11", c.old, array),
				fmt.Sprintf("write %s %d %d u32 22", c.old, array, c.oldSize), "return "+c.old+" 5")
		} else {
			lines = append(lines, "write "+c.old+" 3 0 u32 11", "write "+c.old+" 3 64 u32 22", "return "+c.old+" 5")
		}
	}
	d := w.Driver("a", lines...)
	h := w.Start()
	h.OK("create_instance")
	device := all(h)[0]
	h.Do("memory", "as", "info", "size", "32", "u64@16", "0x4321", "u32@24", "3")
	for _, c := range displayTwos {
		scratch(h, c.kind)
		w.ForgetLog()
		if !c.elements {
			if got := c.call(h, device).Result(); got != 5 || word(t, h, "x", 16) != 11 || word(t, h, "x", 80) != 22 || word(t, h, "x", 0) != 171 {
				t.Errorf("%s: result %d, %d, %d", c.name, got, word(t, h, "x", 16), word(t, h, "x", 80))
			}
			log := w.Log()
			if len(log) != 1 || log[0].Text("fn") != c.old || log[0].Strings("args")[0] != "physical_device:1" {
				t.Errorf("%s: the driver saw %v", c.name, log)
			}
			continue
		}
		// Room for three elements; two are returned.
		h.Do("memory", "as", "n", "u32@0", "3")
		if got := c.call(h, device).Result(); got != 5 || word(t, h, "n", 0) != 2 {
			t.Errorf("%s: result %d, count %d", c.name, got, word(t, h, "n", 0))
		}
		for i, want := range []uint32{11, 22, 171} {
			at := i * c.newSize
			if got := word(t, h, "x", at+16); got != want || word(t, h, "x", at) != 171 || word(t, h, "x", at+8) != 171 {
				t.Errorf("%s: element %d is %d, want %d", c.name, i, got, want)
			}
		}
		log := w.Log()
		if len(log) != 1 || log[0].Text("fn") != c.old || log[0].Strings("args")[0] != "physical_device:1" {
			t.Errorf("%s: the driver saw %v", c.name, log)
		}
		// Counting: a NULL array, or no room.
		for _, room := range []string{"0", "7"} {
			scratch(h, c.kind)
			h.Do("memory", "as", "n", "u32@0", room)
			w.ForgetLog()
			counting := displayCommand{c.name, slices.Clone(c.args)}
			if room == "7" {
				counting.args[len(counting.args)-1] = "null"
			}
			if got := counting.call(h, device).Result(); got != 5 || word(t, h, "n", 0) != 2 || word(t, h, "x", 16) != 171 {
				t.Errorf("%s: counting: result %d, %d", c.name, got, word(t, h, "n", 0))
			}
			if log := w.Log(); len(log) != 1 || !slices.Contains(log[0].Strings("args"), "0") && !slices.Contains(log[0].Strings("args"), "null") {
				t.Errorf("%s: counting: the driver saw %v", c.name, log)
			}
		}
		said(t, h.Messages(), fmt.Sprintf(`%s: Emulating call in ICD "%s"`, c.name, d.Library), 3)
		// A driver that reports more elements than there is room for.
		exact := d.Lines()
		d.Replace("device name=a", "ext VK_KHR_surface", "ext "+display, fmt.Sprintf("write %s %d 0 u32 2", c.old, len(c.args)-1),
			fmt.Sprintf("write %s %d 0 u32 33", c.old, len(c.args)))
		scratch(h, c.kind)
		if c.call(h, device); word(t, h, "x", 16) != 33 || word(t, h, "x", c.newSize+16) != 171 {
			t.Errorf("%s: more than there is room for: %d, %d", c.name, word(t, h, "x", 16), word(t, h, "x", c.newSize+16))
		}
		d.Replace(exact...)
		// An error does not change the array.
		d.Script("result " + c.old + " -1")
		scratch(h, c.kind)
		h.Do("memory", "as", "n", "u32@0", "3")
		if got := c.call(h, device).Result(); got != outOfHostMemory || word(t, h, "x", 16) != 171 {
			t.Errorf("%s: result %d, %d", c.name, got, word(t, h, "x", 16))
		}
	}
	h.Quit()
}

var acquisition = slices.DeleteFunc([]string{"VK_EXT_direct_mode_display", "VK_EXT_acquire_xlib_display", "VK_EXT_acquire_drm_display"},
	func(name string) bool { return !world.Offered(name) })

// holds: EXT-051..055
func TestAcquisitionLacking(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DEBUG"] = "all"
	lines, create := []string{"device name=has"}, []string{}
	for _, e := range acquisition {
		lines = append(lines, "ext "+e)
		create = append(create, "ext", e)
	}
	w.Driver("has", lines...)
	d := w.Driver("lacks", "device name=lacks")
	h := w.Start()
	h.OK("create_instance", create...)
	device := all(h)[0]
	for _, c := range []struct {
		name   string
		args   []string
		result int
		header string
		text   string
	}{
		{"vkAcquireDrmDisplayEXT", []string{"5", "0x1234"}, extensionNotPresent, "ERROR", "ICD associated with VkPhysicalDevice does not support AcquireDrmDisplayEXT"},
		{"vkGetDrmDisplayEXT", []string{"5", "6", "out"}, extensionNotPresent, "ERROR", "ICD associated with VkPhysicalDevice does not support GetDrmDisplayEXT"},
		{"vkAcquireXlibDisplayEXT", []string{"null", "0x1234"}, initializationFailed, "INFO", `vkAcquireXLibDisplayEXT: Emulating call in ICD "` + d.Library + `" by returning error`},
		{"vkGetRandROutputDisplayEXT", []string{"null", "3", "n"}, 0, "INFO", `vkGetRandROutputDisplayEXT: Emulating call in ICD "` + d.Library + `" by returning null display`},
	} {
		if !world.Offered(c.name) {
			continue
		}
		scratch(h)
		line := []string{"name", c.name, "via", "gipa", "instance", "i", "arg", world.Ref(device)}
		for _, a := range c.args {
			line = append(line, "arg", a)
		}
		if got := h.Do("call", line...).Result(); got != c.result {
			t.Errorf("%s: result %d, want %d", c.name, got, c.result)
		}
		saidLine(t, h, c.header, c.text)
	}
	if world.Offered("vkGetRandROutputDisplayEXT") && (word(t, h, "n", 0) != 0 || word(t, h, "n", 4) != 0) {
		t.Error("vkGetRandROutputDisplayEXT does not return a null display")
	}
	exit := h.Dies("call", "name", "vkReleaseDisplayEXT", "via", "gipa", "instance", "i", "arg", world.Ref(device), "arg", "0x1234")
	text := fmt.Sprintf("%-32s%s", "[Vulkan Loader] ERROR:", `ICD "`+d.Library+`" associated with VkPhysicalDevice does not support vkReleaseDisplayEXT - Consequently, `+
		"the call is invalid because it should not be possible to acquire a display on this device\n")
	if exit.Signal != syscall.SIGABRT || !strings.Contains(exit.Stderr, text) {
		t.Errorf("signal %v, %q", exit.Signal, exit.Stderr)
	}
}

// holds: EXT-001 EXT-051..055
func TestAcquisitionForwarded(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	lines, create := []string{"device name=has"}, []string{}
	for _, e := range acquisition {
		lines = append(lines, "ext "+e)
		create = append(create, "ext", e)
	}
	commands := slices.DeleteFunc([]string{"vkAcquireDrmDisplayEXT", "vkGetDrmDisplayEXT", "vkReleaseDisplayEXT", "vkAcquireXlibDisplayEXT",
		"vkGetRandROutputDisplayEXT"}, func(name string) bool { return !world.Offered(name) })
	for _, c := range commands {
		lines = append(lines, "offer "+c, "args "+c+" 2", "return "+c+" 5")
	}
	w.Driver("has", lines...)
	h := w.Start()
	h.OK("create_instance", create...)
	device := all(h)[0]
	for _, c := range commands {
		w.ForgetLog()
		if got := h.Do("call", "name", c, "via", "gipa", "instance", "i", "arg", world.Ref(device), "arg", "17", "arg", "18", "arg", "out").Result(); got != 5 {
			t.Errorf("%s: result %d", c, got)
		}
		if log := w.Log(); len(log) != 1 || log[0].Text("fn") != c || log[0].Strings("args")[0] != "physical_device:1" || !strings.Contains(log[0].Strings("args")[1], "17") && !strings.Contains(log[0].Strings("args")[1], "11") {
			t.Errorf("%s: the driver saw %v", c, log)
		}
	}
	h.Quit()
}
