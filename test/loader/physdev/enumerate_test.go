package physdev

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

func devices(prefix string, n int) []string {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("device name=%s%d", prefix, i))
	}
	return lines
}

// holds: PHY-001 PHY-002 PHY-003 PHY-004 PHY-005 PHY-008
func TestCounting(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", devices("a", 3)...)
	w.Driver("b", devices("b", 2)...)
	w.Env["VK_LOADER_DEBUG"] = "info"
	h := w.Start()
	h.OK("create_instance")
	for _, before := range []string{"0", "1", "77", "4294967295"} {
		if got := h.OK("physical_devices", "count", "only", "before", before).Int("count"); got != 5 {
			t.Errorf("count query after %s: %d", before, got)
		}
	}
	for n := range 5 {
		mark := len(h.Messages())
		a := h.Do("physical_devices", "count", fmt.Sprint(n))
		if a.Result() != incomplete || a.Int("count") != int64(n) || a.Int("written") != int64(n) {
			t.Errorf("room %d: %v", n, a)
		}
		said(t, since(h.Messages(), mark),
			fmt.Sprintf("terminator_EnumeratePhysicalDevices : Trimming device count from 5 to %d.", n), 1)
	}
	saidLine(t, h, "INFO", "terminator_EnumeratePhysicalDevices : Trimming device count from 5 to 4.")
	for _, n := range []string{"5", "6", "50"} {
		mark := len(h.Messages())
		a := h.OK("physical_devices", "count", n)
		if a.Int("count") != 5 || a.Int("written") != 5 {
			t.Errorf("room %s: %v", n, a)
		}
		if contains(since(h.Messages(), mark), "Trimming") {
			t.Error("a large enough array is not trimmed")
		}
	}
	h.Quit()
}

// holds: PHY-005 PHY-006
func TestFirstCall(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", devices("a", 3)...)
	h := w.Start()
	h.OK("create_instance")
	if a := h.OK("physical_devices", "count", "9"); a.Int("count") != 3 {
		t.Errorf("first call: %v", a)
	}
	if a := h.Do("physical_devices", "count", "null"); a.Result() != initializationFailed {
		t.Errorf("NULL count: %v", a)
	}
	saidLine(t, h, "ERROR", "vkEnumeratePhysicalDevices: Received NULL pointer for physical device count return value. "+
		"[VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]")
	h.Quit()
}

// holds: PHY-007
func TestEveryCallAsksEveryDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	for _, name := range []string{"a", "b", "c"} {
		w.Driver(name)
	}
	h := w.Start()
	h.OK("create_instance")
	for _, words := range [][]string{{"count", "only"}, {"count", "3"}, {"count", "1"}} {
		w.ForgetLog()
		h.Do("physical_devices", words...)
		var order []string
		for _, e := range w.Log().Fn("vkEnumeratePhysicalDevices") {
			order = append(order, e.Text("who")+" "+e.Text("phase"))
		}
		want := []string{"c count", "c fill", "b count", "b fill", "a count", "a fill"}
		if !slices.Equal(order, want) {
			t.Errorf("%v: the drivers saw %v, want %v", words, order, want)
		}
	}
	h.Quit()
}

// holds: PHY-009 PHY-010
func TestNoDevice(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	a := w.Driver("a", "api 1.0.0")
	b := w.Driver("b")
	w.Env["VK_LOADER_DEBUG"] = "error"
	h := w.Start()
	h.OK("create_instance")
	h.OK("physical_devices", "count", "only")
	b.Replace("api 1.0.0") // PHY-010: it loses its devices
	for _, words := range [][]string{{"count", "only", "before", "77"}, {"count", "4"}, {"count", "0"}} {
		mark := len(h.Messages())
		got := h.Do("physical_devices", words...)
		want := map[string]int64{"only": 77, "4": 4, "0": 0}[words[1]]
		if got.Result() != initializationFailed || got.Int("count") != want || got.Int("written") != 0 {
			t.Errorf("%v: %v", words, got)
		}
		said(t, since(h.Messages(), mark), "setup_loader_term_phys_devs:  Failed to detect any valid GPUs in the current config", 1)
	}
	saidLine(t, h, "ERROR", "setup_loader_term_phys_devs:  Failed to detect any valid GPUs in the current config")
	a.Replace("device name=late")
	wantNames(t, h, "late")
	h.Quit()
}

// holds: PHY-011 ALC-039
func TestDriverOutOfMemory(t *testing.T) {
	t.Parallel()
	for _, phase := range []string{"count", "fill"} {
		w := world.New(t)
		w.Driver("good")
		bad := w.Driver("bad", "device name=bad", "result vkEnumeratePhysicalDevices -1 "+phase)
		w.Env["VK_LOADER_DEBUG"] = "error"
		h := w.Start()
		h.OK("create_instance")
		for _, count := range []string{"only", "4"} {
			w.ForgetLog()
			if got := h.Do("physical_devices", "count", count).Result(); got != outOfHostMemory {
				t.Errorf("%s %s: result %d", phase, count, got)
			}
			if asked := w.Log().By("good"); len(asked) != 0 { // at once: the bad driver is asked first
				t.Errorf("%s %s: the other driver was asked: %v", phase, count, asked)
			}
		}
		said(t, h.Messages(), "setup_loader_term_phys_devs: Call to 'vkEnumeratePhysicalDevices' in ICD "+bad.Library+
			" failed with error code VK_ERROR_OUT_OF_HOST_MEMORY", 2)
		bad.Replace("device name=bad")
		wantNames(t, h, "bad", "good") // no driver was removed
		h.Quit()
	}
}

// holds: PHY-012 PHY-052
func TestDriverFails(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code  int
		phase string
	}{{initializationFailed, "count"}, {-9, "fill"}, {surfaceLost, "count"}, {2, "fill"}, {-2, "fill"}} {
		result := fmt.Sprintf("result vkEnumeratePhysicalDevices %d %s", c.code, c.phase)
		w := world.New(t)
		w.Driver("good")
		bad := w.Driver("bad", "device name=bad", result)
		w.Env["VK_LOADER_DEBUG"] = "error,info"
		h := w.Start()
		h.OK("create_instance")
		if got := h.OK("physical_devices", "count", "only").Int("count"); got != 1 {
			t.Errorf("%v: %d devices", c, got)
		}
		text := fmt.Sprintf("setup_loader_term_phys_devs: Call to 'vkEnumeratePhysicalDevices' in ICD %s failed with error code %d", bad.Library, c.code)
		said(t, h.Messages(), text, 1)
		saidLine(t, h, "ERROR", text)
		wantNames(t, h, "good")
		said(t, h.Messages(), "Removing driver "+bad.Library+" due to not having any physical devices", 1)
		h.Quit()

		w = world.New(t)
		w.Driver("bad", "device name=bad", result)
		h = w.Start()
		h.OK("create_instance")
		for _, count := range []string{"only", "4"} {
			if got := h.Do("physical_devices", "count", count).Result(); got != initializationFailed {
				t.Errorf("%v alone: result %d", c, got)
			}
		}
		h.Quit()
	}
}

// A driver that fills its list with VK_INCOMPLETE has returned a part of it; the loader asks again, at most eight times (PHY-007). The
// program's result is VK_SUCCESS.
//
// holds: PHY-007 PHY-012 PHY-052
func TestDriverListsIncompletely(t *testing.T) {
	t.Parallel()
	for line, asked := range map[string]int{
		"result vkEnumeratePhysicalDevices 5 fill":  18,
		"result vkEnumeratePhysicalDevices 5 count": 2,
		"result vkEnumeratePhysicalDevices 5 2":     4,
	} {
		w := world.New(t)
		w.Driver("good")
		w.Driver("long", "device name=one", "device name=two", line)
		h := w.Start()
		h.OK("create_instance")
		w.ForgetLog()
		if a := h.OK("physical_devices", "count", "4"); a.Int("count") != 3 {
			t.Errorf("%s: %v", line, a)
		}
		if got := len(w.Log().By("long").Fn("vkEnumeratePhysicalDevices")); got != asked {
			t.Errorf("%s: asked %d times, want %d", line, got, asked)
		}
		wantNames(t, h, "one", "two", "good")
		if said := h.Messages(); contains(said, "failed with error code") || contains(said, "Removing driver") {
			t.Errorf("%s: %v", line, said)
		}
		h.Quit()
	}
}

// holds: PHY-013
func TestDriverCountsUp(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=one", "device name=two", "more vkEnumeratePhysicalDevices 3")
	h := w.Start()
	h.OK("create_instance")
	wantNames(t, h, "one", "two")
	h.Quit()
}

// holds: PHY-014 PHY-084 DRV-067
func TestHandlesAreTheLoadersOwn(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a0", "device name=a1")
	w.Driver("b", "device name=b0")
	h := w.Start()
	h.OK("create_instance")
	devices := all(h)
	w.ForgetLog()
	for _, d := range devices {
		// A driver's object begins with a word of the driver or of the loader. A handle of the loader begins with the
		// instance's word, and no driver knows it.
		if h.Do("peek", "ref", world.Ref(d)).Int("ptr") != h.Do("peek", "ref", "i").Int("ptr") {
			t.Error("a physical device and its instance have different first words")
		}
		h.Do("properties", "pd", world.Ref(d))
	}
	var seen []string
	for _, e := range w.Log().Fn("vkGetPhysicalDeviceProperties") {
		seen = append(seen, e.Text("who")+" "+e.Text("physical_device")+" "+e.Text("id"))
	}
	if want := []string{"b physical_device:1 b0", "a physical_device:1 a0", "a physical_device:2 a1"}; !slices.Equal(seen, want) {
		t.Errorf("the drivers saw %v, want %v", seen, want)
	}
	h.Quit()
}

// holds: PHY-015 PHY-016 PHY-017 PHY-024 GPA-072
func TestHandlesStay(t *testing.T) {
	t.Parallel()
	for _, counts := range [][]string{{"3", "5", "8"}, {"8", "5", "3", "8"}} {
		w := world.New(t)
		w.Driver("a", devices("a", 4)...)
		w.Driver("b", devices("b", 4)...)
		h := w.Start()
		h.OK("create_instance")
		var seen [][]int
		for _, count := range counts {
			seen = append(seen, h.Do("physical_devices", "count", count).Ints("devices"))
		}
		last := seen[len(seen)-1]
		if len(last) != 8 {
			t.Fatalf("%d devices", len(last))
		}
		for i, s := range seen {
			if fmt.Sprint(len(s)) != counts[i] || !slices.Equal(s, last[:len(s)]) {
				t.Errorf("call %d gave %v, the last %v", i, s, last)
			}
		}
		for _, d := range last { // including devices that were trimmed
			if name(h, d) == "" {
				t.Error("a device without a name")
			}
		}
		h.Quit()
	}
}

// holds: PHY-018 PHY-019 PHY-020 PHY-021
func TestDevicesComeAndGo(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a0")
	b := w.Driver("b", "device name=b0", "device name=b1")
	h := w.Start()
	h.OK("create_instance")
	first := all(h) // b0 b1 a0

	b.Replace("device name=b0", "device name=b1", "device name=b2")
	if a := h.Do("physical_devices", "count", "3"); a.Result() != incomplete || !slices.Equal(a.Ints("devices")[:2], first[:2]) {
		t.Errorf("an array for the old count: %v, before %v", a, first)
	}
	added := all(h)
	if len(added) != 4 || !slices.Equal(added[:2], first[:2]) || added[3] != first[2] || slices.Contains(first, added[2]) {
		t.Errorf("after one was added: %v, before %v", added, first)
	}

	b.Replace("device name=front", "device name=b0", "device name=middle", "device name=b1", "device name=b2")
	inserted := all(h)
	wantNames(t, h, "front", "b0", "middle", "b1", "b2", "a0")
	if len(inserted) != 6 || inserted[1] != added[0] || inserted[3] != added[1] || inserted[4] != added[2] || inserted[5] != added[3] {
		t.Errorf("after two were inserted: %v, before %v", inserted, added)
	}

	b.Replace("device name=b1", "device name=front")
	a := h.OK("physical_devices", "count", "6")
	if want := []int{inserted[3], inserted[0], inserted[5]}; !slices.Equal(a.Ints("devices"), want) {
		t.Errorf("after three went: %v, want %v", a, want)
	}

	b.Replace("device name=b1", "device name=other id=b2") // b2's handle now stands for another device
	wantNames(t, h, "b1", "other", "a0")
	h.Quit()
}

// holds: PHY-022
func TestHandlesOfTwoInstances(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", devices("a", 2)...)
	h := w.Start()
	h.OK("create_instance", "as", "one")
	h.OK("create_instance", "as", "two")
	one, two := all(h, "one"), all(h, "two")
	for _, d := range one {
		if slices.Contains(two, d) {
			t.Errorf("the instances share a handle: %v, %v", one, two)
		}
	}
	h.Do("destroy_instance", "name", "one")
	if got := names(h, all(h, "two")); !slices.Equal(got, []string{"a0", "a1"}) {
		t.Errorf("the second instance has %v", got)
	}
	h.Quit()
}

// holds: PHY-023 PHY-024 PHY-063 PHY-074 GPA-071
func TestChainOrder(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("d0", "device name=p0", "device name=p1")
	w.Driver("d1", "device name=p2")
	w.Driver("d2", "device name=p3", "device name=p4")
	w.Driver("d3", "device name=p5")
	h := w.Start()
	h.OK("create_instance")
	for range 3 {
		wantNames(t, h, "p5", "p3", "p4", "p2", "p0", "p1")
		wantGroups(t, h, "p5", "p3", "p4", "p2", "p0", "p1")
	}
	h.Quit()
}

// holds: PHY-083 HND-001 HND-002 HND-004 HND-005 HND-009 HND-013 HND-014 HND-018 HND-019 HND-020 LAY-256 LAY-266
func TestBadHandles(t *testing.T) {
	t.Parallel()
	instance := []string{"vkEnumeratePhysicalDevices", "vkEnumeratePhysicalDeviceGroups"}
	device := []string{"vkGetPhysicalDeviceFeatures", "vkGetPhysicalDeviceFormatProperties",
		"vkGetPhysicalDeviceImageFormatProperties", "vkGetPhysicalDeviceProperties", "vkGetPhysicalDeviceQueueFamilyProperties",
		"vkGetPhysicalDeviceMemoryProperties", "vkGetPhysicalDeviceSparseImageFormatProperties",
		"vkEnumerateDeviceExtensionProperties", "vkEnumerateDeviceLayerProperties", "vkGetPhysicalDeviceFeatures2",
		"vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceFormatProperties2", "vkGetPhysicalDeviceImageFormatProperties2",
		"vkGetPhysicalDeviceQueueFamilyProperties2", "vkGetPhysicalDeviceMemoryProperties2",
		"vkGetPhysicalDeviceSparseImageFormatProperties2", "vkGetPhysicalDeviceExternalBufferProperties",
		"vkGetPhysicalDeviceExternalSemaphoreProperties", "vkGetPhysicalDeviceExternalFenceProperties",
		"vkGetPhysicalDeviceToolProperties", "vkGetPhysicalDeviceDisplayPropertiesKHR",
		"vkGetPhysicalDeviceDisplayPlanePropertiesKHR", "vkGetDisplayPlaneSupportedDisplaysKHR", "vkGetDisplayModePropertiesKHR",
		"vkCreateDisplayModeKHR", "vkGetDisplayPlaneCapabilitiesKHR", "vkGetPhysicalDeviceDisplayProperties2KHR",
		"vkGetPhysicalDeviceDisplayPlaneProperties2KHR", "vkGetDisplayModeProperties2KHR", "vkGetDisplayPlaneCapabilities2KHR"}
	w := world.New(t)
	w.Driver("a")
	h := w.Start()
	h.OK("create_instance")
	for _, command := range words(instance, device) {
		parameter := "physicalDevice"
		if slices.Contains(instance, command) {
			parameter = "instance"
		}
		for _, bad := range []string{"null", "garbage", "zeros"} {
			dies(t, h, fmt.Sprintf("%s: Invalid %s [VUID-%s-%s-parameter]", command, parameter, command, parameter),
				"name", command, "arg", bad, "arg", "null", "arg", "null", "arg", "null")
		}
	}
	exit := h.Dies("call", "name", "vkEnumeratePhysicalDevices", "arg", "null", "arg", "null", "arg", "null")
	if exit.Signal != syscall.SIGABRT {
		t.Errorf("signal %v", exit.Signal)
	}
}

// holds: PHY-083 HND-015 HND-016
func TestBadHandlesOfExtensionCommands(t *testing.T) {
	t.Parallel()
	for command, reports := range map[string]string{
		"vkGetPhysicalDeviceExternalImageFormatPropertiesNV": "",
		"vkReleaseDisplayEXT":                                "",
		"vkAcquireXlibDisplayEXT":                            "",
		"vkGetRandROutputDisplayEXT":                         "",
		"vkAcquireDrmDisplayEXT":                             "",
		"vkGetDrmDisplayEXT":                                 "",
		"vkGetPhysicalDeviceToolPropertiesEXT":               "",
		"vkGetPhysicalDeviceProperties2KHR":                  "vkGetPhysicalDeviceProperties2",
		"vkEnumeratePhysicalDeviceGroupsKHR":                 "vkEnumeratePhysicalDeviceGroups",
	} {
		if reports == "" {
			reports = command
		}
		if !world.Offered(command) {
			continue
		}
		w := world.New(t)
		extensions := []string{"VK_NV_external_memory_capabilities", "VK_EXT_direct_mode_display", "VK_EXT_acquire_xlib_display",
			"VK_EXT_acquire_drm_display", props2, "VK_KHR_device_group_creation"}
		lines, enabled := []string{"device name=a"}, []string{}
		for _, e := range extensions {
			if !world.Offered(e) {
				continue
			}
			lines = append(lines, "ext "+e)
			enabled = append(enabled, "ext", e)
		}
		w.Driver("a", lines...)
		h := w.Start()
		h.OK("create_instance", enabled...)
		exit := h.Dies("call", "name", command, "via", "gipa", "instance", "i", "arg", "garbage", "arg", "null", "arg", "null", "arg", "null")
		parameter := "physicalDevice"
		if strings.HasPrefix(reports, "vkEnumerate") {
			parameter = "instance"
		}
		if text := fmt.Sprintf("%s: Invalid %s [VUID-%s-%s-parameter]", reports, parameter, reports, parameter); exit.Signal != syscall.SIGABRT || !slices.Contains(exit.Messages(), text) {
			t.Errorf("%s: signal %v, %q", command, exit.Signal, exit.Stderr)
		}
	}
}

// holds: THR-008 THR-009 ALC-034 ALC-035
func TestConcurrentEnumeration(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	for i := range 3 {
		w.Driver(fmt.Sprintf("d%d", i), devices(fmt.Sprintf("d%d_", i), 3)...)
	}
	w.Driver("empty", "api 1.0.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	h.Do("script", "as", "s", "line", world.Line("physical_devices", "count", "9"), "line", world.Line("device_groups"),
		"line", world.Line("physical_devices"))
	a := h.Do("run", "script", "s", "threads", "4", "times", "10")
	if a.Int("bad") != 0 {
		t.Errorf("%v", a)
	}
	want := all(h)
	for _, answers := range a.Lists("answers") {
		for _, answer := range answers {
			if devices := answer.Ints("devices"); len(devices) > 0 && !slices.Equal(devices, want) {
				t.Errorf("a thread saw %v, want %v", devices, want)
			}
		}
	}
	h.Quit()
}
