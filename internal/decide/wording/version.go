package wording

import (
	"fmt"
	"strings"

	"vkloader/internal/decide/vk"
)

// Version formats a packed Vulkan version.
func Version(v uint32) string { return vk.Version(v).String() }

// Maker holds the names by which a driver's vendor is known. Empty fields are unknown.
type Maker struct {
	Driver string // VkPhysicalDeviceDriverProperties::driverName
	Device string // the device's name
	Vendor uint32 // of the device
}

// nvidia reports whether the driver is NVIDIA's own. Mesa's NVK for the same devices packs versions as Vulkan does.
func (m Maker) nvidia() bool {
	if m.Driver != "" {
		return m.Driver == "NVIDIA"
	}
	return m.Vendor == 0x10de || strings.HasPrefix(m.Device, "NVIDIA ")
}

// DriverVersion formats VkPhysicalDeviceProperties::driverVersion in the vendor's format, or as a Vulkan version if the
// vendor's format is unknown.
func DriverVersion(by Maker, v uint32) string {
	if by.nvidia() { // 10, 8, 8 and 6 bits
		return fmt.Sprintf("%d.%d.%d.%d", v>>22, v>>14&0xff, v>>6&0xff, v&0x3f)
	}
	return Version(v)
}

// DeviceType describes a VkPhysicalDeviceType.
func DeviceType(t uint32) string {
	words := []string{"other", "integrated GPU", "discrete GPU", "virtual GPU", "CPU"}
	if t < uint32(len(words)) {
		return words[t]
	}
	return fmt.Sprintf("type %d", t)
}
