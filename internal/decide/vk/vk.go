package vk

import "strconv"

// InstanceExtension is an instance extension of the registry.
type InstanceExtension struct {
	Name        string
	Platform    string // "", or the registry's name of the window system or operating system
	SpecVersion uint32
	Known       bool // a Linux loader knows it (INS-008)
}

// Result is a VkResult.
type Result int32

func numberText(r Result) string { return "VkResult " + strconv.Itoa(int(r)) }

// Kind is the type of a command's dispatchable handle.
type Kind uint8

// The kinds, numbered as in the spine.
const (
	Global Kind = iota + 1
	Instance
	PhysicalDevice
	Device // device, queue or command buffer
)

// ExtensionMinor is Command.Minor of commands that are in no core version.
const ExtensionMinor = 255

// Command is a command that the loader knows.
type Command struct {
	Name      string
	Kind      Kind
	Minor     uint8  // core version 1.Minor, or ExtensionMinor
	Extension string // the first extension with the command; "": a core command
	// the instance extension that must be enabled for vkGetInstanceProcAddr to return the command; "": none
	Gate     string
	Alias    string // the command for which this is another name; "": none
	Param    string // name of the first parameter; "" for global commands
	Exported bool
}
