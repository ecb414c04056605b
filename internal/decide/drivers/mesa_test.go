package drivers

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        MesaWish
	}{
		{MesaPrime, "", MesaWish{}},
		{MesaPrime, "0", MesaWish{}},
		{MesaPrime, "1", MesaWish{Number: 1}},
		{MesaPrime, "2!", MesaWish{Number: 2, Only: true}},
		{MesaPrime, "pci-0000_02_00_0", MesaWish{PCI: "0000:02:00.0"}},
		{MesaPrime, "pci-0000_02_00_0!", MesaWish{PCI: "0000:02:00.0", Only: true}},
		{MesaPrime, "10de:2684", MesaWish{Vendor: 0x10de, Device: 0x2684, Pair: true}},
		{MesaPrime, "pci-02", MesaWish{Fault: "not a PCI address"}},
		{MesaPrime, "0000:02:00.0", MesaWish{Fault: "write pci-0000_02_00_0"}},
		{MesaPrime, "nvidia", MesaWish{Fault: "is not a number"}},
		{MesaPrime, "-1", MesaWish{Fault: "is not a number"}},
		{MesaSelect, "10DE:2684!", MesaWish{Vendor: 0x10de, Device: 0x2684, Pair: true, Only: true}},
		{MesaSelect, "list", MesaWish{}},
		{MesaSelect, "1", MesaWish{Fault: "neither VENDOR:DEVICE"}},
		{MesaForce, "1", MesaWish{Only: true}},
		{MesaForce, "0", MesaWish{}},
		{MesaForce, "yes", MesaWish{Fault: "neither 0 nor 1"}},
	} {
		got := ReadMesa(c.name, c.value)
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

// A compiler may split "Mesa 22.3.6" in a library into parts. The text by which Intel's drivers identify themselves in dumps
// is whole.
func TestMesaRelease(t *testing.T) {
	for library, want := range map[string]string{
		"Mesa: bogus\x00Mesa 22.3.6%s\x00":  "22.3.6",
		"Mesa 24.1.0-devel (git-1)":         "24.1.0",
		"Mesa 22.H\x00%s 22.3.6 build \x00": "22.3.6",
		"Mesa 22.\x00%s 25.0.7 build \x00":  "25.0.7",
		"Mesa 22.\x00%s 25.0 build \x00":    "",
		"open-source Mesa driver":           "",
		"Mesa ":                             "",
	} {
		if got := mesaRelease([]byte(library)); got != want {
			t.Errorf("%q: %q, want %q", library, got, want)
		}
	}
}
