/* dispatch.h: the interface of dispatch/: the look-up of commands, and the filling of tables. */
#ifndef VKL_DISPATCH_H
#define VKL_DISPATCH_H

#include "gen/zends.h"
#include "state/state.h"

/* The functions that the last layer asks: vkGetInstanceProcAddr and its twin for physical devices. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL term_GetPhysicalDeviceProcAddr(VkInstance instance, const char *name);
/* Fills tables in one pass. */
void table_fill_instance(struct instance *instance, PFN_vkGetInstanceProcAddr top);
void table_fill_driver(struct driver *driver);
void table_fill_driver_slots(struct device *device); /* driver_slot */
void table_fill_device(struct device *device, PFN_vkGetInstanceProcAddr top_gipa, VkInstance top_instance);
/* Stubs in all places of the instance's table, for calls that come before the chain is there. */
void table_fill_missing(struct instance *instance);

/* EXT_* of an instance extension, -1 when the loader does not know it. */
int extension_bit(const char *name);

/* ---- unknown.c -------------------------------------------------------------------------------------------------- */

/* Commands that the registry does not know. from_program: layers are considered, too. */
PFN_vkVoidFunction unknown_find(struct instance *instance, const char *name, bool from_program);
PFN_vkVoidFunction unknown_physdev_find(struct instance *instance, const char *name, bool from_program);
/* The destinations of all unknown device names so far, for a new device (UNK-014). */
void unknown_fill_device(struct device *device);
void unknown_names_free(struct instance *instance);

#endif
