/* command.c: command pools and command buffers. Nothing is recorded: commands are one function without effect
 * (table.c). */
#include "null.h"

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo *pCreateInfo,
                                                        const VkAllocationCallbacks *pAllocator,
                                                        VkCommandPool *pCommandPool)
{
    struct command_pool *p = allocate(pAllocator, sizeof(*p), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!p) return VK_ERROR_OUT_OF_HOST_MEMORY;
    p->allocator = allocator_copy(pAllocator);
    *pCommandPool = TO_HANDLE(VkCommandPool, p);
    return VK_SUCCESS;
}

static void free_buffer(struct command_buffer *b)
{
    struct command_pool *p = b->pool;
    if (b->next) b->next->previous = b->previous;
    if (b->previous)
        b->previous->next = b->next;
    else
        p->first = b->next;
    release(allocator_of(&p->allocator), b);
}

VKAPI_ATTR void VKAPI_CALL null_vkDestroyCommandPool(VkDevice device, VkCommandPool commandPool,
                                                     const VkAllocationCallbacks *pAllocator)
{
    struct command_pool *p = FROM_HANDLE(command_pool, commandPool);
    if (!p) return;
    while (p->first) free_buffer(p->first);
    release(pAllocator, p);
}

VKAPI_ATTR void VKAPI_CALL null_vkFreeCommandBuffers(VkDevice device, VkCommandPool commandPool,
                                                     uint32_t commandBufferCount,
                                                     const VkCommandBuffer *pCommandBuffers)
{
    for (uint32_t i = 0; i < commandBufferCount; i++)
        if (pCommandBuffers[i]) free_buffer((struct command_buffer *)pCommandBuffers[i]);
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkAllocateCommandBuffers(VkDevice device,
                                                             const VkCommandBufferAllocateInfo *pAllocateInfo,
                                                             VkCommandBuffer *pCommandBuffers)
{
    struct command_pool *p = FROM_HANDLE(command_pool, pAllocateInfo->commandPool);
    uint32_t count = pAllocateInfo->commandBufferCount;
    for (uint32_t i = 0; i < count; i++) {
        struct command_buffer *b = allocate(allocator_of(&p->allocator), sizeof(*b), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (!b) {
            null_vkFreeCommandBuffers(device, pAllocateInfo->commandPool, i, pCommandBuffers);
            memset(pCommandBuffers, 0, count * sizeof(*pCommandBuffers));
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
        b->magic = OBJECT_MAGIC;
        b->pool = p;
        b->next = p->first;
        if (p->first) p->first->previous = b;
        p->first = b;
        pCommandBuffers[i] = (VkCommandBuffer)b;
    }
    return VK_SUCCESS;
}
