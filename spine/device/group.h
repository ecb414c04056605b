/* group.h: replaces the handles in the device group of a VkDeviceCreateInfo. */
#ifndef VKL_DEVICE_GROUP_H
#define VKL_DEVICE_GROUP_H

#include "spine.h"

/* A chain with a VkDeviceGroupDeviceCreateInfo whose handles are those of the next part of the chain. Nothing of the
 * given chain is written (DEV-030): the structures before the group, and the group, are copies. */
struct group_chain {
    const void *first; /* the chain to pass on */
    void *copies;
};

/* Makes a chain if the given chain has a group; the first one counts (DEV-029). Handles of records with the given magic
 * are replaced, others stay. Returns VK_SUCCESS, or an error without a chain. */
VkResult group_replace(struct instance *instance, struct group_chain *chain, const void *first, uint64_t magic);
/* Frees the copies after the call, also after an error of group_replace. */
void group_free(struct group_chain *chain);

#endif
