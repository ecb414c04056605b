/* synchronization.c: events and fences. */
#include "program.h"

/* A program that waits for an event that its commands set ends. */
static void events(void)
{
    VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    OK(vkCreateEvent(device, &info, NULL, &event));
    OK(vkResetEvent(device, event));
    VkCommandPool pool = make_pool();
    VkCommandBuffer c = begin(pool);
    vkCmdSetEvent(c, event, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
    OK(vkEndCommandBuffer(c));
    submit_and_wait(c);
    CHECK(vkGetEventStatus(device, event) == VK_EVENT_SET);
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroyEvent(device, event, NULL);
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
    OK(vkQueueSubmit(queue, 0, NULL, pair[0]));
    OK(vkWaitForFences(device, 2, pair, VK_TRUE, UINT64_MAX));
    vkDestroyFence(device, pair[0], NULL);
    vkDestroyFence(device, pair[1], NULL);
}

void synchronization(void)
{
    events();
    fences();
}
