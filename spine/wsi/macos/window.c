/* window.c: surfaces of the system's windows, here views and layers of Metal (MAC-020). macOS has no query of
 * presentation support. */
#include "zends.h"
#include "wsi/surface.h"

CREATE(vkCreateMacOSSurfaceMVK, VkMacOSSurfaceCreateInfoMVK)
CREATE(vkCreateMetalSurfaceEXT, VkMetalSurfaceCreateInfoEXT)

static const struct surface_kind kind_macos =
    KIND(VK_ICD_WSI_PLATFORM_MACOS, VK_MVK_macos_surface, vkCreateMacOSSurfaceMVK, VkMacOSSurfaceCreateInfoMVK,
         VkIcdSurfaceMacOS, VK_STRUCTURE_TYPE_MACOS_SURFACE_CREATE_INFO_MVK);
static const struct surface_kind kind_metal =
    KIND(VK_ICD_WSI_PLATFORM_METAL, VK_EXT_metal_surface, vkCreateMetalSurfaceEXT, VkMetalSurfaceCreateInfoEXT,
         VkIcdSurfaceMetal, VK_STRUCTURE_TYPE_METAL_SURFACE_CREATE_INFO_EXT);

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateMacOSSurfaceMVK(VkInstance instance,
                                                            const VkMacOSSurfaceCreateInfoMVK *info,
                                                            const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)
{
    VkResult result;
    struct surface *surface = surface_new(instance_of(instance), &kind_macos, info, allocator, &result);
    if (surface) {
        surface->platform.macos.pView = info->pView;
        *out = surface_handle(surface);
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateMetalSurfaceEXT(VkInstance instance,
                                                            const VkMetalSurfaceCreateInfoEXT *info,
                                                            const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)
{
    VkResult result;
    struct surface *surface = surface_new(instance_of(instance), &kind_metal, info, allocator, &result);
    if (surface) {
        surface->platform.metal.pLayer = info->pLayer;
        *out = surface_handle(surface);
    }
    return result;
}
