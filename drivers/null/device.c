/* device.c: devices and their single queue. */
#include "null.h"

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateDevice(VkPhysicalDevice physicalDevice,
                                                   const VkDeviceCreateInfo *pCreateInfo,
                                                   const VkAllocationCallbacks *pAllocator, VkDevice *pDevice)
{
    uint32_t enabled = 0;
    VkResult result =
        gates_of(false, pCreateInfo->enabledExtensionCount, pCreateInfo->ppEnabledExtensionNames, &enabled);
    if (result != VK_SUCCESS) return result;
    const VkPhysicalDeviceFeatures *wanted = pCreateInfo->pEnabledFeatures;
    for (const VkBaseInStructure *s = pCreateInfo->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)
            wanted = &((const VkPhysicalDeviceFeatures2 *)s)->features;
    if (wanted && !features_are_offered(wanted)) return VK_ERROR_FEATURE_NOT_PRESENT;
    for (uint32_t i = 0; i < pCreateInfo->queueCreateInfoCount; i++)
        if (pCreateInfo->pQueueCreateInfos[i].queueFamilyIndex != 0 || pCreateInfo->pQueueCreateInfos[i].queueCount > 1)
            return VK_ERROR_INITIALIZATION_FAILED;

    struct device *d = allocate(pAllocator, sizeof(*d), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!d) return VK_ERROR_OUT_OF_HOST_MEMORY;
    d->magic = d->queue = OBJECT_MAGIC;
    d->enabled = enabled;
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
    *pQueue = (VkQueue)&device_of(device)->queue;
}
