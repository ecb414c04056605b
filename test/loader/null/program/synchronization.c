/* synchronization.c: fences, events and timeline semaphores, and a thread that waits for another one's signal. */
#include <pthread.h>
#include <time.h>

#include "program.h"

static void events(void)
{
    VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event[2];
    OK(vkCreateEvent(device, &info, NULL, &event[0]));
    OK(vkCreateEvent(device, &info, NULL, &event[1]));
    CHECK(vkGetEventStatus(device, event[0]) == VK_EVENT_RESET);
    OK(vkSetEvent(device, event[1]));

    /* Submitting a command buffer changes events, recording it does not. Secondary command buffers behave alike. */
    VkCommandPool pool = make_pool();
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_SECONDARY,
                                            .commandBufferCount = 1};
    VkCommandBuffer secondary;
    OK(vkAllocateCommandBuffers(device, &allocate, &secondary));
    VkCommandBufferInheritanceInfo inherited = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    VkCommandBufferBeginInfo begin_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                           .pInheritanceInfo = &inherited};
    OK(vkBeginCommandBuffer(secondary, &begin_info));
    vkCmdSetEvent(secondary, event[0], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    OK(vkEndCommandBuffer(secondary));
    VkCommandBuffer c = begin(pool);
    vkCmdExecuteCommands(c, 1, &secondary);
    vkCmdResetEvent(c, event[1], VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    OK(vkEndCommandBuffer(c));
    CHECK(vkGetEventStatus(device, event[0]) == VK_EVENT_RESET && vkGetEventStatus(device, event[1]) == VK_EVENT_SET);
    submit_and_wait(c);
    CHECK(vkGetEventStatus(device, event[0]) == VK_EVENT_SET && vkGetEventStatus(device, event[1]) == VK_EVENT_RESET);
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyEvent(device, event[0], NULL);
    vkDestroyEvent(device, event[1], NULL);
}

static VkSemaphore timeline;

static VkResult wait_for(uint64_t value, uint64_t timeout)
{
    VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &timeline,
                                .pValues = &value};
    return vkWaitSemaphores(device, &info, timeout);
}

static void *waiter(void *result)
{
    *(VkResult *)result = wait_for(20, UINT64_MAX);
    return NULL;
}

static void timelines(void)
{
    VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                      .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
                                      .initialValue = 5};
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &type};
    OK(vkCreateSemaphore(device, &info, NULL, &timeline));
    uint64_t value;
    OK(vkGetSemaphoreCounterValue(device, timeline, &value));
    CHECK(value == 5);
    OK(wait_for(5, 0));
    CHECK(wait_for(6, 0) == VK_TIMEOUT && wait_for(6, 1000000) == VK_TIMEOUT);

    VkSemaphoreSignalInfo by_host = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = timeline, .value = 8};
    OK(vkSignalSemaphore(device, &by_host));
    OK(wait_for(8, 0));
    VkSemaphoreSubmitInfo signal = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
                                    .semaphore = timeline,
                                    .value = 10,
                                    .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
    VkSubmitInfo2 submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2, .signalSemaphoreInfoCount = 1, .pSignalSemaphoreInfos = &signal};
    OK(vkQueueSubmit2(queue, 1, &submit, VK_NULL_HANDLE));
    OK(wait_for(10, UINT64_MAX));

    pthread_t thread;
    VkResult result = VK_NOT_READY;
    CHECK(pthread_create(&thread, NULL, waiter, &result) == 0);
    struct timespec while_it_falls_asleep = {.tv_nsec = 20000000};
    nanosleep(&while_it_falls_asleep, NULL);
    signal.value = 20;
    OK(vkQueueSubmit2(queue, 1, &submit, VK_NULL_HANDLE));
    pthread_join(thread, NULL);
    CHECK(result == VK_SUCCESS);
    OK(vkQueueWaitIdle(queue));
    vkDestroySemaphore(device, timeline, NULL);
}

static void fences(void)
{
    VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence pair[2];
    OK(vkCreateFence(device, &info, NULL, &pair[0]));
    info.flags = VK_FENCE_CREATE_SIGNALED_BIT;
    OK(vkCreateFence(device, &info, NULL, &pair[1]));
    OK(vkWaitForFences(device, 2, pair, VK_FALSE, 0));
    CHECK(vkWaitForFences(device, 2, pair, VK_TRUE, 1000) == VK_TIMEOUT);
    vkDestroyFence(device, pair[0], NULL);
    vkDestroyFence(device, pair[1], NULL);
}

void synchronization(void)
{
    events();
    timelines();
    fences();
}
