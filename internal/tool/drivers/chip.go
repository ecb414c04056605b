package drivers

import (
	"strings"

	"vkloader/internal/tool/gpus"
	"vkloader/internal/tool/machine"
)

// ChipOf finds a device's chip by its PCI numbers, else by the names in its directory in sysfs. Nil: the chip is not known.
func ChipOf(m *machine.Machine, vendor, device, directory string) *Chip {
	if c := ChipByPCI(gpus.Number(vendor), gpus.Number(device)); c != nil || directory == "" {
		return c
	}
	text, _ := m.ReadFile(directory + "/uevent")
	for _, line := range strings.Split(string(text), "\n") {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), "="); strings.HasPrefix(name, "OF_COMPATIBLE_") {
			if c := ChipByCompatible(value); c != nil {
				return c
			}
		}
	}
	return nil
}
