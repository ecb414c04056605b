package adapters

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const (
	function             = "vk_icdEnumerateAdapterPhysicalDevices"
	incomplete           = 5
	outOfHostMemory      = -1
	outOfDeviceMemory    = -2
	initializationFailed = -3
	incompatibleDriver   = -9
	unordered            = "There is no DXGI factory 6"
)

// newWorld creates a world with a DXGI library that has the lines as its script. At its end, it checks that no object
// of the library is left.
func newWorld(t *testing.T, dxgi ...string) *world.World {
	t.Helper()
	if !world.Windows() {
		t.Skip("DXGI is Windows's")
	}
	t.Parallel()
	w := world.New(t)
	w.SystemFake(world.FakeDXGI, "dxgi.dll", dxgi...)
	w.Env["VK_LOADER_DEBUG"] = "error,warn,info"
	t.Cleanup(func() {
		ends := w.Log().Fn("end")
		for _, end := range ends {
			if end.Int("alive") != 0 {
				t.Errorf("%d of DXGI's objects were never released", end.Int("alive"))
			}
		}
		if begun := len(w.Log().Fn("begin")); begun != len(ends) {
			t.Errorf("DXGI's library is loaded %d times and let go %d times", begun, len(ends))
		}
	})
	return w
}

// adapters returns the script of DXGI adapters with these LUIDs.
func adapters(luids ...int) []string {
	var lines []string
	for _, luid := range luids {
		lines = append(lines, fmt.Sprintf("adapter %d", luid))
	}
	return lines
}

// driver adds a driver whose devices are given as "name luid,luid more words".
func driver(w *world.World, name string, devices ...string) *world.Fake {
	var lines []string
	for _, d := range devices {
		words := strings.SplitN(d+" ", " ", 3)
		lines = append(lines, fmt.Sprintf("device name=%s luid=%s %s", words[0], words[1], words[2]))
	}
	return w.DriverKind(world.ByAdapter, name, lines...).API("1.1.0")
}

func names(h *world.Host, devices []int) []string {
	var out []string
	for _, device := range devices {
		out = append(out, h.Do("properties", "pd", world.Ref(device)).Text("name"))
	}
	return out
}

func begin(w *world.World) *world.Host {
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	return h
}

func wantDevices(t *testing.T, h *world.Host, want string) {
	t.Helper()
	if got := strings.Join(names(h, h.OK("physical_devices").Ints("devices")), " "); got != want {
		t.Errorf("devices are %q, want %q", got, want)
	}
}

func count(messages []string, part string) int {
	n := 0
	for _, m := range messages {
		if strings.Contains(m, part) {
			n++
		}
	}
	return n
}

// holds: WIN-061 WIN-066 WIN-069
//
// Drivers are asked in the order of PHY-023, the last one first. Adapters are listed without a preference, and each word of a LUID has half
// of it. A device of two adapters is listed once, at its first adapter.
func TestAdapterOrder(t *testing.T) {
	w := newWorld(t, "adapter 0x300000002", "adapter 0x200000003", "adapter 7")
	driver(w, "a", "a0 0x200000003", "a1 -", "a2 0x300000002", "a3 7,0x300000002")
	driver(w, "b", "b0 0x200000003", "b1 0x300000002", "b2 9")
	w.Driver("c").API("1.1.0") // it cannot list devices by adapter
	h := begin(w)
	wantDevices(t, h, "b1 a2 a3 b0 a0 c b2 a1")
	wantDevices(t, h, "b1 a2 a3 b0 a0 c b2 a1") // the same handles: otherwise their names would differ
	first := h.OK("physical_devices").Ints("devices")
	if again := h.Do("physical_devices", "count", "3").Ints("devices"); !slices.Equal(again, first[:3]) {
		t.Errorf("three devices are %v of %v", again, first)
	}
	h.Do("destroy_instance")
	h.Quit()
	asked := map[string]bool{}
	for _, call := range w.Log().Fn(function) {
		asked[fmt.Sprint(call.Text("who"), " ", call.Int("adapter"))] = true
	}
	for _, want := range []string{"a 12884901890", "b 12884901890", "a 8589934595", "b 8589934595", "a 7", "b 7"} {
		if !asked[want] {
			t.Errorf("nobody asked %s: %v", want, asked)
		}
	}
}

// holds: WIN-060
//
// Layers see whether the loader sorts. Without an IDXGIFactory6, nothing is sorted, and no driver is asked.
func TestFactory(t *testing.T) {
	for _, c := range []struct {
		script, want string
		sorts        int64
	}{{"factory 6", "a1 a0", 1}, {"factory 1", "a0 a1", 0}, {"factory none", "a0 a1", 0}, {"missing", "a0 a1", 0}, {"no function", "a0 a1", 0}} {
		t.Run(c.script, func(t *testing.T) {
			w := newWorld(t, append(adapters(1, 2), c.script)...)
			driver(w, "a", "a0 2", "a1 1")
			layer := w.ImplicitLayer("L")
			switch c.script {
			case "missing": // WIN-009
				w.Setup("refuse", "dxgi.dll", "126")
			case "no function":
				w.Setup("library", "dxgi.dll", w.Copy(world.Layer, "other"))
			}
			h := begin(w)
			wantDevices(t, h, c.want)
			group := h.OK("device_groups").Objects("groups")[0]
			if got := names(h, group.Ints("devices"))[0]; got != c.want[:2] {
				t.Errorf("the first group has %s", got)
			}
			h.Do("destroy_instance")
			h.Quit()
			created := w.Log().By(layer.Name).Fn("vkCreateInstance")
			if len(created) == 0 || features(created[0]) != c.sorts {
				t.Errorf("the layer was told %v", created)
			}
			if asked := len(w.Log().Fn(function)); (asked > 0) != (c.sorts == 1) {
				t.Errorf("drivers were asked %d times", asked)
			}
			if said := count(h.Messages(), unordered); (said > 0) != (c.sorts == 0) {
				t.Errorf("%d lines say that nothing is sorted:\n%s", said, h.Stderr())
			}
		})
	}
}

// features returns the feature flags that a layer received, or -1.
func features(created world.Answer) int64 {
	for _, link := range created.Objects("chain") {
		if link.Has("features") {
			return link.Int("features")
		}
	}
	return -1
}

// holds: WIN-062
func TestWhoIsAsked(t *testing.T) {
	w := newWorld(t, adapters(1)...)
	w.DriverKind(world.ByAdapter, "five", "device name=five luid=1", "interface 0 5").API("1.1.0")
	w.DriverKind(world.ByAdapter, "six", "device name=six luid=1", "interface 0 6", "adapter_by_gipa", "log_lookups "+function).API("1.1.0")
	w.DriverKind(world.ByAdapter, "seven", "device name=seven luid=1", "adapter_by_gipa", "log_lookups "+function).API("1.1.0")
	w.DriverKind(world.ByAdapter, "export", "device name=export luid=1", "log_lookups "+function).API("1.1.0")
	w.Driver("gipa", "device name=gipa luid=1", "adapter_by_gipa").API("1.1.0")
	w.Driver("none", "device name=none luid=1").API("1.1.0")
	h := begin(w)
	wantDevices(t, h, "gipa export seven six none five")
	h.Do("destroy_instance")
	h.Quit()
	for who, want := range map[string]int64{"six": -1, "seven": 1, "export": 0} {
		looked := w.Log().By(who).Fn("vk_icdGetInstanceProcAddr")
		found := int64(-1)
		if len(looked) > 0 {
			found = looked[0].Int("found")
		}
		if found != want {
			t.Errorf("%s: the look-up found %d, want %d", who, found, want)
		}
	}
}

// holds: WIN-063 WIN-064
func TestFailures(t *testing.T) {
	for _, c := range []struct {
		code  int
		warns bool
	}{{incompatibleDriver, false}, {initializationFailed, false}, {outOfDeviceMemory, true}, {-4, true}, {outOfHostMemory, false}} {
		t.Run(fmt.Sprint(c.code), func(t *testing.T) {
			w := newWorld(t, adapters(1, 2)...)
			driver(w, "a", "a0 2", "a1 1").Script(fmt.Sprintf("result %s %d", function, c.code))
			driver(w, "b", "b0 2", "b1 1")
			h := begin(w)
			if c.code == outOfHostMemory {
				for _, command := range []string{"physical_devices", "device_groups"} {
					if a := h.Do(command); a.Result() != outOfHostMemory {
						t.Errorf("%s: %v", command, a)
					}
				}
			} else {
				wantDevices(t, h, "b1 b0 a0 a1")
			}
			h.Do("destroy_instance")
			h.Quit()
			if said := count(h.Messages(), fmt.Sprintf("failed with error code %d; it counts as having no device", c.code)); (said > 0) != c.warns {
				t.Errorf("%d warnings:\n%s", said, h.Stderr())
			}
		})
	}
}

// holds: WIN-064
//
// No driver has devices of any adapter.
func TestNobodysAdapter(t *testing.T) {
	w := newWorld(t, adapters(1)...)
	driver(w, "a", "a0 2", "a1 3")
	h := begin(w)
	wantDevices(t, h, "a0 a1")
	h.Do("destroy_instance")
	h.Quit()
	if said := count(h.Messages(), "windows_sort"); said != 0 {
		t.Errorf("it is no news:\n%s", h.Stderr())
	}
}

// holds: WIN-065
//
// A device appears between the two calls: the list is requested again.
func TestIncomplete(t *testing.T) {
	w := newWorld(t, adapters(1)...)
	driver(w, "a", "a0 -", "a1 1", "a2 1 late=1")
	h := begin(w)
	if got := names(h, h.OK("physical_devices", "count", "3").Ints("devices")); strings.Join(got, " ") != "a1 a2 a0" {
		t.Errorf("devices are %v", got)
	}
	h.Do("destroy_instance")
	h.Quit()
	var rooms []int64
	for _, call := range w.Log().Fn(function) {
		if call.Text("phase") == "fill" {
			rooms = append(rooms, call.Int("room"))
		}
	}
	if !slices.Equal(rooms, []int64{1, 2}) {
		t.Errorf("arrays had room for %v", rooms)
	}
}

// holds: WIN-067 WIN-068
//
// Of two drivers for an adapter, the one on Direct3D 12 comes second. It is recognized with the core function if program and device are
// of 1.1, otherwise with the KHR function; a driver with neither is not asked.
func TestLayered(t *testing.T) {
	const khr = "VK_KHR_get_physical_device_properties2"
	for _, c := range []struct {
		name, program, device string
		ext                   bool
		want, by              string
	}{
		{"core", "1.1.0", "1.1.0", false, "native layered", "vkGetPhysicalDeviceProperties2"},
		{"old program", "1.0.0", "1.1.0", true, "native layered", "vkGetPhysicalDeviceProperties2KHR"},
		{"old device", "1.1.0", "1.0.0", true, "native layered", "vkGetPhysicalDeviceProperties2KHR"},
		{"neither", "1.1.0", "1.0.0", false, "layered native", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, adapters(1)...)
			driver(w, "n", "native 1")
			d := driver(w, "l", "layered 1 layered=1 api="+c.device).API(c.device)
			if c.ext {
				d.Script("ext " + khr)
			}
			h := w.Start()
			h.OK("create_instance", "api", c.program)
			wantDevices(t, h, c.want)
			h.Do("destroy_instance")
			h.Quit()
			var by []string
			for _, call := range w.Log().By("l").Fn("vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceProperties2KHR") {
				by = append(by, call.Text("fn"))
			}
			if slices.Sort(by); c.by == "" && len(by) > 0 || c.by != "" && (len(by) == 0 || by[0] != c.by || by[len(by)-1] != c.by) {
				t.Errorf("asked by %v, want %s", by, c.by)
			}
		})
	}
}

// holds: WIN-067
//
// The native driver is already first, and other adapters are not affected.
func TestNativeFirst(t *testing.T) {
	w := newWorld(t, adapters(1, 2)...)
	driver(w, "l", "l1 1 layered=1", "l2 2 layered=1")
	driver(w, "n", "n2 2", "n3 2")
	h := begin(w)
	wantDevices(t, h, "l1 n2 n3 l2")
	h.Do("destroy_instance")
	h.Quit()
}

// holds: WIN-070
func TestGroups(t *testing.T) {
	w := newWorld(t, adapters(1, 2)...)
	driver(w, "a", "a0 -", "a1 2", "a2 1", "a3 2").Script("group a0", "group a1 a2", "group a3")
	driver(w, "b", "b0 -", "b1 2").Script("group b0 b1")
	h := begin(w)
	want := "a2+a1 b1+b0 a3 a0"
	for i := range 2 {
		var got []string
		for _, group := range h.OK("device_groups").Objects("groups") {
			got = append(got, strings.Join(names(h, group.Ints("devices")), "+"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%d: groups are %v, want %s", i, got, want)
		}
	}
	// the values that drivers write into a chain: the number of the first device that they list
	words := []int64{2, 1, 4, 1}
	for n := 1; n <= len(words); n++ {
		a := h.Do("device_groups", "chain", "1", "count", fmt.Sprint(n))
		if a.Result() != map[bool]int{true: incomplete}[n < len(words)] || len(a.Objects("groups")) != n {
			t.Errorf("room for %d: %v", n, a)
		}
		for i, group := range a.Objects("groups") {
			if first := names(h, group.Ints("devices")[:1])[0]; !strings.HasPrefix(strings.Fields(want)[i], first) || group.Int("word") != words[i] {
				t.Errorf("room for %d: group %d begins with %s and has the chain of %d", n, i, first, group.Int("word"))
			}
		}
	}
	h.Do("destroy_instance")
	h.Quit()
}

// holds: WIN-070
//
// Groups whose devices belong to no adapter keep the order of their driver, after the others, and so do their
// members.
func TestUnsortedGroups(t *testing.T) {
	for _, c := range []struct {
		luid int
		want string
	}{{9, "a3+a0 a2 a1 b1+b0"}, {1, "a1 b1+b0 a3+a0 a2"}} {
		t.Run(fmt.Sprint(c.luid), func(t *testing.T) {
			w := newWorld(t, adapters(c.luid)...)
			driver(w, "b", "b0 2", "b1 1").Script("group b1 b0")
			driver(w, "a", "a0 2", "a1 1", "a2 3", "a3 4").Script("group a3 a0", "group a2", "group a1")
			h := begin(w)
			var got []string
			for _, group := range h.OK("device_groups").Objects("groups") {
				got = append(got, strings.Join(names(h, group.Ints("devices")), "+"))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("groups are %v, want %s", got, c.want)
			}
			h.Do("destroy_instance")
			h.Quit()
		})
	}
}

// A driver fails when it is asked again, for the chains of the remaining groups.
func TestTrimmedGroups(t *testing.T) {
	w := newWorld(t, adapters(1, 2)...)
	driver(w, "it", "b 2", "a 1").Script("group b", "group a", "result vkEnumeratePhysicalDeviceGroups -13 3")
	h := begin(w)
	if a := h.Do("device_groups", "chain", "1", "count", "1"); a.Result() != -13 {
		t.Errorf("%v", a)
	}
	if a := h.Do("device_groups", "chain", "1", "count", "1"); a.Result() != incomplete || a.Objects("groups")[0].Int("word") != 2 {
		t.Errorf("again: %v", a)
	}
	h.Do("destroy_instance")
	h.Quit()
}

// holds: WIN-071
func TestManyAdapters(t *testing.T) {
	var luids []int
	var devices, want []string
	for i := range 10 {
		luids = append(luids, i)
		devices = append(devices, fmt.Sprintf("d%d %d", 2*i, 9-i), fmt.Sprintf("d%d %d", 2*i+1, 9-i))
		want = append([]string{fmt.Sprintf("d%d", 2*i), fmt.Sprintf("d%d", 2*i+1)}, want...)
	}
	w := newWorld(t, adapters(luids...)...)
	driver(w, "a", devices...)
	h := begin(w)
	wantDevices(t, h, strings.Join(want, " "))
	found := h.OK("physical_devices").Ints("devices")
	for _, device := range found {
		h.OK("create_device", "pd", world.Ref(device), "as", "d")
		h.Do("destroy_device", "device", "d")
	}
	if len(found) != 20 {
		t.Errorf("%d devices", len(found))
	}
	h.Do("destroy_instance")
	h.Quit()
}

// holds: WIN-069 WIN-072
//
// A driver may list a device only by its adapter. No device at all is an error.
func TestByAdapterAlone(t *testing.T) {
	w := newWorld(t, adapters(1)...)
	d := driver(w, "a", "a0 1 there=0")
	h := begin(w)
	wantDevices(t, h, "a0")
	h.OK("create_device", "pd", world.Ref(h.OK("physical_devices").Ints("devices")[0]))
	h.Do("destroy_device")
	d.Replace("api 1.1.0")
	if a := h.Do("physical_devices"); a.Result() != initializationFailed {
		t.Errorf("without devices: %v", a)
	}
	h.Do("destroy_instance")
	h.Quit()
}
