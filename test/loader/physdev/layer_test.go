package physdev

import (
	"fmt"
	"slices"
	"testing"

	"vkloader/test/lib/world"
)

// holds: PHY-080 PHY-081 PHY-082 LAY-387 LAY-389 LAY-390 LAY-391 LAY-383
func TestLayerAddsDevices(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", devices("a", 3)...)
	w.Driver("b", devices("b", 3)...)
	w.ExplicitLayer("VK_LAYER_add", "add_devices 2")
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_add")
	wantNames(t, h, "b0", "b1", "b2", "a0", "a1", "a2", "added 0", "added 1")
	full := all(h)
	six := h.Do("physical_devices", "count", "6")
	if six.Result() != incomplete || six.Int("count") != 6 || six.Int("written") != 6 {
		t.Errorf("six of eight: %v", six)
	}
	for _, d := range six.Ints("devices") {
		if !slices.Contains(full, d) {
			t.Errorf("device %d is not among %v", d, full)
		}
	}
	if again := all(h); !slices.Equal(again, full) {
		t.Errorf("handles change: %v, %v", full, again)
	}
	w.ForgetLog()
	name(h, full[7])
	if log := w.Log().By("VK_LAYER_add").Fn("vkGetPhysicalDeviceProperties"); len(log) != 1 || log[0].Text("id") != "added 1" {
		t.Errorf("the layer saw %v", log)
	}
	if h.Do("peek", "ref", world.Ref(full[7])).Int("ptr") != h.Do("peek", "ref", "i").Int("ptr") {
		t.Error("the handle of an added device is not the loader's")
	}
	h.Quit()
}

// holds: PHY-080 LAY-388 LAY-392 LAY-393 LAY-394 PHY-032
func TestLayersChangeTheList(t *testing.T) {
	t.Parallel()
	o := by(sorted, unsorted)
	for _, c := range []struct {
		name   string
		layers [][]string
		want   []string
	}{
		{"remove", [][]string{{"remove_device 1"}}, []string{o[0], o[2], o[3], o[4], o[5]}},
		{"reverse", [][]string{{"reverse_devices"}}, []string{o[5], o[4], o[3], o[2], o[1], o[0]}},
		{"remove above reverse", [][]string{{"remove_device 0"}, {"reverse_devices"}}, []string{o[4], o[3], o[2], o[1], o[0]}},
		{"reverse above remove above add", [][]string{{"reverse_devices"}, {"remove_device 0"}, {"add_devices 1"}},
			[]string{"added 0", o[5], o[4], o[3], o[2], o[1]}},
		{"wrap, reverse, wrap", [][]string{{"wrap physdev"}, {"reverse_devices"}, {"wrap instance physdev"}},
			[]string{o[5], o[4], o[3], o[2], o[1], o[0]}},
	} {
		w := world.New(t)
		example(w, true, "1.1.0")
		create := []string{"api", "1.1.0"}
		for i, lines := range c.layers {
			layer := fmt.Sprintf("VK_LAYER_%d", i)
			w.ExplicitLayer(layer, lines...)
			create = append(create, "layer", layer)
		}
		h := w.Start()
		h.OK("create_instance", create...)
		for range 2 {
			if got := names(h, all(h)); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
		if !slices.Equal(all(h), all(h)) {
			t.Errorf("%s: handles change", c.name)
		}
		if a := h.OK("physical_devices", "count", "20"); a.Int("count") != int64(len(c.want)) {
			t.Errorf("%s: %v", c.name, a)
		}
		if a := h.Do("physical_devices", "count", "2"); a.Result() != incomplete || a.Int("count") != 2 {
			t.Errorf("%s: %v", c.name, a)
		}
		h.Do("destroy_instance")
		h.Quit()
	}
}

// holds: PHY-080 LAY-389 LAY-395 LAY-396 LAY-397 PHY-064
func TestLayersChangeGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		want []string
	}{
		{"add_group", []string{"b0", "x+y", "z", "b0"}},
		{"remove_group 1", []string{"b0", "z"}},
		{"reverse_groups", []string{"z", "x+y", "b0"}},
		{"wrap physdev", []string{"b0", "x+y", "z"}},
	} {
		w := world.New(t)
		w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
		w.Driver("a", "device name=x", "device name=y", "device name=z", "group x y", "group z", "ext "+groupCreation).API("1.1.0")
		w.Driver("b", "device name=b0", "ext "+groupCreation).API("1.1.0")
		w.ExplicitLayer("VK_LAYER_g", c.line)
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0", "ext", groupCreation, "layer", "VK_LAYER_g")
		full := h.OK("device_groups")
		if got := groupNames(h, full); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.line, got, c.want)
		}
		devices := all(h)
		for _, g := range full.Objects("groups") {
			for _, d := range g.Ints("devices") {
				if !slices.Contains(devices, d) {
					t.Errorf("%s: %d is not one of the devices %v", c.line, d, devices)
				}
			}
		}
		if last := full.Objects("groups")[len(c.want)-1]; c.line == "add_group" && last.Int("subset") != 1 {
			t.Errorf("%s: the other fields changed: %v", c.line, last)
		}
		if khr := h.OK("device_groups", "khr", "1", "via", "gipa"); !slices.Equal(groupNames(h, khr), c.want) {
			t.Errorf("%s: KHR: %v", c.line, khr)
		}
		one := h.Do("device_groups", "count", "1")
		if one.Result() != incomplete || one.Int("count") != 1 || !slices.Equal(one.Objects("groups")[0].Ints("devices"), full.Objects("groups")[0].Ints("devices")) {
			t.Errorf("%s: room for one: %v", c.line, one)
		}
		h.Quit()
	}
}

// holds: PHY-041 PHY-043 ENV-103
func TestFiltersSeeWhatLayersMake(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	eight(w, "1.1.0")
	w.ExplicitLayer("VK_LAYER_change", "add_devices 1", "reverse_devices", "wrap physdev")
	w.Env["VK_LOADER_DEVICE_ID_FILTER"] = "0x500-0x501,0x505"
	h := w.Start()
	h.OK("create_instance", "api", "1.1.0", "layer", "VK_LAYER_change")
	w.ForgetLog()
	wantNames(t, h, "added 0", "n5", "n1", "n0") // the added device returns the first device's ids
	if log := w.Log().By("VK_LAYER_change").Fn("vkGetPhysicalDeviceProperties"); len(log) < 9 {
		t.Errorf("the filters asked %d times through the layer", len(log))
	}
	h.Do("setenv", "name", "VK_LOADER_DRIVER_ID_FILTER", "value", "1,2")
	h.OK("physical_devices", "count", "9")
	h.Quit()
}

// A layer receives a query under the name that the loader calls: the extension's if that is enabled.
//
// holds: EXT-002 EXT-013 EXT-014
func TestQueriesThroughLayers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		create []string
		layer  []string
		want   string
		driver string
	}{
		{"1.1", []string{"api", "1.1.0"}, nil, "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures2"},
		{"1.0 with the extension", []string{"ext", props2}, nil, "vkGetPhysicalDeviceFeatures2KHR", "vkGetPhysicalDeviceFeatures2KHR"},
		{"1.1 with the extension", []string{"api", "1.1.0", "ext", props2}, nil, "vkGetPhysicalDeviceFeatures2KHR", "vkGetPhysicalDeviceFeatures2"},
		{"1.0", nil, nil, "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures"},
		{"1.0, raised by the layer", nil, []string{"change_api 1.1.0"}, "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures2"},
		{"1.0, the layer adds the extension", nil, []string{"add_ext " + props2}, "vkGetPhysicalDeviceFeatures2KHR", "vkGetPhysicalDeviceFeatures2KHR"},
	} {
		w := world.New(t)
		w.Driver("a", "device name=a", "ext "+props2).API("1.1.0")
		w.ExplicitLayer("VK_LAYER_see", append(c.layer, "intercept vkGetPhysicalDeviceFeatures2", "intercept vkGetPhysicalDeviceFeatures2KHR")...)
		h := w.Start()
		h.OK("create_instance", append([]string{"layer", "VK_LAYER_see"}, c.create...)...)
		device := all(h)[0]
		ways := [][]string{{"name", "vkGetPhysicalDeviceFeatures2"}}
		if h.Do("gipa", "instance", "i", "name", "vkGetPhysicalDeviceFeatures2KHR").Int("ptr") != 0 {
			ways = append(ways, []string{"name", "vkGetPhysicalDeviceFeatures2KHR", "via", "gipa", "instance", "i"})
		}
		for _, way := range ways {
			log := queries[0].ask(w, h, device, way...)
			var layer, driver []string
			for _, e := range log {
				if e.Text("who") == "a" {
					driver = append(driver, e.Text("fn"))
				} else if !slices.Contains(layer, e.Text("fn")) {
					layer = append(layer, e.Text("fn"))
				}
			}
			if !slices.Equal(layer, []string{c.want}) || !slices.Equal(driver, []string{c.driver}) {
				t.Errorf("%s: %v: the layer saw %v, want %s; the driver %v, want %s", c.name, way, layer, c.want, driver, c.driver)
			}
		}
		h.Quit()
	}
}

// holds: DEV-009 LAY-257
func TestLayerChangesDeviceExtensions(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", "device name=a ext=VK_X:5")
	w.ExplicitLayer("VK_LAYER_more", "device_ext VK_KHR_maintenance1 2")
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_more")
	pd := world.Ref(all(h)[0])
	a := h.OK("device_extensions", "pd", pd)
	if !slices.Equal(a.Strings("extensions"), []string{"VK_X", "VK_KHR_maintenance1"}) || !slices.Equal(a.Ints("versions"), []int{5, 2}) {
		t.Errorf("%v", a)
	}
	h.Quit()
}

// holds: GPA-082 THR-011
func TestEnumerationInsideCreation(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	w.Driver("a", devices("a", 2)...)
	w.Driver("empty", "api 1.0.0")
	w.ExplicitLayer("VK_LAYER_early", "enumerate_in_create")
	h := w.Start()
	h.OK("create_instance", "layer", "VK_LAYER_early")
	if gone := w.Log().Fn("vkDestroyInstance"); len(gone) != 0 {
		t.Errorf("the layer's enumeration removed %v", gone)
	}
	wantNames(t, h, "a0", "a1")
	h.Do("destroy_instance")
	h.Quit()
}

// A layer returns a list with a gap, or more entries than it has room for: the loader invents no entry, and reads and writes nothing
// behind the array.
//
// holds: PHY-013 PHY-080 LAY-387
func TestLayersThatGiveOddLists(t *testing.T) {
	t.Parallel()
	for _, filter := range []string{"", "0-0xffffffff"} {
		w := world.New(t)
		w.Driver("a", "device name=a0", "device name=a1", "device name=a2").API("1.1.0")
		layer := w.ExplicitLayer("VK_LAYER_odd")
		w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
		if filter != "" {
			w.Env["VK_LOADER_VENDOR_ID_FILTER"] = filter
		}
		h := w.Start()
		h.OK("create_instance", "api", "1.1.0", "layer", "VK_LAYER_odd")
		layer.Script("null_device 1")
		list := h.OK("physical_devices", "count", "5").Ints("devices")
		var known []string
		for _, d := range list {
			if d != 0 {
				known = append(known, name(h, d))
			}
		}
		if !slices.Equal(known, []string{"a0", "a2"}) || filter == "" && (len(list) != 3 || list[1] != 0) {
			t.Errorf("filter %q: with a gap: %v, %v", filter, list, known)
		}
		if filter == "" {
			groups := h.OK("device_groups", "count", "5").Objects("groups")
			if len(groups) != 3 || groups[1].Ints("devices")[0] != 0 || groups[2].Ints("devices")[0] == 0 {
				t.Errorf("groups with a gap: %v", groups)
			}
		}
		layer.Replace("more vkEnumeratePhysicalDevices 500000", "more vkEnumeratePhysicalDeviceGroups 500000")
		for _, count := range []string{"2", "3"} {
			a := h.Do("physical_devices", "count", count)
			if got := names(h, a.Ints("devices")); a.Result() != 0 && a.Result() != incomplete || fmt.Sprint(a.Int("count")) != count ||
				!slices.Equal(got, []string{"a0", "a1", "a2"}[:a.Int("count")]) {
				t.Errorf("filter %q: more claimed, room for %s: %v, %v", filter, count, a, got)
			}
			a = h.Do("device_groups", "count", count)
			if got := groupNames(h, a); a.Result() != 0 && a.Result() != incomplete || fmt.Sprint(a.Int("count")) != count ||
				!slices.Equal(got, []string{"a0", "a1", "a2"}[:a.Int("count")]) {
				t.Errorf("filter %q: more groups claimed, room for %s: %v, %v", filter, count, a, got)
			}
		}
		h.Quit()
	}
}
