/* state.h: the objects of the program at its stage; for bench.c, state.c and operations.c.
 */
#ifndef VKLOADER_BENCH_STATE_H
#define VKLOADER_BENCH_STATE_H

#include "bench.h"

extern struct state {
    enum stage stage;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkCommandBuffer commands; /* being recorded, inside a render pass, a pipeline bound */
    bool draws;               /* whether there are such commands: the device has a queue for graphics */
    PFN_vkEnumeratePhysicalDevices enumerate;
    PFN_vkDestroyInstance destroy_instance;
    PFN_vkCreateDevice create_device;
    PFN_vkDestroyDevice destroy_device;
    PFN_vkGetDeviceProcAddr gdpa;
} now;

/* A device of one queue, without extensions. */
VkDevice state_make_device(void);

/* now.device and all that a draw needs, and back. */
void state_enter_device(void);
void state_leave_device(void);
/* Discards the recorded commands and begins again. */
void state_record(void);

#endif
