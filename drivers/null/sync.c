/* sync.c: fences, events, and submission.
 *
 * A submission is complete when it returns: its events have their state, and its fence is signalled. It does not wait
 * for semaphores, because nothing in it would have to come later, and programs cannot query them. */
#include "null.h"

/* ---- fences ---------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateFence(VkDevice device, const VkFenceCreateInfo *pCreateInfo,
                                                  const VkAllocationCallbacks *pAllocator, VkFence *pFence)
{
    struct fence *f = allocate(pAllocator, sizeof(*f), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!f) return VK_ERROR_OUT_OF_HOST_MEMORY;
    atomic_init(&f->signalled, (pCreateInfo->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0);
    *pFence = TO_HANDLE(VkFence, f);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkResetFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences)
{
    for (uint32_t i = 0; i < fenceCount; i++) atomic_store(&FROM_HANDLE(fence, pFences[i])->signalled, false);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetFenceStatus(VkDevice device, VkFence fence)
{
    return atomic_load(&FROM_HANDLE(fence, fence)->signalled) ? VK_SUCCESS : VK_NOT_READY;
}

/* Never waits: a submission signals its fence before it returns, and no other thread may submit a fence meanwhile. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkWaitForFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences,
                                                    VkBool32 waitAll, uint64_t timeout)
{
    bool all = waitAll || fenceCount == 1;
    for (uint32_t i = 0; i < fenceCount; i++)
        if (atomic_load(&FROM_HANDLE(fence, pFences[i])->signalled) != all) return all ? VK_TIMEOUT : VK_SUCCESS;
    return all ? VK_SUCCESS : VK_TIMEOUT;
}

void signal_fence(VkFence fence)
{
    if (fence) atomic_store(&FROM_HANDLE(fence, fence)->signalled, true);
}

/* ---- events ---------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetEventStatus(VkDevice device, VkEvent event)
{
    return atomic_load(&FROM_HANDLE(event, event)->set) ? VK_EVENT_SET : VK_EVENT_RESET;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkSetEvent(VkDevice device, VkEvent event)
{
    atomic_store(&FROM_HANDLE(event, event)->set, true);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkResetEvent(VkDevice device, VkEvent event)
{
    atomic_store(&FROM_HANDLE(event, event)->set, false);
    return VK_SUCCESS;
}

/* ---- submission ------------------------------------------------------------------------------------------------ */

VKAPI_ATTR VkResult VKAPI_CALL null_vkQueueSubmit(VkQueue queue, uint32_t submitCount, const VkSubmitInfo *pSubmits,
                                                  VkFence fence)
{
    for (uint32_t i = 0; i < submitCount; i++)
        for (uint32_t n = 0; n < pSubmits[i].commandBufferCount; n++) apply_commands(pSubmits[i].pCommandBuffers[n]);
    signal_fence(fence);
    return VK_SUCCESS;
}

/* No queue supports sparse binding, but the command is part of Vulkan 1.0. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkQueueBindSparse(VkQueue queue, uint32_t bindInfoCount,
                                                      const VkBindSparseInfo *pBindInfo, VkFence fence)
{
    signal_fence(fence);
    return VK_SUCCESS;
}
