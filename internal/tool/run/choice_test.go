package run

import (
	"slices"
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/core/plan"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

func TestChoiceOfDevices(t *testing.T) {
	id := strings.Repeat
	devices := []discover.Device{
		{Index: 0, Name: "Big GPU", VendorID: 0x1002, DeviceID: 0x73bf, PCI: "0000:03:00.0", DeviceUUID: id("01", 16), DriverID: 3},
		{Index: 1, Name: "Small GPU", VendorID: 0x8086, DeviceID: 0x46a6, PCI: "0000:00:02.0", DeviceUUID: id("02", 16), DriverID: 5},
		{Index: 2, Name: "Big GPU by another driver", VendorID: 0x1002, DeviceID: 0x73bf, PCI: "0000:03:00.0", DeviceUUID: id("03", 16), DriverID: 1},
		{Index: 3, Name: "Twin", VendorID: 0x10de, DeviceID: 0x2684, PCI: "0000:41:00.0", DeviceUUID: id("04", 16), DriverID: 4},
		{Index: 4, Name: "Twin", VendorID: 0x10de, DeviceID: 0x2684, PCI: "0000:42:00.0", DeviceUUID: id("05", 16), DriverID: 4},
		{Index: 5, Name: "Gone", VendorID: 0x1, DeviceID: 0x2},
	}
	all := &survey.Devices{List: term.Words(devices, func(d discover.Device) survey.Device { return survey.Device{Device: d, In: true} })}
	all.List[5].In, all.List[5].Why = false, "left out"
	for _, c := range []struct {
		wanted  []string
		want    string
		warning string
		failure string
	}{
		{[]string{"8086:46A6"}, "0x8086 0x46a6 -", "", ""},
		{[]string{"0x8086:0x46a6", "1"}, "0x8086 0x46a6 -", "", ""},
		{[]string{"small*"}, "0x8086 0x46a6 -", "", ""},
		{[]string{"intel"}, "0x8086 0x46a6 -", "", ""},
		{[]string{"0:2.0"}, "0x8086 0x46a6 -", "", ""},
		{[]string{"Big GPU"}, "0x1002 0x73bf 3", "", ""}, // its driver distinguishes it from the other device
		{[]string{"2"}, "0x1002 0x73bf 1", "", ""},
		{[]string{"0", "2"}, "0x1002 0x73bf -", "", ""},
		{[]string{"big*", "small*"}, "0x1002,0x8086 0x73bf,0x46a6 -", "", ""},
		{[]string{"0000:42:00.0"}, "0x10de 0x2684 -", `the program also gets 3 "Twin" (0000:41:00.0): variables select devices only by vendor and ` +
			`device number; settings can select one of them: vkloader settings set --app '/opt/a game' --device 0000:42:00.0`, ""},
		{[]string{"gone"}, "", "", `the program would not see 5 "Gone": left out`},
		{[]string{"7"}, "", "", `--device: no device matches "7"; available: 0 "Big GPU" (0000:03:00.0), 1 "Small GPU"`},
		{[]string{"nvidia"}, "", "", "name one by its PCI address"},
		{[]string{"10de:2684"}, "", "", "name one by its PCI address"},
		{[]string{"B*PU"}, "", "", "a star is a wildcard only at the beginning and at the end"},
	} {
		choice := Choice{Devices: c.wanted}
		m := &machine.Machine{Environ: []string{"VK_LOADER_DRIVER_ID_FILTER=9"}}
		changes, warnings, err := choice.DeviceChanges(m, "/opt/a game", func() (*survey.Devices, error) { return all, nil })
		if c.failure != "" {
			if err == nil || !strings.Contains(err.Error(), c.failure) {
				t.Errorf("%v: %v", c.wanted, err)
			}
			continue
		}
		var want []explain.Change
		for i, value := range strings.Fields(c.want) {
			name := []string{"VK_LOADER_VENDOR_ID_FILTER", "VK_LOADER_DEVICE_ID_FILTER", "VK_LOADER_DRIVER_ID_FILTER"}[i]
			want = append(want, explain.Change{Variable: name, Value: strings.Trim(value, "-"), Set: value != "-"})
		}
		if err != nil || !slices.Equal(changes, want) {
			t.Errorf("%v: %v, %v, want %v", c.wanted, changes, err, want)
		}
		if got := strings.Join(warnings, "\n"); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%v: warnings %q", c.wanted, got)
		}
	}
	choice := Choice{Devices: []string{"10de:2684"}}
	changes, _, err := choice.DeviceChanges(&machine.Machine{}, "", nil) // without a list of devices
	if err != nil || len(changes) != 2 {
		t.Errorf("at its word: %v, %v", changes, err)
	}
	choice.Devices[0] = "nvidia"
	if _, _, err := choice.DeviceChanges(&machine.Machine{}, "", nil); err == nil || !strings.Contains(err.Error(), "with --root, --device needs VENDOR:DEVICE") {
		t.Errorf("below --root: %v", err)
	}
}

func TestChoiceOfDriversAndLayers(t *testing.T) {
	many := make([]string, plan.FilterEntries+1)
	for i := range many {
		many[i] = "d"
	}
	m := &machine.Machine{Root: "/machine", Environ: []string{"VK_LOADER_LAYERS_ENABLE=VK_LAYER_before",
		"VK_LOADER_DRIVERS_DISABLE=x", "VK_INSTANCE_LAYERS=y"}}
	for _, c := range []struct {
		choice Choice
		want   string
	}{
		{Choice{}, ""},
		{Choice{Drivers: []string{"a*", "b,c"}}, "VK_LOADER_DRIVERS_SELECT=a*,b,c"},
		{Choice{Drivers: []string{"/a/b.json", "/c.json"}}, "VK_DRIVER_FILES=/a/b.json:/c.json -VK_LOADER_DRIVERS_DISABLE"},
		{Choice{Drivers: []string{"/a/b.json", "c"}}, "use only paths (with a slash) or only file names"},
		{Choice{Drivers: []string{"/a:b.json"}}, "VK_DRIVER_FILES cannot contain a path with a colon"},
		{Choice{Drivers: many}, "17 names, and the loader takes at most 16"},
		{Choice{Layers: []string{"l"}}, "VK_LOADER_LAYERS_ENABLE=VK_LAYER_before,l"},
		{Choice{Layers: many[1:]}, "17 names, and the loader takes at most 16"},
		{Choice{NoLayers: true}, "VK_LOADER_LAYERS_DISABLE=~all~ -VK_INSTANCE_LAYERS -VK_LOADER_LAYERS_ENABLE"},
		{Choice{NoLayers: true, Layers: []string{"l"}}, "VK_LOADER_LAYERS_DISABLE=~all~ -VK_INSTANCE_LAYERS VK_LOADER_LAYERS_ENABLE=l"},
	} {
		changes, err := c.choice.Changes(m)
		var words []string
		for _, change := range changes {
			if change.Set {
				words = append(words, change.Variable+"="+change.Value)
			} else {
				words = append(words, "-"+change.Variable)
			}
		}
		got := strings.Join(words, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasSuffix(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%+v: got %q, want %q", c.choice, got, c.want)
		}
	}
}
