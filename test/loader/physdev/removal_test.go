package physdev

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

var windowed = []string{"ext VK_KHR_surface 25", "ext VK_EXT_headless_surface 1", "ext VK_EXT_debug_utils 2", "ext VK_EXT_debug_report 9"}
var windows = []string{"ext", "VK_KHR_surface", "ext", "VK_EXT_headless_surface", "ext", "VK_EXT_debug_utils", "ext", "VK_EXT_debug_report"}

func windowedDriver(w *world.World, name string, devices ...string) *world.Fake {
	lines := slices.Clone(windowed)
	for _, d := range devices {
		lines = append(lines, "device name="+d+" ext=VK_KHR_swapchain:70")
	}
	return w.Driver(name, lines...)
}

// holds: PHY-048 PHY-049 PHY-053
func TestRemoval(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	empty := windowedDriver(w, "empty")
	windowedDriver(w, "full", "x", "y")
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance", windows...)
	h.OK("create_messenger", "as", "m")
	h.OK("create_report", "as", "r")

	h.OK("physical_devices", "count", "only") // PHY-053
	h.OK("device_groups")
	h.Do("physical_devices", "count", "null")
	if gone := w.Log().Fn("vkDestroyInstance"); len(gone) != 0 {
		t.Fatalf("removed too early: %v", gone)
	}
	w.ForgetLog()
	mark := len(h.Messages())
	if a := h.Do("physical_devices", "count", "1"); a.Result() != incomplete {
		t.Errorf("%v", a)
	}
	text := "Removing driver " + empty.Library + " due to not having any physical devices"
	said(t, since(h.Messages(), mark), text, 1)
	saidLine(t, h, "INFO | DRIVER", text)
	if contains(since(h.Messages(), mark), "Removing driver "+w.Path("lib", "full")) {
		t.Error("a driver whose devices were only trimmed is removed")
	}

	var seen []string // PHY-049
	for _, e := range w.Log().By("empty") {
		seen = append(seen, e.Text("fn"))
	}
	if len(seen) == 0 || seen[len(seen)-1] != "vkDestroyInstance" {
		t.Errorf("the driver saw %v", seen)
	}
	for _, fn := range []string{"vkDestroyDebugUtilsMessengerEXT", "vkDestroyDebugReportCallbackEXT", "vkDestroyInstance"} {
		if calls := w.Log().By("empty").Fn(fn); len(calls) != 1 {
			t.Errorf("%s: %d calls, want 1", fn, len(calls))
		}
	}
	if end := w.Log().By("empty").Fn("vkDestroyInstance"); len(end) == 1 {
		if left := end[0].Int("messengers") + end[0].Int("reports"); left != 0 || !end[0].IsNull("allocator") {
			t.Errorf("at its end: %v", end[0])
		}
	}
	if other := w.Log().By("full").Fn("vkDestroyInstance"); len(other) != 0 {
		t.Errorf("the other driver saw %v", other)
	}
	h.Do("destroy_messenger", "name", "m")
	h.Do("destroy_report", "name", "r")
	h.Do("destroy_instance")
	h.Quit()
}

// holds: PHY-049 PHY-050 DRV-046
func TestRemovalClosesTheLibrary(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	windowedDriver(w, "empty")
	windowedDriver(w, "full", "x")
	h := w.Start()
	h.OK("create_instance", windows...)
	if maps := h.Do("maps", "match", "/empty.so").Strings("maps"); len(maps) == 0 {
		t.Error("the test looks for the wrong name")
	}
	all(h)
	// Windows keeps it open until the process ends
	if maps := h.Do("maps", "match", "/empty.so").Strings("maps"); len(maps) != 0 && !world.Windows() {
		t.Errorf("still open: %v", maps)
	}
	h.Do("destroy_instance")
	h.Quit()

	h = w.Start()
	h.OK("instance_extensions") // PHY-050: this already opens the library
	h.OK("create_instance", windows...)
	all(h)
	// Windows keeps it open until the process ends
	if maps := h.Do("maps", "match", "/empty.so").Strings("maps"); len(maps) != 0 && !world.Windows() {
		t.Errorf("still open: %v", maps)
	}
	h.Quit()
}

// A driver without devices is closed in every life of an instance.
//
// holds: PHY-049 INS-088
func TestDriverWithoutDevicesIsClosed(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	windowedDriver(w, "empty")
	windowedDriver(w, "full", "x")
	h := w.Start()
	for range 4 {
		w.ForgetLog()
		h.OK("instance_extensions")
		h.OK("create_instance", windows...)
		all(h)
		if maps := h.Do("maps", "match", "/empty.so").Strings("maps"); len(maps) != 0 {
			t.Errorf("mapped: %v", maps)
		}
		if ended := w.Log().By("empty").Fn("vkDestroyInstance"); len(ended) != 1 {
			t.Errorf("its instance was destroyed %d times", len(ended))
		}
		if devices := h.OK("physical_devices").Ints("devices"); len(devices) != 1 {
			t.Errorf("%d devices", len(devices))
		}
		h.Do("destroy_instance")
	}
	h.Quit()
}

// holds: PHY-049
func TestRemovalLeavesOtherInstancesAlone(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	windowedDriver(w, "empty")
	windowedDriver(w, "full", "x")
	h := w.Start()
	h.OK("create_instance", append([]string{"as", "one"}, windows...)...)
	h.OK("create_instance", append([]string{"as", "two"}, windows...)...)
	all(h, "one")
	if maps := h.Do("maps", "match", "/empty.so").Strings("maps"); len(maps) == 0 {
		t.Error("closed although another instance holds it")
	}
	all(h, "two")
	// Windows keeps it open until the process ends
	if maps := h.Do("maps", "match", "/empty.so").Strings("maps"); len(maps) != 0 && !world.Windows() {
		t.Errorf("still open: %v", maps)
	}
	if gone := w.Log().Fn("vkDestroyInstance"); len(gone) != 2 {
		t.Errorf("destroyed: %v", gone)
	}
	h.Quit()
}

// holds: PHY-051 DRV-072 ALC-009
func TestAllocatorOfRemoval(t *testing.T) {
	t.Parallel()
	for _, functions := range []string{"all", "the demanded", "none"} { // PHY-051
		w := world.New(t)
		w.Driver("empty", "api 1.0.0", "use_allocator")
		w.Driver("full")
		h := w.Start()
		var words []string
		switch functions {
		case "all":
			h.Do("allocator", "as", "a", "internal", "1")
			words = []string{"allocator", "a"}
		case "the demanded":
			h.Do("allocator", "as", "a")
			words = []string{"allocator", "a"}
		case "none":
			h.Do("allocator", "as", "a")
		}
		h.OK("create_instance", words...)
		all(h)
		end := w.Log().By("empty").Fn("vkDestroyInstance")
		if none := functions == "none"; len(end) != 1 || end[0].IsNull("allocator") != none || !none && end[0].Int("allocator_good") != 1 {
			t.Errorf("%s: destroyed with %v", functions, end)
		}
		h.Do("destroy_instance", words...)
		if a := h.Do("allocator_stats", "name", "a"); a.Int("live") != 0 || a.Int("faults") != 0 {
			t.Errorf("left behind: %v", a)
		}
		h.Quit()
	}
}

// holds: PHY-054
func TestRemovedDriversStayAway(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	late := w.Driver("late", "api 1.0.0")
	w.Driver("full")
	h := w.Start()
	h.OK("create_instance")
	wantNames(t, h, "full")
	late.Replace("device name=late")
	wantNames(t, h, "full")
	h.OK("create_instance", "as", "second")
	if got := names(h, all(h, "second")); !slices.Equal(got, []string{"full", "late"}) {
		t.Errorf("the second instance has %v", got)
	}
	h.Quit()
}

// holds: PHY-055 PHY-057 PHY-059
func TestPositionsOfEmptyDrivers(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"efefe", "feeef", "eeffee"} {
		w := world.New(t)
		var want []string
		for i, c := range pattern {
			driver := fmt.Sprintf("d%d", i)
			if c == 'f' {
				windowedDriver(w, driver, driver)
				want = append([]string{driver}, want...)
			} else {
				windowedDriver(w, driver)
			}
		}
		h := w.Start()
		for _, instance := range []string{"one", "two"} {
			h.OK("create_instance", append([]string{"as", instance}, windows...)...)
			surface := func(i int) string { return fmt.Sprintf("%s_s%d", instance, i) }
			for i := range 40 {
				h.OK("create_surface", "instance", instance, "type", "headless", "as", surface(i))
			}
			for range 2 {
				if got := names(h, all(h, instance)); !slices.Equal(got, want) {
					t.Errorf("%s: %v, want %v", pattern, got, want)
				}
			}
			for i := 0; i < 40; i += 3 { // some are destroyed, some are created, in no order
				h.Do("destroy_surface", "instance", instance, "name", surface(i))
			}
			for i := 40; i < 80; i++ {
				h.OK("create_surface", "instance", instance, "type", "headless", "as", surface(i))
			}
			for n, device := range all(h, instance) {
				d := fmt.Sprintf("%s_d%d", instance, n)
				h.OK("create_device", "pd", world.Ref(device), "as", d, "ext", "VK_KHR_swapchain")
				for i := 1; i < 80; i += 13 {
					if i < 40 && i%3 == 0 {
						continue
					}
					chain := fmt.Sprintf("%s_%d", d, i)
					h.OK("create_swapchain", "device", d, "surface", surface(i), "as", chain)
					h.Do("destroy_swapchain", "device", d, "name", chain)
				}
				h.Do("destroy_device", "name", d)
			}
			for i := 79; i > 0; i-- {
				if i >= 40 || i%3 != 0 {
					h.Do("destroy_surface", "instance", instance, "name", surface(i))
				}
			}
			h.Do("destroy_instance", "name", instance)
		}
		h.Quit()
		for _, e := range w.Log().Fn("vkDestroyInstance") {
			if e.Int("surfaces") != 0 {
				t.Errorf("%s: surfaces left: %v", pattern, e)
			}
		}
		for _, e := range w.Log() {
			if s := e.Text("surface"); strings.HasPrefix(s, "foreign") || strings.HasPrefix(s, "dead") {
				t.Errorf("%s: %v", pattern, e)
			}
		}
	}
}

// holds: PHY-056
func TestMessengersAfterRemoval(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	windowedDriver(w, "empty")
	windowedDriver(w, "full", "x")
	windowedDriver(w, "empty2")
	h := w.Start()
	h.OK("create_instance", windows...)
	h.OK("create_messenger", "as", "before")
	h.OK("create_messenger", "as", "gone")
	all(h)
	h.Do("destroy_messenger", "name", "gone")
	h.OK("create_messenger", "as", "after")
	a := h.Do("submit_message", "text", "hello")
	for name, n := range map[string]int{"before": 1, "after": 1, "gone": 0} {
		if got := a.Texts(name); len(got) != n || n == 1 && got[0] != "hello" {
			t.Errorf("%s received %v", name, got)
		}
	}
	h.Do("destroy_messenger", "name", "after")
	h.Do("destroy_messenger", "name", "before")
	h.Do("destroy_instance")
	h.Quit()
}

// holds: PHY-058
func TestAllEmpty(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	windowedDriver(w, "a")
	windowedDriver(w, "b")
	h := w.Start()
	h.OK("create_instance", windows...)
	h.OK("create_surface", "type", "headless", "as", "before")
	for range 2 {
		if got := h.Do("physical_devices", "count", "3").Result(); got != initializationFailed {
			t.Errorf("result %d", got)
		}
	}
	if gone := w.Log().Fn("vkDestroyInstance"); len(gone) != 0 {
		t.Errorf("removed: %v", gone)
	}
	h.OK("create_surface", "type", "headless", "as", "after")
	h.OK("create_messenger", "as", "m")
	h.Do("destroy_surface", "name", "before")
	h.Do("destroy_surface", "name", "after")
	h.Do("destroy_messenger", "name", "m")
	h.Do("destroy_instance")
	h.Quit()
}

// ends returns how often a driver's instance was destroyed.
func ends(w *world.World, driver string) int { return len(w.Log().By(driver).Fn("vkDestroyInstance")) }

// lostAndFull creates an instance on two drivers; device is that of the first driver, which will lose it.
func lostAndFull(w *world.World, words ...string) (lost *world.Fake, h *world.Host, device int) {
	lost = windowedDriver(w, "lost", "a")
	windowedDriver(w, "full", "x")
	h = w.Start()
	h.OK("create_instance", slices.Concat(words, windows)...)
	devices := all(h)
	return lost, h, devices[slices.Index(names(h, devices), "a")]
}

// A driver that has reported a physical device stays until the instance ends (PHY-048). The program's handle works even if the driver
// lists no device any more or its enumeration fails. If it lists the device again, the device has the same handle.
//
// holds: PHY-048 PHY-049 PHY-050 PHY-052 PHY-054 PHY-015
func TestLostDevice(t *testing.T) {
	t.Parallel()
	for _, now := range []string{"", "result vkEnumeratePhysicalDevices -3", "result vkEnumeratePhysicalDevices -9 fill"} {
		t.Run(now, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			lost, h, device := lostAndFull(w)
			h.OK("create_surface", "type", "headless")
			h.OK("create_device", "pd", world.Ref(device), "as", "old", "ext", "VK_KHR_swapchain")
			if lost.Replace(windowed...); now != "" {
				lost.Replace(append(slices.Clone(windowed), "device name=a ext=VK_KHR_swapchain:70", now)...)
			}
			for range 2 {
				wantNames(t, h, "x")
			}
			if said := h.Messages(); contains(said, "Removing driver") {
				t.Errorf("removed: %v", said)
			}
			w.ForgetLog()
			h.OK("create_swapchain", "device", "old", "surface", "s")
			h.Do("destroy_swapchain", "device", "old")
			h.Do("destroy_device", "name", "old")
			wantNames(t, h, "x")
			h.Do("properties", "pd", world.Ref(device))
			if asked := w.Log().By("lost").Fn("vkGetPhysicalDeviceProperties"); len(asked) == 0 {
				t.Error("the kept handle does not reach its driver")
			}
			h.OK("create_device", "pd", world.Ref(device), "as", "new")
			h.Do("destroy_device", "name", "new")
			if ends(w, "lost") != 0 || len(h.Do("maps", "match", "/lost.so").Strings("maps")) == 0 {
				t.Errorf("the driver saw %v", w.Log().By("lost").Names())
			}
			lost.Replace(append(slices.Clone(windowed), "device name=a")...)
			if again := all(h); !slices.Contains(again, device) || len(again) != 2 {
				t.Errorf("the device is back: %v, want %d among them", again, device)
			}
			h.Do("destroy_surface")
			h.Do("destroy_instance")
			if ends(w, "lost") != 1 {
				t.Errorf("destroyed %d times", ends(w, "lost"))
			}
			h.Quit()
		})
	}
}

// A driver that has lost its device is called, and the call enumerates devices.
//
// holds: PHY-048 PHY-052
func TestEnumerationInsideALostDriver(t *testing.T) {
	t.Parallel()
	for fn, line := range map[string]func(h *world.Host, device string){
		"vkCreateDevice": func(h *world.Host, device string) {
			h.OK("create_device", "pd", device)
			h.Do("destroy_device")
		},
		"vkDestroyDevice": func(h *world.Host, device string) {
			h.OK("create_device", "pd", device)
			h.Do("destroy_device")
		},
		"vkEnumerateDeviceExtensionProperties": func(h *world.Host, device string) { h.OK("device_extensions", "pd", device) },
		"vkGetPhysicalDeviceProperties":        func(h *world.Host, device string) { h.Do("properties", "pd", device) },
		"vkCreateHeadlessSurfaceEXT": func(h *world.Host, device string) {
			h.OK("create_surface", "type", "headless")
			h.OK("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", device, "arg", "0", "arg", "s", "arg", "out")
			h.Do("destroy_surface")
		},
		"vkCreateDebugUtilsMessengerEXT": func(h *world.Host, device string) {
			h.OK("create_messenger", "as", "m")
			h.Do("destroy_messenger", "name", "m")
		},
	} {
		t.Run(fn, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			lost, h, device := lostAndFull(w)
			h.Do("script", "as", "enumerate", "line", "physical_devices")
			lost.Replace(append(slices.Clone(windowed), "perform "+fn+" enumerate")...)
			line(h, world.Ref(device))
			if performed := h.Do("performed").Lists("scripts"); len(performed) == 0 {
				t.Error("nothing was enumerated")
			}
			if ends(w, "lost") != 0 {
				t.Errorf("the driver saw %v", w.Log().By("lost").Names())
			}
			h.Do("destroy_instance")
			h.Quit()
		})
	}
}

// A driver that never had a device is not removed while a thread is inside it, the enumerating thread or another. The next enumeration
// removes it.
//
// holds: PHY-048 PHY-049 THR-009
func TestUselessDriverInUse(t *testing.T) {
	t.Parallel()
	for verb, command := range map[string]string{"messenger": "vkCreateDebugUtilsMessengerEXT", "report": "vkCreateDebugReportCallbackEXT"} {
		for _, line := range []string{"physical_devices", "run script=enumerate threads=1 limit=20000"} {
			t.Run(verb+" "+line, func(t *testing.T) {
				t.Parallel()
				w := world.New(t)
				empty := windowedDriver(w, "empty")
				windowedDriver(w, "full", "x")
				h := w.Start()
				h.OK("create_instance", windows...)
				h.Do("script", "as", "enumerate", "line", "physical_devices")
				h.Do("script", "as", "inside", "line", line)
				empty.Replace(append(slices.Clone(windowed), "perform "+command+" inside 1")...)
				h.OK("create_"+verb, "as", "m")
				performed := h.Do("performed")["scripts"].([]any)
				if len(performed) != 1 {
					t.Fatalf("performed: %v", performed)
				}
				if a := world.Answer(performed[0].([]any)[0].(map[string]any)); a.Text("error") != "" || a.Int("bad") != 0 {
					t.Errorf("enumerated meanwhile: %v", a)
				}
				if ends(w, "empty") != 0 {
					t.Fatalf("the driver saw %v", w.Log().By("empty").Names())
				}
				wantNames(t, h, "x")
				gone := strings.Replace(command, "Create", "Destroy", 1)
				order := w.Log().By("empty").Fn(command, gone, "vkDestroyInstance")
				if got, want := order.Names(), []string{"empty " + command, "empty " + gone, "empty vkDestroyInstance"}; !slices.Equal(got, want) {
					t.Errorf("the driver saw %v", got)
				}
				h.Do("destroy_"+verb, "name", "m")
				h.Do("destroy_instance")
				h.Quit()
			})
		}
	}
}

// A device appears while the driver is in use, after another enumeration has found none: the driver stays.
//
// holds: PHY-048 PHY-018
func TestDeviceAppearsBetweenEnumerations(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	windowedDriver(w, "full", "x")
	late := windowedDriver(w, "late", "a")
	late.Script("result vkEnumeratePhysicalDevices -3 1", "perform vkCreateDebugUtilsMessengerEXT inside 1")
	h := w.Start()
	h.OK("create_instance", windows...)
	h.Do("script", "as", "enumerate", "line", "physical_devices count=4")
	// the enumeration finds it
	h.Do("script", "as", "inside", "line", "run script=enumerate threads=1 limit=20000", "line", "physical_devices count=4")
	h.OK("create_messenger", "as", "m")
	wantNames(t, h, "a", "x")
	if ends(w, "late") != 0 {
		t.Errorf("the driver saw %v", w.Log().By("late").Names())
	}
	h.Do("destroy_messenger", "name", "m")
	h.Do("destroy_instance")
	h.Quit()
}

// The program's first surface is created while an enumeration finds that a driver has lost its device. The driver still gets its own
// surface, never the loader's pointer.
//
// holds: PHY-048 WSI-013 WSI-016
func TestFirstSurfaceBesideALostDevice(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	lost, h, device := lostAndFull(w)
	h.EnumerateInside("line", "create_surface type=headless", "line", "create_messenger as=late")
	lost.Replace(append(slices.Clone(windowed), "device name=a ext=VK_KHR_swapchain:70", "result vkEnumeratePhysicalDevices -3", "perform vkCreateDevice inside")...)
	h.OK("create_device", "pd", world.Ref(device), "ext", "VK_KHR_swapchain")
	h.Joined()
	h.OK("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", world.Ref(device), "arg", "0", "arg", "s", "arg", "out")
	h.OK("create_swapchain", "surface", "s")
	for _, e := range w.Log().By("lost").Fn("vkGetPhysicalDeviceSurfaceSupportKHR", "vkCreateSwapchainKHR") {
		if e.Text("surface") != "surface:1" {
			t.Errorf("the driver saw %v", e)
		}
	}
	h.Do("destroy_swapchain")
	h.Do("destroy_device")
	h.Do("destroy_messenger", "name", "late")
	if made, gone := w.Log().By("lost").Fn("vkCreateDebugUtilsMessengerEXT"), w.Log().By("lost").Fn("vkDestroyDebugUtilsMessengerEXT"); len(made) != 1 || len(gone) != 1 {
		t.Errorf("the driver made %v and destroyed %v", made, gone)
	}
	h.Do("destroy_surface")
	h.Do("destroy_instance")
	h.Quit()
}

// A device is created while a layer above enumerates and no longer finds its physical device.
//
// holds: PHY-048 PHY-052
func TestLayerEnumeratesInCreateDevice(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.ExplicitLayer("VK_LAYER_it", "perform vkCreateDevice enumerate")
	lost, h, device := lostAndFull(w, "layer", "VK_LAYER_it")
	h.Do("script", "as", "enumerate", "line", "physical_devices")
	lost.Replace(windowed...)
	h.OK("create_device", "pd", world.Ref(device))
	h.Do("destroy_device")
	if order := w.Log().By("lost").Fn("vkCreateDevice", "vkDestroyDevice", "vkDestroyInstance").Names(); !slices.Equal(order,
		[]string{"lost vkCreateDevice", "lost vkDestroyDevice"}) {
		t.Errorf("the driver saw %v", order)
	}
	h.Do("destroy_instance")
	h.Quit()
}

// An enumeration that a later one has overtaken does not decide about a driver, which lists its device by now.
//
// holds: PHY-048 THR-008
func TestOvertakenEnumeration(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("later", "device name=x", "perform vkEnumeratePhysicalDevices enumerate 1")
	w.Driver("first", "device name=a", "result vkEnumeratePhysicalDevices -3 1")
	h := w.Start()
	h.Do("script", "as", "enumerate", "line", "physical_devices")
	h.OK("create_instance")
	if a := h.OK("physical_devices", "count", "2"); a.Int("count") != 1 {
		t.Errorf("the enumeration that began first: %v", a)
	}
	wantNames(t, h, "a", "x")
	if order := w.Log().Fn("vkEnumeratePhysicalDevices", "vkDestroyInstance").Names(); !slices.Equal(order[:1], []string{"first vkEnumeratePhysicalDevices"}) ||
		slices.Contains(order, "first vkDestroyInstance") {
		t.Errorf("the drivers saw %v", order)
	}
	h.Do("destroy_instance")
	h.Quit()
}

// While a driver's messengers are destroyed, another thread's new messenger enlarges the list, which is not read
// meanwhile.
//
// holds: PHY-048 DBG-036 THR-009
func TestListGrowsDuringRemoval(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	empty := windowedDriver(w, "empty")
	windowedDriver(w, "full", "x")
	h := w.Start()
	h.Do("allocator", "as", "a", "linger", "300")
	h.OK("create_instance", append([]string{"allocator", "a"}, windows...)...)
	for n := range 32 { // the list is full
		h.OK("create_messenger", "as", fmt.Sprint("m", n))
	}
	h.Do("script", "as", "grow", "line", "create_messenger as=late")
	h.Do("script", "as", "inside", "line", "spawn script=grow", "line", "settle")
	empty.Replace(append(slices.Clone(windowed), "perform vkDestroyDebugUtilsMessengerEXT inside 1")...)
	all(h)
	h.Joined()
	log := w.Log().By("empty")
	if made, gone := len(log.Fn("vkCreateDebugUtilsMessengerEXT")), len(log.Fn("vkDestroyDebugUtilsMessengerEXT")); made != 32 || gone != 32 {
		t.Errorf("the driver made %d messengers and destroyed %d", made, gone)
	}
	if n := h.Do("allocator_stats").Int("reallocations"); n == 0 {
		t.Error("nothing was enlarged")
	}
	h.Do("destroy_messenger", "name", "late")
	for n := range 32 {
		h.Do("destroy_messenger", "name", fmt.Sprint("m", n))
	}
	h.Do("destroy_instance", "allocator", "a")
	h.Quit()
}

// Objects that were destroyed before do not prevent the removal of a driver.
//
// holds: PHY-048
func TestRemovalAfterObjectsAreGone(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	windowedDriver(w, "empty")
	windowedDriver(w, "full", "x")
	h := w.Start()
	h.OK("create_instance", windows...)
	h.OK("create_surface", "type", "headless")
	h.OK("create_messenger", "as", "m")
	h.OK("create_report", "as", "r")
	h.Do("destroy_surface")
	h.Do("destroy_messenger")
	h.Do("destroy_report")
	wantNames(t, h, "x")
	if ends(w, "empty") != 1 {
		t.Errorf("removed %d times", ends(w, "empty"))
	}
	h.Do("destroy_instance")
	h.Quit()
}
