package plan

import (
	"vkloader/internal/core/manifest"
)

// loaderExtensions are the loader's own, in their order (GEN-17, INS-006).
var loaderExtensions = [...]manifest.Extension{
	{Name: "VK_EXT_debug_report", Spec: 10},
	{Name: "VK_EXT_debug_utils", Spec: 2},
	{Name: "VK_KHR_portability_enumeration", Spec: 1},
	{Name: "VK_LUNARG_direct_driver_loading", Spec: 1},
}

// isKnownExtension reports whether every loader knows an instance extension, regardless of window systems.
func isKnownExtension(name string) bool {
	switch name {
	case "VK_KHR_surface", "VK_KHR_display", "VK_KHR_get_physical_device_properties2", "VK_KHR_device_group_creation",
		"VK_KHR_external_memory_capabilities", "VK_KHR_external_semaphore_capabilities",
		"VK_KHR_external_fence_capabilities", "VK_KHR_get_surface_capabilities2", "VK_KHR_get_display_properties2",
		"VK_KHR_surface_protected_capabilities", "VK_KHR_portability_enumeration", "VK_KHR_surface_maintenance1",
		"VK_EXT_debug_report", "VK_NV_external_memory_capabilities", "VK_EXT_validation_flags",
		"VK_EXT_direct_mode_display", "VK_EXT_display_surface_counter",
		"VK_EXT_swapchain_colorspace", "VK_EXT_debug_utils", "VK_EXT_validation_features", "VK_EXT_headless_surface",
		"VK_EXT_surface_maintenance1", "VK_EXT_acquire_drm_display", "VK_GOOGLE_surfaceless_query",
		"VK_LUNARG_direct_driver_loading", "VK_EXT_layer_settings", "VK_NV_display_stereo":
		return true
	}
	return false
}

// wellFormed reports whether a layer or extension name is well-formed (INS-046).
func wellFormed(n Name) bool {
	s := n.Text
	if !n.Set || len(s) >= 256 {
		return false
	}
	for i := 0; i < len(s); {
		c := s[i]
		i++
		follow := 0
		switch {
		case c < 0x20 || c == 0x7f:
			return false
		case c < 0x80:
		case c&0xe0 == 0xc0:
			follow = 1
		case c&0xf0 == 0xe0:
			follow = 2
		case c&0xf8 == 0xf0:
			follow = 3
		default:
			return false
		}
		for ; follow > 0; follow-- {
			if i >= len(s) || s[i]&0xc0 != 0x80 {
				return false
			}
			i++
		}
	}
	return true
}

// nonZero parses a decimal prefix like C's atoi and reports whether it is not 0 (ENV-91, ENV-108).
func nonZero(s string) bool {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] >= '\t' && s[i] <= '\r') {
		i++
	}
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		if s[i] != '0' {
			return true
		}
	}
	return false
}
