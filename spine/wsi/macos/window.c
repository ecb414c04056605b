/* window.c: surfaces of macOS windows, which are views and layers of Metal (MAC-020). There is no presentation-support
 * query. */
#include "gen/zends.h"
#include "wsi/surface.h"

#define FILL_macos COPY(pView)
#define FILL_metal COPY(pLayer)
SURFACE(macos, VK_ICD_WSI_PLATFORM_MACOS, VK_MVK_macos_surface, vkCreateMacOSSurfaceMVK, VkMacOSSurfaceCreateInfoMVK,
        VK_STRUCTURE_TYPE_MACOS_SURFACE_CREATE_INFO_MVK, false);
SURFACE(metal, VK_ICD_WSI_PLATFORM_METAL, VK_EXT_metal_surface, vkCreateMetalSurfaceEXT, VkMetalSurfaceCreateInfoEXT,
        VK_STRUCTURE_TYPE_METAL_SURFACE_CREATE_INFO_EXT, false);
