package vk

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a version of Vulkan, as Vulkan packs it (variant:3, major:7, minor:10, patch:12).
type Version uint32

// Versions of Vulkan.
const (
	V1_0 Version = 1 << 22
	V1_1         = V1_0 | 1<<12
	V1_2         = V1_0 | 2<<12
	V1_3         = V1_0 | 3<<12
	V1_4         = V1_0 | 4<<12
)

// String returns the version in the form 1.3.230.
func (v Version) String() string {
	text := fmt.Sprintf("%d.%d.%d", v>>22&0x7f, v>>12&0x3ff, v&0xfff)
	if variant := v >> 29; variant != 0 {
		text = fmt.Sprintf("%d:%s", variant, text)
	}
	return text
}

// ParseVersion parses a version in the form 1.3 or 1.3.230.
func ParseVersion(text string) (Version, error) {
	parts := strings.Split(text, ".")
	limits := []uint64{0x7f, 0x3ff, 0xfff}
	if len(parts) < 2 || len(parts) > 3 {
		return 0, fmt.Errorf("%q is not a version of Vulkan, such as 1.3", text)
	}
	var v Version
	for i, shift := range []int{22, 12, 0}[:len(parts)] {
		number, err := strconv.ParseUint(parts[i], 10, 32)
		if err != nil || number > limits[i] {
			return 0, fmt.Errorf("%q is not a version of Vulkan, such as 1.3", text)
		}
		v |= Version(number << shift)
	}
	return v, nil
}
