package physdev

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// eight creates eight devices in two drivers, with device ids 0x500 to 0x507, vendor ids 0x10 and 0x11, and driver
// ids 1 to 8.
func eight(w *world.World, api string) {
	for d := range 2 {
		lines := []string{"ext " + props2}
		for i := range 4 {
			n := 4*(1-d) + i // chain order is the reverse
			lines = append(lines, fmt.Sprintf("device name=n%d device=0x50%d vendor=0x1%d driver_id=%d", n, n, n%2, n+1))
		}
		w.Driver(fmt.Sprintf("d%d", d), lines...).API(api)
	}
}

func filtered(t *testing.T, h *world.Host, variables map[string]string, want ...string) {
	t.Helper()
	for name, value := range variables {
		h.Do("setenv", "name", "VK_LOADER_"+name+"_ID_FILTER", "value", value)
	}
	a := h.OK("physical_devices", "count", "only", "before", "99")
	if a.Int("count") != int64(len(want)) {
		t.Errorf("%v: count %d, want %v", variables, a.Int("count"), want)
	}
	a = h.OK("physical_devices", "count", "20")
	if got := names(h, a.Ints("devices")); !slices.Equal(got, want) || a.Int("count") != int64(len(want)) || a.Int("written") != int64(len(want)) {
		t.Errorf("%v: %v %v, want %v", variables, got, a, want)
	}
	for name := range variables {
		h.Do("unsetenv", "name", "VK_LOADER_"+name+"_ID_FILTER")
	}
}

// holds: PHY-036 PHY-037 PHY-038 PHY-040 PHY-041 PHY-043 PHY-045 ENV-92..100 ENV-102 ENV-103
func TestFilters(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	eight(w, "1.1.0")
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	everything := []string{"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"}
	for value, want := range map[string]string{
		"0x501-0x503,0x506":   "n1 n2 n3 n6",
		"0x501:0x503":         "n1 n2 n3",
		"0x501x0x503":         "n1 n2 n3",
		"1281-1283":           "n1 n2 n3", // decimal
		"02401-02403":         "n1 n2 n3", // octal
		"0X501-0X50f":         "n1 n2 n3 n4 n5 n6 n7",
		" 0x501,\t0x502":      "n1 n2",
		",,0x501,,,0x502,":    "n1 n2",
		"":                    "*",
		",":                   "*",
		",,,":                 "*",
		"0x501":               "n1",
		"0x501-":              "", // the range ends at 0
		"0x501 ":              "",
		"0x503-0x501":         "",
		"0x501-0x502:9":       "n1 n2",
		"abc":                 "",
		"*":                   "",
		"0x501-abc":           "",
		"0-0x501":             "n0 n1",
		"0x100000501":         "n1", // the low 32 bits
		"0x501,0x501,0x501":   "n1",
		"0-0xffffffff":        "*",
		"1,0x502,junk,0x504-": "n2",
	} {
		list := strings.Fields(want)
		if want == "*" {
			list = everything
		}
		filtered(t, h, map[string]string{"DEVICE": value}, list...)
	}
	filtered(t, h, map[string]string{"VENDOR": "0x11"}, "n1", "n3", "n5", "n7")
	filtered(t, h, map[string]string{"DRIVER": "2-4"}, "n1", "n2", "n3")
	filtered(t, h, map[string]string{"VENDOR": "0x11", "DEVICE": "0x502-0x506"}, "n3", "n5") // PHY-040, ENV-99
	filtered(t, h, map[string]string{"VENDOR": "0x11", "DEVICE": "0x502-0x506", "DRIVER": "6"}, "n5")
	filtered(t, h, map[string]string{"VENDOR": "0x99"})
	filtered(t, h, nil, everything...) // the variables are read at every call: unset again
	h.Quit()
}

// holds: PHY-038 ENV-97
func TestFilterOfZero(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=zero device=0", "device name=one device=1", "device name=two device=2")
	h := w.Start()
	h.OK("create_instance")
	for _, value := range []string{"abc", "*", "0", "-", "zero"} {
		filtered(t, h, map[string]string{"DEVICE": value}, "zero")
	}
	filtered(t, h, map[string]string{"DEVICE": "0-1"}, "zero", "one")
	filtered(t, h, map[string]string{"DEVICE": "0-"}, "zero")
	h.Quit()
}

// The number of ranges is not limited.
//
// holds: PHY-039 ENV-98
func TestManyRanges(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	eight(w, "1.1.0")
	w.Env["VK_LOADER_DEBUG"] = "warn"
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	most := 20_000
	if world.Windows() { // a variable has at most 32,767 characters
		most = 5_000
	}
	for _, count := range []int{15, 16, 17, most} {
		filtered(t, h, map[string]string{"DEVICE": strings.Repeat("1,", count) + "0x501,0x503-0x504"}, "n1", "n3", "n4")
		filtered(t, h, map[string]string{"VENDOR": strings.Repeat("1-2,", count) + "0x11"}, "n1", "n3", "n5", "n7")
		filtered(t, h, map[string]string{"DRIVER": strings.Repeat("100,,", count) + "2-4"}, "n1", "n2", "n3")
		filtered(t, h, map[string]string{"DRIVER": strings.Repeat("100,", count) + "200"})
	}
	if contains(h.Messages(), "parse_id_filter_environment_var") {
		t.Error("a message about the number of entries")
	}
	h.Quit()
}

// holds: PHY-042 ENV-104
func TestDriverFilterNeedsTheQuery(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		driver string
		create []string
		lines  []string
		want   int
	}{
		{"1.0", "1.1.0", nil, nil, 0},
		{"1.0 with the extension", "1.0.0", []string{"ext", props2}, nil, 8},
		{"1.1", "1.1.0", []string{"api", "1.1.0"}, nil, 8},
		{"1.1, driver without the function", "1.0.0", []string{"api", "1.1.0"}, nil, 0},
		{"1.0 with the extension, driver without the function", "1.0.0", []string{"ext", props2}, []string{"missing vkGetPhysicalDeviceProperties2KHR"}, 4},
	} {
		w := world.New(t)
		eight(w, c.driver)
		if c.lines != nil {
			d := w.Driver("other", words([]string{"ext " + props2, "device name=x driver_id=3"}, c.lines)...)
			_ = d
		}
		w.Env["VK_LOADER_DRIVER_ID_FILTER"] = "0-100"
		h := w.Start()
		h.OK("create_instance", c.create...)
		want := c.want
		if c.lines != nil {
			want = 8 // without the other driver's device
		}
		if got := h.OK("physical_devices", "count", "20").Int("count"); got != int64(want) {
			t.Errorf("%s: %d devices, want %d", c.name, got, want)
		}
		if got := h.OK("physical_devices", "count", "only").Int("count"); got != int64(want) {
			t.Errorf("%s: %d devices counted, want %d", c.name, got, want)
		}
		h.Quit()
	}
}

// holds: PHY-044 ENV-101
func TestFilteredCounts(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	eight(w, "1.0.0")
	w.Env["VK_LOADER_DEVICE_ID_FILTER"] = "0x502-0x506"
	h := w.Start()
	h.OK("create_instance")
	if a := h.Do("physical_devices", "count", "2"); a.Result() != incomplete || a.Int("count") != 2 || a.Int("written") != 2 {
		t.Errorf("five of eight, room for two: %v", a)
	}
	if a := h.Do("physical_devices", "count", "0"); a.Result() != incomplete || a.Int("count") != 0 || a.Int("written") != 0 {
		t.Errorf("five of eight, room for none: %v", a)
	}
	first := h.OK("physical_devices", "count", "5").Ints("devices")
	h.Do("setenv", "name", "VK_LOADER_DEVICE_ID_FILTER", "value", "0x503")
	if a := h.OK("physical_devices", "count", "4"); a.Int("count") != 1 || a.Int("written") != 1 || a.Ints("devices")[0] != first[1] {
		t.Errorf("one of eight, room for four: %v", a)
	}
	h.Quit()
}

// holds: PHY-045 PHY-047 ENV-102
func TestFilteredDriversStay(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	eight(w, "1.0.0")
	w.Driver("empty", "api 1.0.0")
	w.Env["VK_LOADER_DEVICE_ID_FILTER"] = "1"
	h := w.Start()
	h.OK("create_instance")
	h.OK("physical_devices", "count", "only")
	if gone := w.Log().Fn("vkDestroyInstance"); len(gone) != 0 {
		t.Errorf("a count query removed %v", gone)
	}
	if a := h.OK("physical_devices", "count", "8"); a.Int("count") != 0 {
		t.Errorf("%v", a)
	}
	if gone := w.Log().Fn("vkDestroyInstance"); len(gone) != 1 || gone[0].Text("who") != "empty" {
		t.Errorf("removed: %v", gone)
	}
	h.Do("unsetenv", "name", "VK_LOADER_DEVICE_ID_FILTER")
	if got := len(all(h)); got != 8 {
		t.Errorf("%d devices without the filter", got)
	}
	h.Quit()
}

// holds: PHY-009 PHY-043 PHY-044
func TestFilterWithoutDevices(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("empty", "api 1.0.0")
	w.Env["VK_LOADER_DEVICE_ID_FILTER"] = "1"
	h := w.Start()
	h.OK("create_instance")
	for _, count := range []string{"only", "3"} {
		if got := h.Do("physical_devices", "count", count, "before", "7").Result(); got != initializationFailed {
			t.Errorf("count %s: result %d", count, got)
		}
		if got := h.Do("device_groups", "count", count).Result(); got != initializationFailed {
			t.Errorf("groups, count %s: result %d", count, got)
		}
	}
	h.Quit()
}

// holds: PHY-043 PHY-036
func TestFilterKeepsTheSortedOrder(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	example(w, true, "1.0.0")
	w.Env["VK_LOADER_DEVICE_ID_FILTER"] = "1,2,4,8" // bus 0, 1, 3, 7
	h := w.Start()
	h.OK("create_instance")
	wantNames(t, h, by([]string{"discrete1", "discrete7", "integrated3", "virtual0", "cpu0"}, []string{"virtual0", "discrete1", "cpu0", "discrete7", "integrated3"})...)
	h.Quit()
}

// There are more devices than the loader's first guess.
//
// holds: PHY-036 PHY-044 PHY-046
func TestFilterOverManyDevices(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	var lines, odd []string
	for i := range 150 {
		lines = append(lines, fmt.Sprintf("device name=n%d vendor=0x1%d", i, i%2))
		if i%2 == 1 {
			odd = append(odd, fmt.Sprintf("n%d", i))
		}
	}
	w.Driver("a", lines...)
	w.Env["VK_LOADER_VENDOR_ID_FILTER"] = "0x11"
	h := w.Start()
	h.OK("create_instance")
	wantNames(t, h, odd...)
	wantGroups(t, h, odd...)
	if a := h.Do("physical_devices", "count", "74"); a.Result() != incomplete || a.Int("written") != 74 {
		t.Errorf("room 74: result %d, count %d", a.Result(), a.Int("count"))
	}
	if a := h.Do("device_groups", "count", "74"); a.Result() != incomplete || len(a.Objects("groups")) != 74 {
		t.Errorf("room 74: result %d, count %d", a.Result(), a.Int("count"))
	}
	h.Quit()
}

// A layer that always returns VK_INCOMPLETE does not make the loader loop forever.
//
// holds: PHY-036
func TestFilterOverAListWithoutEnd(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=n", "device name=other vendor=0x11").API("1.1.0")
	w.ImplicitLayer("VK_LAYER_more", "result vkEnumeratePhysicalDevices 5", "result vkEnumeratePhysicalDeviceGroups 5")
	w.Env["VK_LOADER_VENDOR_ID_FILTER"] = "0x11"
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	for _, verb := range []string{"physical_devices", "device_groups"} {
		w.ForgetLog()
		if a := h.Do(verb, "count", "2"); a.Result() != incomplete || a.Int("count") > 2 {
			t.Errorf("%s: %v", verb, a)
		}
		if n := len(w.Log().By("VK_LAYER_more")); n < 3 || n > 50 {
			t.Errorf("%s: the layer was asked %d times", verb, n)
		}
	}
	h.Quit()
}

// holds: PHY-046 ENV-105 ENV-106
func TestFilteredGroups(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	lines := []string{"group n0 n1", "group n2 n3", "group n4 n5", "group n6 n7"}
	for i := range 8 {
		lines = append(lines, fmt.Sprintf("device name=n%d device=0x50%d", i, i))
	}
	w.Driver("a", lines...).API("1.1.0")
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	w.Env["VK_LOADER_DEVICE_ID_FILTER"] = "0x500-0x502,0x506-0x520"
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0")
	wantGroups(t, h, "n0+n1", "n6+n7")
	w.ForgetLog()
	h.OK("device_groups")
	// two calls of the program, with two calls each
	if n := len(w.Log().Fn("vkEnumeratePhysicalDeviceGroups")); n != 4 {
		t.Errorf("the driver was asked %d times", n)
	}
	if a := h.Do("device_groups", "count", "1"); a.Result() != incomplete || a.Int("count") != 1 {
		t.Errorf("room for one: %v", a)
	}
	if a := h.OK("device_groups", "count", "only"); a.Int("count") != 2 {
		t.Errorf("counted: %v", a)
	}
	h.Do("setenv", "name", "VK_LOADER_DEVICE_ID_FILTER", "value", "0x501")
	for _, count := range []string{"only", "4"} {
		if a := h.OK("device_groups", "count", count); a.Int("count") != 0 {
			t.Errorf("all filtered: %v", a)
		}
	}
	h.Quit()
}
