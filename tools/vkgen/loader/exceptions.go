package loader

import (
	_ "embed"
	"strings"
)

// System is an operating system as the registry sees it: by its window systems.
type System struct {
	Name      string
	platforms []string // whose extensions its loader knows ("" is none)
	surfaces  []string // extensions of its window systems whose commands are exported
}

// Linux knows no DirectFB, QNX Screen and the rest (GPA-042).
var Linux = System{
	Name:      "linux",
	platforms: []string{"", "xlib", "xlib_xrandr", "xcb", "wayland", "provisional"},
	surfaces:  []string{"VK_KHR_xlib_surface", "VK_KHR_xcb_surface", "VK_KHR_wayland_surface"},
}

// Windows exports the 265 commands of WIN-002.
var Windows = System{
	Name:      "windows",
	platforms: []string{"", "win32", "provisional"},
	surfaces:  []string{"VK_KHR_win32_surface"},
}

// MacOS exports the commands of its two surfaces in place of Linux's (MAC-020).
var MacOS = System{
	Name:      "macos",
	platforms: []string{"", "macos", "metal", "provisional"},
	surfaces:  []string{"VK_MVK_macos_surface", "VK_EXT_metal_surface"},
}

// Systems are the systems that a library is built for. Lists that the systems share follow the first one.
var Systems = []System{Linux, Windows, MacOS}

// exported are the extensions whose commands are exported besides all of core (EXP-006, EXP-007, WIN-003).
var exported = []string{
	"VK_KHR_surface",
	"VK_KHR_swapchain", // with what device groups add to it
	"VK_KHR_display",
	"VK_KHR_display_swapchain",
	"VK_KHR_get_surface_capabilities2",
	"VK_KHR_get_display_properties2",
	"VK_EXT_headless_surface",
}

// gates maps commands to the extension that gates their look-up, if that is not the extension that adds them.
var gates = map[string]string{
	// GPA-026: the command's own extension does not matter
	"vkGetPhysicalDeviceSurfaceCapabilities2KHR": "VK_KHR_surface",
	"vkGetPhysicalDeviceSurfaceFormats2KHR":      "VK_KHR_surface", // GPA-026
	"vkGetDeviceGroupPresentCapabilitiesKHR":     "VK_KHR_surface", // GPA-025, though device extensions add it
	"vkGetDeviceGroupSurfacePresentModesKHR":     "VK_KHR_surface", // GPA-025
	"vkGetPhysicalDevicePresentRectanglesKHR":    "VK_KHR_surface", // GPA-025
}

// global lists the commands that are looked up without an instance (GPA-002).
var global = []string{
	"vkCreateInstance", "vkEnumerateInstanceExtensionProperties", "vkEnumerateInstanceLayerProperties",
	"vkEnumerateInstanceVersion",
}

// deviceHandles are the dispatchable handles whose commands are of the device level.
var deviceHandles = []string{"VkDevice", "VkQueue", "VkCommandBuffer", "VkExternalComputeQueueNV"}

// chained are the structures of chains with objects of the loader, which C code replaces.
var chained = []string{"VkDeviceGroupDeviceCreateInfo"}

// Hand is a command with a trampoline or terminator in C.
type Hand struct {
	Command string
	Written string // "trampoline", "terminator" or "both"
	Why     string
}

//go:embed hands.txt
var handsTable string

// Hands are the commands of hands.txt.
var Hands = func() (list []Hand) {
	written, why := "", ""
	for line := range strings.Lines(handsTable) {
		if left, right, is := strings.Cut(strings.TrimSpace(line), " | "); is {
			written, why = left, right
		} else if line[0] != '#' {
			for _, command := range strings.Fields(line) {
				list = append(list, Hand{command, written, why})
			}
		}
	}
	return list
}()
