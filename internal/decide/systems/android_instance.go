package systems

import (
	"slices"
	"strings"
)

// androidExtensions lists the instance extensions that the loader has with any driver, in order (AND-051).
var androidExtensions = []string{"VK_KHR_surface", "VK_KHR_surface_protected_capabilities", "VK_KHR_android_surface",
	"VK_EXT_swapchain_colorspace", "VK_KHR_get_surface_capabilities2", "VK_GOOGLE_surfaceless_query", "VK_EXT_surface_maintenance1",
	"VK_EXT_debug_report"}

// androidChain returns the layers with the names, in the order of the names. It returns false if one of them does not exist
// (AND-043).
func androidChain(names []string, layers []androidLayer) (chain []androidLayer, complete bool) {
	for _, name := range names {
		at := slices.IndexFunc(layers, func(l androidLayer) bool { return l.Name == name })
		if at < 0 {
			return nil, false
		}
		chain = append(chain, layers[at])
	}
	return chain, true
}

// androidCoreAt returns the minor number of the newest core version whose commands the library exports at an API level (AND-069).
func androidCoreAt(level int) int {
	for _, at := range []struct{ level, minor int }{{33, 3}, {31, 2}, {28, 1}} {
		if level >= at.level {
			return at.minor
		}
	}
	return 0
}

// androidGlobal lists the commands that vkGetInstanceProcAddr returns without an instance (AND-064).
var androidGlobal = []string{"vkCreateInstance", "vkGetInstanceProcAddr", "vkEnumerateInstanceVersion", "vkEnumerateInstanceLayerProperties",
	"vkEnumerateInstanceExtensionProperties"}

// androidAnswer is the result of a command look-up.
type androidAnswer string

// Answers.
const (
	androidNothing androidAnswer = "NULL, and an error in the log"
	androidCommand androidAnswer = "the command"
	androidChecked androidAnswer = "a stub, which does nothing but say so in the log"
)

// androidInstanceLookup is the result of vkGetInstanceProcAddr (AND-064, AND-065). instance reports whether there is an
// instance, device whether name is a device command, and on whether the device command's extension is enabled.
func androidInstanceLookup(name string, instance, device, on bool) androidAnswer {
	switch {
	case !instance && !slices.Contains(androidGlobal, name):
		return androidNothing
	case instance && device && !on:
		return androidChecked
	}
	return androidCommand
}

// androidDeviceLookup is the result of vkGetDeviceProcAddr (AND-066).
func androidDeviceLookup(device bool) androidAnswer {
	if !device {
		return androidNothing
	}
	return androidCommand
}

// androidEmulated describes the loader's substitute for a command that the driver lacks; "" if there is none (AND-067, AND-068).
func androidEmulated(command string) string {
	switch strings.TrimSuffix(command, "KHR") {
	case "vkEnumeratePhysicalDeviceGroups":
		return "a group for each device"
	case "vkGetPhysicalDeviceExternalBufferProperties", "vkGetPhysicalDeviceExternalSemaphoreProperties",
		"vkGetPhysicalDeviceExternalFenceProperties":
		return "zeros"
	}
	return ""
}
