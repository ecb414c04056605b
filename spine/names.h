/* names.h: what names.c, unknown.c and missing.c share. */
#ifndef VKL_NAMES_H
#define VKL_NAMES_H

#include "gen/zends.h"
#include "spine.h"

/* Commands that the registry does not know (unknown.c). upper: asked by the program, layers are considered too. */
PFN_vkVoidFunction unknown_find(struct instance *instance, const char *name, bool upper);
PFN_vkVoidFunction unknown_physdev_find(struct instance *instance, const char *name, bool upper);
/* The destinations of all unknown device names so far, for a new device (UNK-014). */
void unknown_fill_device(struct device *device);

/* The assembler's stubs. */
extern const char missing_first[] __attribute__((visibility("hidden")));
extern const char missing_last[] __attribute__((visibility("hidden")));
void missing_in_chain(void);
void missing_unknown_physdev(void);
void missing_unknown_device(void);
void unknown_physdev_trampolines(void);
void unknown_physdev_terminators(void);
void unknown_device_trampolines(void);

#endif
