package term

import (
	"fmt"
	"strings"
)

// Version formats a packed Vulkan version (variant:3, major:7, minor:10, patch:12).
func Version(v uint32) string {
	text := fmt.Sprintf("%d.%d.%d", v>>22&0x7f, v>>12&0x3ff, v&0xfff)
	if variant := v >> 29; variant != 0 {
		text = fmt.Sprintf("%d:%s", variant, text)
	}
	return text
}

// Maker holds the known names of a driver's vendor. Each may be missing.
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

// DriverVersion formats VkPhysicalDeviceProperties::driverVersion in the vendor's format, or as a Vulkan version if that is
// unknown.
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

// Size formats a number of bytes; "-" for 0.
func Size(bytes uint64) string {
	switch {
	case bytes == 0:
		return "-"
	case bytes < 1<<30:
		return fmt.Sprintf("%d MiB", (bytes+1<<19)>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// Microseconds formats a duration in milliseconds with about three digits.
func Microseconds(us float64) string {
	ms := us / 1000
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.0f ms", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f ms", ms)
	default:
		return fmt.Sprintf("%.2f ms", ms)
	}
}

// Count formats a count: "no drivers", "1 driver", "2 drivers".
func Count(n int, thing string) string {
	many := thing + "s"
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		many = stem + "ies"
	}
	switch n {
	case 0:
		return "no " + many
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Number formats a count with digits: "0 drivers", "1 driver".
func Number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Or returns text, or otherwise if text is empty.
func Or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// Words returns the results of word for each element of a list.
func Words[T, W any](list []T, word func(T) W) (words []W) {
	for _, one := range list {
		words = append(words, word(one))
	}
	return words
}
