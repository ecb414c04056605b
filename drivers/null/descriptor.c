/* descriptor.c: descriptor pools and sets. A set is an entry of its pool; writes to it are discarded. */
#include "null.h"

struct descriptor_set {
    uint32_t next_free; /* index + 1 of the next free set */
};

struct descriptor_pool {
    uint32_t room, free; /* free: index + 1 of the first free set */
    struct descriptor_set sets[];
};

static void reset(struct descriptor_pool *p)
{
    for (uint32_t i = 0; i < p->room; i++) p->sets[i].next_free = i + 1 < p->room ? i + 2 : 0;
    p->free = p->room ? 1 : 0;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateDescriptorPool(VkDevice device,
                                                           const VkDescriptorPoolCreateInfo *pCreateInfo,
                                                           const VkAllocationCallbacks *pAllocator,
                                                           VkDescriptorPool *pDescriptorPool)
{
    size_t size = sizeof(struct descriptor_pool) + (size_t)pCreateInfo->maxSets * sizeof(struct descriptor_set);
    struct descriptor_pool *p = allocate(pAllocator, size, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!p) return VK_ERROR_OUT_OF_HOST_MEMORY;
    p->room = pCreateInfo->maxSets;
    reset(p);
    *pDescriptorPool = TO_HANDLE(VkDescriptorPool, p);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkResetDescriptorPool(VkDevice device, VkDescriptorPool descriptorPool,
                                                          VkDescriptorPoolResetFlags flags)
{
    reset(FROM_HANDLE(descriptor_pool, descriptorPool));
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkFreeDescriptorSets(VkDevice device, VkDescriptorPool descriptorPool,
                                                         uint32_t descriptorSetCount,
                                                         const VkDescriptorSet *pDescriptorSets)
{
    struct descriptor_pool *p = FROM_HANDLE(descriptor_pool, descriptorPool);
    for (uint32_t i = 0; i < descriptorSetCount; i++) {
        struct descriptor_set *s = FROM_HANDLE(descriptor_set, pDescriptorSets[i]);
        if (!s) continue;
        s->next_free = p->free;
        p->free = (uint32_t)(s - p->sets) + 1;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkAllocateDescriptorSets(VkDevice device,
                                                             const VkDescriptorSetAllocateInfo *pAllocateInfo,
                                                             VkDescriptorSet *pDescriptorSets)
{
    struct descriptor_pool *p = FROM_HANDLE(descriptor_pool, pAllocateInfo->descriptorPool);
    uint32_t count = pAllocateInfo->descriptorSetCount;
    for (uint32_t i = 0; i < count; i++) {
        if (!p->free) {
            null_vkFreeDescriptorSets(device, pAllocateInfo->descriptorPool, i, pDescriptorSets);
            memset(pDescriptorSets, 0, count * sizeof(*pDescriptorSets));
            return VK_ERROR_OUT_OF_POOL_MEMORY;
        }
        struct descriptor_set *s = &p->sets[p->free - 1];
        p->free = s->next_free;
        pDescriptorSets[i] = TO_HANDLE(VkDescriptorSet, s);
    }
    return VK_SUCCESS;
}
