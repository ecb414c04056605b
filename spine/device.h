/* device.h: what device.c, device_end.c and names.c share. */
#ifndef VKL_DEVICE_H
#define VKL_DEVICE_H

#include "interface.h"
#include "spine.h"

/* A VkDeviceGroupDeviceCreateInfo of a chain, replaced by one with the handles of the next part of the chain. */
struct group_swap {
    const void *first; /* the chain to pass on */
    VkDeviceGroupDeviceCreateInfo group;
    VkPhysicalDevice *devices;
    VkBaseOutStructure *before, *original;
};

/* Replaces the first one found (DEV-029), if there is one; VK_SUCCESS or out of memory. */
VkResult group_replace(struct group_swap *swap, const void *first, void *(*lower)(VkPhysicalDevice));
/* Puts the program's chain back as it was (DEV-030). */
void group_restore(struct group_swap *swap);

/* All device extensions that a function reports, in memory of the allocator's. VK_SUCCESS, VK_INCOMPLETE when there are
 * more even after the last attempt, or an error without a list. */
VkResult device_extensions(PFN_vkEnumerateDeviceExtensionProperties enumerate, VkPhysicalDevice physdev,
                           const VkAllocationCallbacks *allocator, uint32_t *count, VkExtensionProperties **out);

#endif
