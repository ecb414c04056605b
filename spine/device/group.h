/* group.h: the device group of a VkDeviceCreateInfo, which holds handles: each part of the chain has its own. */
#ifndef VKL_DEVICE_GROUP_H
#define VKL_DEVICE_GROUP_H

#include "spine.h"

/* A chain with a VkDeviceGroupDeviceCreateInfo whose handles are those of the next part of the chain. Nothing of the
 * given chain is written (DEV-030): the structures before the group, and the group, are copies. */
struct group_chain {
    const void *first; /* the chain to pass on */
    void *copies;
};

/* Makes one, of the first group found (DEV-029), if there is one: VK_SUCCESS or an error, without a chain. A handle
 * with the magic is replaced, any other one stays. */
VkResult group_replace(struct instance *instance, struct group_chain *chain, const void *first, uint64_t magic);
/* When the call is done; also after an error. */
void group_free(struct group_chain *chain);

#endif
