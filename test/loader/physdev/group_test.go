package physdev

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

const groupCreation = "VK_KHR_device_group_creation"

// holds: PHY-060 PHY-064 PHY-065 PHY-066 PHY-067 PHY-076 EXT-035 EXT-037 LAY-397
func TestGroups(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "ext "+groupCreation, "device name=a0", "device name=a1", "device name=a2", "group a2 a0", "group a1 subset=1").API("1.1.0")
	w.Driver("b", "ext "+groupCreation, "device name=b0").API("1.1.0")
	w.Env["VK_LOADER_DEBUG"] = "info"
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0", "ext", groupCreation)
	first := h.OK("device_groups") // PHY-065: before any other enumeration
	if got, want := groupNames(h, first), []string{"b0", "a2+a0", "a1"}; !slices.Equal(got, want) {
		t.Errorf("groups are %v, want %v", got, want)
	}
	groups := first.Objects("groups")
	var members []int
	for i, g := range groups {
		members = append(members, g.Ints("devices")...)
		if g.Int("subset") != map[bool]int64{true: 1}[i == 2] {
			t.Errorf("group %d: subsetAllocation is %d", i, g.Int("subset"))
		}
		if g.Int("type") != 1000070000 {
			t.Errorf("group %d: sType is %d", i, g.Int("type"))
		}
	}
	devices := all(h)
	slices.Sort(members)
	sortedDevices := slices.Clone(devices)
	slices.Sort(sortedDevices)
	if !slices.Equal(members, sortedDevices) {
		t.Errorf("the groups have %v, the devices are %v", members, devices)
	}
	same := func(a world.Answer, what string) {
		t.Helper()
		for i, g := range a.Objects("groups") {
			if !slices.Equal(g.Ints("devices"), groups[i].Ints("devices")) {
				t.Errorf("%s: group %d is %v, was %v", what, i, g, groups[i])
			}
		}
	}
	again := h.OK("device_groups")
	same(again, "again")
	khr := h.OK("device_groups", "khr", "1", "via", "gipa")
	same(khr, "KHR")
	if h.Do("gipa", "instance", "i", "name", "vkEnumeratePhysicalDeviceGroupsKHR").Int("ptr") != h.Do("dlsym", "name", "vkEnumeratePhysicalDeviceGroups").Int("ptr") {
		t.Error("the two names are two functions")
	}
	if a := h.OK("device_groups", "count", "only", "before", "77"); a.Int("count") != 3 {
		t.Errorf("counted: %v", a)
	}
	for n := range 3 {
		mark := len(h.Messages())
		a := h.Do("device_groups", "count", fmt.Sprint(n))
		if a.Result() != incomplete || a.Int("count") != int64(n) || len(a.Objects("groups")) != n {
			t.Errorf("room %d: %v", n, a)
		}
		same(a, "trimmed")
		said(t, since(h.Messages(), mark), fmt.Sprintf("terminator_EnumeratePhysicalDeviceGroups : Trimming device count from 3 to %d.", n), 1)
	}
	if a := h.OK("device_groups", "count", "9"); a.Int("count") != 3 {
		t.Errorf("large array: %v", a)
	}
	h.Quit()
}

// holds: PHY-068 EXT-038
func TestGroupsNullCount(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a")
	w.Env["VK_LOADER_DEBUG"] = "error"
	h := w.Start()
	h.OK("create_instance")
	if got := h.Do("device_groups", "count", "null").Result(); got != initializationFailed {
		t.Errorf("result %d", got)
	}
	saidLine(t, h, "ERROR", "vkEnumeratePhysicalDeviceGroups: Received NULL pointer for physical device group count return value.")
	h.Quit()
}

// holds: PHY-061 PHY-062 PHY-063 PHY-073 EXT-036
func TestWhichGroupFunction(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		create []string
		want   string
	}{
		{"extension enabled", []string{"ext", groupCreation}, "vkEnumeratePhysicalDeviceGroupsKHR"},
		{"extension enabled, 1.1", []string{"api", "1.1.0", "ext", groupCreation}, "vkEnumeratePhysicalDeviceGroupsKHR"},
		{"1.1", []string{"api", "1.1.0"}, "vkEnumeratePhysicalDeviceGroups"},
		{"1.0", nil, "vkEnumeratePhysicalDeviceGroups"},
	} {
		w := world.New(t)
		w.Driver("both", "ext "+groupCreation, "device name=x", "device name=y", "group x y").API("1.1.0")
		h := w.Start()
		h.OK("create_instance", c.create...)
		wantGroups(t, h, "x+y")
		for _, e := range w.Log().Fn("vkEnumeratePhysicalDeviceGroups", "vkEnumeratePhysicalDeviceGroupsKHR") {
			if e.Text("fn") != c.want {
				t.Errorf("%s: the driver's %s was called", c.name, e.Text("fn"))
			}
		}
		h.Quit()
	}
	// With the extension enabled, the core function is not called.
	w := world.New(t)
	w.Driver("plain", "device name=x", "device name=y", "group x y").API("1.1.0")
	w.Driver("khr", "ext "+groupCreation, "device name=z")
	h := w.Start()
	h.OK("create_instance", "ext", groupCreation)
	wantGroups(t, h, "z", "x", "y")
	h.Quit()

	w = world.New(t) // PHY-063
	w.Driver("d0", "device name=a")
	w.Driver("d1", "device name=b", "device name=c", "group b c").API("1.1.0")
	w.Driver("d2", "device name=d", "device name=e", "device name=f")
	h = w.Start()
	h.OK("create_instance", "api", "1.0.0")
	wantGroups(t, h, "d", "e", "f", "b+c", "a")
	for _, g := range h.OK("device_groups").Objects("groups") {
		if g.Int("members") == 1 && g.Int("subset") != 0 {
			t.Errorf("subsetAllocation of an emulated group: %v", g)
		}
		if g.Int("type") != 1000070000 { // PHY-073
			t.Errorf("sType: %v", g)
		}
	}
	h.Quit()
}

// holds: PHY-069 PHY-053
func TestNoGroups(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "api 1.0.0")
	h := w.Start()
	h.OK("create_instance")
	for _, count := range []string{"only", "3"} {
		if got := h.Do("device_groups", "count", count, "before", "5").Result(); got != initializationFailed {
			t.Errorf("count %s: result %d", count, got)
		}
	}
	if gone := w.Log().Fn("vkDestroyInstance"); len(gone) != 0 {
		t.Errorf("removed: %v", gone)
	}
	h.Quit()
}

// holds: PHY-070 PHY-053
func TestGroupsChange(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	d := w.Driver("a", "device name=x", "device name=y", "device name=z", "group x y", "group z").API("1.1.0")
	w.Driver("empty", "api 1.0.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	wantGroups(t, h, "x+y", "z")
	before := h.OK("device_groups").Objects("groups")
	d.Replace("api 1.1.0", "device name=x", "device name=y", "device name=z", "device name=new", "group x", "group new", "group y z")
	after := h.OK("device_groups")
	if got, want := groupNames(h, after), []string{"x", "new", "y+z"}; !slices.Equal(got, want) {
		t.Errorf("groups are %v, want %v", got, want)
	}
	groups := after.Objects("groups")
	if groups[0].Ints("devices")[0] != before[0].Ints("devices")[0] || groups[2].Ints("devices")[0] != before[0].Ints("devices")[1] ||
		groups[2].Ints("devices")[1] != before[1].Ints("devices")[0] {
		t.Errorf("handles changed: %v, before %v", groups, before)
	}
	d.Replace("api 1.1.0", "device name=y", "group y")
	wantGroups(t, h, "y")
	if gone := w.Log().Fn("vkDestroyInstance"); len(gone) != 0 {
		t.Errorf("removed: %v", gone)
	}
	h.Quit()
}

// The fake writes the number of a group's first device into the group's chain.
//
// holds: PHY-071 PHY-072
func TestGroupChains(t *testing.T) {
	t.Parallel()
	for _, off := range []string{"0", "1"} { // sorted and not
		w := world.New(t)
		w.Env["VK_LOADER_DISABLE_SELECT"] = off
		w.Driver("a", "device name=cpu type=cpu", "device name=int type=integrated", "device name=disc type=discrete",
			"group cpu", "group int", "group disc").API("1.1.0")
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0")
		a := h.OK("device_groups", "chain", "1")
		order := map[string]int64{"cpu": 1, "int": 2, "disc": 3} // created in this order
		want := []string{"disc", "int", "cpu"}
		if off == "1" {
			want = []string{"cpu", "int", "disc"}
		}
		want = by(want, []string{"cpu", "int", "disc"})
		if got := groupNames(h, a); !slices.Equal(got, want) {
			t.Errorf("groups are %v, want %v", got, want)
		}
		for i, g := range a.Objects("groups") {
			if g.Int("word") != order[want[i]] {
				t.Errorf("group %s has the chain of %d", want[i], g.Int("word"))
			}
		}
		for _, n := range []int{1, 2} {
			a = h.Do("device_groups", "chain", "1", "count", fmt.Sprint(n))
			if a.Result() != incomplete || len(a.Objects("groups")) != n {
				t.Errorf("room %d: %v", n, a)
			}
			for i, g := range a.Objects("groups") {
				if g.Int("word") != order[want[i]] {
					t.Errorf("room %d: group %s has the chain of %d", n, want[i], g.Int("word"))
				}
			}
		}
		h.Quit()
	}
}

// A trimmed result of several drivers is sorted: each returned group has its own chain.
//
// holds: PHY-067 PHY-071 PHY-072
func TestTrimmedGroupChains(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	kinds := []string{"cpu", "virtual", "discrete", "integrated"}
	// in every driver the second device, with number 2, comes first in the sorted order
	for i, kind := range kinds {
		w.Driver(fmt.Sprintf("d%d", i), "device name=other_"+kind+" type=other", "device name="+kind+" type="+kind, "group other_"+kind, "group "+kind).API("1.1.0")
	}
	w.Driver("old", "device name=old type=9") // a driver without the group function
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	want := []string{"discrete", "integrated", "virtual", "other_integrated", "other_discrete", "other_virtual", "other_cpu", "cpu", "old"}
	numbers := []int64{2, 2, 2, 1, 1, 1, 1, 2, 0}
	if world.Windows() {
		want = []string{"old", "other_integrated", "integrated", "other_discrete", "discrete", "other_virtual", "virtual", "other_cpu", "cpu"}
		numbers = []int64{0, 1, 2, 1, 2, 1, 2, 1, 2}
	}
	for n := range len(want) + 1 {
		a := h.Do("device_groups", "chain", "1", "count", fmt.Sprint(n))
		if got := groupNames(h, a); !slices.Equal(got, want[:n]) {
			t.Errorf("room %d: %v", n, got)
		}
		for i, g := range a.Objects("groups") {
			if g.Int("word") != numbers[i] {
				t.Errorf("room %d: %s has the chain of %d", n, want[i], g.Int("word"))
			}
		}
	}
	h.Quit()
}

// The remaining groups may belong to a driver without the group function, and have no chain.
//
// holds: PHY-067 PHY-072
func TestTrimmedGroupOfAnOldDriver(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("new", "device name=b type=cpu", "group b").API("1.1.0")
	w.Driver("old", "device name=a type=discrete")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	a := h.Do("device_groups", "chain", "1", "count", "1")
	if a.Result() != incomplete || a.Objects("groups")[0].Int("word") != 0 || !slices.Equal(groupNames(h, a), []string{"a"}) {
		t.Errorf("%v", a)
	}
	h.Quit()
}

// A driver fails when it is asked again for the chains of the remaining groups.
func TestTrimmedGroupsFail(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("it", "device name=b type=cpu", "device name=a type=discrete", "group b", "group a",
		"result vkEnumeratePhysicalDeviceGroups -13 3").API("1.1.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	if a := h.Do("device_groups", "chain", "1", "count", "1"); a.Result() != -13 {
		t.Errorf("%v", a)
	}
	if a := h.Do("device_groups", "chain", "1", "count", "1"); a.Result() != incomplete || a.Objects("groups")[0].Int("word") != 2 {
		t.Errorf("again: %v", a)
	}
	h.Quit()
}

// holds: PHY-075 ENV-84 ENV-90
func TestSortedGroups(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("d0", pci("d7", "discrete", 7), pci("d6", "discrete", 6), pci("int", "integrated", 3), "group d7 d6", "group int").API("1.1.0")
	w.Driver("d1", pci("cpu", "cpu", 0), "group cpu").API("1.1.0")
	w.Driver("d2", pci("d4", "discrete", 4), pci("d2", "discrete", 2), pci("d1", "discrete", 1), "group d4 d2", "group d1").API("1.1.0")
	w.Driver("d3", pci("virt", "virtual", 0), "group virt").API("1.1.0")
	w.Env["VK_LOADER_DEBUG"] = "all"
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	for range 2 {
		wantGroups(t, h, "d1", "d2+d4", "d6+d7", "int", "virt", "cpu")
	}
	h.Do("setenv", "name", "VK_LOADER_DEVICE_SELECT", "value", "0x10:8") // bus 7
	wantGroups(t, h, "d7+d6", "d1", "d2+d4", "int", "virt", "cpu")
	if !contains(h.Messages(), "linux_env_var_default_device:  Found default at index 0 'd7'") {
		t.Errorf("the selection is not told: %q", h.Messages())
	}
	h.Do("setenv", "name", "VK_LOADER_DEVICE_SELECT", "value", "0x10:1") // names the CPU and the virtual device
	wantGroups(t, h, "virt", "cpu", "d1", "d2+d4", "d6+d7", "int")
	h.Do("unsetenv", "name", "VK_LOADER_DEVICE_SELECT")
	a := h.Do("device_groups", "count", "2")
	if got := groupNames(h, a); !slices.Equal(got, []string{"d1", "d2+d4"}) {
		t.Errorf("the first two are %v", got)
	}
	h.Quit()
}

// holds: PHY-077
func TestExaggeratedGroups(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	w.Driver("more", "device name=x", "device name=y", "more vkEnumeratePhysicalDeviceGroups 3").API("1.1.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	wantGroups(t, h, "x", "y")
	h.Quit()

	w = world.New(t) // the driver in the middle returns fewer groups than it has counted
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	for _, name := range []string{"a", "b", "c"} {
		w.Driver(name, "device name="+name+"0", "device name="+name+"1").API("1.1.0")
		if name == "b" {
			w.Driver("fewer", "device name=x", "device name=y", "more vkEnumeratePhysicalDeviceGroups -1").API("1.1.0")
		}
	}
	h = w.Start()
	h.OK("create_instance", "api", "1.1.0")
	wantGroups(t, h, "c0", "c1", "x", "b0", "b1", "a0", "a1")
	h.Quit()
}

// As in TestDriverListsIncompletely, for both lists that groups need.
//
// holds: PHY-062 PHY-064 PHY-079
func TestDriverListsGroupsIncompletely(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api, line string
		groups    int // calls
	}{
		{"1.1.0", "result vkEnumeratePhysicalDeviceGroups 5 fill", 18},
		{"1.1.0", "result vkEnumeratePhysicalDeviceGroups 5 2", 4},
		{"1.1.0", "result vkEnumeratePhysicalDevices 5 fill", 2},
		{"1.0.0", "result vkEnumeratePhysicalDevices 5 fill", 0},
	} {
		w := world.New(t)
		w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
		w.Driver("first", "device name=first").API("1.1.0")
		w.Driver("long", "device name=a", "device name=b", c.line).API(c.api)
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0")
		if got := h.OK("device_groups", "count", "4").Int("count"); got != 3 {
			t.Errorf("%v: %d groups", c, got)
		}
		if got := len(w.Log().By("long").Fn("vkEnumeratePhysicalDeviceGroups")); got != c.groups {
			t.Errorf("%v: asked %d times", c, got)
		}
		wantGroups(t, h, "a", "b", "first")
		h.Quit()
	}
}

// A result that is neither an error nor a success with a list is passed on, and nothing in the program's array is treated as a handle.
func TestGroupsWithoutAList(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"result vkEnumeratePhysicalDeviceGroups 2 fill", "result vkEnumeratePhysicalDevices 2 fill"} {
		for _, filter := range []string{"", "1"} {
			w := world.New(t)
			w.Driver("odd", "device name=a vendor=1", line).API("1.1.0")
			w.Env["VK_LOADER_VENDOR_ID_FILTER"] = filter
			h := w.Start()
			h.OK("create_instance", "api", "1.1.0")
			if a := h.Do("device_groups", "count", "4"); a.Result() != 2 {
				t.Errorf("%s: %v", line, a)
			}
			h.Quit()
		}
	}
}

// A driver with an impossible group gets a group for each of its devices; the groups of other drivers do not change.
//
// holds: PHY-077 PHY-078
func TestImpossibleGroups(t *testing.T) {
	t.Parallel()
	for _, lines := range [][]string{
		{"group x y members=0"}, {"group x y members=33"}, {"group x y members=1000"}, {"group x y members=4294967295"},
		{"group y", "group x hidden"}, {"group hidden"}, {"group x x"}, {"group x y", "group x y members=0"},
	} {
		for _, sorted := range []bool{false, true} {
			w := world.New(t)
			w.Env["VK_LOADER_DEBUG"] = "error"
			if !sorted {
				w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
			}
			w.Driver("first", pci("f1", "discrete", 1), pci("f2", "discrete", 2), "group f1 f2").API("1.1.0")
			bad := w.Driver("bad", append(lines, pci("x", "discrete", 3), pci("y", "discrete", 4))...).API("1.1.0")
			w.Driver("last", pci("l1", "discrete", 5), pci("l2", "discrete", 6), "group l1 l2").API("1.1.0")
			h := w.Start()
			h.OK("create_instance", "api", "1.1.0")
			want := []string{"l1+l2", "x", "y", "f1+f2"}
			if sorted && !world.Windows() { // Windows sorts by DXGI's adapters
				want = []string{"f1+f2", "x", "y", "l1+l2"}
			}
			mark := len(h.Messages())
			wantGroups(t, h, want...)
			told := strings.Join(since(h.Messages(), mark), "\n")
			if !strings.Contains(told, "terminator_EnumeratePhysicalDeviceGroups: Driver "+bad.Library+" reports a device group that cannot be true") {
				t.Errorf("%v: no line names the driver: %s", lines, told)
			}
			a := h.Do("device_groups", "count", "2")
			if got := groupNames(h, a); !slices.Equal(got, want[:2]) || a.Result() != incomplete {
				t.Errorf("%v: the first two are %v", lines, a)
			}
			h.Do("setenv", "name", "VK_LOADER_VENDOR_ID_FILTER", "value", "0-0xffffffff")
			wantGroups(t, h, want...)
			h.Quit()
		}
	}
}

// A group has up to 32 members.
//
// holds: PHY-078
func TestLargestGroup(t *testing.T) {
	t.Parallel()
	for members, groups := range map[int]int{32: 1, 33: 33} {
		var lines []string
		group := "group"
		for i := range members {
			lines = append(lines, fmt.Sprintf("device name=n%d", i))
			group += fmt.Sprintf(" n%d", i)
		}
		w := world.New(t)
		w.Driver("large", append(lines, fmt.Sprintf("%s members=%d", group, members))...).API("1.1.0")
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0")
		if got := h.OK("device_groups").Objects("groups"); len(got) != groups || got[0].Int("members") != int64(len(got[0].Ints("devices"))) {
			t.Errorf("%d members: %v", members, got)
		}
		h.Quit()
	}
}

// holds: PHY-079
func TestGroupFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, api, line, message string }{
		{"groups", "1.1.0", "result vkEnumeratePhysicalDeviceGroups -3 count",
			"terminator_EnumeratePhysicalDeviceGroups:  Failed during dispatch call of 'EnumeratePhysicalDeviceGroups' to ICD %s to get count."},
		{"devices", "1.0.0", "result vkEnumeratePhysicalDevices -3 count",
			"terminator_EnumeratePhysicalDeviceGroups:  Failed during dispatch call of 'EnumeratePhysicalDevices' to ICD %s to get plain phys dev count."},
		{"devices of groups", "1.1.0", "result vkEnumeratePhysicalDevices -3 count",
			"setup_loader_term_phys_devs: Call to 'vkEnumeratePhysicalDevices' in ICD %s failed with error code -3"},
	} {
		w := world.New(t)
		w.Env["VK_LOADER_DEBUG"] = "error"
		w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
		w.Driver("first", "device name=first").API("1.1.0")
		bad := w.Driver("bad", "device name=bad", c.line).API(c.api)
		w.Driver("last", "device name=last")
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0")
		wantGroups(t, h, "last", "first")
		said(t, h.Messages(), fmt.Sprintf(c.message, bad.Library), 2)
		h.Quit()
	}
	for _, c := range []struct{ api, line string }{
		{"1.1.0", "result vkEnumeratePhysicalDeviceGroups -13 fill"},
		{"1.0.0", "result vkEnumeratePhysicalDevices -13 fill"},
	} {
		w := world.New(t)
		w.Driver("good")
		w.Driver("bad", "device name=bad", c.line).API(c.api)
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0")
		if got := h.Do("device_groups", "count", "4").Result(); got != -13 {
			t.Errorf("%v: result %d", c, got)
		}
		h.Quit()
	}
}
