/* xlib.c: terminators of the commands that acquire displays from an X server. */
#include "gen/zends.h"
#include "state/state.h"

VKAPI_ATTR VkResult VKAPI_CALL term_vkAcquireXlibDisplayEXT(VkPhysicalDevice handle, Display *dpy, VkDisplayKHR display)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkAcquireXlibDisplayEXT acquire = driver_fn(device->driver, vkAcquireXlibDisplayEXT);
    if (acquire) return acquire(driver_physdev(device), dpy, display);
    log_line(device->instance, LOG_INFO, "vkAcquireXLibDisplayEXT: Emulating call in ICD \"%s\" by returning error",
             driver_path(device->driver->lib)); /* EXT-054: the capital L */
    return VK_ERROR_INITIALIZATION_FAILED;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetRandROutputDisplayEXT(VkPhysicalDevice handle, Display *dpy, RROutput rrOutput,
                                                               VkDisplayKHR *pDisplay)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetRandROutputDisplayEXT get = driver_fn(device->driver, vkGetRandROutputDisplayEXT);
    if (get) return get(driver_physdev(device), dpy, rrOutput, pDisplay);
    log_line(device->instance, LOG_INFO,
             "vkGetRandROutputDisplayEXT: Emulating call in ICD \"%s\" by returning null display",
             driver_path(device->driver->lib));
    *pDisplay = VK_NULL_HANDLE;
    return VK_SUCCESS;
}
