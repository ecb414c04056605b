/* driver_device.c: the fake driver's devices, queues, command buffers and swapchains. */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

VkResult VKAPI_PTR fake_CreateDevice(VkPhysicalDevice h, const VkDeviceCreateInfo *info,
                                     const VkAllocationCallbacks *allocator, VkDevice *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    struct object *pd = object_of(h), *device = NULL;
    bool forced = imposed("vkCreateDevice", NULL, &result);
    if (script_has("null_handle", "vkCreateDevice")) {
        *out = NULL;
        return VK_SUCCESS;
    }
    if (!forced || result == VK_SUCCESS) device = object_new(DEVICE, pd);
    record_open(&r, "vkCreateDevice");
    record_object(&r, "physical_device", h);
    if (pd) record_text(&r, "id", pd->id);
    record_names(&r, "extensions", info->enabledExtensionCount, info->ppEnabledExtensionNames);
    record_int(&r, "layer_count", info->enabledLayerCount);
    record_pointer(&r, "layer_names", info->ppEnabledLayerNames);
    record_chain(&r, "next", info->pNext);
    record_allocator(&r, allocator);
    record_int(&r, "queues", info->queueCreateInfoCount);
    record_int(&r, "features", info->pEnabledFeatures ? (int)info->pEnabledFeatures->robustBufferAccess : -1);
    for (const VkBaseInStructure *n = info->pNext; n; n = n->pNext) {
        if (n->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2) /* the last word of each */
            record_int(&r, "features2", ((const VkPhysicalDeviceFeatures2 *)n)->features.inheritedQueries);
        if (n->sType == (VkStructureType)2147483010) record_int(&r, "unknown256", ((const uint32_t *)n)[63]);
        if (n->sType != VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO) continue;
        const VkDeviceGroupDeviceCreateInfo *g = (const void *)n;
        record_begin(&r, "group", '[');
        for (uint32_t i = 0; g->pPhysicalDevices && i < g->physicalDeviceCount; i++)
            record_object(&r, NULL, g->pPhysicalDevices[i]);
        record_end(&r, ']');
    }
    if (device) record_object(&r, "made", device);
    record_int(&r, "result", result);
    record_close(&r);
    if (device) *out = H(device);
    return result;
}

void VKAPI_PTR fake_DestroyDevice(VkDevice h, const VkAllocationCallbacks *allocator)
{
    struct record r;
    VkResult result;
    struct object *device = object_of(h);
    imposed("vkDestroyDevice", NULL, &result);
    record_open(&r, "vkDestroyDevice");
    record_object(&r, "device", h);
    record_allocator(&r, allocator);
    record_close(&r);
    if (device) object_kill(device);
}

static struct object *queue_of(VkDevice h, uint32_t family, uint32_t index)
{
    struct object *device = object_of(h);
    struct object *queue = object_like(QUEUE, device, NULL, family, index);
    if (!queue) {
        queue = object_new(QUEUE, device);
        queue->family = family;
        queue->index = index;
    }
    return queue;
}

static void get_queue(const char *function, VkDevice h, uint32_t family, uint32_t index, VkQueue *out)
{
    struct record r;
    VkResult result;
    bool none = imposed(function, NULL, &result);
    record_open(&r, function);
    record_object(&r, "device", h);
    record_int(&r, "family", family);
    record_int(&r, "index", index);
    record_pointer(&r, "out", out);
    record_close(&r);
    if (out) *out = none ? NULL : H(queue_of(h, family, index));
}

void VKAPI_PTR fake_GetDeviceQueue(VkDevice h, uint32_t family, uint32_t index, VkQueue *out)
{
    get_queue("vkGetDeviceQueue", h, family, index, out);
}
void VKAPI_PTR fake_GetDeviceQueue2(VkDevice h, const VkDeviceQueueInfo2 *i, VkQueue *out)
{
    get_queue("vkGetDeviceQueue2", h, i->queueFamilyIndex, i->queueIndex, out);
}

VkResult VKAPI_PTR fake_CreateCommandPool(VkDevice h, const VkCommandPoolCreateInfo *info,
                                          const VkAllocationCallbacks *allocator, VkCommandPool *out)
{
    (void)info, (void)allocator;
    *out = (VkCommandPool)(uintptr_t)object_new(POOL, object_of(h));
    return VK_SUCCESS;
}

VkResult VKAPI_PTR fake_AllocateCommandBuffers(VkDevice h, const VkCommandBufferAllocateInfo *info,
                                               VkCommandBuffer *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkAllocateCommandBuffers", NULL, &result);
    record_open(&r, "vkAllocateCommandBuffers");
    record_object(&r, "device", h);
    record_int(&r, "count", info->commandBufferCount);
    record_close(&r);
    if (forced && result < 0) return result;
    for (uint32_t i = 0; i < info->commandBufferCount; i++) out[i] = H(object_new(COMMAND_BUFFER, object_of(h)));
    return result;
}

VkResult VKAPI_PTR fake_CreateSwapchainKHR(VkDevice h, const VkSwapchainCreateInfoKHR *info,
                                           const VkAllocationCallbacks *allocator, VkSwapchainKHR *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateSwapchainKHR", NULL, &result);
    record_open(&r, "vkCreateSwapchainKHR");
    record_object(&r, "device", h);
    record_object(&r, "surface", H(info->surface));
    record_object(&r, "old", H(info->oldSwapchain));
    record_allocator(&r, allocator);
    record_close(&r);
    if (forced && result < 0) return result;
    *out = (VkSwapchainKHR)(uintptr_t)object_new(SWAPCHAIN, object_of(h));
    return result;
}

VkResult VKAPI_PTR fake_CreateSharedSwapchainsKHR(VkDevice h, uint32_t count, const VkSwapchainCreateInfoKHR *info,
                                                  const VkAllocationCallbacks *allocator, VkSwapchainKHR *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateSharedSwapchainsKHR", NULL, &result);
    record_open(&r, "vkCreateSharedSwapchainsKHR");
    record_object(&r, "device", h);
    record_begin(&r, "surfaces", '[');
    for (uint32_t i = 0; i < count; i++) record_object(&r, NULL, H(info[i].surface));
    record_end(&r, ']');
    record_begin(&r, "images", '[');
    for (uint32_t i = 0; i < count; i++) record_int(&r, NULL, info[i].minImageCount);
    record_end(&r, ']');
    record_begin(&r, "old", '[');
    for (uint32_t i = 0; i < count; i++) record_object(&r, NULL, H(info[i].oldSwapchain));
    record_end(&r, ']');
    record_allocator(&r, allocator);
    record_close(&r);
    if (forced && result < 0) return result;
    for (uint32_t i = 0; i < count; i++) out[i] = (VkSwapchainKHR)(uintptr_t)object_new(SWAPCHAIN, object_of(h));
    return result;
}

void VKAPI_PTR fake_DestroySwapchainKHR(VkDevice h, VkSwapchainKHR swapchain, const VkAllocationCallbacks *allocator)
{
    struct record r;
    record_open(&r, "vkDestroySwapchainKHR");
    record_object(&r, "device", h);
    record_object(&r, "swapchain", H(swapchain));
    record_allocator(&r, allocator);
    record_close(&r);
    if (object_of(H(swapchain))) object_kill(object_of(H(swapchain)));
}
