package vk

import "strconv"

// InstanceExtension is an instance extension of the registry.
type InstanceExtension struct {
	Name        string
	Platform    string // "", or the registry's name of the window system or operating system
	SpecVersion uint32
	Known       bool // a Linux loader knows it (INS-008)
}

// KnownInstanceExtension reports whether a Linux loader knows an instance extension (INS-008).
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

// Kind is the type of a command's dispatchable handle.
type Kind uint8

// The kinds, numbered as in the spine.
const (
	Global Kind = iota + 1
	Instance
	PhysicalDevice
	Device // device, queue or command buffer
)

func (k Kind) String() string {
	return [...]string{"", "global", "instance", "physical device", "device"}[k]
}

// ExtensionMinor is Command.Minor of commands that are in no core version.
const ExtensionMinor = 255

// Command is a command that the loader knows.
type Command struct {
	Name      string
	Kind      Kind
	Minor     uint8  // core version 1.Minor, or ExtensionMinor
	Extension string // first extension that brings it; "" for core commands
	Gate      string // instance extension that must be enabled for vkGetInstanceProcAddr to return it, or ""
	Alias     string // the command that it is another name for, or ""
	Param     string // name of the first parameter; "" for global commands
	Exported  bool
}
