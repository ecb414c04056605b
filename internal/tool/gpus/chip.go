package gpus

import (
	"strings"

	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/machine"
)

// ChipOf is what is known of a device's chip, by its numbers, or by what its directory in sysfs says; nil: nothing.
func ChipOf(m *machine.Machine, vendor, device, directory string) *drivers.Chip {
	if c := drivers.ChipByPCI(Number(vendor), Number(device)); c != nil || directory == "" {
		return c
	}
	text, _ := m.ReadFile(directory + "/uevent")
	for _, line := range strings.Split(string(text), "\n") {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), "="); strings.HasPrefix(name, "OF_COMPATIBLE_") {
			if c := drivers.ChipByCompatible(value); c != nil {
				return c
			}
		}
	}
	return nil
}
