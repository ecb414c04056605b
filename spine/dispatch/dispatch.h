/* dispatch.h: the interface of dispatch/: the look-up of commands, and the filling of tables. */
#ifndef VKL_DISPATCH_H
#define VKL_DISPATCH_H

#include "gen/zends.h"
#include "state/state.h"

/* vkGetPhysicalDeviceProcAddr of the loader interface, as the last layer calls it. */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL term_GetPhysicalDeviceProcAddr(VkInstance instance, const char *name);
/* Fill the tables when the object is created. */
void table_fill_instance(struct instance *instance, PFN_vkGetInstanceProcAddr top);
void table_fill_driver(struct driver *driver);
void table_fill_driver_slots(struct device *device); /* driver_slot */
void table_fill_device(struct device *device, PFN_vkGetInstanceProcAddr top_gipa, VkInstance top_instance);
/* Fills the instance's table with stubs, for calls before the chain exists. */
void table_fill_missing(struct instance *instance);

/* Returns the EXT_* number of an instance extension; -1 if the loader does not know it. */
int extension_bit(const char *name);

/* ---- unknown.c -------------------------------------------------------------------------------------------------- */

/* Find commands that the registry lacks; unknown_physdev_find finds only those of physical devices. from_program: the
 * program asks, so that layers are considered, too. */
PFN_vkVoidFunction unknown_find(struct instance *instance, const char *name, bool from_program);
PFN_vkVoidFunction unknown_physdev_find(struct instance *instance, const char *name, bool from_program);
/* Fills the table of a new device for all unknown names looked up so far (UNK-014). */
void unknown_fill_device(struct device *device);
void unknown_names_free(struct instance *instance);

#endif
