package selector

import (
	"slices"
	"strings"
	"testing"

	"vkloader/discover"
)

var cards = []discover.Device{
	{Index: 0, Name: "NVIDIA GeForce RTX 4090", PCI: "0000:01:00.0", VendorID: 0x10de, DeviceID: 0x2684, DeviceUUID: strings.Repeat("01", 16),
		DriverUUID: strings.Repeat("0a", 16), DriverVersion: 0x89c0_0000, DriverName: "NVIDIA"},
	{Index: 1, Name: "NVIDIA GeForce RTX 4090", PCI: "0000:02:00.0", VendorID: 0x10de, DeviceID: 0x2684, DeviceUUID: strings.Repeat("02", 16),
		DriverUUID: strings.Repeat("0a", 16), DriverVersion: 0x89c0_0000, DriverName: "NVIDIA"},
	{Index: 2, Name: "AMD Radeon Graphics (RADV RAPHAEL)", PCI: "0001:7b:00.0", VendorID: 0x1002, DeviceID: 0x164e, DeviceUUID: strings.Repeat("03", 16), DriverName: "radv"},
	{Index: 3, Name: "AMD Radeon Graphics", PCI: "0001:7b:00.0", VendorID: 0x1002, DeviceID: 0x164e, DeviceUUID: strings.Repeat("04", 16), DriverName: "AMD proprietary driver"},
	{Index: 4, Name: "llvmpipe (LLVM 15.0.6, 256 bits)", VendorID: 0x10005, DeviceUUID: strings.Repeat("05", 16), DriverName: "llvmpipe"},
	{Index: 5, Name: "Intel(R) UHD Graphics 770", PCI: "0000:00:02.0", VendorID: 0x8086, DeviceID: 0x4680},
}

// Every form selects its device, the first matching form counts, and the error for an ambiguous selector lists the
// candidates.
func TestSelect(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int
		say  string // part of the error
	}{
		{"0", []int{0}, ""},
		{"05", []int{5}, ""},
		{"7", nil, `no device matches "7"; available: 0 "NVIDIA GeForce RTX 4090" (0000:01:00.0, NVIDIA), 1 `},
		{"0000:02:00.0", []int{1}, ""},
		{"02:00.0", []int{1}, ""},
		{"2:0.0", []int{1}, ""},
		{"pci-0000_01_00_0", []int{0}, ""},
		{"0001:7B:00.0", nil, `may be any of 2 devices: 2 "AMD Radeon Graphics (RADV RAPHAEL)" (0001:7b:00.0, radv), 3 "AMD Radeon Graphics" (0001:7b:00.0, AMD proprietary driver); name one by its number`},
		{"7b:00.0", nil, "no device matches"},
		{"01010101-0101-0101-0101-010101010101", []int{0}, ""},
		{strings.Repeat("05", 16), []int{4}, ""},
		{strings.Repeat("07", 16), nil, "no device matches"},
		{strings.Repeat("02", 16) + "/" + strings.Repeat("0A", 16) + "/-1983905792", []int{1}, ""},
		{strings.Repeat("02", 16) + "/" + strings.Repeat("0a", 16) + "/1", nil, "no device matches"},
		{"8086:4680", []int{5}, ""},
		{"0x8086:0x4680", []int{5}, ""},
		{"10DE:2684", nil, `may be any of 2 devices: 0 "NVIDIA GeForce RTX 4090" (0000:01:00.0, NVIDIA), 1 "NVIDIA GeForce RTX 4090" (0000:02:00.0, NVIDIA); name one by its PCI address`},
		{"nvidia", nil, "0000:02:00.0, NVIDIA); name one by its PCI address"},
		{"10de", nil, "may be any of 2 devices"},
		{"Intel", []int{5}, ""},
		{"8086", []int{5}, ""},
		{"0x8086", []int{5}, ""},
		{"mesa", []int{4}, ""},
		{"4090", nil, "may be any of 2 devices"}, // no device here has this vendor number, so it is part of names
		{"770", []int{5}, ""},
		{"AMD Radeon Graphics", []int{3}, ""}, // a whole name comes before a part of a name
		{"raphael", []int{2}, ""},
		{"LLVM", []int{4}, ""},
		{"*radeon*", []int{2, 3}, ""},
		{"nvidia*", []int{0, 1}, ""},
		{"N*A", nil, "a star is a wildcard only at the beginning and at the end"},
		{"arm", nil, "no device matches"},
		{"", nil, "no device matches"},
	} {
		got, err := Find(c.text, cards)
		if (err == nil) != (c.say == "") || err != nil && !strings.Contains(err.Error(), c.say) || !slices.Equal(got, c.want) {
			t.Errorf("%q: %v, %v; want %v %q", c.text, got, err, c.want, c.say)
		}
	}
	if _, err := Find("0", nil); err == nil || err.Error() != `no device matches "0": no device was found` {
		t.Errorf("of nothing: %v", err)
	}
}

func TestBest(t *testing.T) {
	for at, want := range []string{"0000:01:00.0", "0000:02:00.0", strings.Repeat("03", 16), strings.Repeat("04", 16), strings.Repeat("05", 16), "intel"} {
		if got := Best(cards, at); got != want {
			t.Errorf("%d: %q, want %q", at, got, want)
		}
	}
	twins := []discover.Device{{Index: 0, Name: "a"}, {Index: 1, Name: "a"}}
	if got := Best(twins, 1); got != "1" {
		t.Errorf("without address and DeviceUUID: %q", got)
	}
}
