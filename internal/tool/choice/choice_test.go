package choice

import (
	"slices"
	"strings"
	"testing"

	"vkloader/internal/core/plan"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
)

func TestChoiceOfDevices(t *testing.T) {
	devices := []probe.Device{
		{Index: 0, Name: "Big GPU", VendorID: 0x1002, DeviceID: 0x73bf},
		{Index: 1, Name: "Small GPU", VendorID: 0x8086, DeviceID: 0x46a6},
		{Index: 2, Name: "Big GPU by another driver", VendorID: 0x1002, DeviceID: 0x73bf},
	}
	for _, c := range []struct {
		wanted  []string
		vendors string
		ids     string
		warning string
		failure string
	}{
		{[]string{"8086:46A6"}, "0x8086", "0x46a6", "", ""},
		{[]string{"0x8086:0x46a6", "1"}, "0x8086", "0x46a6", "", ""},
		{[]string{"small*"}, "0x8086", "0x46a6", "", ""},
		{[]string{"Big GPU"}, "0x1002", "0x73bf", `device 2 "Big GPU by another driver" has the same numbers`, ""},
		{[]string{"*gpu*"}, "0x1002,0x8086", "0x73bf,0x46a6", "", ""},
		{[]string{"7"}, "", "", "", `--device 7: no such device; there are: 0 "Big GPU", 1 "Small GPU"`},
		{[]string{"B*PU"}, "", "", "", "a star counts at the beginning and at the end only"},
	} {
		choice := Choice{Devices: c.wanted}
		changes, warnings, err := choice.DeviceChanges(func() ([]probe.Device, error) { return devices, nil })
		if c.failure != "" {
			if err == nil || !strings.Contains(err.Error(), c.failure) {
				t.Errorf("%v: %v", c.wanted, err)
			}
			continue
		}
		want := []Change{{"VK_LOADER_VENDOR_ID_FILTER", c.vendors, true}, {"VK_LOADER_DEVICE_ID_FILTER", c.ids, true}}
		if err != nil || !slices.Equal(changes, want) {
			t.Errorf("%v: %v, %v", c.wanted, changes, err)
		}
		if got := strings.Join(warnings, "\n"); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%v: warnings %q", c.wanted, got)
		}
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
		{Choice{Drivers: []string{"/a/b.json", "c"}}, "either files (with a slash) or names, not both"},
		{Choice{Drivers: []string{"/a:b.json"}}, "VK_DRIVER_FILES has no way to name a path with a colon"},
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
				words = append(words, change.Name+"="+change.Value)
			} else {
				words = append(words, "-"+change.Name)
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
