/* wsi.h: what wsi/ offers: the surface that a driver has made for one of the loader's. */
#ifndef VKL_WSI_H
#define VKL_WSI_H

#include "state/state.h"

/* WSI-013: the surface to pass to a driver. */
VkResult surface_for_driver(struct driver *driver, VkSurfaceKHR surface, VkSurfaceKHR *out);

#endif
