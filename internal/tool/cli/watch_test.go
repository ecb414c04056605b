package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
)

// The time of an opening is from the line before it to the next line of the loader, whatever that says.
func TestStartTimes(t *testing.T) {
	start := time.Unix(1000, 0)
	times := newStartTimes(start)
	for _, l := range []struct {
		ms   int
		line string
	}{
		{2, "[Vulkan Loader] INFO:           Vulkan Loader Version 1.4.363"},
		{10, "[Vulkan Loader] DEBUG | DRIVER: Searching for ICD drivers named /d/a.so"},
		{13, "[Vulkan Loader] DEBUG | DRIVER: Searching for ICD drivers named /d/b.so"},
		{18, "[Vulkan Loader] DEBUG | DRIVER: Unloading driver library /d/a.so"},
		{500, "[Vulkan Loader] INFO:           vkCreateInstance: Requested 0 instance layer(s):"},
		{510, "[Vulkan Loader] DEBUG | DRIVER: Searching for ICD drivers named /d/a.so"},
		{511, "[Vulkan Loader] DEBUG | LAYER:  Loading layer library libl.so"},
		{515, `[Vulkan Loader] INFO | LAYER:   Insert instance layer "VK_LAYER_l" (/l/libl.so)`},
		{900, "[Vulkan Loader] LAYER:          vkCreateInstance layer callstack setup to:"},
		{901, "a line of something else"},
	} {
		times.line(l.line, start.Add(time.Duration(l.ms)*time.Millisecond))
	}
	var out bytes.Buffer
	times.print(&surroundings{errOut: &out})
	want := `vkloader: the program's first word from the loader came after 2.00 ms; opening drivers and layers took 13.0 ms
  opened  name                  times    first      all
  driver  /d/a.so                   2  3.00 ms  4.00 ms
  driver  /d/b.so                   1  5.00 ms  5.00 ms
  layer   VK_LAYER_l (libl.so)      1  4.00 ms  4.00 ms
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

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
		choice := choice{devices: c.wanted}
		changes, warnings, err := choice.deviceChanges(func() ([]probe.Device, error) { return devices, nil })
		if c.failure != "" {
			if err == nil || !strings.Contains(err.Error(), c.failure) {
				t.Errorf("%v: %v", c.wanted, err)
			}
			continue
		}
		want := []change{{"VK_LOADER_VENDOR_ID_FILTER", c.vendors, true}, {"VK_LOADER_DEVICE_ID_FILTER", c.ids, true}}
		if err != nil || !slices.Equal(changes, want) {
			t.Errorf("%v: %v, %v", c.wanted, changes, err)
		}
		if got := strings.Join(warnings, "\n"); !strings.Contains(got, c.warning) || c.warning == "" && got != "" {
			t.Errorf("%v: warnings %q", c.wanted, got)
		}
	}
}

func TestChoiceOfDriversAndLayers(t *testing.T) {
	many := make([]string, entriesMost+1)
	for i := range many {
		many[i] = "d"
	}
	m := &machine.Machine{Root: "/machine", Environ: []string{"VK_LOADER_LAYERS_ENABLE=VK_LAYER_before",
		"VK_LOADER_DRIVERS_DISABLE=x", "VK_INSTANCE_LAYERS=y"}}
	for _, c := range []struct {
		choice choice
		want   string
	}{
		{choice{}, ""},
		{choice{drivers: []string{"a*", "b,c"}}, "VK_LOADER_DRIVERS_SELECT=a*,b,c"},
		{choice{drivers: []string{"/a/b.json", "/c.json"}}, "VK_DRIVER_FILES=/a/b.json:/c.json -VK_LOADER_DRIVERS_DISABLE"},
		{choice{drivers: []string{"/a/b.json", "c"}}, "either files (with a slash) or names, not both"},
		{choice{drivers: []string{"/a:b.json"}}, "VK_DRIVER_FILES has no way to name a path with a colon"},
		{choice{drivers: many}, "17 names, and the loader takes at most 16"},
		{choice{layers: []string{"l"}}, "VK_LOADER_LAYERS_ENABLE=VK_LAYER_before,l"},
		{choice{layers: many[1:]}, "17 names, and the loader takes at most 16"},
		{choice{noLayers: true}, "VK_LOADER_LAYERS_DISABLE=~all~ -VK_INSTANCE_LAYERS -VK_LOADER_LAYERS_ENABLE"},
		{choice{noLayers: true, layers: []string{"l"}}, "VK_LOADER_LAYERS_DISABLE=~all~ -VK_INSTANCE_LAYERS VK_LOADER_LAYERS_ENABLE=l"},
	} {
		changes, err := c.choice.changes(m)
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
