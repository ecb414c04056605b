package drivers

import (
	"strings"
	"testing"
)

// Every line of the table is valid, and no device has two different entries.
func TestTableOfChips(t *testing.T) {
	t.Parallel()
	all := knownChips()
	for _, line := range all.wrong {
		t.Errorf("not understood: %s", line)
	}
	if len(all.pci) < 300 || len(all.of) < 10 || len(all.suites) < 2 {
		t.Errorf("%d ranges, %d names, %d suites", len(all.pci), len(all.of), len(all.suites))
	}
	for i, a := range all.pci {
		for _, b := range all.pci[i+1:] {
			if a.vendor == b.vendor && a.first <= b.last && b.first <= a.last && a.chip != b.chip {
				t.Errorf("%04x:%04x-%04x is %q and %q", a.vendor, b.first, b.last, a.chip.Name, b.chip.Name)
			}
		}
	}
	used := map[*Chip]bool{}
	for _, p := range all.pci {
		used[p.chip] = true
	}
	for _, c := range all.of {
		used[c.chip] = true
	}
	for key, c := range all.chips {
		if !used[c] {
			t.Errorf("no device is of the chip %s", key)
		}
	}
}

// Lines without information are rejected.
func TestWrongLinesOfChips(t *testing.T) {
	t.Parallel()
	const right = "chip a | A | RADV (Mesa) | 1.0 | - | - |\n"
	for _, line := range []string{"chip a | A", "chip b | | RADV (Mesa) | 1.0 | - | - |", "chip b | B | none | - | - | 5 |", "pci 1002 a xyz",
		"pci 1002 b 1", "pci 1002 a 2-1", "pci 1002 a 1-z", "pci 1002", "of a", "of x b", "of [ a", "suite debian 12", "other"} {
		if got := readChips(right + line).wrong; len(got) != 1 {
			t.Errorf("%q: %q", line, got)
		}
	}
	if got := readChips(right + "# a comment\n\npci 1002 a 1 3-5\nof a* a").wrong; got != nil {
		t.Errorf("%q", got)
	}
}

func TestChips(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vendor, device       uint32
		name, driver, mesa   string
		kernel, first, last_ string
	}{
		{0x1002, 0x7550, "RDNA 4", "RADV (Mesa)", "25.0", "6.12", "", ""}, // RX 9070
		{0x1002, 0x744c, "RDNA 3", "RADV (Mesa)", "22.3", "6.1", "", ""},
		{0x1002, 0x163f, "Steam Deck", "RADV (Mesa)", "21.0", "5.11", "", ""},
		{0x1002, 0x67df, "Polaris", "RADV (Mesa)", "13.0", "4.7", "", ""},
		{0x1002, 0x6798, "GCN 1", "RADV (Mesa)", "17.0", "4.9", "", ""},
		{0x1002, 0x68b8, "before 2012", "", "", "", "", ""},
		{0x8086, 0xe20b, "Arc B", "ANV (Mesa)", "24.3", "6.12", "", ""},
		{0x8086, 0x56a0, "Arc A", "ANV (Mesa)", "22.2", "6.2", "", ""},
		{0x8086, 0x0412, "Haswell", "HASVK (Mesa)", "13.0", "", "", ""},
		{0x8086, 0x0102, "before 2012", "", "", "", "", ""},
		{0x10de, 0x2204, "Ampere", "NVK (Mesa)", "24.0", "6.6", "455", ""},
		{0x10de, 0x1b80, "Pascal", "NVK (Mesa)", "25.1", "6.6", "", "580"},
		{0x10de, 0x1180, "Kepler", "NVK (Mesa)", "", "", "364", "470"},
		{0x10de, 0x05e1, "before 2010", "", "", "", "", ""},
		{0x1af4, 0x1050, "virtio", "Venus (Mesa)", "21.1", "5.16", "", ""},
	} {
		got := ChipByPCI(c.vendor, c.device)
		if got == nil {
			t.Errorf("%04x:%04x is not known", c.vendor, c.device)
			continue
		}
		if !strings.Contains(got.Name, c.name) || got.Driver != c.driver || got.Mesa != c.mesa || got.Kernel != c.kernel ||
			got.First != c.first || got.Last != c.last_ || got.HasVulkan() != (c.driver != "") || got.Maker != (c.vendor == 0x10de && c.driver != "") {
			t.Errorf("%04x:%04x: %+v", c.vendor, c.device, *got)
		}
	}
	if got := ChipByPCI(0x1234, 0x1111); got != nil {
		t.Errorf("%+v", got)
	}
	for name, driver := range map[string]string{"brcm,2712-v3d": "V3DV (Mesa)", "brcm,bcm2835-v3d": "", "qcom,adreno-630.2": "Turnip (Mesa)", "qcom,adreno-530.2": "",
		"arm,mali-valhall-csf": "PanVK (Mesa)", "arm,mali-400": "", "apple,agx-g13g": "Honeykrisp (Mesa)", "vivante,gc": ""} {
		if got := ChipByCompatible(name); got == nil || got.Driver != driver {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := ChipByCompatible("brcm,none"); got != nil {
		t.Errorf("%+v", got)
	}
	if s, is := NewerSuite("debian", "12"); !is || s.Name != "bookworm-backports" {
		t.Errorf("%+v, %v", s, is)
	}
	if _, is := NewerSuite("debian", "1"); is {
		t.Error("a release that has none")
	}
}
