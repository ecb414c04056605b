package physdev

import (
	"fmt"
	"slices"
	"testing"

	"vkloader/test/lib/world"
)

// pci returns a script line for a device with a bus number.
func pci(name, kind string, bus int) string {
	return fmt.Sprintf("device name=%s type=%s pci=0:%d:0:0 ext=VK_EXT_pci_bus_info vendor=0x10 device=%d", name, kind, bus, bus+1)
}

// example creates the drivers of PHY-030.
func example(w *world.World, extension bool, api string) {
	var lines []string
	if extension {
		lines = append(lines, "ext "+props2)
	}
	w.Driver("d0", words(lines, []string{pci("discrete7", "discrete", 7), pci("integrated3", "integrated", 3)})...).API(api)
	w.Driver("d1", words(lines, []string{pci("cpu0", "cpu", 0)})...).API(api)
	w.Driver("d2", words(lines, []string{pci("discrete1", "discrete", 1), pci("discrete4", "discrete", 4)})...).API(api)
	w.Driver("d3", words(lines, []string{pci("virtual0", "virtual", 0)})...).API(api)
}

var sorted = []string{"discrete1", "discrete4", "discrete7", "integrated3", "virtual0", "cpu0"}
var unsorted = []string{"virtual0", "discrete1", "discrete4", "cpu0", "discrete7", "integrated3"}

// Versions are compared as a whole (ENV-80): 0.9 and a manifest's "" are neither 1.0 nor 1.1.
//
// holds: PHY-025 PHY-027 PHY-029 PHY-030 PHY-031 ENV-80 ENV-81 ENV-82 ENV-83
func TestSortingExample(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name      string
		extension bool
		driver    string
		words     []string
		want      []string
	}{
		{"1.0, drivers list the extension", true, "1.0.0", nil, sorted},
		{"1.0, enabled by the program", true, "1.0.0", []string{"ext", props2}, sorted},
		{"1.1", false, "1.1.0", []string{"api", "1.1.0"}, sorted},
		{"1.1 with the extension", true, "1.1.0", []string{"api", "1.1.0", "ext", props2}, sorted},
		{"no application info", true, "1.0.0", []string{"app", "0"}, sorted},
		{"1.0, nobody knows the extension", false, "1.0.0", nil, unsorted},
		{"2.0", false, "1.1.0", []string{"api", "2.0.0"}, sorted},
		{"0.9", false, "1.1.0", []string{"api", "0.9.0"}, unsorted},
		{"0.9, drivers of 1.1 list the extension", true, "1.1.0", []string{"api", "0.9.0"}, unsorted},
		{"0.9, drivers of 1.0 list the extension", true, "1.0.0", []string{"api", "0.9.0"}, sorted},
		{"0.9, drivers of no version list the extension", true, "", []string{"api", "0.9.0"}, unsorted},
		{"variant 1 of 1.0", false, "1.1.0", []string{"api", "129.0.0"}, unsorted},
	} {
		w := world.New(t)
		example(w, c.extension, c.driver)
		h := w.Start()
		h.OK("create_instance", c.words...)
		for range 2 {
			if got, want := names(h, all(h)), by(c.want, unsorted); !slices.Equal(got, want) {
				t.Errorf("%s: %v, want %v", c.name, got, want)
			}
		}
		if !slices.Equal(all(h), all(h)) {
			t.Errorf("%s: handles change", c.name)
		}
		h.Quit()
	}
}

// holds: PHY-026 ENV-87 ENV-91
func TestSortingSwitchedOff(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	example(w, true, "1.0.0")
	w.Env["VK_LOADER_DEVICE_SELECT"] = "0x10:0x4"
	h := w.Start()
	h.OK("create_instance")
	chosen := []string{"integrated3", "discrete1", "discrete4", "discrete7", "virtual0", "cpu0"}
	for value, want := range map[string][]string{"1": unsorted, "7x": unsorted, " -1": unsorted, "0": chosen, "": chosen, "true": chosen, "0x1": chosen} {
		h.Do("setenv", "name", "VK_LOADER_DISABLE_SELECT", "value", value)
		want = by(want, unsorted)
		if got := names(h, all(h)); !slices.Equal(got, want) {
			t.Errorf("VK_LOADER_DISABLE_SELECT=%q: %v, want %v", value, got, want)
		}
		if groups := groupNames(h, h.OK("device_groups")); !slices.Equal(groups, want) {
			t.Errorf("VK_LOADER_DISABLE_SELECT=%q: groups %v, want %v", value, groups, want)
		}
	}
	h.Quit()
}

// holds: PHY-027 PHY-028 PHY-029 ENV-81
func TestSortKeys(t *testing.T) {
	t.Parallel()
	plain := func(name, kind, more string) string { return "device name=" + name + " type=" + kind + " " + more }
	const listed = "ext=VK_EXT_pci_bus_info "
	w := world.New(t)
	w.Driver("a",
		plain("strange", "9", ""),
		plain("cpu", "cpu", ""),
		plain("other", "other", ""),
		plain("virtual", "virtual", ""),
		plain("integrated", "integrated", "vendor=1 device=1"), // without PCI information, which is no disadvantage
		plain("nopci_b", "discrete", "vendor=0xf0 device=0x0f"),
		plain("nopci_a", "discrete", "vendor=0xf0 device=0xf1"), // 0xf0 XOR 0xf1 is 1
		plain("tie_1", "discrete", listed+"pci=0:9:9:9 vendor=1 device=2"),
		plain("tie_2", "discrete", listed+"pci=0:9:9:9 vendor=2 device=1"), // the same XOR: driver order
		plain("function", "discrete", listed+"pci=0:9:9:8"),
		plain("slot", "discrete", listed+"pci=0:9:8:9"),
		plain("bus", "discrete", listed+"pci=0:8:99:99"),
		plain("domain", "discrete", listed+"pci=1:0:0:0"),
		plain("unlisted", "discrete", "pci=0:0:0:0 vendor=0xffff device=0"),
		// a 1.0 device without the KHR function
		plain("old", "discrete", listed+"pci=0:0:0:0 api=1.0.0 vendor=0xffff device=0x1")).API("1.1.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	wantNames(t, h, by([]string{"bus", "slot", "function", "tie_1", "tie_2", "domain", "nopci_a", "nopci_b", "old", "unlisted",
		"integrated", "virtual", "other", "cpu", "strange"},
		[]string{"strange", "cpu", "other", "virtual", "integrated", "nopci_b", "nopci_a", "tie_1", "tie_2", "function", "slot", "bus",
			"domain", "unlisted", "old"})...)
	h.Quit()
}

// A driver that cannot list its devices' extensions, not even because memory is lacking, prevents no enumeration: its devices are sorted
// without the key that needs the extension.
//
// holds: PHY-027 PHY-029 PHY-011
func TestSortingWithoutExtensions(t *testing.T) {
	t.Parallel()
	for _, code := range []int{-1, -2, -3, 1} {
		w := world.New(t)
		w.Driver("good", pci("last", "discrete", 9), pci("first", "discrete", 2)).API("1.1.0")
		w.Driver("bad", pci("one", "discrete", 1), pci("three", "discrete", 3), fmt.Sprint("result vkEnumerateDeviceExtensionProperties ", code)).API("1.1.0")
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0")
		want := by([]string{"first", "last", "one", "three"}, []string{"one", "three", "last", "first"})
		wantNames(t, h, want...)
		wantGroups(t, h, want...)
		h.Quit()
	}
}

// A device with a unique type is not asked for its PCI address, the others once.
//
// holds: PHY-027 PHY-028 PHY-029
func TestTwoOfAKind(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", pci("later", "integrated", 9), pci("sooner", "integrated", 2), pci("alone", "cpu", 1)).API("1.1.0")
	w.Driver("b", pci("second", "discrete", 5)).API("1.1.0")
	w.Driver("c", pci("first", "discrete", 4)).API("1.1.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	want := by([]string{"first", "second", "sooner", "later", "alone"}, []string{"first", "second", "later", "sooner", "alone"})
	wantNames(t, h, want...)
	wantGroups(t, h, want...)
	h.OK("physical_devices")
	h.Quit()
	asked := map[string]int{}
	for _, e := range w.Log().By("a").Fn("vkEnumerateDeviceExtensionProperties of") {
		asked[e.Text("physical_device")]++
	}
	if world.Windows() { // Windows does not need PCI addresses
		if len(asked) != 0 {
			t.Errorf("asked for extensions: %v", asked)
		}
	} else if len(asked) != 2 || asked["physical_device:1"] != 2 || asked["physical_device:2"] != 2 { // the count, and the list
		t.Errorf("asked for extensions: %v", asked)
	}
}

// holds: PHY-033 PHY-034 PHY-035 ENV-85 ENV-86 ENV-88 ENV-89
func TestDeviceSelect(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "ext "+props2, "device name=one vendor=0x10 device=0xab", "device name=two vendor=0x10 device=0xab", "device name=three type=cpu vendor=0xfe device=0x1",
		"device name=zero type=cpu vendor=0 device=0")
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance")
	for value, first := range map[string]string{
		"0xfe:0x1": "three", "fe:1": "three", "FE:01": "three", "0XFE:1,more": "three", "fe:1 ": "three",
		"0x10:0xab": "one", "fe-1": "one", "fe": "one", "": "one", "xx:1": "one", "fe:": "one", "fe:2": "one", "fe::1": "one", "0:0": "zero",
	} {
		h.Do("setenv", "name", "VK_LOADER_DEVICE_SELECT", "value", value)
		mark := len(h.Messages())
		got := names(h, h.OK("physical_devices", "count", "4").Ints("devices"))
		if len(got) != 4 || got[0] != first {
			t.Errorf("VK_LOADER_DEVICE_SELECT=%q: %v, want %s first", value, got, first)
		}
		messages := since(h.Messages(), mark)
		said(t, messages, "linux_env_var_default_device:  Found 'VK_LOADER_DEVICE_SELECT' set to "+value, 1)
		switch {
		case first == "three":
			said(t, messages, "linux_env_var_default_device:  Found default at index 2 'three'", 1)
			said(t, messages, "           [0] three  [default]", 1)
			said(t, messages, "           [1] one  ", 1)
		case first == "zero":
			said(t, messages, "           [0] zero  [default]", 1)
		case value == "0x10:0xab":
			said(t, messages, "linux_env_var_default_device:  Found default at index 0 'one'", 1)
			said(t, messages, "           [0] one  [default]", 1)
		default:
			if contains(messages, "Found default") || contains(messages, "[default]") {
				t.Errorf("VK_LOADER_DEVICE_SELECT=%q selects something: %q", value, messages)
			}
		}
		for _, text := range []string{"linux_read_sorted_physical_devices:", "     Original order:", "           [0] one",
			"           [1] two", "           [2] three", "     Sorted order:"} {
			said(t, messages, text, 1)
		}
	}
	saidLine(t, h, "DEBUG | DRIVER", "linux_env_var_default_device:  Found 'VK_LOADER_DEVICE_SELECT' set to fe:1")
	saidLine(t, h, "INFO | DRIVER", "linux_env_var_default_device:  Found default at index 2 'three'")
	saidLine(t, h, "INFO | DRIVER", "     Sorted order:")
	saidLine(t, h, "INFO | DRIVER", "           [0] three  [default]")
	h.Do("unsetenv", "name", "VK_LOADER_DEVICE_SELECT")
	mark := len(h.Messages())
	wantNames(t, h, "one", "two", "zero", "three")
	if contains(since(h.Messages(), mark), "VK_LOADER_DEVICE_SELECT") {
		t.Error("an unset variable is talked about")
	}
	h.Quit()
}

// The loader enables the extension that sorting needs for drivers only: the program's queries do not change.
//
// holds: EXT-017 PHY-025
func TestSortingDoesNotEnableTheExtension(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	d := w.Driver("a", "ext "+props2, pci("x", "discrete", 2), pci("y", "discrete", 1))
	w.Env["VK_LOADER_DEBUG"] = "info"
	h := w.Start()
	h.OK("create_instance")
	if made := w.Log().Fn("vkCreateInstance"); len(made) != 1 || !slices.Contains(made[0].Strings("extensions"), props2) {
		t.Errorf("the driver got %v", made)
	}
	wantNames(t, h, by([]string{"y", "x"}, []string{"x", "y"})...)
	if h.Do("gipa", "instance", "i", "name", "vkGetPhysicalDeviceProperties2KHR").Int("ptr") != 0 {
		t.Error("the extension's name is there although it was not enabled")
	}
	mark := len(h.Messages())
	h.Do("properties2", "pd", world.Ref(all(h)[0]))
	said(t, since(h.Messages(), mark), `vkGetPhysicalDeviceProperties2: Emulating call in ICD "`+d.Library+`" using vkGetPhysicalDeviceProperties`, 1)
	h.Quit()
}

// The lines about sorting are in order: the heading, the devices before sorting, the devices after it.
//
// holds: PHY-035 ENV-89
func TestSortingIsTold(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=small type=cpu", "device name=large type=discrete").API("1.1.0")
	w.Env["VK_LOADER_DEBUG"] = "info"
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	mark := len(h.Messages())
	wantNames(t, h, "large", "small")
	told := []string{"linux_read_sorted_physical_devices:", "     Original order:", "           [0] small", "           [1] large",
		"     Sorted order:", "           [0] large  ", "           [1] small  "}
	if got := since(h.Messages(), mark); len(got) < 7 || !slices.Equal(got[:7], told) {
		t.Errorf("told %q, want %q", got, told)
	}
	h.Quit()
}
