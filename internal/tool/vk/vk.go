package vk

import "strconv"

// InstanceExtension is an instance extension of the registry.
type InstanceExtension struct {
	Name        string
	Platform    string // "", or the registry's name of the window system or operating system
	SpecVersion uint32
	Known       bool // a Linux loader knows it (INS-008)
}

// KnownInstanceExtension tells whether a Linux loader knows an instance extension (INS-008).
func KnownInstanceExtension(name string) bool {
	for i := range InstanceExtensions {
		if InstanceExtensions[i].Name == name {
			return InstanceExtensions[i].Known
		}
	}
	return false
}

// Result is a VkResult.
type Result int32

func unnamed(r Result) string { return "VkResult " + strconv.Itoa(int(r)) }
