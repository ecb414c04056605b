/* synchronization.c: events and fences. */
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
