package mesa

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        Wish
	}{
		{Prime, "", Wish{}},
		{Prime, "0", Wish{}},
		{Prime, "1", Wish{Number: 1}},
		{Prime, "2!", Wish{Number: 2, Only: true}},
		{Prime, "pci-0000_02_00_0", Wish{PCI: "0000:02:00.0"}},
		{Prime, "pci-0000_02_00_0!", Wish{PCI: "0000:02:00.0", Only: true}},
		{Prime, "10de:2684", Wish{Vendor: 0x10de, Device: 0x2684, Pair: true}},
		{Prime, "pci-02", Wish{Fault: "no PCI address"}},
		{Prime, "0000:02:00.0", Wish{Fault: "write pci-0000_02_00_0"}},
		{Prime, "nvidia", Wish{Fault: "none of"}},
		{Prime, "-1", Wish{Fault: "none of"}},
		{Select, "10DE:2684!", Wish{Vendor: 0x10de, Device: 0x2684, Pair: true, Only: true}},
		{Select, "list", Wish{}},
		{Select, "1", Wish{Fault: "neither VENDOR:DEVICE"}},
		{Force, "1", Wish{Only: true}},
		{Force, "0", Wish{}},
		{Force, "yes", Wish{Fault: "neither 0 nor 1"}},
	} {
		got := Read(c.name, c.value)
		if !strings.Contains(got.Fault, c.want.Fault) || (got.Fault == "") != (c.want.Fault == "") {
			t.Errorf("%s=%s: fault %q", c.name, c.value, got.Fault)
		}
		c.want.Name, c.want.Value, c.want.Fault = c.name, c.value, got.Fault
		if got != c.want {
			t.Errorf("%s=%s: %+v, want %+v", c.name, c.value, got, c.want)
		}
		asks := got.Number > 0 || got.PCI != "" || got.Pair || got.Only || c.value == "list"
		if (got.Does() != "") != asks {
			t.Errorf("%s=%s: %q", c.name, c.value, got.Does())
		}
	}
}
