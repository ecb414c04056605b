/* instance.h: what both ends of vkCreateInstance share. */
#ifndef VKL_INSTANCE_H
#define VKL_INSTANCE_H

#include "dispatch/dispatch.h"

/* GATE_* bits of a list of extension names. */
uint64_t gates_of(const char *const *names, uint32_t count);

#endif
