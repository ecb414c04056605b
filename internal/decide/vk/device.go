package vk

// DeviceType is a kind of device, as in VkPhysicalDeviceType.
type DeviceType uint32

// Kinds of devices.
const (
	OtherType  DeviceType = 0
	Integrated DeviceType = 1
	Discrete   DeviceType = 2
	Virtual    DeviceType = 3
	CPU        DeviceType = 4
)

// String returns the type in one word.
func (t DeviceType) String() string {
	if words := [...]string{"other", "integrated", "discrete", "virtual", "cpu"}; int(t) < len(words) {
		return words[t]
	}
	return "other"
}
