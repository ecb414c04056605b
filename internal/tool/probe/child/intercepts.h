/* intercepts.h: see intercepts.c. */
#ifndef PROBE_INTERCEPTS_H
#define PROBE_INTERCEPTS_H

#include <stdbool.h>

#include "gen/zvk.h"

/* Reads what is to be asked. */
bool intercepts_begin(void);

/* Asks the layers of a chain; device may be NULL. */
void intercepts(VkInstance instance, VkDevice device);

#endif
