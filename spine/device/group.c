/* group.c: gives the device group of a VkDeviceCreateInfo the handles of the next part of the chain, and takes them
 * back out. */
#include "device/group.h"

#include <stdlib.h>

#include "process/process.h"

VkResult group_replace(struct group_swap *swap, const void *first, void *(*next_handle)(VkPhysicalDevice))
{
    *swap = (struct group_swap){.first = first};
    const VkBaseInStructure *before = NULL;
    for (const VkBaseInStructure *p = first; p; before = p, p = p->pNext) {
        if (p->sType != VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO) continue;
        const VkDeviceGroupDeviceCreateInfo *g = (const VkDeviceGroupDeviceCreateInfo *)p;
        if (g->physicalDeviceCount == 0 || !g->pPhysicalDevices) break;
        VkPhysicalDevice *own = array_grow(NULL, g->physicalDeviceCount, sizeof *own);
        if (!own) return VK_ERROR_OUT_OF_HOST_MEMORY;
        for (uint32_t i = 0; i < g->physicalDeviceCount; i++) own[i] = next_handle(g->pPhysicalDevices[i]);
        swap->group = *g;
        swap->group.pPhysicalDevices = own;
        swap->devices = own;
        if (before) { /* the structure before it is of unknown size: its link is put back by group_restore */
            swap->before = (VkBaseOutStructure *)(uintptr_t)before;
            swap->original = (VkBaseOutStructure *)(uintptr_t)p;
            swap->before->pNext = (VkBaseOutStructure *)&swap->group;
        } else {
            swap->first = &swap->group;
        }
        break;
    }
    return VK_SUCCESS;
}

void group_restore(struct group_swap *swap)
{
    if (swap->before) swap->before->pNext = swap->original; /* DEV-030 */
    free(swap->devices);
}
