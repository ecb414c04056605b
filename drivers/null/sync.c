/* sync.c: fences, semaphores, events, and submission.
 *
 * A submission is complete when it returns: its events have their state, and its semaphores and its fence are
 * signalled. It does not wait for semaphores, because nothing in it would have to come later. The host waits for fences
 * and timeline values that other threads will signal. */
#include "null.h"

#include <time.h>

/* ---- waiting on the host --------------------------------------------------------------------------------------- */

/* Sleeps until done(what) returns true or the time is over. Only another thread can end the wait, and few programs wait
 * for one, so this looks again and again. */
static VkResult wait_until(bool (*done)(const void *), const void *what, uint64_t timeout)
{
    const struct timespec pause = {.tv_nsec = 50000};
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    while (!done(what)) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        uint64_t past = (uint64_t)((now.tv_sec - start.tv_sec) * 1000000000ll + now.tv_nsec - start.tv_nsec);
        if (past >= timeout) return VK_TIMEOUT;
        nanosleep(&pause, NULL);
    }
    return VK_SUCCESS;
}

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

struct fence_wait {
    const VkFence *fences;
    uint32_t count;
    bool all;
};

static bool fences_done(const void *what)
{
    const struct fence_wait *w = what;
    for (uint32_t i = 0; i < w->count; i++)
        if (atomic_load(&FROM_HANDLE(fence, w->fences[i])->signalled) != w->all) return !w->all;
    return w->all;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkWaitForFences(VkDevice device, uint32_t fenceCount, const VkFence *pFences,
                                                    VkBool32 waitAll, uint64_t timeout)
{
    struct fence_wait w = {pFences, fenceCount, waitAll || fenceCount == 1};
    return wait_until(fences_done, &w, timeout);
}

/* ---- semaphores ------------------------------------------------------------------------------------------------ */

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateSemaphore(VkDevice device, const VkSemaphoreCreateInfo *pCreateInfo,
                                                      const VkAllocationCallbacks *pAllocator, VkSemaphore *pSemaphore)
{
    struct semaphore *s = allocate(pAllocator, sizeof(*s), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!s) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (const VkBaseInStructure *in = pCreateInfo->pNext; in; in = in->pNext) {
        if (in->sType == VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO) {
            const VkSemaphoreTypeCreateInfo *type = (const VkSemaphoreTypeCreateInfo *)in;
            s->timeline = type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
            atomic_init(&s->value, type->initialValue);
        }
    }
    *pSemaphore = TO_HANDLE(VkSemaphore, s);
    return VK_SUCCESS;
}

/* A timeline value never decreases: a submission does not wait, so it may signal before the host does. */
static void signal_semaphore(struct semaphore *s, uint64_t value)
{
    if (!s || !s->timeline) return; /* programs cannot query a binary semaphore */
    uint64_t old = atomic_load(&s->value);
    while (old < value && !atomic_compare_exchange_weak(&s->value, &old, value))
        ;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t *pValue)
{
    *pValue = atomic_load(&FROM_HANDLE(semaphore, semaphore)->value);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkSignalSemaphore(VkDevice device, const VkSemaphoreSignalInfo *pSignalInfo)
{
    signal_now(NULL, FROM_HANDLE(semaphore, pSignalInfo->semaphore), pSignalInfo->value);
    return VK_SUCCESS;
}

static bool semaphores_done(const void *what)
{
    const VkSemaphoreWaitInfo *w = what;
    bool any = w->flags & VK_SEMAPHORE_WAIT_ANY_BIT;
    for (uint32_t i = 0; i < w->semaphoreCount; i++)
        if ((atomic_load(&FROM_HANDLE(semaphore, w->pSemaphores[i])->value) >= w->pValues[i]) == any) return any;
    return !any;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkWaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo *pWaitInfo,
                                                     uint64_t timeout)
{
    return wait_until(semaphores_done, pWaitInfo, timeout);
}

void signal_now(struct fence *fence, struct semaphore *semaphore, uint64_t value)
{
    signal_semaphore(semaphore, value);
    if (fence) atomic_store(&fence->signalled, true);
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

static const VkTimelineSemaphoreSubmitInfo *timeline_values(const void *chain)
{
    for (const VkBaseInStructure *s = chain; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO)
            return (const VkTimelineSemaphoreSubmitInfo *)s;
    return NULL;
}

static void signal_all(const void *chain, uint32_t count, const VkSemaphore *semaphores)
{
    const VkTimelineSemaphoreSubmitInfo *values = timeline_values(chain);
    for (uint32_t i = 0; i < count; i++)
        signal_semaphore(FROM_HANDLE(semaphore, semaphores[i]),
                         values && i < values->signalSemaphoreValueCount ? values->pSignalSemaphoreValues[i] : 0);
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkQueueSubmit(VkQueue queue, uint32_t submitCount, const VkSubmitInfo *pSubmits,
                                                  VkFence fence)
{
    for (uint32_t i = 0; i < submitCount; i++) {
        const VkSubmitInfo *s = &pSubmits[i];
        for (uint32_t n = 0; n < s->commandBufferCount; n++) apply_commands(s->pCommandBuffers[n]);
        signal_all(s->pNext, s->signalSemaphoreCount, s->pSignalSemaphores);
    }
    signal_now(FROM_HANDLE(fence, fence), NULL, 0);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkQueueSubmit2(VkQueue queue, uint32_t submitCount, const VkSubmitInfo2 *pSubmits,
                                                   VkFence fence)
{
    for (uint32_t i = 0; i < submitCount; i++) {
        const VkSubmitInfo2 *s = &pSubmits[i];
        for (uint32_t n = 0; n < s->commandBufferInfoCount; n++)
            apply_commands(s->pCommandBufferInfos[n].commandBuffer);
        for (uint32_t n = 0; n < s->signalSemaphoreInfoCount; n++)
            signal_semaphore(FROM_HANDLE(semaphore, s->pSignalSemaphoreInfos[n].semaphore),
                             s->pSignalSemaphoreInfos[n].value);
    }
    signal_now(FROM_HANDLE(fence, fence), NULL, 0);
    return VK_SUCCESS;
}

/* No queue supports sparse binding, but the command is part of Vulkan 1.0. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkQueueBindSparse(VkQueue queue, uint32_t bindInfoCount,
                                                      const VkBindSparseInfo *pBindInfo, VkFence fence)
{
    for (uint32_t i = 0; i < bindInfoCount; i++)
        signal_all(pBindInfo[i].pNext, pBindInfo[i].signalSemaphoreCount, pBindInfo[i].pSignalSemaphores);
    signal_now(FROM_HANDLE(fence, fence), NULL, 0);
    return VK_SUCCESS;
}
