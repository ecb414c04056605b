/* properties.c: limits and properties of the single physical device, its queue family and its memory.
 *
 * Limits are at least as high as the specification requires for a device with the features of features.c. All answers
 * are constants, so they are the same on every machine. */
#include "null.h"

#define NAME "vkloader null device"
/* The ID is neither a PCI vendor's (16 bits) nor one of the registry's VkVendorId, which begin at 0x10000. */
#define VENDOR_ID 0x1FF00
#define DEVICE_ID 1
#define CACHE_UUID "vkloader null 1"
#define DRIVER_VERSION VK_MAKE_API_VERSION(0, 0, 1, 0)
#define ANY_NUMBER 0x100000 /* for counts that cost nothing, because the driver stores nothing */

static const VkPhysicalDeviceLimits limits = {
    .maxImageDimension1D = MAX_EXTENT_2D,
    .maxImageDimension2D = MAX_EXTENT_2D,
    .maxImageDimension3D = MAX_EXTENT_3D,
    .maxImageDimensionCube = MAX_EXTENT_2D,
    .maxImageArrayLayers = MAX_LAYERS,
    .maxTexelBufferElements = 1 << 27,
    .maxUniformBufferRange = 65536,
    .maxStorageBufferRange = 1 << 30,
    .maxPushConstantsSize = 256,
    .maxMemoryAllocationCount = UINT32_MAX,
    .maxSamplerAllocationCount = UINT32_MAX,
    .bufferImageGranularity = 1,
    .sparseAddressSpaceSize = 0,
    .maxBoundDescriptorSets = 32,
    .maxPerStageDescriptorSamplers = ANY_NUMBER,
    .maxPerStageDescriptorUniformBuffers = ANY_NUMBER,
    .maxPerStageDescriptorStorageBuffers = ANY_NUMBER,
    .maxPerStageDescriptorSampledImages = ANY_NUMBER,
    .maxPerStageDescriptorStorageImages = ANY_NUMBER,
    .maxPerStageDescriptorInputAttachments = ANY_NUMBER,
    .maxPerStageResources = 8 * ANY_NUMBER,
    .maxDescriptorSetSamplers = ANY_NUMBER,
    .maxDescriptorSetUniformBuffers = ANY_NUMBER,
    .maxDescriptorSetUniformBuffersDynamic = 64,
    .maxDescriptorSetStorageBuffers = ANY_NUMBER,
    .maxDescriptorSetStorageBuffersDynamic = 64,
    .maxDescriptorSetSampledImages = ANY_NUMBER,
    .maxDescriptorSetStorageImages = ANY_NUMBER,
    .maxDescriptorSetInputAttachments = ANY_NUMBER,
    .maxVertexInputAttributes = 32,
    .maxVertexInputBindings = 32,
    .maxVertexInputAttributeOffset = 2047,
    .maxVertexInputBindingStride = 2048,
    .maxVertexOutputComponents = 128,
    .maxTessellationGenerationLevel = 64,
    .maxTessellationPatchSize = 32,
    .maxTessellationControlPerVertexInputComponents = 128,
    .maxTessellationControlPerVertexOutputComponents = 128,
    .maxTessellationControlPerPatchOutputComponents = 120,
    .maxTessellationControlTotalOutputComponents = 4096,
    .maxTessellationEvaluationInputComponents = 128,
    .maxTessellationEvaluationOutputComponents = 128,
    .maxGeometryShaderInvocations = 32,
    .maxGeometryInputComponents = 128,
    .maxGeometryOutputComponents = 128,
    .maxGeometryOutputVertices = 256,
    .maxGeometryTotalOutputComponents = 1024,
    .maxFragmentInputComponents = 128,
    .maxFragmentOutputAttachments = 8,
    .maxFragmentDualSrcAttachments = 1,
    .maxFragmentCombinedOutputResources = 8 * ANY_NUMBER,
    .maxComputeSharedMemorySize = 65536,
    .maxComputeWorkGroupCount = {65535, 65535, 65535},
    .maxComputeWorkGroupInvocations = 1024,
    .maxComputeWorkGroupSize = {1024, 1024, 64},
    .subPixelPrecisionBits = 8,
    .subTexelPrecisionBits = 8,
    .mipmapPrecisionBits = 8,
    .maxDrawIndexedIndexValue = UINT32_MAX,
    .maxDrawIndirectCount = UINT32_MAX,
    .maxSamplerLodBias = 16.0f,
    .maxSamplerAnisotropy = 16.0f,
    .maxViewports = 16,
    .maxViewportDimensions = {MAX_EXTENT_2D, MAX_EXTENT_2D},
    .viewportBoundsRange = {-2.0f * MAX_EXTENT_2D, 2.0f * MAX_EXTENT_2D - 1.0f},
    .viewportSubPixelBits = 8,
    .minMemoryMapAlignment = 4096,
    .minTexelBufferOffsetAlignment = 16,
    .minUniformBufferOffsetAlignment = 16,
    .minStorageBufferOffsetAlignment = 16,
    .minTexelOffset = -8,
    .maxTexelOffset = 7,
    .minTexelGatherOffset = -8,
    .maxTexelGatherOffset = 7,
    .minInterpolationOffset = -0.5f,
    .maxInterpolationOffset = 0.4375f,
    .subPixelInterpolationOffsetBits = 4,
    .maxFramebufferWidth = MAX_EXTENT_2D,
    .maxFramebufferHeight = MAX_EXTENT_2D,
    .maxFramebufferLayers = MAX_LAYERS,
    .framebufferColorSampleCounts = ALL_SAMPLE_COUNTS,
    .framebufferDepthSampleCounts = ALL_SAMPLE_COUNTS,
    .framebufferStencilSampleCounts = ALL_SAMPLE_COUNTS,
    .framebufferNoAttachmentsSampleCounts = ALL_SAMPLE_COUNTS,
    .maxColorAttachments = 8,
    .sampledImageColorSampleCounts = ALL_SAMPLE_COUNTS,
    .sampledImageIntegerSampleCounts = ALL_SAMPLE_COUNTS,
    .sampledImageDepthSampleCounts = ALL_SAMPLE_COUNTS,
    .sampledImageStencilSampleCounts = ALL_SAMPLE_COUNTS,
    .storageImageSampleCounts = ALL_SAMPLE_COUNTS,
    .maxSampleMaskWords = 1,
    .timestampComputeAndGraphics = VK_TRUE,
    .timestampPeriod = 1.0f,
    .maxClipDistances = 8,
    .maxCullDistances = 8,
    .maxCombinedClipAndCullDistances = 8,
    .discreteQueuePriorities = 2,
    .pointSizeRange = {1.0f, 64.0f},
    .lineWidthRange = {1.0f, 8.0f},
    .pointSizeGranularity = 0.125f,
    .lineWidthGranularity = 0.125f,
    .strictLines = VK_TRUE,
    .standardSampleLocations = VK_TRUE,
    .optimalBufferCopyOffsetAlignment = 1,
    .optimalBufferCopyRowPitchAlignment = 1,
    .nonCoherentAtomSize = 64,
};

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceProperties(VkPhysicalDevice physicalDevice,
                                                              VkPhysicalDeviceProperties *pProperties)
{
    *pProperties = (VkPhysicalDeviceProperties){
        .apiVersion = VK_MAKE_API_VERSION(0, 1, 0, VK_HEADER_VERSION),
        .driverVersion = DRIVER_VERSION,
        .vendorID = VENDOR_ID,
        .deviceID = DEVICE_ID,
        .deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU,
        .deviceName = NAME,
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
