/* intercepts.h: see intercepts.c. */
#ifndef PROBE_INTERCEPTS_H
#define PROBE_INTERCEPTS_H

#include <stdbool.h>

#include "gen/zvk.h"

/* Reads the list of names to ask for. */
bool intercepts_begin(void);

/* Asks the layers of a chain; device may be NULL. */
void intercepts(VkInstance instance, VkDevice device);

#endif
