/* properties.c: limits and properties of the single physical device, its queue family and its memory.
 *
 * All answers are constants, so they are the same on every machine. */
#include "null.h"

/* The ID is neither a PCI vendor's (16 bits) nor one of the registry's VkVendorId, which begin at 0x10000. */
#define VENDOR_ID 0x1FF00
#define DEVICE_ID 1
#define CACHE_UUID "vkloader null 1"

static const VkPhysicalDeviceLimits limits = {
#define ANY_NUMBER 0x100000
#include "limits.inc"
};

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceProperties(VkPhysicalDevice physicalDevice,
                                                              VkPhysicalDeviceProperties *pProperties)
{
    *pProperties = (VkPhysicalDeviceProperties){
        .apiVersion = VK_MAKE_API_VERSION(0, 1, 0, VK_HEADER_VERSION),
        .driverVersion = VK_MAKE_API_VERSION(0, 0, 1, 0),
        .vendorID = VENDOR_ID,
        .deviceID = DEVICE_ID,
        .deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU,
        .deviceName = "vkloader null device",
        .pipelineCacheUUID = CACHE_UUID,
        .limits = limits,
    };
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceProperties2(VkPhysicalDevice physicalDevice,
                                                               VkPhysicalDeviceProperties2 *pProperties)
{
    null_vkGetPhysicalDeviceProperties(physicalDevice, &pProperties->properties);
}

/* Returns the header that every cache has, and no data. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPipelineCacheData(VkDevice device, VkPipelineCache pipelineCache,
                                                           size_t *pDataSize, void *pData)
{
    VkPipelineCacheHeaderVersionOne header = {
        .headerSize = sizeof(header),
        .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
        .vendorID = VENDOR_ID,
        .deviceID = DEVICE_ID,
        .pipelineCacheUUID = CACHE_UUID,
    };
    if (pData && *pDataSize < sizeof(header)) {
        *pDataSize = 0;
        return VK_INCOMPLETE;
    }
    if (pData) memcpy(pData, &header, sizeof(header));
    *pDataSize = sizeof(header);
    return VK_SUCCESS;
}

/* ---- the queue family, the memory ------------------------------------------------------------------------------ */

static const VkQueueFamilyProperties queue_family = {
    .queueFlags = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT,
    .queueCount = 1,
    .timestampValidBits = 64,
    .minImageTransferGranularity = {1, 1, 1},
};

VKAPI_ATTR void VKAPI_CALL
null_vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice physicalDevice, uint32_t *pQueueFamilyPropertyCount,
                                              VkQueueFamilyProperties *pQueueFamilyProperties)
{
    give(&queue_family, sizeof(queue_family), 1, pQueueFamilyPropertyCount, pQueueFamilyProperties);
}

VKAPI_ATTR void VKAPI_CALL
null_vkGetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice physicalDevice, uint32_t *pQueueFamilyPropertyCount,
                                               VkQueueFamilyProperties2 *pQueueFamilyProperties)
{
    VkQueueFamilyProperties *first = pQueueFamilyProperties ? &pQueueFamilyProperties->queueFamilyProperties : NULL;
    null_vkGetPhysicalDeviceQueueFamilyProperties(physicalDevice, pQueueFamilyPropertyCount, first);
}

/* Both coherent and cached types exist, so that every way to select a type finds one. The first two types differ in no
 * way that matters to a null driver. */
#define COHERENT (VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT)
static const VkPhysicalDeviceMemoryProperties memory_properties = {
    .memoryTypeCount = MEMORY_TYPE_COUNT,
    .memoryTypes =
        {
            {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0},
            {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | COHERENT, 0},
            {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | COHERENT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, 0},
        },
    .memoryHeapCount = 1,
    .memoryHeaps = {{MEMORY_HEAP_SIZE, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}},
};

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice physicalDevice,
                                                                    VkPhysicalDeviceMemoryProperties *pMemoryProperties)
{
    *pMemoryProperties = memory_properties;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceMemoryProperties2(
    VkPhysicalDevice physicalDevice, VkPhysicalDeviceMemoryProperties2 *pMemoryProperties)
{
    pMemoryProperties->memoryProperties = memory_properties;
}
