package loader

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
	Upper   bool
	Lower   bool
	Why     string
}

const (
	up   = 1
	down = 2
	both = up | down
)

func hand(ends int, command, why string) Hand {
	return Hand{Command: command, Upper: ends&up != 0, Lower: ends&down != 0, Why: why}
}

// Hands are the commands whose trampoline or terminator no macro line of asm/trampolines.c can express. A
// device-level command has a terminator only if it is in this list (GPA-086).
var Hands = []Hand{
	hand(both, "vkCreateInstance", "builds the instance: layers, drivers, tables"),
	hand(both, "vkDestroyInstance", "destroys the instance; NULL is allowed (HND-010)"),
	hand(both, "vkEnumerateInstanceVersion", "called without an instance; pre-instance layers intercept it (LAY-217)"),
	hand(both, "vkEnumerateInstanceLayerProperties", "called without an instance; pre-instance layers intercept it "+
		"(LAY-217)"),
	hand(both, "vkEnumerateInstanceExtensionProperties", "called without an instance; pre-instance layers intercept it "+
		"(LAY-217)"),
	hand(both, "vkGetInstanceProcAddr", "name look-up (GPA-001 to GPA-042, GPA-077 to GPA-081)"),
	hand(both, "vkGetDeviceProcAddr", "name look-up (GPA-043 to GPA-060, GPA-085)"),
	hand(both, "vkEnumeratePhysicalDevices", "replaces the chain's physical devices by the loader's objects (GPA-070)"),
	hand(both, "vkEnumeratePhysicalDeviceGroups", "replaces the chain's physical devices by the loader's objects "+
		"(EXT-035 to EXT-038)"),
	hand(both, "vkCreateDevice", "builds the device: chain, tables, extension filter"),
	hand(up, "vkDestroyDevice", "removes the loader's record of the device; NULL is allowed (HND-023)"),
	hand(both, "vkEnumerateDeviceLayerProperties", "the trampoline answers; the terminator logs an error (GPA-088)"),
	hand(down, "vkEnumerateDeviceExtensionProperties", "adds and filters extensions of layers (LAY-257 to LAY-266)"),
	hand(up, "vkGetDeviceQueue", "sets the queue's first word (GPA-073, GPA-074)"),
	hand(up, "vkGetDeviceQueue2", "sets the queue's first word (GPA-073, GPA-074)"),
	hand(up, "vkAllocateCommandBuffers", "sets the command buffers' first words (GPA-073, GPA-074)"),
	hand(up, "vkCreateExternalComputeQueueNV", "sets the queue's first word (GPA-073)"),

	hand(down, "vkGetPhysicalDeviceFeatures2", "emulated with the 1.0 command (EXT-007, EXT-019)"),
	hand(down, "vkGetPhysicalDeviceProperties2", "emulated with the 1.0 command (EXT-007, EXT-022)"),
	hand(down, "vkGetPhysicalDeviceFormatProperties2", "emulated with the 1.0 command (EXT-007, EXT-025)"),
	hand(down, "vkGetPhysicalDeviceImageFormatProperties2", "emulated with the 1.0 command (EXT-007, EXT-026)"),
	hand(down, "vkGetPhysicalDeviceQueueFamilyProperties2", "emulated with the 1.0 command (EXT-007, EXT-027)"),
	hand(down, "vkGetPhysicalDeviceMemoryProperties2", "emulated with the 1.0 command (EXT-007, EXT-028)"),
	hand(down, "vkGetPhysicalDeviceSparseImageFormatProperties2", "emulated with the 1.0 command (EXT-007, EXT-029)"),
	hand(down, "vkGetPhysicalDeviceExternalBufferProperties", "emulated as \"nothing supported\" (EXT-007, EXT-031)"),
	hand(down, "vkGetPhysicalDeviceExternalSemaphoreProperties", "emulated as \"nothing supported\" (EXT-007, EXT-032)"),
	hand(down, "vkGetPhysicalDeviceExternalFenceProperties", "emulated as \"nothing supported\" (EXT-007, EXT-033)"),
	hand(down, "vkGetPhysicalDeviceToolProperties", "returns no tools if the driver lacks the command or the device is "+
		"older than 1.3 (EXT-042 to EXT-044)"),
	hand(down, "vkGetPhysicalDeviceToolPropertiesEXT", "returns no tools if the driver lacks the command (EXT-045)"),
	hand(down, "vkGetPhysicalDeviceExternalImageFormatPropertiesNV", "emulated (EXT-056, EXT-057)"),

	hand(down, "vkCreateXcbSurfaceKHR", "makes the loader's surface (WSI-001)"),
	hand(down, "vkCreateXlibSurfaceKHR", "makes the loader's surface (WSI-001)"),
	hand(down, "vkCreateWaylandSurfaceKHR", "makes the loader's surface (WSI-001)"),
	hand(down, "vkCreateWin32SurfaceKHR", "makes the loader's surface (WSI-001)"),
	hand(down, "vkCreateMacOSSurfaceMVK", "makes the loader's surface (WSI-001)"),
	hand(down, "vkCreateMetalSurfaceEXT", "makes the loader's surface (WSI-001)"),
	hand(down, "vkCreateHeadlessSurfaceEXT", "makes the loader's surface (WSI-001)"),
	hand(down, "vkCreateDisplayPlaneSurfaceKHR", "makes the loader's surface (WSI-001)"),
	hand(down, "vkDestroySurfaceKHR", "destroys each driver's surface and the loader's (WSI-019, WSI-020)"),
	hand(down, "vkGetPhysicalDeviceSurfaceSupportKHR", "needs the driver's surface (WSI-013, WSI-025 to WSI-029)"),
	hand(down, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "needs the driver's surface (WSI-013, WSI-030)"),
	hand(down, "vkGetPhysicalDeviceSurfaceFormatsKHR", "needs the driver's surface (WSI-013, WSI-032)"),
	hand(down, "vkGetPhysicalDeviceSurfacePresentModesKHR", "needs the driver's surface (WSI-013, WSI-034)"),
	hand(down, "vkGetPhysicalDeviceSurfaceCapabilities2KHR", "needs the driver's surface; emulated (WSI-044 to WSI-049)"),
	hand(down, "vkGetPhysicalDeviceSurfaceFormats2KHR", "needs the driver's surface; emulated (WSI-050 to WSI-054)"),
	hand(down, "vkGetPhysicalDeviceSurfaceCapabilities2EXT", "needs the driver's surface; emulated (EXT-058 to EXT-062)"),
	hand(down, "vkGetPhysicalDevicePresentRectanglesKHR", "needs the driver's surface (WSI-039)"),
	hand(down, "vkGetPhysicalDeviceXcbPresentationSupportKHR", "returns VK_FALSE if the driver lacks the command "+
		"(WSI-040)"),
	hand(down, "vkGetPhysicalDeviceXlibPresentationSupportKHR", "returns VK_FALSE if the driver lacks the command "+
		"(WSI-040)"),
	hand(down, "vkGetPhysicalDeviceWaylandPresentationSupportKHR", "returns VK_FALSE if the driver lacks the command "+
		"(WSI-040)"),

	hand(down, "vkGetPhysicalDeviceWin32PresentationSupportKHR", "returns VK_FALSE if the driver lacks the command "+
		"(WSI-040)"),
	hand(down, "vkGetPhysicalDeviceSurfacePresentModes2EXT", "needs the driver's surface (WSI-013)"),

	hand(down, "vkGetPhysicalDeviceDisplayPropertiesKHR", "logs a message and returns an empty answer if the extension "+
		"is off or the driver lacks the command (EXT-063, EXT-064)"),
	hand(down, "vkGetPhysicalDeviceDisplayPlanePropertiesKHR", "logs a message and returns an empty answer if the "+
		"extension is off or the driver lacks the command (EXT-063, EXT-064)"),
	hand(down, "vkGetDisplayPlaneSupportedDisplaysKHR", "logs a message and returns an empty answer if the extension is "+
		"off or the driver lacks the command (EXT-063, EXT-064)"),
	hand(down, "vkGetDisplayModePropertiesKHR", "logs a message and returns an empty answer if the extension is off or "+
		"the driver lacks the command (EXT-063, EXT-064)"),
	hand(down, "vkCreateDisplayModeKHR", "logs a message and returns an error if the extension is off or the driver "+
		"lacks the command (EXT-063, EXT-066)"),
	hand(down, "vkGetDisplayPlaneCapabilitiesKHR", "logs a message and returns an empty answer if the extension is off "+
		"or the driver lacks the command (EXT-063, EXT-065)"),
	hand(down, "vkGetPhysicalDeviceDisplayProperties2KHR", "emulated (EXT-068 to EXT-071)"),
	hand(down, "vkGetPhysicalDeviceDisplayPlaneProperties2KHR", "emulated (EXT-068 to EXT-071)"),
	hand(down, "vkGetDisplayModeProperties2KHR", "emulated (EXT-068 to EXT-071)"),
	hand(down, "vkGetDisplayPlaneCapabilities2KHR", "emulated (EXT-072, EXT-073)"),
	hand(down, "vkReleaseDisplayEXT", "aborts with a message if the driver lacks the command (EXT-053)"),
	hand(down, "vkAcquireXlibDisplayEXT", "emulated as an error (EXT-054)"),
	hand(down, "vkGetRandROutputDisplayEXT", "emulated as no display (EXT-055)"),
	hand(down, "vkAcquireDrmDisplayEXT", "an error instead of an abort (EXT-051)"),
	hand(down, "vkGetDrmDisplayEXT", "an error instead of an abort (EXT-052)"),

	hand(down, "vkCreateDebugReportCallbackEXT", "the loader's own callbacks and the drivers' (DBG-027 to DBG-039)"),
	hand(down, "vkDestroyDebugReportCallbackEXT", "the loader's own callbacks and the drivers' (DBG-027 to DBG-039)"),
	hand(down, "vkDebugReportMessageEXT", "calls all drivers and the loader's callbacks (DBG-043 to DBG-047)"),
	hand(down, "vkCreateDebugUtilsMessengerEXT", "the loader's own messengers and the drivers' (DBG-027 to DBG-039)"),
	hand(down, "vkDestroyDebugUtilsMessengerEXT", "the loader's own messengers and the drivers' (DBG-027 to DBG-039)"),
	hand(down, "vkSubmitDebugUtilsMessageEXT", "calls all drivers and the loader's messengers (DBG-040 to DBG-042)"),

	hand(down, "vkCreateSwapchainKHR", "needs the driver's surface (WSI-056)"),
	hand(down, "vkCreateSharedSwapchainsKHR", "needs the driver's surfaces (WSI-063)"),
	hand(down, "vkGetDeviceGroupSurfacePresentModesKHR", "needs the driver's surface (WSI-066)"),
	hand(down, "vkGetDeviceGroupSurfacePresentModes2EXT", "needs the driver's surface (WSI-066)"),
	hand(both, "vkSetDebugUtilsObjectNameEXT", "replaces handles of the loader's objects (DBG-048 to DBG-055)"),
	hand(both, "vkSetDebugUtilsObjectTagEXT", "replaces handles of the loader's objects (DBG-048 to DBG-055)"),
	hand(both, "vkDebugMarkerSetObjectNameEXT", "replaces handles of the loader's objects (DBG-048 to DBG-055)"),
	hand(both, "vkDebugMarkerSetObjectTagEXT", "replaces handles of the loader's objects (DBG-048 to DBG-055)"),
	hand(down, "vkQueueBeginDebugUtilsLabelEXT", "does nothing if the driver lacks the command (DBG-058)"),
	hand(down, "vkQueueEndDebugUtilsLabelEXT", "does nothing if the driver lacks the command (DBG-058)"),
	hand(down, "vkQueueInsertDebugUtilsLabelEXT", "does nothing if the driver lacks the command (DBG-058)"),
	hand(down, "vkCmdBeginDebugUtilsLabelEXT", "does nothing if the driver lacks the command (DBG-058)"),
	hand(down, "vkCmdEndDebugUtilsLabelEXT", "does nothing if the driver lacks the command (DBG-058)"),
	hand(down, "vkCmdInsertDebugUtilsLabelEXT", "does nothing if the driver lacks the command (DBG-058)"),
}
