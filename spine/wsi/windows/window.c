/* window.c: surfaces of Windows' windows: their creation, the presentation-support query, and the queries for
 * full-screen exclusive access. */
#include "gen/zends.h"
#include "wsi/surface.h"

#define FILL_win32 COPY(hinstance), COPY(hwnd)
SURFACE(win32, VK_ICD_WSI_PLATFORM_WIN32, VK_KHR_win32_surface, vkCreateWin32SurfaceKHR, VkWin32SurfaceCreateInfoKHR,
        VK_STRUCTURE_TYPE_WIN32_SURFACE_CREATE_INFO_KHR, false);

VKAPI_ATTR VkBool32 VKAPI_CALL term_vkGetPhysicalDeviceWin32PresentationSupportKHR(VkPhysicalDevice handle,
                                                                                   uint32_t family)
{
    struct physdev *physdev = term_physdev(handle);
    PFN_vkGetPhysicalDeviceWin32PresentationSupportKHR ask =
        PRESENTATION(physdev, VK_KHR_win32_surface, vkGetPhysicalDeviceWin32PresentationSupportKHR);
    return ask ? ask(driver_physdev(physdev), family) : VK_FALSE;
}

/* ---- VK_EXT_full_screen_exclusive ------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceSurfacePresentModes2EXT(
    VkPhysicalDevice handle, const VkPhysicalDeviceSurfaceInfo2KHR *info, uint32_t *count, VkPresentModeKHR *modes)
{
    struct physdev *physdev = term_physdev(handle);
    PFN_vkGetPhysicalDeviceSurfacePresentModes2EXT ask =
        driver_fn(physdev->driver, vkGetPhysicalDeviceSurfacePresentModes2EXT);
    if (!ask) {
        surface_lacks(physdev->instance, "vkGetPhysicalDeviceSurfacePresentModes2EXT");
        *count = 0;
        return VK_SUCCESS;
    }
    VkPhysicalDeviceSurfaceInfo2KHR copy = *info;
    copy.surface = VK_NULL_HANDLE;
    VkResult result = info->surface ? surface_for_driver(physdev->driver, info->surface, &copy.surface) : VK_SUCCESS;
    return result == VK_SUCCESS ? ask(driver_physdev(physdev), &copy, count, modes) : result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetDeviceGroupSurfacePresentModes2EXT(VkDevice handle,
                                                                            const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                                                            VkDeviceGroupPresentModeFlagsKHR *modes)
{
    struct device *device = driver_device(
        handle,
        "vkGetDeviceGroupSurfacePresentModes2EXT: Invalid device [VUID-vkGetDeviceGroupSurfacePresentModes2EXT-device-parameter]");
    PFN_vkGetDeviceGroupSurfacePresentModes2EXT ask = DRIVER_FUNCTION(device, vkGetDeviceGroupSurfacePresentModes2EXT);
    VkPhysicalDeviceSurfaceInfo2KHR copy = *info;
    VkResult result = surface_for_driver(device->driver, info->surface, &copy.surface);
    return result == VK_SUCCESS ? ask(handle, &copy, modes) : result;
}
