/* wsi.h: the interface of wsi/: the driver's surface for one of the loader's. */
#ifndef VKL_WSI_H
#define VKL_WSI_H

#include "state/state.h"

/* WSI-013: the surface to pass to a driver. */
VkResult surface_for_driver(struct driver *driver, VkSurfaceKHR surface, VkSurfaceKHR *out);

#endif
