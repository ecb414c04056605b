package physdev

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/world"
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

// holds: PHY-048 PHY-049 PHY-052 PHY-053
func TestRemoval(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	empty := windowedDriver(w, "empty", "lost")
	windowedDriver(w, "full", "x", "y")
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance", windows...)
	h.OK("create_surface", "type", "headless")
	h.OK("create_surface", "type", "headless", "as", "s2")
	h.OK("create_messenger", "as", "m")
	h.OK("create_report", "as", "r")
	for _, d := range h.OK("physical_devices", "count", "3").Ints("devices") { // each driver makes its surfaces when they are used
		for _, s := range []string{"s", "s2"} {
			h.OK("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", world.Ref(d), "arg", "0", "arg", s, "arg", "out")
		}
	}
	empty.Replace(windowed...)

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
	for fn, n := range map[string]int{"vkDestroySurfaceKHR": 2, "vkDestroyDebugUtilsMessengerEXT": 1, "vkDestroyDebugReportCallbackEXT": 1, "vkDestroyInstance": 1} {
		calls := w.Log().By("empty").Fn(fn)
		if len(calls) != n {
			t.Errorf("%s: %d calls, want %d", fn, len(calls), n)
		}
	}
	if end := w.Log().By("empty").Fn("vkDestroyInstance"); len(end) == 1 {
		if left := end[0].Int("surfaces") + end[0].Int("messengers") + end[0].Int("reports"); left != 0 || !end[0].IsNull("allocator") {
			t.Errorf("at its end: %v", end[0])
		}
	}
	if other := w.Log().By("full").Fn("vkDestroySurfaceKHR", "vkDestroyInstance"); len(other) != 0 {
		t.Errorf("the other driver saw %v", other)
	}
	h.Do("destroy_surface", "name", "s")
	h.Do("destroy_surface", "name", "s2")
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
	if maps := h.Do("maps", "match", "/empty.so").Strings("maps"); len(maps) != 0 {
		t.Errorf("still open: %v", maps)
	}
	h.Do("destroy_instance")

	h.OK("instance_extensions") // PHY-050: opened by this already
	h.OK("create_instance", windows...)
	all(h)
	if maps := h.Do("maps", "match", "/empty.so").Strings("maps"); len(maps) != 0 {
		t.Errorf("still open: %v", maps)
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
	if maps := h.Do("maps", "match", "/empty.so").Strings("maps"); len(maps) != 0 {
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
	for _, complete := range []bool{true, false} {
		w := world.New(t)
		w.Driver("empty", "api 1.0.0", "use_allocator")
		w.Driver("full")
		h := w.Start()
		allocator := []string{"as", "a"}
		if complete { // all five functions
			allocator = append(allocator, "internal", "1")
		}
		h.Do("allocator", allocator...)
		h.OK("create_instance", "allocator", "a")
		all(h)
		end := w.Log().By("empty").Fn("vkDestroyInstance")
		if len(end) != 1 || end[0].IsNull("allocator") == complete || complete && end[0].Int("allocator_good") != 1 {
			t.Errorf("all five functions %v: destroyed with %v", complete, end)
		}
		h.Do("destroy_instance", "allocator", "a")
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
			for i := 0; i < 40; i += 3 { // some go, some come, in no order
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

// lostAndFull is an instance with a surface on two drivers; device is that of the first one, which is to be lost.
func lostAndFull(w *world.World) (lost *world.Fake, h *world.Host, device int) {
	lost = windowedDriver(w, "lost", "a")
	windowedDriver(w, "full", "x")
	h = w.Start()
	h.OK("create_instance", windows...)
	h.OK("create_surface", "type", "headless")
	devices := all(h)
	return lost, h, devices[slices.Index(names(h, devices), "a")]
}

// A driver is found without devices while one is being made: it stays.
//
// holds: PHY-048 PHY-052
func TestDeviceMadeDuringRemoval(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	lost, h, device := lostAndFull(w)
	// The enumeration, which no longer finds the device, has time to begin; it waits for the device to be made.
	h.EnumerateInside("line", "create_messenger as=late")
	lost.Replace(append(slices.Clone(windowed), "device name=a ext=VK_KHR_swapchain:70", "result vkEnumeratePhysicalDevices -3", "perform vkCreateDevice inside")...)
	h.OK("create_device", "pd", world.Ref(device), "ext", "VK_KHR_swapchain")
	h.Joined()
	h.OK("create_swapchain", "surface", "s") // the driver stays, and works
	h.Do("destroy_messenger", "name", "late")
	if calls := w.Log().By("lost").Fn("vkCreateDebugUtilsMessengerEXT", "vkDestroyDebugUtilsMessengerEXT"); len(calls) != 0 {
		t.Errorf("the driver knows a messenger that was made while it was to be removed: %v", calls)
	}
	h.Do("destroy_swapchain")
	h.Do("destroy_device")
	h.Do("destroy_instance")
	h.Quit()
}

// An enumeration that no longer finds a driver's devices waits for a messenger that is being made in it.
//
// holds: PHY-048 THR-009
func TestRemovalWaitsForAMessenger(t *testing.T) {
	t.Parallel()
	for verb, command := range map[string]string{"messenger": "vkCreateDebugUtilsMessengerEXT", "report": "vkCreateDebugReportCallbackEXT"} {
		t.Run(verb, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			lost, h, _ := lostAndFull(w)
			h.EnumerateInside()
			lost.Replace(append(slices.Clone(windowed), "perform "+command+" inside")...)
			h.OK("create_"+verb, "as", "m")
			h.Joined()
			gone := strings.Replace(command, "Create", "Destroy", 1)
			order := w.Log().By("lost").Fn(command, gone, "vkDestroyInstance")
			if got, want := order.Names(), []string{"lost " + command, "lost " + gone, "lost vkDestroyInstance"}; !slices.Equal(got, want) {
				t.Errorf("the driver saw %v", got)
			}
			h.Do("destroy_"+verb, "name", "m")
			h.Do("destroy_surface")
			h.Do("destroy_instance")
			h.Quit()
		})
	}
}

// A device is made while its driver is removed by a layer above it, which enumerates: there is no driver any more.
//
// holds: PHY-048 PHY-052
func TestDeviceOfARemovedDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.ExplicitLayer("VK_LAYER_it", "perform vkCreateDevice enumerate")
	lost := windowedDriver(w, "lost", "a")
	windowedDriver(w, "full", "x")
	h := w.Start()
	h.OK("create_instance", append([]string{"layer", "VK_LAYER_it"}, windows...)...)
	devices := all(h)
	device := devices[slices.Index(names(h, devices), "a")]
	h.Do("script", "as", "enumerate", "line", "physical_devices")
	lost.Replace(windowed...)
	if a := h.Do("create_device", "pd", world.Ref(device)); a.Result() != initializationFailed {
		t.Errorf("%v", a)
	}
	if order := w.Log().By("lost").Fn("vkCreateDevice", "vkDestroyInstance").Names(); !slices.Equal(order, []string{"lost vkDestroyInstance"}) {
		t.Errorf("the driver saw %v", order)
	}
	h.Do("destroy_instance")
	h.Quit()
}

// A driver whose physical devices went while the program has a device of it: the device works to its end, and the first
// enumeration after that removes the driver.
//
// holds: PHY-048 PHY-052
func TestLiveDevicesKeepTheirDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	lost, h, device := lostAndFull(w)
	h.OK("create_device", "pd", world.Ref(device), "ext", "VK_KHR_swapchain")
	lost.Replace(windowed...)
	wantNames(t, h, "x")
	h.OK("create_swapchain", "surface", "s")
	h.Do("destroy_swapchain")
	if gone := w.Log().Fn("vkDestroyInstance"); len(gone) != 0 {
		t.Fatalf("removed under a live device: %v", gone)
	}
	h.Do("destroy_device")
	wantNames(t, h, "x")
	if order := w.Log().By("lost").Fn("vkDestroyDevice", "vkDestroyInstance").Names(); !slices.Equal(order,
		[]string{"lost vkDestroyDevice", "lost vkDestroyInstance"}) {
		t.Errorf("the driver saw %v", order)
	}
	// What is left of its physical device makes no device any more.
	if a := h.Do("create_device", "pd", world.Ref(device)); a.Result() != initializationFailed {
		t.Errorf("%v", a)
	}
	h.Do("destroy_surface")
	h.Do("destroy_instance")
	h.Quit()
}

// An enumeration that no longer finds a driver's devices waits for the driver to destroy the last one.
//
// holds: PHY-048 PHY-052 THR-009
func TestRemovalWaitsForTheLastDevice(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	lost, h, device := lostAndFull(w)
	h.OK("create_device", "pd", world.Ref(device))
	h.EnumerateInside()
	lost.Replace(append(slices.Clone(windowed), "perform vkDestroyDevice inside")...)
	h.Do("destroy_device")
	h.Joined()
	if order := w.Log().By("lost").Fn("vkDestroyDevice", "vkDestroyInstance").Names(); !slices.Equal(order,
		[]string{"lost vkDestroyDevice", "lost vkDestroyInstance"}) {
		t.Errorf("the driver saw %v", order)
	}
	h.Do("destroy_surface")
	h.Do("destroy_instance")
	h.Quit()
}

// An enumeration that another one has overtaken says nothing about a driver: this one lists its device by now.
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

// While a driver's messengers are destroyed another thread's new one makes the list longer: it is not read meanwhile.
//
// holds: PHY-048 DBG-036 THR-009
func TestListGrowsDuringRemoval(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	lost := windowedDriver(w, "lost", "a")
	windowedDriver(w, "full", "x")
	h := w.Start()
	h.Do("allocator", "as", "a", "linger", "300")
	h.OK("create_instance", append([]string{"allocator", "a"}, windows...)...)
	all(h)
	for n := range 32 { // no more fit
		h.OK("create_messenger", "as", fmt.Sprint("m", n))
	}
	h.Do("script", "as", "grow", "line", "create_messenger as=late")
	h.Do("script", "as", "inside", "line", "spawn script=grow", "line", "sleep ms=100")
	lost.Replace(append(slices.Clone(windowed), "perform vkDestroyDebugUtilsMessengerEXT inside 1")...)
	all(h)
	h.Joined()
	log := w.Log().By("lost")
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

// Objects that were destroyed before hold no driver back.
//
// holds: PHY-048
func TestRemovalAfterObjectsAreGone(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	empty := windowedDriver(w, "empty", "lost")
	windowedDriver(w, "full", "x")
	h := w.Start()
	h.OK("create_instance", windows...)
	h.OK("create_surface", "type", "headless")
	h.OK("create_messenger", "as", "m")
	h.OK("create_report", "as", "r")
	for _, d := range all(h) {
		h.OK("call", "name", "vkGetPhysicalDeviceSurfaceSupportKHR", "arg", world.Ref(d), "arg", "0", "arg", "s", "arg", "out")
	}
	h.Do("destroy_surface")
	h.Do("destroy_messenger")
	h.Do("destroy_report")
	empty.Replace(windowed...)
	wantNames(t, h, "x")
	if gone := w.Log().By("empty").Fn("vkDestroyInstance"); len(gone) != 1 {
		t.Errorf("removed %d times", len(gone))
	}
	h.Do("destroy_instance")
	h.Quit()
}
