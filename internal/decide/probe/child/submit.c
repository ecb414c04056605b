/* submit.c: the smallest work for a device, because some layers and drivers crash only in vkQueueSubmit: an empty
 * command buffer, and a fence to wait for. It needs no display. */
#include "submit.h"

#include "command.h"

static PFN_vkVoidFunction device_command(VkInstance instance, VkDevice device, const char *name)
{
    PFN_vkVoidFunction f = COMMAND(instance, vkGetDeviceProcAddr)(device, name);
    return f ? f : command(instance, name);
}
#define OF_DEVICE(name) ((PFN_##name)device_command(instance, device, #name))

static VkResult record(VkInstance instance, VkDevice device, VkCommandPool pool, VkCommandBuffer *commands)
{
    VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                          .commandPool = pool,
                                          .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                          .commandBufferCount = 1};
    VkCommandBufferBeginInfo begun = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkResult r = OF_DEVICE(vkAllocateCommandBuffers)(device, &buffer, commands);
    if (r >= 0) r = OF_DEVICE(vkBeginCommandBuffer)(*commands, &begun);
    return r < 0 ? r : OF_DEVICE(vkEndCommandBuffer)(*commands);
}

VkResult submit(VkInstance instance, VkDevice device, uint32_t family)
{
    VkQueue queue = NULL;
    OF_DEVICE(vkGetDeviceQueue)(device, family, 0, &queue);
    VkCommandPoolCreateInfo with = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, .queueFamilyIndex = family};
    VkFenceCreateInfo unsignaled = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = NULL;
    VkFence fence = VK_NULL_HANDLE;
    VkResult r = OF_DEVICE(vkCreateCommandPool)(device, &with, NULL, &pool);
    if (r >= 0) r = OF_DEVICE(vkCreateFence)(device, &unsignaled, NULL, &fence);
    if (r >= 0) r = record(instance, device, pool, &commands);
    if (r >= 0 && (!queue || !commands)) r = VK_ERROR_INITIALIZATION_FAILED;
    VkSubmitInfo work = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};
    if (r >= 0) r = OF_DEVICE(vkQueueSubmit)(queue, 1, &work, fence);
    if (r >= 0) r = OF_DEVICE(vkWaitForFences)(device, 1, &fence, VK_TRUE, UINT64_MAX);
    if (fence) OF_DEVICE(vkDestroyFence)(device, fence, NULL);
    if (pool) OF_DEVICE(vkDestroyCommandPool)(device, pool, NULL);
    return r;
}
