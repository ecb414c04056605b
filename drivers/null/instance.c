/* instance.c: instances, instance and device extensions, and the single physical device.
 *
 * It offers no layers: layers belong to the loader. */
#include "null.h"

/* By gate, from 1. */
static const VkExtensionProperties extensions[] = {
#define INSTANCE_EXTENSION(gate, name, version) [gate - 1] = {#name, version},
#define DEVICE_EXTENSION(gate, name, version) [gate - 1] = {#name, version},
#include "extensions.inc"
};

VkResult gates_of(bool instance, uint32_t count, const char *const *names, uint32_t *gates)
{
    uint32_t first = instance ? 0 : INSTANCE_EXTENSIONS, end = instance ? INSTANCE_EXTENSIONS : COUNT_OF(extensions);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = first;
        while (n < end && strcmp(extensions[n].extensionName, names[i]) != 0) n++;
        if (n == end) return VK_ERROR_EXTENSION_NOT_PRESENT;
        *gates |= 1u << (n + 1);
    }
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkEnumerateInstanceExtensionProperties(const char *pLayerName,
                                                                           uint32_t *pPropertyCount,
                                                                           VkExtensionProperties *pProperties)
{
    if (pLayerName) return VK_ERROR_LAYER_NOT_PRESENT;
    return give(extensions, sizeof(*extensions), INSTANCE_EXTENSIONS, pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkEnumerateInstanceLayerProperties(uint32_t *pPropertyCount,
                                                                       VkLayerProperties *pProperties)
{
    *pPropertyCount = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkEnumerateDeviceExtensionProperties(VkPhysicalDevice physicalDevice,
                                                                         const char *pLayerName,
                                                                         uint32_t *pPropertyCount,
                                                                         VkExtensionProperties *pProperties)
{
    if (pLayerName) return VK_ERROR_LAYER_NOT_PRESENT;
    return give(&extensions[INSTANCE_EXTENSIONS], sizeof(*extensions), COUNT_OF(extensions) - INSTANCE_EXTENSIONS,
                pPropertyCount, pProperties);
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkEnumerateDeviceLayerProperties(VkPhysicalDevice physicalDevice,
                                                                     uint32_t *pPropertyCount,
                                                                     VkLayerProperties *pProperties)
{
    *pPropertyCount = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateInstance(const VkInstanceCreateInfo *pCreateInfo,
                                                     const VkAllocationCallbacks *pAllocator, VkInstance *pInstance)
{
    uint32_t enabled = 0;
    VkResult result =
        gates_of(true, pCreateInfo->enabledExtensionCount, pCreateInfo->ppEnabledExtensionNames, &enabled);
    if (result != VK_SUCCESS) return result;
    struct instance *i = allocate(pAllocator, sizeof(*i), VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!i) return VK_ERROR_OUT_OF_HOST_MEMORY;
    i->magic = i->device = OBJECT_MAGIC;
    i->enabled = enabled;
    *pInstance = (VkInstance)i;
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL null_vkDestroyInstance(VkInstance instance, const VkAllocationCallbacks *pAllocator)
{
    release(pAllocator, instance);
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkEnumeratePhysicalDevices(VkInstance instance, uint32_t *pPhysicalDeviceCount,
                                                               VkPhysicalDevice *pPhysicalDevices)
{
    VkPhysicalDevice device = (VkPhysicalDevice) & ((struct instance *)instance)->device;
    return give(&device, sizeof(device), 1, pPhysicalDeviceCount, pPhysicalDevices);
}
