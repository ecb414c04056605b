/* properties.c: limits and properties of the single physical device, its queue family and its memory.
 *
 * Limits are at least as high as the specification requires for a device with the features of features.c. All answers
 * are constants, so they are the same on every machine. */
#include "null.h"

#define NAME "vkloader null device"
/* The ID is neither a PCI vendor's (16 bits) nor one of the registry's VkVendorId, which begin at 0x10000. */
#define VENDOR_ID 0x1FF00
#define DEVICE_ID 1
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
        .apiVersion = VK_MAKE_API_VERSION(0, 1, 3, VK_HEADER_VERSION),
        .driverVersion = DRIVER_VERSION,
        .vendorID = VENDOR_ID,
        .deviceID = DEVICE_ID,
        .deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU,
        .deviceName = NAME,
        .pipelineCacheUUID = "vkloader null 1",
        .limits = limits,
    };
}

/* ---- properties of the versions and of extensions -------------------------------------------------------------- */

#define DRIVER_UUID "vkloader null 1" /* 15 characters and the NUL are the 16 bytes */
#define DEVICE_UUID "null device 0.1"
#define ALL_SHADER_STAGES (VK_SHADER_STAGE_ALL_GRAPHICS | VK_SHADER_STAGE_COMPUTE_BIT)
#define SUBGROUP_SIZE 4
#define SUBGROUP_OPERATIONS                                                                                            \
    (VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |               \
     VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |     \
     VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT)
#define DEPTH_RESOLVE_MODES                                                                                            \
    (VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_AVERAGE_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT)
#define STENCIL_RESOLVE_MODES (VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT)

static const VkPhysicalDeviceVulkan11Properties vulkan11 = {
    .deviceUUID = DEVICE_UUID,
    .driverUUID = DRIVER_UUID,
    .deviceNodeMask = 1,
    .subgroupSize = SUBGROUP_SIZE,
    .subgroupSupportedStages = ALL_SHADER_STAGES,
    .subgroupSupportedOperations = SUBGROUP_OPERATIONS,
    .subgroupQuadOperationsInAllStages = VK_TRUE,
    .pointClippingBehavior = VK_POINT_CLIPPING_BEHAVIOR_ALL_CLIP_PLANES,
    .maxMultiviewViewCount = 32,
    .maxMultiviewInstanceIndex = UINT32_MAX,
    .maxPerSetDescriptors = ANY_NUMBER,
    .maxMemoryAllocationSize = MEMORY_HEAP_SIZE,
};
static const VkPhysicalDeviceVulkan12Properties vulkan12 = {
    .driverName = "vkloader null driver",
    .driverInfo = "does nothing, quickly",
    .conformanceVersion = {0, 0, 0, 0},
    .denormBehaviorIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
    .roundingModeIndependence = VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL,
    .shaderSignedZeroInfNanPreserveFloat16 = VK_TRUE,
    .shaderSignedZeroInfNanPreserveFloat32 = VK_TRUE,
    .shaderSignedZeroInfNanPreserveFloat64 = VK_TRUE,
    .shaderDenormPreserveFloat16 = VK_TRUE,
    .shaderDenormPreserveFloat32 = VK_TRUE,
    .shaderDenormPreserveFloat64 = VK_TRUE,
    .shaderDenormFlushToZeroFloat16 = VK_TRUE,
    .shaderDenormFlushToZeroFloat32 = VK_TRUE,
    .shaderDenormFlushToZeroFloat64 = VK_TRUE,
    .shaderRoundingModeRTEFloat16 = VK_TRUE,
    .shaderRoundingModeRTEFloat32 = VK_TRUE,
    .shaderRoundingModeRTEFloat64 = VK_TRUE,
    .shaderRoundingModeRTZFloat16 = VK_TRUE,
    .shaderRoundingModeRTZFloat32 = VK_TRUE,
    .shaderRoundingModeRTZFloat64 = VK_TRUE,
    .maxUpdateAfterBindDescriptorsInAllPools = UINT32_MAX,
    .shaderUniformBufferArrayNonUniformIndexingNative = VK_TRUE,
    .shaderSampledImageArrayNonUniformIndexingNative = VK_TRUE,
    .shaderStorageBufferArrayNonUniformIndexingNative = VK_TRUE,
    .shaderStorageImageArrayNonUniformIndexingNative = VK_TRUE,
    .shaderInputAttachmentArrayNonUniformIndexingNative = VK_TRUE,
    .robustBufferAccessUpdateAfterBind = VK_TRUE,
    .quadDivergentImplicitLod = VK_TRUE,
    .maxPerStageDescriptorUpdateAfterBindSamplers = ANY_NUMBER,
    .maxPerStageDescriptorUpdateAfterBindUniformBuffers = ANY_NUMBER,
    .maxPerStageDescriptorUpdateAfterBindStorageBuffers = ANY_NUMBER,
    .maxPerStageDescriptorUpdateAfterBindSampledImages = ANY_NUMBER,
    .maxPerStageDescriptorUpdateAfterBindStorageImages = ANY_NUMBER,
    .maxPerStageDescriptorUpdateAfterBindInputAttachments = ANY_NUMBER,
    .maxPerStageUpdateAfterBindResources = 8 * ANY_NUMBER,
    .maxDescriptorSetUpdateAfterBindSamplers = ANY_NUMBER,
    .maxDescriptorSetUpdateAfterBindUniformBuffers = ANY_NUMBER,
    .maxDescriptorSetUpdateAfterBindUniformBuffersDynamic = 64,
    .maxDescriptorSetUpdateAfterBindStorageBuffers = ANY_NUMBER,
    .maxDescriptorSetUpdateAfterBindStorageBuffersDynamic = 64,
    .maxDescriptorSetUpdateAfterBindSampledImages = ANY_NUMBER,
    .maxDescriptorSetUpdateAfterBindStorageImages = ANY_NUMBER,
    .maxDescriptorSetUpdateAfterBindInputAttachments = ANY_NUMBER,
    .supportedDepthResolveModes = DEPTH_RESOLVE_MODES,
    .supportedStencilResolveModes = STENCIL_RESOLVE_MODES,
    .independentResolveNone = VK_TRUE,
    .independentResolve = VK_TRUE,
    .filterMinmaxSingleComponentFormats = VK_TRUE,
    .filterMinmaxImageComponentMapping = VK_TRUE,
    .maxTimelineSemaphoreValueDifference = UINT64_MAX,
    .framebufferIntegerColorSampleCounts = ALL_SAMPLE_COUNTS,
};
static const VkPhysicalDeviceVulkan13Properties vulkan13 = {
    .minSubgroupSize = SUBGROUP_SIZE,
    .maxSubgroupSize = SUBGROUP_SIZE,
    .maxComputeWorkgroupSubgroups = 1024 / SUBGROUP_SIZE,
    .requiredSubgroupSizeStages = ALL_SHADER_STAGES,
    .maxInlineUniformBlockSize = 4096,
    .maxPerStageDescriptorInlineUniformBlocks = 64,
    .maxPerStageDescriptorUpdateAfterBindInlineUniformBlocks = 64,
    .maxDescriptorSetInlineUniformBlocks = 64,
    .maxDescriptorSetUpdateAfterBindInlineUniformBlocks = 64,
    .storageTexelBufferOffsetAlignmentBytes = 16,
    .storageTexelBufferOffsetSingleTexelAlignment = VK_TRUE,
    .uniformTexelBufferOffsetAlignmentBytes = 16,
    .uniformTexelBufferOffsetSingleTexelAlignment = VK_TRUE,
    .maxInlineUniformTotalSize = 65536,
    .maxBufferSize = MEMORY_HEAP_SIZE,
};
/* These are not in the structures of the versions. The second number is for padding. */
static const uint32_t max_multi_draws[2] = {UINT32_MAX}, max_push_descriptors[2] = {32};

#define HEADER sizeof(VkBaseOutStructure)
#define WHOLE(minor)                                                                                                   \
    {                                                                                                                  \
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_##minor##_PROPERTIES, sizeof(vulkan1##minor) - HEADER,              \
            (const char *)&vulkan1##minor + HEADER                                                                     \
    }
#define PART(type, name, first)                                                                                        \
    {                                                                                                                  \
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, sizeof(VkPhysicalDevice##name) - HEADER, &first                      \
    }

/* The members after the header of each structure. The structure of an extension has the members of a version's
 * structure in the same order, from the named one on. */
static const struct {
    VkStructureType type;
    uint32_t size;
    const void *answer;
} structures[] = {
    WHOLE(1),
    WHOLE(2),
    WHOLE(3),
    PART(ID_PROPERTIES, IDProperties, vulkan11.deviceUUID),
    PART(SUBGROUP_PROPERTIES, SubgroupProperties, vulkan11.subgroupSize),
    PART(POINT_CLIPPING_PROPERTIES, PointClippingProperties, vulkan11.pointClippingBehavior),
    PART(MULTIVIEW_PROPERTIES, MultiviewProperties, vulkan11.maxMultiviewViewCount),
    PART(PROTECTED_MEMORY_PROPERTIES, ProtectedMemoryProperties, vulkan11.protectedNoFault),
    PART(MAINTENANCE_3_PROPERTIES, Maintenance3Properties, vulkan11.maxPerSetDescriptors),
    PART(DRIVER_PROPERTIES, DriverProperties, vulkan12.driverID),
    PART(FLOAT_CONTROLS_PROPERTIES, FloatControlsProperties, vulkan12.denormBehaviorIndependence),
    PART(DESCRIPTOR_INDEXING_PROPERTIES, DescriptorIndexingProperties,
         vulkan12.maxUpdateAfterBindDescriptorsInAllPools),
    PART(DEPTH_STENCIL_RESOLVE_PROPERTIES, DepthStencilResolveProperties, vulkan12.supportedDepthResolveModes),
    PART(SAMPLER_FILTER_MINMAX_PROPERTIES, SamplerFilterMinmaxProperties, vulkan12.filterMinmaxSingleComponentFormats),
    PART(TIMELINE_SEMAPHORE_PROPERTIES, TimelineSemaphoreProperties, vulkan12.maxTimelineSemaphoreValueDifference),
    PART(SUBGROUP_SIZE_CONTROL_PROPERTIES, SubgroupSizeControlProperties, vulkan13.minSubgroupSize),
    PART(INLINE_UNIFORM_BLOCK_PROPERTIES, InlineUniformBlockProperties, vulkan13.maxInlineUniformBlockSize),
    PART(TEXEL_BUFFER_ALIGNMENT_PROPERTIES, TexelBufferAlignmentProperties,
         vulkan13.storageTexelBufferOffsetAlignmentBytes),
    PART(SHADER_INTEGER_DOT_PRODUCT_PROPERTIES, ShaderIntegerDotProductProperties,
         vulkan13.integerDotProduct8BitUnsignedAccelerated),
    PART(MAINTENANCE_4_PROPERTIES, Maintenance4Properties, vulkan13.maxBufferSize),
    PART(MULTI_DRAW_PROPERTIES_EXT, MultiDrawPropertiesEXT, max_multi_draws),
    PART(PUSH_DESCRIPTOR_PROPERTIES, PushDescriptorProperties, max_push_descriptors),
};

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceProperties2(VkPhysicalDevice physicalDevice,
                                                               VkPhysicalDeviceProperties2 *pProperties)
{
    null_vkGetPhysicalDeviceProperties(physicalDevice, &pProperties->properties);
    for (VkBaseOutStructure *s = pProperties->pNext; s; s = s->pNext) {
        for (size_t i = 0; i < sizeof(structures) / sizeof(structures[0]); i++) {
            if (structures[i].type == s->sType) {
                memcpy((char *)s + HEADER, structures[i].answer, structures[i].size);
                break;
            }
        }
    }
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
    if (!pQueueFamilyProperties)
        *pQueueFamilyPropertyCount = 1;
    else if (*pQueueFamilyPropertyCount > 0) {
        *pQueueFamilyPropertyCount = 1;
        *pQueueFamilyProperties = queue_family;
    }
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

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPhysicalDeviceToolProperties(VkPhysicalDevice physicalDevice,
                                                                      uint32_t *pToolCount,
                                                                      VkPhysicalDeviceToolProperties *pToolProperties)
{
    *pToolCount = 0;
    return VK_SUCCESS;
}
