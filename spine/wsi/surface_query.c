/* surface_query.c: terminators of the queries about surfaces and presentation. The driver is called with its own
 * handles of the physical device and the surface. A query that the driver lacks is emulated or reported.
 *
 * It keeps no state; surface.c owns the surfaces. */
#include <string.h>

#include "gen/zends.h"
#include "wsi/surface.h"

bool surface_is_enabled(struct instance *instance, unsigned ext, const char *extension, const char *command)
{
    if (instance_has(instance, ext)) return true;
    log_line(instance, LOG_ERROR, "%s extension not enabled. %s not executed!", extension, command);
    return false;
}

#define SURFACE_ENABLED(instance, command) surface_is_enabled(instance, EXT_VK_KHR_surface, "VK_KHR_surface", #command)

static void demand(struct instance *instance, const void *output, const char *command, const char *name)
{
    if (!output) log_abort(instance, LOG_ERROR | LOG_VALIDATION, "NULL pointer passed into %s for %s!", command, name);
}

void surface_lacks(struct instance *instance, const char *command)
{
    log_line(instance, LOG_ERROR, "ICD for selected physical device does not export %s!", command);
}

void *surface_asked(struct instance *instance, unsigned ext, const char *extension, const char *command, void *function)
{
    if (!surface_is_enabled(instance, ext, extension, command)) return NULL;
    if (!function) surface_lacks(instance, command);
    return function;
}

/* WSI-038: like surface_for_driver, but also accepts VK_NULL_HANDLE, which every driver accepts. */
static VkResult surface_or_none(struct driver *driver, VkSurfaceKHR surface, VkSurfaceKHR *out)
{
    *out = VK_NULL_HANDLE;
    return surface ? surface_for_driver(driver, surface, out) : VK_SUCCESS;
}

/* ---- VK_KHR_surface -------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice handle, uint32_t family,
                                                                         VkSurfaceKHR surface, VkBool32 *supported)
{
    struct physdev *physdev = term_physdev(handle);
    if (!SURFACE_ENABLED(physdev->instance, vkGetPhysicalDeviceSurfaceSupportKHR)) return VK_SUCCESS;
    demand(physdev->instance, supported, "vkGetPhysicalDeviceSurfaceSupportKHR", "pSupported");
    *supported = VK_FALSE; /* WSI-027: for a driver that writes nothing, too */
    PFN_vkGetPhysicalDeviceSurfaceSupportKHR ask = driver_fn(physdev->driver, vkGetPhysicalDeviceSurfaceSupportKHR);
    if (!ask) {
        surface_lacks(physdev->instance, "vkGetPhysicalDeviceSurfaceSupportKHR");
        return VK_SUCCESS;
    }
    VkSurfaceKHR own;
    if (surface_for_driver(physdev->driver, surface, &own) != VK_SUCCESS) return VK_SUCCESS;
    return ask(driver_physdev(physdev), family, own, supported);
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceSurfaceCapabilitiesKHR(VkPhysicalDevice handle,
                                                                              VkSurfaceKHR surface,
                                                                              VkSurfaceCapabilitiesKHR *out)
{
    struct physdev *physdev = term_physdev(handle);
    if (!SURFACE_ENABLED(physdev->instance, vkGetPhysicalDeviceSurfaceCapabilitiesKHR)) return VK_SUCCESS;
    demand(physdev->instance, out, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR", "pSurfaceCapabilities");
    PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR ask =
        driver_fn(physdev->driver, vkGetPhysicalDeviceSurfaceCapabilitiesKHR);
    if (!ask) {
        memset(out, 0, sizeof *out);
        surface_lacks(physdev->instance, "vkGetPhysicalDeviceSurfaceCapabilitiesKHR");
        return VK_SUCCESS;
    }
    VkSurfaceKHR own;
    VkResult result = surface_for_driver(physdev->driver, surface, &own);
    return result == VK_SUCCESS ? ask(driver_physdev(physdev), own, out) : result;
}

/* Defines the terminator of a query for a list. The list is empty if the driver lacks the query. */
#define SURFACE_LIST(command, count_name, type)                                                                        \
    VKAPI_ATTR VkResult VKAPI_CALL term_##command(VkPhysicalDevice handle, VkSurfaceKHR surface, uint32_t *count,      \
                                                  type *list)                                                          \
    {                                                                                                                  \
        struct physdev *physdev = term_physdev(handle);                                                                \
        if (!SURFACE_ENABLED(physdev->instance, command)) return VK_SUCCESS;                                           \
        demand(physdev->instance, count, #command, count_name);                                                        \
        PFN_##command ask = driver_fn(physdev->driver, command);                                                       \
        if (!ask) {                                                                                                    \
            *count = 0;                                                                                                \
            surface_lacks(physdev->instance, #command);                                                                \
            return VK_SUCCESS;                                                                                         \
        }                                                                                                              \
        VkSurfaceKHR own;                                                                                              \
        VkResult result = surface_or_none(physdev->driver, surface, &own);                                             \
        return result == VK_SUCCESS ? ask(driver_physdev(physdev), own, count, list) : result;                         \
    }

SURFACE_LIST(vkGetPhysicalDeviceSurfaceFormatsKHR, "pSurfaceFormatCount", VkSurfaceFormatKHR)
SURFACE_LIST(vkGetPhysicalDeviceSurfacePresentModesKHR, "pPresentModeCount", VkPresentModeKHR)

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDevicePresentRectanglesKHR(VkPhysicalDevice handle,
                                                                            VkSurfaceKHR surface, uint32_t *count,
                                                                            VkRect2D *rectangles)
{
    struct physdev *physdev = term_physdev(handle);
    PFN_vkGetPhysicalDevicePresentRectanglesKHR ask =
        driver_fn(physdev->driver, vkGetPhysicalDevicePresentRectanglesKHR);
    if (!ask) {
        log_line(physdev->instance, LOG_ERROR,
                 "ICD associated with VkPhysicalDevice does not support GetPhysicalDevicePresentRectanglesKHX");
        if (count) *count = 0;
        return VK_SUCCESS;
    }
    VkSurfaceKHR own;
    VkResult result = surface_for_driver(physdev->driver, surface, &own);
    return result == VK_SUCCESS ? ask(driver_physdev(physdev), own, count, rectangles) : result;
}

/* ---- VK_KHR_get_surface_capabilities2 -------------------------------------------------------------------------- */

/* WSI-047: the loader's values when neither surface_maintenance1 extension is enabled on the driver. */
static void emulate_maintenance(const struct driver *driver, const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                VkSurfaceCapabilities2KHR *out)
{
    if (driver_has(driver, EXT_VK_KHR_surface_maintenance1) || driver_has(driver, EXT_VK_EXT_surface_maintenance1))
        return; /* WSI-048: the driver writes the values */
    const VkSurfacePresentModeKHR *in = chain_find(info->pNext, VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR);
    if (!in) return;
    for (VkBaseOutStructure *next = out->pNext; next; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_KHR) {
            VkSurfacePresentModeCompatibilityKHR *modes = (VkSurfacePresentModeCompatibilityKHR *)next;
            if (!modes->pPresentModes) {
                modes->presentModeCount = 1;
            } else if (modes->presentModeCount != 0) {
                modes->pPresentModes[0] = in->presentMode;
                modes->presentModeCount = 1;
            }
        } else if (next->sType == VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_KHR) {
            VkSurfacePresentScalingCapabilitiesKHR *scaling = (VkSurfacePresentScalingCapabilitiesKHR *)next;
            scaling->supportedPresentScaling = 0;
            scaling->supportedPresentGravityX = 0;
            scaling->supportedPresentGravityY = 0;
            scaling->minScaledImageExtent = out->surfaceCapabilities.minImageExtent;
            scaling->maxScaledImageExtent = out->surfaceCapabilities.maxImageExtent;
        }
    }
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceSurfaceCapabilities2KHR(
    VkPhysicalDevice handle, const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *out)
{
    struct physdev *physdev = term_physdev(handle);
    struct driver *driver = physdev->driver;
    if (!SURFACE_ENABLED(physdev->instance, vkGetPhysicalDeviceSurfaceCapabilities2KHR)) return VK_SUCCESS;
    VkSurfaceKHR own;
    VkResult result = surface_or_none(driver, info->surface, &own);
    if (result != VK_SUCCESS) return result; /* WSI-055: this error comes first */
    PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR ask = driver_fn(driver, vkGetPhysicalDeviceSurfaceCapabilities2KHR);
    if (ask) {
        /* WSI-044: false in every structure of the chain, until the driver says otherwise */
        for (VkBaseOutStructure *next = out->pNext; next; next = next->pNext)
            if (next->sType == VK_STRUCTURE_TYPE_SURFACE_PROTECTED_CAPABILITIES_KHR)
                ((VkSurfaceProtectedCapabilitiesKHR *)next)->supportsProtected = VK_FALSE;
        VkPhysicalDeviceSurfaceInfo2KHR copy = *info;
        copy.surface = own;
        result = ask(driver_physdev(physdev), &copy, out);
    } else {
        log_line(
            physdev->instance, LOG_INFO,
            "vkGetPhysicalDeviceSurfaceCapabilities2KHR: Emulating call in ICD \"%s\" using vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
            driver_path(driver->lib));
        PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR older =
            driver_fn(driver, vkGetPhysicalDeviceSurfaceCapabilitiesKHR);
        if (older)
            result = older(driver_physdev(physdev), own, &out->surfaceCapabilities);
        else /* WSI-046: the driver lacks both commands */
            memset(&out->surfaceCapabilities, 0, sizeof out->surfaceCapabilities);
    }
    emulate_maintenance(driver, info, out);
    return result;
}

/* WSI-051 to 054: the older command answers for a driver that lacks vkGetPhysicalDeviceSurfaceFormats2KHR. */
static VkResult emulate_formats2(struct physdev *physdev, const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceKHR own,
                                 uint32_t *count, VkSurfaceFormat2KHR *formats)
{
    struct instance *instance = physdev->instance;
    log_line(
        instance, LOG_INFO,
        "vkGetPhysicalDeviceSurfaceFormats2KHR: Emulating call in ICD \"%s\" using vkGetPhysicalDeviceSurfaceFormatsKHR",
        driver_path(physdev->driver->lib));
    if (info->pNext)
        log_line(
            instance, LOG_WARN,
            "vkGetPhysicalDeviceSurfaceFormats2KHR: Emulation found unrecognized structure type in pSurfaceInfo->pNext - this struct will be ignored");
    PFN_vkGetPhysicalDeviceSurfaceFormatsKHR older = driver_fn(physdev->driver, vkGetPhysicalDeviceSurfaceFormatsKHR);
    if (!older) {
        *count = 0;
        return VK_SUCCESS;
    }
    if (!formats || *count == 0) return older(driver_physdev(physdev), own, count, NULL);

    const VkAllocationCallbacks *allocator = instance_allocator(instance);
    uint32_t given = *count;
    VkSurfaceFormatKHR few[64], *plain = few;
    size_t size;
    if (!size_of_array(0, given, sizeof *plain, &size)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (given > 64) plain = mem_new(allocator, size, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!plain) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = older(driver_physdev(physdev), own, count, plain);
    for (uint32_t i = 0; result >= 0 && i < *count && i < given; i++) {
        formats[i].surfaceFormat = plain[i];
        if (formats[i].pNext)
            log_line(
                instance, LOG_WARN,
                "vkGetPhysicalDeviceSurfaceFormats2KHR: Emulation found unrecognized structure type in pSurfaceFormats[%u].pNext - this struct will be ignored",
                i);
    }
    if (plain != few) mem_free(allocator, plain);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceSurfaceFormats2KHR(VkPhysicalDevice handle,
                                                                          const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                                                          uint32_t *count, VkSurfaceFormat2KHR *formats)
{
    struct physdev *physdev = term_physdev(handle);
    if (!SURFACE_ENABLED(physdev->instance, vkGetPhysicalDeviceSurfaceFormats2KHR)) return VK_SUCCESS;
    VkSurfaceKHR own;
    VkResult result = surface_or_none(physdev->driver, info->surface, &own);
    if (result != VK_SUCCESS) return result;
    PFN_vkGetPhysicalDeviceSurfaceFormats2KHR ask = driver_fn(physdev->driver, vkGetPhysicalDeviceSurfaceFormats2KHR);
    if (!ask) return emulate_formats2(physdev, info, own, count, formats);
    VkPhysicalDeviceSurfaceInfo2KHR copy = *info;
    copy.surface = own;
    return ask(driver_physdev(physdev), &copy, count, formats);
}

/* ---- VK_EXT_display_surface_counter ---------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceSurfaceCapabilities2EXT(VkPhysicalDevice handle,
                                                                               VkSurfaceKHR surface,
                                                                               VkSurfaceCapabilities2EXT *out)
{
    struct physdev *physdev = term_physdev(handle);
    struct driver *driver = physdev->driver;
    VkSurfaceKHR own;
    VkResult result = surface_for_driver(driver, surface, &own);
    if (result != VK_SUCCESS) return result; /* EXT-062: this error comes first */
    PFN_vkGetPhysicalDeviceSurfaceCapabilities2EXT ask = driver_fn(driver, vkGetPhysicalDeviceSurfaceCapabilities2EXT);
    if (ask) return ask(driver_physdev(physdev), own, out);

    log_line(
        physdev->instance, LOG_INFO,
        "vkGetPhysicalDeviceSurfaceCapabilities2EXT: Emulating call in ICD \"%s\" using vkGetPhysicalDeviceSurfaceCapabilitiesKHR",
        driver_path(driver->lib));
    VkSurfaceCapabilitiesKHR plain = {0};
    PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR older = driver_fn(driver, vkGetPhysicalDeviceSurfaceCapabilitiesKHR);
    if (older) result = older(driver_physdev(physdev), own, &plain);
    if (result != VK_SUCCESS) return result; /* EXT-061: the caller's structure is not touched */
    out->minImageCount = plain.minImageCount;
    out->maxImageCount = plain.maxImageCount;
    out->currentExtent = plain.currentExtent;
    out->minImageExtent = plain.minImageExtent;
    out->maxImageExtent = plain.maxImageExtent;
    out->maxImageArrayLayers = plain.maxImageArrayLayers;
    out->supportedTransforms = plain.supportedTransforms;
    out->currentTransform = plain.currentTransform;
    out->supportedCompositeAlpha = plain.supportedCompositeAlpha;
    out->supportedUsageFlags = plain.supportedUsageFlags;
    out->supportedSurfaceCounters = 0;
    if (out->pNext)
        log_line(
            physdev->instance, LOG_WARN,
            "vkGetPhysicalDeviceSurfaceCapabilities2EXT: Emulation found unrecognized structure type in pSurfaceCapabilities->pNext - this struct will be ignored");
    return VK_SUCCESS;
}
