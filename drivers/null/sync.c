/* sync.c: fences and submission.
 *
 * A submission is complete when it returns: its fence is signalled. It does not wait for semaphores, because nothing in
 * it would have to come later, and programs cannot query them. Events are always set, because a program may wait for
 * one that a command sets. */
#include "null.h"

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

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetEventStatus(VkDevice device, VkEvent event)
{
    return VK_EVENT_SET;
}

/* Submits command buffers or sparse bindings, which no queue supports; their infos differ. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkQueueSubmit(VkQueue queue, uint32_t submitCount, const void *pSubmits,
                                                  VkFence fence)
{
    signal_fence(fence);
    return VK_SUCCESS;
}
