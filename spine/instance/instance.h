/* instance.h: declarations for the trampoline and the terminator of vkCreateInstance. */
#ifndef VKL_INSTANCE_H
#define VKL_INSTANCE_H

#include "dispatch/dispatch.h"

/* Returns the EXT_* bits of a list of extension names. */
uint64_t extension_bits(const char *const *names, uint32_t count);

#endif
