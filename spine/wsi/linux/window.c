/* window.c: surfaces of the system's windows, here those of X and of Wayland: creation, and which queue families
 * present to them. */
#include "gen/zends.h"
#include "wsi/surface.h"

static void fill_xcb(VkIcdSurfaceXcb *to, const VkXcbSurfaceCreateInfoKHR *info)
{
    to->connection = info->connection;
    to->window = info->window;
}

static void fill_xlib(VkIcdSurfaceXlib *to, const VkXlibSurfaceCreateInfoKHR *info)
{
    to->dpy = info->dpy;
    to->window = info->window;
}

static void fill_wayland(VkIcdSurfaceWayland *to, const VkWaylandSurfaceCreateInfoKHR *info)
{
    to->display = info->display;
    to->surface = info->surface;
}

SURFACE(xcb, VK_ICD_WSI_PLATFORM_XCB, VK_KHR_xcb_surface, vkCreateXcbSurfaceKHR, VkXcbSurfaceCreateInfoKHR,
        VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR, false);
SURFACE(xlib, VK_ICD_WSI_PLATFORM_XLIB, VK_KHR_xlib_surface, vkCreateXlibSurfaceKHR, VkXlibSurfaceCreateInfoKHR,
        VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR, false);
SURFACE(wayland, VK_ICD_WSI_PLATFORM_WAYLAND, VK_KHR_wayland_surface, vkCreateWaylandSurfaceKHR,
        VkWaylandSurfaceCreateInfoKHR, VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR, false);

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
