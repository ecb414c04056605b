/* command.c: command pools and command buffers.
 *
 * Only changes of events are recorded, because a program can query an event's state. All other
 * commands are one function without effect (table.c). Nothing is drawn, copied or dispatched. */
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

static void reset(struct command_buffer *b)
{
    b->event_count = 0;
    b->out_of_memory = false;
}

static void free_buffer(struct command_buffer *b)
{
    struct command_pool *p = b->pool;
    if (b->next) b->next->previous = b->previous;
    if (b->previous)
        b->previous->next = b->next;
    else
        p->first = b->next;
    release(allocator_of(&p->allocator), b->events);
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

VKAPI_ATTR VkResult VKAPI_CALL null_vkResetCommandPool(VkDevice device, VkCommandPool commandPool,
                                                       VkCommandPoolResetFlags flags)
{
    for (struct command_buffer *b = FROM_HANDLE(command_pool, commandPool)->first; b; b = b->next) reset(b);
    return VK_SUCCESS;
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

VKAPI_ATTR VkResult VKAPI_CALL null_vkBeginCommandBuffer(VkCommandBuffer commandBuffer,
                                                         const VkCommandBufferBeginInfo *pBeginInfo)
{
    reset((struct command_buffer *)commandBuffer);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkResetCommandBuffer(VkCommandBuffer commandBuffer, VkCommandBufferResetFlags flags)
{
    reset((struct command_buffer *)commandBuffer);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkEndCommandBuffer(VkCommandBuffer commandBuffer)
{
    return ((struct command_buffer *)commandBuffer)->out_of_memory ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

/* ---- events ---------------------------------------------------------------------------------------------------- */

static void record_event(struct command_buffer *b, struct event *event, bool set)
{
    if (b->event_count == b->event_room) {
        const VkAllocationCallbacks *callbacks = allocator_of(&b->pool->allocator);
        uint32_t room = b->event_room ? b->event_room * 2 : 8;
        struct event_operation *events = allocate(callbacks, room * sizeof(*events), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
        if (!events) {
            b->out_of_memory = true; /* vkEndCommandBuffer reports it */
            return;
        }
        if (b->events) memcpy(events, b->events, b->event_count * sizeof(*events));
        release(callbacks, b->events);
        b->events = events;
        b->event_room = room;
    }
    b->events[b->event_count++] = (struct event_operation){event, set};
}

VKAPI_ATTR void VKAPI_CALL null_vkCmdSetEvent(VkCommandBuffer commandBuffer, VkEvent event,
                                              VkPipelineStageFlags stageMask)
{
    record_event((struct command_buffer *)commandBuffer, FROM_HANDLE(event, event), true);
}

VKAPI_ATTR void VKAPI_CALL null_vkCmdResetEvent(VkCommandBuffer commandBuffer, VkEvent event,
                                                VkPipelineStageFlags stageMask)
{
    record_event((struct command_buffer *)commandBuffer, FROM_HANDLE(event, event), false);
}

/* Secondary command buffers do not change while a primary one refers to them, so their events are copied now. */
VKAPI_ATTR void VKAPI_CALL null_vkCmdExecuteCommands(VkCommandBuffer commandBuffer, uint32_t commandBufferCount,
                                                     const VkCommandBuffer *pCommandBuffers)
{
    for (uint32_t i = 0; i < commandBufferCount; i++) {
        const struct command_buffer *s = (const struct command_buffer *)pCommandBuffers[i];
        for (uint32_t n = 0; n < s->event_count; n++)
            record_event((struct command_buffer *)commandBuffer, s->events[n].event, s->events[n].set);
    }
}

void apply_commands(VkCommandBuffer buffer)
{
    const struct command_buffer *b = (const struct command_buffer *)buffer;
    for (uint32_t n = 0; n < b->event_count; n++) atomic_store(&b->events[n].event->set, b->events[n].set);
}
