package drivers

import (
	"slices"
	"strings"
)

// The variables of a container that NVIDIA's container tools read.
const (
	NvidiaCapabilities = "NVIDIA_DRIVER_CAPABILITIES"
	NvidiaDevices      = "NVIDIA_VISIBLE_DEVICES"
)

// GrantsGraphics tells whether NVIDIA's container tools, by a value of NVIDIA_DRIVER_CAPABILITIES, bring what Vulkan needs.
func GrantsGraphics(capabilities string) bool {
	return slices.ContainsFunc(strings.Split(capabilities, ","), func(c string) bool {
		c = strings.TrimSpace(c)
		return c == "all" || c == "graphics" || c == "display"
	})
}
