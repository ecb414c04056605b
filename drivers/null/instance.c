/* instance.c: instances, instance and device extensions, and the single physical device.
 *
 * It offers no layers: layers belong to the loader. */
#include "null.h"

static const struct extension {
    char name[60];
    uint8_t version, gate;
    bool instance;
} extensions[] = {
#define INSTANCE_EXTENSION(gate, name, version) {#name, version, gate, true},
#define DEVICE_EXTENSION(gate, name, version) {#name, version, gate, false},
#include "extensions.inc"
};

#define EXTENSION_COUNT (sizeof(extensions) / sizeof(extensions[0]))

VkResult gates_of(bool instance, uint32_t count, const char *const *names, uint32_t *gates)
{
    for (uint32_t i = 0; i < count; i++) {
        size_t n = 0;
        while (n < EXTENSION_COUNT && (extensions[n].instance != instance || strcmp(extensions[n].name, names[i]) != 0))
            n++;
        if (n == EXTENSION_COUNT) return VK_ERROR_EXTENSION_NOT_PRESENT;
        *gates |= 1u << extensions[n].gate;
    }
    return VK_SUCCESS;
}

static VkResult list_extensions(bool instance, uint32_t *count, VkExtensionProperties *properties)
{
    uint32_t room = *count, n = 0;
    for (size_t i = 0; i < EXTENSION_COUNT; i++) {
        if (extensions[i].instance != instance) continue;
        if (properties && n < room) {
            memset(properties[n].extensionName, 0, sizeof(properties[n].extensionName));
            memcpy(properties[n].extensionName, extensions[i].name, sizeof(extensions[i].name));
            properties[n].specVersion = extensions[i].version;
        }
        n++;
    }
    *count = properties && room < n ? room : n;
    return properties && room < n ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkEnumerateInstanceExtensionProperties(const char *pLayerName,
                                                                           uint32_t *pPropertyCount,
                                                                           VkExtensionProperties *pProperties)
{
    if (pLayerName) return VK_ERROR_LAYER_NOT_PRESENT;
    return list_extensions(true, pPropertyCount, pProperties);
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
    return list_extensions(false, pPropertyCount, pProperties);
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
    if (pPhysicalDevices) {
        if (*pPhysicalDeviceCount == 0) return VK_INCOMPLETE;
        pPhysicalDevices[0] = (VkPhysicalDevice) & ((struct instance *)instance)->device;
    }
    *pPhysicalDeviceCount = 1;
    return VK_SUCCESS;
}
