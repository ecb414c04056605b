/* wsi.h: the interface of wsi/: a driver's surface for a surface of the loader, and the device of a driver's handle. */
#ifndef VKL_WSI_H
#define VKL_WSI_H

#include "state/state.h"

/* WSI-013: sets *out to the surface to pass to the driver, creating it if necessary. */
VkResult surface_for_driver(struct driver *driver, VkSurfaceKHR surface, VkSurfaceKHR *out);
/* Returns the device of a driver's handle. If a layer passed down a wrapper, even one with a copy of the dispatch
 * pointer, the process ends with the message. */
struct device *driver_device(VkDevice handle, const char *message);
#define DRIVER_FUNCTION(device, command) ((PFN_##command)(device)->driver_slot[TSLOT_##command])

#endif
