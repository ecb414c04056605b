package dispatch

import (
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/vk"
	"vkloader/test/lib/world"
)

var always = []string{"vkGetDeviceProcAddr", "vkDestroyDevice", "vkGetDeviceQueue", "vkAllocateCommandBuffers"}

// debugDevice reports whether a command is a device-level command of VK_EXT_debug_utils.
func debugDevice(name string) bool {
	c := commandOf(name)
	return c.Kind == vk.Device && c.Gate == "VK_EXT_debug_utils"
}

// holds: GPA-043..GPA-048 GPA-052 GPA-054 GPA-055 GPA-060..GPA-062 DEV-051..DEV-053 LAY-362 LAY-422
func TestDeviceNames(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	one := w.Driver("one", "device name=one type=discrete ext=VK_KHR_swapchain").API("1.3.0").
		Script("missing_gdpa vkCmdDispatch", "offer_gdpa vkUnknownThing", "offer_gdpa vkTrimCommandPoolKHR", "ext VK_KHR_surface")
	h := w.Start()
	h.OK("create_instance", "api", "1.0.0", "ext", "VK_KHR_surface")
	pd := h.OK("physical_devices").Ints("devices")[0]
	h.OK("create_device", "pd", world.Ref(pd), "ext", "VK_KHR_swapchain")
	seen := map[int64]string{}
	for _, c := range vk.Commands {
		a := h.Do("gdpa", "device", "d", "name", c.Name)
		p := a.Int("ptr")
		switch {
		case slices.Contains(always, c.Name) || c.Name == "vkGetDeviceQueue2":
			if symbol := h.Do("dlsym", "name", c.Name).Int("ptr"); p != symbol {
				t.Errorf("%s is pointer %d, want the export %d", c.Name, p, symbol)
			}
		case c.Kind != vk.Device:
			if p != 0 {
				t.Errorf("%s is no device command, and yet there", c.Name)
			}
		case c.Minor <= 3 && c.Name != "vkCmdDispatch" || c.Name == "vkTrimCommandPoolKHR":
			if a.Text("module") != one.Library {
				t.Errorf("%s is in %q, want the driver's own", c.Name, a.Text("module"))
			}
			if seen[p] != "" {
				t.Errorf("%s and %s are the same", c.Name, seen[p])
			}
			seen[p] = c.Name
		case c.Minor == 4 || c.Name == "vkCmdDispatch":
			if p != 0 {
				t.Errorf("%s is there although the driver has none", c.Name)
			}
		}
		for _, via := range []string{"gipa", "gdpa"} {
			if again := h.Do("gdpa", "device", "d", "instance", "i", "via", via, "name", c.Name).Int("ptr"); again != p {
				t.Errorf("%s: pointer %d through %s, %d otherwise", c.Name, again, via, p)
			}
		}
		null := gdpa(h, "null", c.Name)
		if (null != 0) != slices.Contains(always, c.Name) {
			t.Errorf("%s of a NULL device is pointer %d", c.Name, null)
		}
	}
	if m := h.Do("gdpa", "device", "d", "name", "vkUnknownThing").Text("module"); m != one.Library {
		t.Errorf("an unknown name of the driver's comes from %q", m)
	}
	if p := h.Do("gdpa", "device", "d").Int("ptr"); p != 0 {
		t.Error("a NULL name is not NULL")
	}
	for _, handle := range []string{"garbage", "zeros"} {
		for _, name := range always {
			if gdpa(h, handle, name) != h.Do("dlsym", "name", name).Int("ptr") {
				t.Errorf("%s of a garbage device is not the export", name)
			}
		}
	}
	// A driver's own pointer is called without a check of the loader.
	h.Do("call", "via", "gdpa", "device", "d", "name", "vkCmdBindPipeline", "arg", "null", "arg", "1", "arg", "2")
	h.Do("call", "via", "gdpa", "device", "d", "name", "vkQueueSubmit2", "arg", "null", "arg", "0")
	h.Do("call", "via", "gdpa", "device", "d", "name", "vkCmdBeginRendering", "arg", "null", "arg", "5")
	h.Quit()
	if n := len(w.Log().Fn("vkCmdBindPipeline", "vkQueueSubmit2", "vkCmdBeginRendering")); n != 3 {
		t.Errorf("the driver saw %d of 3 calls", n)
	}
}

// An instance of 2.0 is above every version of the commands (ENV-80); one below 1.0 has those of 1.0.
//
// holds: GPA-049..GPA-051
func TestMaintenance5HidesNewerCommands(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		api        string
		ext, on    bool
		structure  bool
		hiddenFrom uint8
	}{
		{"1.0.0", true, true, true, 1}, {"1.1.0", true, true, true, 2}, {"1.2.0", true, true, true, 3}, {"1.3.0", true, true, true, 4},
		{"2.0.0", true, true, true, 99}, {"0.9.0", true, true, true, 1}, {"129.1.0", true, true, true, 2},
		{"1.0.0", true, false, true, 99}, {"1.0.0", false, true, true, 99}, {"1.0.0", true, false, false, 99},
	} {
		w := world.New(t)
		w.Driver("one", "device name=one type=discrete ext=VK_KHR_maintenance5", "offer_gdpa vkTrimCommandPoolKHR").API("1.4.0")
		h := w.Start()
		h.OK("create_instance", "api", c.api)
		pd := h.OK("physical_devices").Ints("devices")[0]
		words := []string{"pd", world.Ref(pd)}
		if c.ext {
			words = append(words, "ext", "VK_KHR_maintenance5")
		}
		if c.structure {
			on := "0"
			if c.on {
				on = "1"
			}
			h.Do("memory", "as", "feature", "size", "24", "u32@0", "1000470000", "u32@16", on)
			words = append(words, "unknown", "2147483600", "next", "feature")
		}
		h.OK("create_device", words...)
		for _, command := range vk.Commands {
			if command.Kind != vk.Device || command.Minor == vk.ExtensionMinor {
				continue
			}
			want := command.Minor < c.hiddenFrom || slices.Contains(always, command.Name)
			if got := gdpa(h, "d", command.Name) != 0; got != want {
				t.Errorf("%+v: %s of 1.%d is there: %v", c, command.Name, command.Minor, got)
			}
		}
		if gdpa(h, "d", "vkTrimCommandPoolKHR") == 0 {
			t.Errorf("%+v: a name of an extension is gone", c)
		}
		h.Quit()
	}
}

// holds: GPA-056..GPA-058 DEV-055
func TestDebugNamesOfDevices(t *testing.T) {
	t.Parallel()
	for _, driverHas := range []bool{true, false} {
		for _, enabled := range []bool{true, false} {
			w := world.New(t)
			f := w.Driver("one", "device name=one type=discrete ext=VK_EXT_debug_marker").API("1.1.0")
			if driverHas {
				f.Script("ext VK_EXT_debug_utils 2")
			}
			h := w.Start()
			words := []string{"api", "1.1.0"}
			if enabled {
				words = append(words, "ext", "VK_EXT_debug_utils")
			}
			h.OK("create_instance", words...)
			pd := h.OK("physical_devices").Ints("devices")[0]
			h.OK("create_device", "pd", world.Ref(pd))
			h.OK("create_device", "as", "marked", "pd", world.Ref(pd), "ext", "VK_EXT_debug_marker")
			for _, c := range vk.Commands {
				if debugDevice(c.Name) {
					p := gdpa(h, "d", c.Name)
					if (p != 0) != enabled {
						t.Errorf("driver %v, enabled %v: %s is pointer %d", driverHas, enabled, c.Name, p)
					}
					if strings.HasPrefix(c.Name, "vkSet") && enabled && p != gipa(h, "i", c.Name) {
						t.Errorf("%s is not the loader's function", c.Name)
					}
				}
				if strings.HasPrefix(c.Name, "vkDebugMarkerSet") {
					if gdpa(h, "d", c.Name) != 0 || gdpa(h, "marked", c.Name) != gipa(h, "i", c.Name) {
						t.Errorf("%s: without the extension %d, with it %d", c.Name, gdpa(h, "d", c.Name), gdpa(h, "marked", c.Name))
					}
				}
			}
			if enabled && h.Do("set_name", "type", "0", "handle", "0", "name", "x").Result() != 0 {
				t.Error("naming failed")
			}
			h.Quit()
		}
	}
}
