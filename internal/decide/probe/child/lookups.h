/* lookups.h: see lookups.c. */
#ifndef PROBE_LOOKUPS_H
#define PROBE_LOOKUPS_H

#include "gen/zvk.h"

/* Measures how long vkGetInstanceProcAddr takes for a name, and writes the event. */
void measure_lookups(VkInstance instance);

#endif
