/* submit.h: see submit.c. */
#ifndef PROBE_SUBMIT_H
#define PROBE_SUBMIT_H

#include <stdint.h>

#include "gen/zvk.h"

/* Submits an empty command buffer to a queue of the device, and waits until it has been executed. */
VkResult submit(VkInstance instance, VkDevice device, uint32_t family);

#endif
