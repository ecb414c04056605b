/* window.c: surfaces of the system's windows, here those of X and of Wayland: creation, and which queue families
 * present to them. */
#include "zends.h"
#include "wsi/surface.h"

CREATE(vkCreateXcbSurfaceKHR, VkXcbSurfaceCreateInfoKHR)
CREATE(vkCreateXlibSurfaceKHR, VkXlibSurfaceCreateInfoKHR)
CREATE(vkCreateWaylandSurfaceKHR, VkWaylandSurfaceCreateInfoKHR)

static const struct surface_kind kind_xcb =
    KIND(VK_ICD_WSI_PLATFORM_XCB, VK_KHR_xcb_surface, vkCreateXcbSurfaceKHR, VkXcbSurfaceCreateInfoKHR, VkIcdSurfaceXcb,
         VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR);
static const struct surface_kind kind_xlib =
    KIND(VK_ICD_WSI_PLATFORM_XLIB, VK_KHR_xlib_surface, vkCreateXlibSurfaceKHR, VkXlibSurfaceCreateInfoKHR,
         VkIcdSurfaceXlib, VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR);
static const struct surface_kind kind_wayland =
    KIND(VK_ICD_WSI_PLATFORM_WAYLAND, VK_KHR_wayland_surface, vkCreateWaylandSurfaceKHR, VkWaylandSurfaceCreateInfoKHR,
         VkIcdSurfaceWayland, VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR);
VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateXcbSurfaceKHR(VkInstance instance, const VkXcbSurfaceCreateInfoKHR *info,
                                                          const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)
{
    VkResult result;
    struct surface *surface = surface_new(instance_of(instance), &kind_xcb, info, allocator, &result);
    if (surface) {
        surface->platform.xcb.connection = info->connection;
        surface->platform.xcb.window = info->window;
        *out = surface_handle(surface);
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateXlibSurfaceKHR(VkInstance instance, const VkXlibSurfaceCreateInfoKHR *info,
                                                           const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)
{
    VkResult result;
    struct surface *surface = surface_new(instance_of(instance), &kind_xlib, info, allocator, &result);
    if (surface) {
        surface->platform.xlib.dpy = info->dpy;
        surface->platform.xlib.window = info->window;
        *out = surface_handle(surface);
    }
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateWaylandSurfaceKHR(VkInstance instance,
                                                              const VkWaylandSurfaceCreateInfoKHR *info,
                                                              const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)
{
    VkResult result;
    struct surface *surface = surface_new(instance_of(instance), &kind_wayland, info, allocator, &result);
    if (surface) {
        surface->platform.wayland.display = info->display;
        surface->platform.wayland.surface = info->surface;
        *out = surface_handle(surface);
    }
    return result;
}

/* ---- presentation support -------------------------------------------------------------------------------------- */

VKAPI_ATTR VkBool32 VKAPI_CALL term_vkGetPhysicalDeviceXcbPresentationSupportKHR(VkPhysicalDevice handle,
                                                                                 uint32_t family,
                                                                                 xcb_connection_t *connection,
                                                                                 xcb_visualid_t visual)
{
    struct physdev *physdev = term_physdev(handle);
    PFN_vkGetPhysicalDeviceXcbPresentationSupportKHR ask =
        PRESENTATION(physdev, VK_KHR_xcb_surface, vkGetPhysicalDeviceXcbPresentationSupportKHR);
    return ask ? ask(driver_physdev(physdev), family, connection, visual) : VK_FALSE;
}

VKAPI_ATTR VkBool32 VKAPI_CALL term_vkGetPhysicalDeviceXlibPresentationSupportKHR(VkPhysicalDevice handle,
                                                                                  uint32_t family, Display *display,
                                                                                  VisualID visual)
{
    struct physdev *physdev = term_physdev(handle);
    PFN_vkGetPhysicalDeviceXlibPresentationSupportKHR ask =
        PRESENTATION(physdev, VK_KHR_xlib_surface, vkGetPhysicalDeviceXlibPresentationSupportKHR);
    return ask ? ask(driver_physdev(physdev), family, display, visual) : VK_FALSE;
}

VKAPI_ATTR VkBool32 VKAPI_CALL term_vkGetPhysicalDeviceWaylandPresentationSupportKHR(VkPhysicalDevice handle,
                                                                                     uint32_t family,
                                                                                     struct wl_display *display)
{
    struct physdev *physdev = term_physdev(handle);
    PFN_vkGetPhysicalDeviceWaylandPresentationSupportKHR ask =
        PRESENTATION(physdev, VK_KHR_wayland_surface, vkGetPhysicalDeviceWaylandPresentationSupportKHR);
    return ask ? ask(driver_physdev(physdev), family, display) : VK_FALSE;
}
