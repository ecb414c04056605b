package gpus

import (
	"strings"

	"vkloader/internal/tool/machine"
)

// Label is the device as its maker calls it, by the machine's list of PCI devices; else its title.
func (g *GPU) Label(m *machine.Machine) string {
	if name := pciName(m, g.Vendor, g.Device); name != "" {
		return strings.TrimSpace(g.Maker() + " " + name)
	}
	return g.Title()
}

// pciName looks a device up in the list of PCI devices: lines "VENDOR  NAME", below each a tab, "DEVICE  NAME"; of a name
// with brackets, what is in them is that for people.
func pciName(m *machine.Machine, vendor, device string) string {
	vendor, device = strings.TrimPrefix(vendor, "0x"), strings.TrimPrefix(device, "0x")
	if vendor == "" || device == "" {
		return ""
	}
	l := look{machine: m}
	for _, file := range []string{"/usr/share/hwdata/pci.ids", "/usr/share/misc/pci.ids"} {
		_, rest, ok := strings.Cut("\n"+l.text(file), "\n"+vendor+"  ")
		if !ok {
			continue
		}
		for _, line := range strings.Split(rest, "\n")[1:] {
			if line != "" && line[0] != '\t' && line[0] != '#' {
				break // the next vendor
			}
			if name, is := strings.CutPrefix(line, "\t"+device+"  "); is {
				if _, inside, ok := strings.Cut(name, "["); ok {
					name, _, _ = strings.Cut(inside, "]")
				}
				return name
			}
		}
	}
	return ""
}
