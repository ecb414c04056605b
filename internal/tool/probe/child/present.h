/* present.h: see present.c. */
#ifndef PROBE_PRESENT_H
#define PROBE_PRESENT_H

#include "gen/zvk.h"

/* Of the library that probe.c has opened. A command that is missing ends the process. */
extern PFN_vkGetInstanceProcAddr gipa;
PFN_vkVoidFunction command(VkInstance instance, const char *name);
#define COMMAND(instance, name) ((PFN_##name)command((instance), #name))

/* Shows frames on a headless surface, and in a window where there is an X display. */
void present(void);

#endif
