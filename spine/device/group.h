/* group.h: the device group of a VkDeviceCreateInfo, which holds handles: each part of the chain has its own. */
#ifndef VKL_DEVICE_GROUP_H
#define VKL_DEVICE_GROUP_H

#include "spine.h"

/* A VkDeviceGroupDeviceCreateInfo of a chain, replaced by one with the handles of the next part of the chain. */
struct group_swap {
    const void *first; /* the chain to pass on */
    VkDeviceGroupDeviceCreateInfo group;
    VkPhysicalDevice *devices;
    VkBaseOutStructure *before, *original;
};

/* Replaces the first one found (DEV-029), if there is one; VK_SUCCESS or out of memory. */
VkResult group_replace(struct group_swap *swap, const void *first, void *(*next_handle)(VkPhysicalDevice));
/* Puts the program's chain back as it was (DEV-030). */
void group_restore(struct group_swap *swap);

#endif
