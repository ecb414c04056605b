/* wsi.h: the interface of wsi/: the driver's surface for one of the loader's, and the device for one of the driver's.
 */
#ifndef VKL_WSI_H
#define VKL_WSI_H

#include "state/state.h"

/* WSI-013: the surface to pass to a driver. */
VkResult surface_for_driver(struct driver *driver, VkSurfaceKHR surface, VkSurfaceKHR *out);
/* Returns the device whose driver handle this is. If a layer wrapped the handle and passed its wrapper down, the
 * process ends with the message, also when the wrapper has a copy of the dispatch pointer. */
struct device *driver_device(VkDevice handle, const char *message);
#define DRIVER_FUNCTION(device, command) ((PFN_##command)(device)->driver_slot[TSLOT_##command])

#endif
