/* device.c: devices and their single queue. */
#include "null.h"

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateDevice(VkPhysicalDevice physicalDevice,
                                                   const VkDeviceCreateInfo *pCreateInfo,
                                                   const VkAllocationCallbacks *pAllocator, VkDevice *pDevice)
{
    struct gates enabled = {0};
    VkResult result =
        gates_of(false, pCreateInfo->enabledExtensionCount, pCreateInfo->ppEnabledExtensionNames, &enabled);
    if (result != VK_SUCCESS) return result;
    if (!features_are_offered(pCreateInfo->pEnabledFeatures, pCreateInfo->pNext)) return VK_ERROR_FEATURE_NOT_PRESENT;
    for (uint32_t i = 0; i < pCreateInfo->queueCreateInfoCount; i++)
        if (pCreateInfo->pQueueCreateInfos[i].queueFamilyIndex != 0 || pCreateInfo->pQueueCreateInfos[i].queueCount > 1)
            return VK_ERROR_INITIALIZATION_FAILED;

    struct device *d = allocate(pAllocator, sizeof(*d), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!d) return VK_ERROR_OUT_OF_HOST_MEMORY;
    d->object.magic = d->queue.object.magic = OBJECT_MAGIC;
    d->physical = (struct physical_device *)physicalDevice;
    d->enabled = enabled;
    d->allocator = allocator_copy(pAllocator);
    d->queue.device = d;
    if (pCreateInfo->queueCreateInfoCount > 0) {
        d->has_queue = true;
        d->queue_flags = pCreateInfo->pQueueCreateInfos[0].flags;
    }
    atomic_store(&d->next_address, (VkDeviceAddress)1 << 32); /* 0 is not a valid address */

    *pDevice = (VkDevice)d;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL null_vkDestroyDevice(VkDevice device, const VkAllocationCallbacks *pAllocator)
{
    release(pAllocator, device);
}

VKAPI_ATTR void VKAPI_CALL null_vkGetDeviceQueue(VkDevice device, uint32_t queueFamilyIndex, uint32_t queueIndex,
                                                 VkQueue *pQueue)
{
    struct device *d = device_of(device);
    bool there = d->has_queue && queueFamilyIndex == 0 && queueIndex == 0 && d->queue_flags == 0;
    *pQueue = there ? (VkQueue)&d->queue : NULL;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *pQueueInfo,
                                                  VkQueue *pQueue)
{
    struct device *d = device_of(device);
    bool there = d->has_queue && pQueueInfo->queueFamilyIndex == 0 && pQueueInfo->queueIndex == 0 &&
                 pQueueInfo->flags == d->queue_flags;
    *pQueue = there ? (VkQueue)&d->queue : NULL;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetDeviceGroupPeerMemoryFeatures(VkDevice device, uint32_t heapIndex,
                                                                   uint32_t localDeviceIndex,
                                                                   uint32_t remoteDeviceIndex,
                                                                   VkPeerMemoryFeatureFlags *pPeerMemoryFeatures)
{
    /* A single device has no peers; these are the required features of a peer. */
    *pPeerMemoryFeatures = VK_PEER_MEMORY_FEATURE_COPY_DST_BIT;
}
