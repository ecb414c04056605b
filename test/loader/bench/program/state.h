/* state.h: the program's objects at the present stage, for bench.c, state.c and operations.c. */
#ifndef VKLOADER_BENCH_STATE_H
#define VKLOADER_BENCH_STATE_H

#include "bench.h"

extern struct state {
    enum stage stage;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    VkCommandBuffer commands; /* in the recording state, inside a render pass, with a bound pipeline */
    bool draws;               /* commands are valid: the device has a graphics queue */
    PFN_vkEnumeratePhysicalDevices enumerate;
    PFN_vkDestroyInstance destroy_instance;
    PFN_vkCreateDevice create_device;
    PFN_vkDestroyDevice destroy_device;
    PFN_vkGetDeviceProcAddr gdpa;
} now;

/* Creates a device with one queue and without extensions. */
VkDevice state_make_device(void);

/* Creates now.device and everything that a draw needs, and destroys them. */
void state_enter_device(void);
void state_leave_device(void);
/* Discards the recorded commands and begins recording again. */
void state_record(void);

#endif
