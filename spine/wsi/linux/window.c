/* window.c: surfaces of X and Wayland windows: their creation, and the queries for queue families that can present to
 * them. */
#include "gen/zends.h"
#include "wsi/surface.h"

#define FILL_xcb COPY(connection), COPY(window)
#define FILL_xlib COPY(dpy), COPY(window)
#define FILL_wayland COPY(display), COPY(surface)

SURFACE(xcb, VK_ICD_WSI_PLATFORM_XCB, VK_KHR_xcb_surface, vkCreateXcbSurfaceKHR, VkXcbSurfaceCreateInfoKHR,
        VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR, false);
SURFACE(xlib, VK_ICD_WSI_PLATFORM_XLIB, VK_KHR_xlib_surface, vkCreateXlibSurfaceKHR, VkXlibSurfaceCreateInfoKHR,
        VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR, false);
SURFACE(wayland, VK_ICD_WSI_PLATFORM_WAYLAND, VK_KHR_wayland_surface, vkCreateWaylandSurfaceKHR,
        VkWaylandSurfaceCreateInfoKHR, VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR, false);

/* ---- presentation support -------------------------------------------------------------------------------------- */

/* Defines the terminator of a presentation-support query: extension, command, parameters, and the driver's arguments.
 */
#define SUPPORT(ext, command, parameters, ...)                                                                         \
    VKAPI_ATTR VkBool32 VKAPI_CALL term_##command parameters                                                           \
    {                                                                                                                  \
        struct physdev *physdev = term_physdev(handle);                                                                \
        PFN_##command ask = PRESENTATION(physdev, ext, command);                                                       \
        return ask ? ask(driver_physdev(physdev), __VA_ARGS__) : VK_FALSE;                                             \
    }

SUPPORT(VK_KHR_xcb_surface, vkGetPhysicalDeviceXcbPresentationSupportKHR,
        (VkPhysicalDevice handle, uint32_t family, xcb_connection_t *connection, xcb_visualid_t visual), family,
        connection, visual)
SUPPORT(VK_KHR_xlib_surface, vkGetPhysicalDeviceXlibPresentationSupportKHR,
        (VkPhysicalDevice handle, uint32_t family, Display *display, VisualID visual), family, display, visual)
SUPPORT(VK_KHR_wayland_surface, vkGetPhysicalDeviceWaylandPresentationSupportKHR,
        (VkPhysicalDevice handle, uint32_t family, struct wl_display *display), family, display)
