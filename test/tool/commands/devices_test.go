package commands

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// cards returns a world with drivers in a data directory: an AMD card, two identical NVIDIA cards at different bus addresses, and the
// processor. The drivers are not in the loader's order of devices. The tool and its child processes see the same devices.
func cards(t *testing.T) (w *world.World, drivers map[string]*world.Fake) {
	t.Helper()
	w = world.New(t)
	w.Env["XDG_DATA_DIRS"], w.Env["XDG_CONFIG_DIRS"] = w.Path("share"), w.Path("etc")
	drivers = map[string]*world.Fake{}
	for name, lines := range map[string][]string{
		"nvidia": {"device name=GeForce id=b type=discrete vendor=0x10de device=0x2684 pci=0:66:0:0 uuid=2 ext=VK_EXT_pci_bus_info vram=25757220864",
			"device name=GeForce id=a type=discrete vendor=0x10de device=0x2684 pci=0:65:0:0 uuid=1 ext=VK_EXT_pci_bus_info vram=25757220864"},
		"amd": {"device name=Radeon%20iGPU type=integrated vendor=0x1002 device=0x164e pci=0:3:0:0 uuid=3 ext=VK_EXT_pci_bus_info"},
		"cpu": {"device name=Processor type=cpu vendor=0x10005 device=0 uuid=4"},
	} {
		drivers[name] = w.Driver(name, lines...).API("1.2.0").MoveManifest("share/vulkan/icd.d")
	}
	// The tool is not interposed, so without implicit layers in the world it would find the machine's.
	w.ImplicitLayer("VK_LAYER_idle").Set("enable_environment", map[string]any{"NEVER_SET": "1"})
	w.ExplicitLayer("VK_LAYER_idle_too")
	return w, drivers
}

// tried returns the result of a run of the tool in a world.
func tried(w *world.World, args ...string) (out string, exit world.Exit) {
	return w.Run(2*time.Minute, filepath.Join(built, "vkloader"), args...)
}

type listedDevices struct {
	Devices []struct {
		Index      int
		Name       string
		DeviceType string `json:"type_text"`
		PCI        string
		VRAM       uint64 `json:"vram_bytes"`
		UUID       string `json:"device_uuid"`
		In         bool
		Why        string
	}
	Order []struct{ By, What, Statement string }
}

// listed returns the output of "list devices --json", and the PCI addresses (or names) of the devices that programs get.
func listed(t *testing.T, w *world.World, args ...string) (list listedDevices, in []string) {
	t.Helper()
	out, exit := tried(w, append([]string{"list", "devices", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%v: %v\n%s%s", args, err, out, exit.Stderr)
	}
	for i, d := range list.Devices {
		if d.Index != i {
			t.Errorf("%v: the device in place %d has the number %d", args, i, d.Index)
		}
		if d.In {
			in = append(in, strings.TrimPrefix(d.PCI, "0000:")+d.Name[:1])
		}
	}
	return list, in
}

// steps returns the reasons for an order as one text.
func steps(list listedDevices) string {
	var lines []string
	for _, s := range list.Order {
		lines = append(lines, s.By+": "+s.What)
	}
	return strings.Join(lines, "\n")
}

// The properties of a device come from its driver: address, type and memory. The reasons explain the order.
func TestListDevicesSaysWhy(t *testing.T) {
	t.Parallel()
	w, _ := cards(t)
	list, in := listed(t, w)
	if want := []string{"41:00.0G", "42:00.0G", "03:00.0R", "P"}; !slices.Equal(in, want) {
		t.Errorf("devices %v, want %v", in, want)
	}
	if d := list.Devices[0]; d.DeviceType != "discrete GPU" || d.PCI != "0000:41:00.0" || d.VRAM != 25757220864 || d.UUID != strings.Repeat("01", 16) {
		t.Errorf("%+v", d)
	}
	if want := "loader: 0 GeForce before 1 GeForce: PCI address 0000:41:00.0 comes before 0000:42:00.0\n" +
		"loader: 1 GeForce before 2 Radeon iGPU: discrete GPU comes before integrated GPU\n" +
		"loader: 2 Radeon iGPU before 3 Processor: integrated GPU comes before CPU"; steps(list) != want {
		t.Errorf("sorted:\n%s", steps(list))
	}

	list, in = listed(t, w, "--env", "VK_LOADER_DEVICE_SELECT=1002:164e")
	if in[0] != "03:00.0R" || !strings.Contains(steps(list), "loader: 0 Radeon iGPU before 1 GeForce: VK_LOADER_DEVICE_SELECT=1002:164e names it") {
		t.Errorf("selected: %v\n%s", in, steps(list))
	}
	list, _ = listed(t, w, "--env", "VK_LOADER_DISABLE_SELECT=1")
	if !strings.HasPrefix(steps(list), "drivers: VK_LOADER_DISABLE_SELECT=1: nothing is sorted") {
		t.Errorf("not sorted:\n%s", steps(list))
	}
	list, in = listed(t, w, "--env", "VK_LOADER_VENDOR_ID_FILTER=0x1002")
	if len(list.Devices) != 4 || len(in) != 1 || list.Devices[1].Why != "hidden by VK_LOADER_VENDOR_ID_FILTER=0x1002" {
		t.Errorf("filtered: %+v", list)
	}
	list, in = listed(t, w, "--env", "VK_LOADER_DRIVERS_DISABLE=nvidia*")
	if len(list.Devices) != 4 || len(in) != 2 || list.Devices[3].Why != "its driver is excluded by VK_LOADER_DRIVERS_DISABLE=nvidia*" {
		t.Errorf("without a driver: %+v", list)
	}

	// The settings put the devices into another order. The numbers are those of the current list.
	if _, exit := tried(w, "settings", "set", "--device", "3", "--device", "amd", "--device", "41:00.0"); exit.Code != 0 {
		t.Fatalf("settings: %s", exit.Stderr)
	}
	list, in = listed(t, w)
	if want := []string{"P", "03:00.0R", "41:00.0G"}; !slices.Equal(in, want) || len(list.Devices) != 4 ||
		!strings.HasPrefix(steps(list), "settings: the order is that of the device configurations of "+w.Root) ||
		!strings.HasPrefix(list.Devices[3].Why, "hidden by the device configurations of ") {
		t.Errorf("by settings: %v\n%+v", in, list)
	}
	out, _ := tried(w, "list", "devices", "--rules", "--device", "mesa")
	if !strings.Contains(out, "[SET-93]") || !strings.Contains(out, "used   0  Processor") || strings.Contains(out, "GeForce  ") {
		t.Errorf("one device:\n%s", out)
	}
}

// Mesa's layer, which the tool knows by the name in its manifest, moves and hides devices after the loader.
func TestListDevicesWithMesasLayer(t *testing.T) {
	t.Parallel()
	w, _ := cards(t)
	layer := w.ImplicitLayer("VK_LAYER_MESA_device_select", "reverse_devices")
	list, in := listed(t, w, "--env", "DRI_PRIME=1")
	if in[0] != "P" || !strings.Contains(steps(list), "loader: 3 GeForce before 2 GeForce: PCI address 0000:41:00.0 comes before 0000:42:00.0") ||
		!strings.Contains(steps(list), "layer: VK_LAYER_MESA_device_select puts 0 Processor first, which the loader has after GeForce: DRI_PRIME=1") {
		t.Errorf("reversed: %v\n%s", in, steps(list))
	}
	if list, _ = listed(t, w); !strings.Contains(steps(list), "none of its variables is set: it puts the device of the display first") {
		t.Errorf("without variables:\n%s", steps(list))
	}
	layer.Replace("remove_device 0", "remove_device 0", "remove_device 0")
	list, in = listed(t, w, "--env", "DRI_PRIME=pci-0000_03_00_0!")
	if len(in) >= 4 || len(list.Devices) != 4 || list.Devices[3].Why != "hidden by VK_LAYER_MESA_device_select DRI_PRIME=pci-0000_03_00_0!" ||
		!strings.Contains(steps(list), "layer: VK_LAYER_MESA_device_select hides all but ") {
		t.Errorf("hidden: %+v", list)
	}
	// With any settings, the layer hides the other devices.
	if _, exit := tried(w, "settings", "set", "--dry-run", "--device", list.Devices[3].PCI, "--env", "DRI_PRIME=pci-0000_03_00_0!"); exit.Code != 0 ||
		!strings.Contains(exit.Stderr, "stays hidden: it is hidden by VK_LAYER_MESA_device_select") {
		t.Errorf("settings: %d, %s", exit.Code, exit.Stderr)
	}
	list, _ = listed(t, w, "--env", "DRI_PRIME=1", "--env", "DISABLE_VK_LAYER_MESA_device_select=1")
	if !strings.Contains(steps(list), "layer: DRI_PRIME=1 moves nothing: VK_LAYER_MESA_device_select, which reads it, is not used here") {
		t.Errorf("switched off:\n%s", steps(list))
	}
}

// Every command accepts the same forms of a device. If several devices match, the error lists them.
func TestDeviceSelectors(t *testing.T) {
	t.Parallel()
	w, _ := cards(t)
	both := `"nvidia" may be any of 2 devices: 0 "GeForce" (0000:41:00.0, fake), 1 "GeForce" (0000:42:00.0, fake); name one by its PCI address`
	for _, command := range [][]string{{"settings", "set", "--dry-run"}, {"run", "--dry-run"}, {"list", "devices"}} {
		run := func(selector string) (string, world.Exit) {
			args := append(slices.Clone(command), "--device", selector)
			if command[0] == "run" {
				args = append(args, "--", "true")
			}
			return tried(w, args...)
		}
		for _, selector := range []string{"2", "0000:03:00.0", "3:0.0", strings.Repeat("03", 16), "amd", "1002", "1002:164e", "iGPU", "radeon*"} {
			if out, exit := run(selector); exit.Code != 0 || !strings.Contains(out, "164e") && !strings.Contains(out, "Radeon iGPU") {
				t.Errorf("%v %s: %d\n%s%s", command, selector, exit.Code, out, exit.Stderr)
			}
		}
		if _, exit := run("nvidia"); exit.Code == 0 || !strings.Contains(exit.Stderr, both) {
			t.Errorf("%v: %d, %s", command, exit.Code, exit.Stderr)
		}
	}
	// Settings can select one of two identical cards. Variables cannot, and the tool says so.
	out, exit := tried(w, "settings", "set", "--dry-run", "--device", "42:00.0")
	if exit.Code != 0 || strings.Count(out, `"deviceName"`) != 1 {
		t.Errorf("%d\n%s", exit.Code, out)
	}
	if _, exit := tried(w, "run", "--dry-run", "--device", "42:00.0", "--", "true"); exit.Code != 0 ||
		!strings.Contains(exit.Stderr, `the program also gets 0 "GeForce" (0000:41:00.0, fake):`) ||
		!strings.Contains(exit.Stderr, "vkloader settings set --app /") || !strings.Contains(exit.Stderr, "--device 0000:42:00.0") {
		t.Errorf("%d, %s", exit.Code, exit.Stderr)
	}
}

// With devices in the settings, loaders ignore the variables that choose drivers. The tool names the effect on the device, and the
// written settings work with and without the variable.
func TestSettingsDeviceWithVariables(t *testing.T) {
	t.Parallel()
	t.Run("left out", func(t *testing.T) {
		t.Parallel()
		w, drivers := cards(t)
		w.Env["VK_DRIVER_FILES"] = drivers["cpu"].ManifestPath
		w.Write("home/.profile", "export A=b\nexport VK_DRIVER_FILES="+drivers["cpu"].ManifestPath+"\n")
		_, exit := tried(w, "settings", "set", "--device", "amd")
		for _, want := range []string{"warning: Radeon iGPU: its driver is excluded by VK_DRIVER_FILES=" + drivers["cpu"].ManifestPath + ". With these settings",
			"they may not: unset VK_DRIVER_FILES; VK_DRIVER_FILES is set in " + w.Path("home/.profile") + ", line 2"} {
			if exit.Code != 0 || !strings.Contains(exit.Stderr, want) {
				t.Errorf("%d, no %q in %s", exit.Code, want, exit.Stderr)
			}
		}
		for range 2 { // with the variable, and without
			if _, in := listed(t, w); !slices.Equal(in, []string{"03:00.0R"}) {
				t.Errorf("programs see %v", in)
			}
			w.Env["VK_DRIVER_FILES"] = world.Unset
		}
	})
	t.Run("filtered by name", func(t *testing.T) {
		t.Parallel()
		w, _ := cards(t)
		w.Env["VK_LOADER_DRIVERS_DISABLE"] = "amd*"
		_, exit := tried(w, "settings", "set", "--device", "amd")
		if exit.Code != 0 || !strings.Contains(exit.Stderr, "Radeon iGPU: its driver is excluded by VK_LOADER_DRIVERS_DISABLE=amd*. ") {
			t.Errorf("%d, %s", exit.Code, exit.Stderr)
		}
		if _, in := listed(t, w); !slices.Equal(in, []string{"03:00.0R"}) {
			t.Errorf("programs see %v", in)
		}
	})
	for _, variable := range []string{"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"} {
		t.Run("brought by "+variable, func(t *testing.T) {
			t.Parallel()
			w, drivers := cards(t)
			manifest := drivers["amd"].MoveManifest("elsewhere").ManifestPath
			w.Env[variable] = manifest
			_, exit := tried(w, "settings", "set", "--device", "amd")
			if exit.Code != 1 || !strings.Contains(exit.Stderr, "programs ignore "+variable+": add a driver that only a variable names, with --add-driver FILE") {
				t.Errorf("%d, %s", exit.Code, exit.Stderr)
			}
			if _, exit = tried(w, "settings", "set", "--device", "amd", "--add-driver", manifest); exit.Code != 0 {
				t.Errorf("%d, %s", exit.Code, exit.Stderr)
			}
			for range 2 {
				if _, in := listed(t, w); !slices.Equal(in, []string{"03:00.0R"}) {
					t.Errorf("programs see %v", in)
				}
				w.Env[variable] = world.Unset
			}
		})
	}
	t.Run("no effect", func(t *testing.T) {
		t.Parallel()
		w, _ := cards(t)
		_, exit := tried(w, "settings", "set", "--driver", "cpu.json", "--device", "amd")
		if exit.Code != 1 || !strings.Contains(exit.Stderr, "not written: a program with these settings would get no device instead of Radeon iGPU") {
			t.Errorf("%d, %s", exit.Code, exit.Stderr)
		}
		if left, _ := filepath.Glob(w.Path("home/.config/vulkan/loader_settings.d/*.json")); len(left) > 0 {
			t.Errorf("written all the same: %v", left)
		}
	})
}
