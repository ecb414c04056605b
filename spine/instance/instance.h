/* instance.h: what both ends of vkCreateInstance share. */
#ifndef VKL_INSTANCE_H
#define VKL_INSTANCE_H

#include "dispatch/dispatch.h"

/* EXT_* bits of a list of extension names. */
uint64_t extension_bits(const char *const *names, uint32_t count);

#endif
