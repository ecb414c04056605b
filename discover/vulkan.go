package discover

import "vkloader/internal/decide/vk"

// Version is a version of Vulkan, as Vulkan packs it: VK_MAKE_API_VERSION(variant, major, minor, patch). Versions of
// one variant can be compared as numbers.
type Version uint32

// Versions of Vulkan.
const (
	V1_0 = Version(vk.V1_0)
	V1_1 = Version(vk.V1_1)
	V1_2 = Version(vk.V1_2)
	V1_3 = Version(vk.V1_3)
	V1_4 = Version(vk.V1_4)
)

// ParseVersion reads 1.3 or 1.3.230.
func ParseVersion(text string) (Version, error) {
	v, err := vk.ParseVersion(text)
	return Version(v), err
}

// String returns the version in the form 1.3.230.
func (v Version) String() string { return vk.Version(v).String() }

// DeviceType is a kind of device, as in VkPhysicalDeviceType.
type DeviceType uint32

// Kinds of devices.
const (
	OtherType  = DeviceType(vk.OtherType)
	Integrated = DeviceType(vk.Integrated) // a GPU that is a part of the processor
	Discrete   = DeviceType(vk.Discrete)   // a graphics card
	Virtual    = DeviceType(vk.Virtual)    // a GPU of a virtual machine
	CPU        = DeviceType(vk.CPU)        // the driver computes on the CPU
)

// String returns the kind in one word: other, integrated, discrete, virtual or cpu.
func (t DeviceType) String() string { return vk.DeviceType(t).String() }
