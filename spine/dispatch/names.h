/* names.h: the interface between names.c and unknown.c. */
#ifndef VKL_NAMES_H
#define VKL_NAMES_H

#include "dispatch/dispatch.h"

/* Commands that the registry does not know (unknown.c). from_program: layers are considered, too. */
PFN_vkVoidFunction unknown_find(struct instance *instance, const char *name, bool from_program);
PFN_vkVoidFunction unknown_physdev_find(struct instance *instance, const char *name, bool from_program);
/* The destinations of all unknown device names so far, for a new device (UNK-014). */
void unknown_fill_device(struct device *device);

#endif
