/* swapchain.c: terminators of the device commands with a surface argument. The driver gets a copy of the arguments with
 * its own surface (WSI-056 to 068). Swapchains and images are the driver's handles and are never wrapped. */
#include "gen/zends.h"
#include "wsi/wsi.h"

struct device *driver_device(VkDevice handle, const char *message)
{
    struct device *device = device_of(handle);
    if (!device || device->driver_handle != handle) log_abort(NULL, LOG_ERROR | LOG_VALIDATION, "%s", message);
    return device;
}

/* WSI-061: sets *own to the driver's surface. Before the program's first surface, the handle and NULL are passed on
 * (WSI-016). */
static VkResult swapchain_surface(struct device *device, const char *command, VkSurfaceKHR surface, VkSurfaceKHR *own)
{
    struct driver *driver = device->driver;
    lock_take();
    bool made = driver->objects[OBJECT_SURFACE].room != 0;
    lock_drop();
    if (!surface && made && driver->lib->interface_version >= 3 && driver_has(driver, EXT_VK_KHR_surface))
        log_abort(device->instance, LOG_ERROR | LOG_VALIDATION,
                  "%s: Invalid surface [VUID-VkSwapchainCreateInfoKHR-surface-parameter]", command);
    return surface_for_driver(driver, surface, own);
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateSwapchainKHR(VkDevice handle, const VkSwapchainCreateInfoKHR *info,
                                                         const VkAllocationCallbacks *allocator, VkSwapchainKHR *out)
{
    struct device *device = driver_device(
        handle,
        "vkCreateSwapchainKHR Terminator: device handle. This is likely the result of a layer wrapping device handles and failing to unwrap them in all functions. [VUID-vkCreateSwapchainKHR-device-parameter]");
    PFN_vkCreateSwapchainKHR create = DRIVER_FUNCTION(device, vkCreateSwapchainKHR);
    if (!create) {
        log_line(
            device->instance, LOG_ERROR | LOG_FATAL,
            "vkCreateSwapchainKHR: Driver's function pointer was NULL, returning VK_SUCCESS. Was the VK_KHR_swapchain extension enabled?");
        return VK_SUCCESS; /* WSI-059: when the driver lacks the command */
    }
    if (!info)
        log_abort(
            device->instance, LOG_ERROR | LOG_VALIDATION,
            "vkCreateSwapchainKHR: Invalid pCreateInfo pointer [VUID-vkCreateSwapchainKHR-pCreateInfo-parameter]");
    VkSwapchainCreateInfoKHR copy = *info;
    VkResult result = swapchain_surface(device, "vkCreateSwapchainKHR", info->surface, &copy.surface);
    return result == VK_SUCCESS ? create(handle, &copy, allocator, out) : result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateSharedSwapchainsKHR(VkDevice handle, uint32_t count,
                                                                const VkSwapchainCreateInfoKHR *infos,
                                                                const VkAllocationCallbacks *allocator,
                                                                VkSwapchainKHR *out)
{
    struct device *device = driver_device(
        handle,
        "vkCreateSharedSwapchainsKHR Terminator: Invalid device handle. This is likely the result of a layer wrapping device handles and failing to unwrap them in all functions. [VUID-vkCreateSharedSwapchainsKHR-device-parameter]");
    PFN_vkCreateSharedSwapchainsKHR create = DRIVER_FUNCTION(device, vkCreateSharedSwapchainsKHR);
    if (!create) {
        log_line(
            device->instance, LOG_ERROR,
            "vkCreateSharedSwapchainsKHR Terminator: Driver's function pointer was NULL, returning VK_SUCCESS. Was the VK_KHR_display_swapchain extension enabled?");
        return VK_SUCCESS; /* WSI-064: when the driver lacks the command */
    }
    const VkAllocationCallbacks *own = instance_allocator(device->instance);
    VkSwapchainCreateInfoKHR few[8], *copy = few;
    size_t size;
    if (!size_of_array(0, count, sizeof *copy, &size)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (count > 8) copy = mem_new(own, size, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!copy) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < count && result == VK_SUCCESS; i++) {
        copy[i] = infos[i];
        result = swapchain_surface(device, "vkCreateSharedSwapchainsKHR", infos[i].surface, &copy[i].surface);
    }
    if (result == VK_SUCCESS) result = create(handle, count, copy, allocator, out);
    if (copy != few) mem_free(own, copy);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetDeviceGroupSurfacePresentModesKHR(VkDevice handle, VkSurfaceKHR surface,
                                                                           VkDeviceGroupPresentModeFlagsKHR *modes)
{
    struct device *device = driver_device(
        handle,
        "vkGetDeviceGroupSurfacePresentModesKHR: Invalid device [VUID-vkGetDeviceGroupSurfacePresentModesKHR-device-parameter]");
    PFN_vkGetDeviceGroupSurfacePresentModesKHR ask = DRIVER_FUNCTION(device, vkGetDeviceGroupSurfacePresentModesKHR);
    if (!ask) {
        log_line(
            device->instance, LOG_ERROR,
            "vkGetDeviceGroupSurfacePresentModesKHR: Driver's function pointer was NULL, returning VK_SUCCESS. Was either Vulkan 1.1 and VK_KHR_swapchain enabled or both the VK_KHR_device_group and VK_KHR_surface extensions enabled when using Vulkan 1.0?");
        return VK_SUCCESS; /* WSI-067: when the driver lacks the command */
    }
    VkSurfaceKHR own;
    VkResult result = surface_for_driver(device->driver, surface, &own);
    return result == VK_SUCCESS ? ask(handle, own, modes) : result;
}
