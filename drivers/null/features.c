/* features.c: answers all queries for features from one table. It has every feature that a driver that does nothing can
 * support; not sparse resources, protected memory, capture and replay of addresses, or several devices. */
#include "null.h"

const VkPhysicalDeviceFeatures null_features = {
    .robustBufferAccess = VK_TRUE,
    .fullDrawIndexUint32 = VK_TRUE,
    .imageCubeArray = VK_TRUE,
    .independentBlend = VK_TRUE,
    .geometryShader = VK_TRUE,
    .tessellationShader = VK_TRUE,
    .sampleRateShading = VK_TRUE,
    .dualSrcBlend = VK_TRUE,
    .logicOp = VK_TRUE,
    .multiDrawIndirect = VK_TRUE,
    .drawIndirectFirstInstance = VK_TRUE,
    .depthClamp = VK_TRUE,
    .depthBiasClamp = VK_TRUE,
    .fillModeNonSolid = VK_TRUE,
    .depthBounds = VK_TRUE,
    .wideLines = VK_TRUE,
    .largePoints = VK_TRUE,
    .alphaToOne = VK_TRUE,
    .multiViewport = VK_TRUE,
    .samplerAnisotropy = VK_TRUE,
    .textureCompressionETC2 = VK_TRUE,
    .textureCompressionASTC_LDR = VK_TRUE,
    .textureCompressionBC = VK_TRUE,
    .occlusionQueryPrecise = VK_TRUE,
    .pipelineStatisticsQuery = VK_TRUE,
    .vertexPipelineStoresAndAtomics = VK_TRUE,
    .fragmentStoresAndAtomics = VK_TRUE,
    .shaderTessellationAndGeometryPointSize = VK_TRUE,
    .shaderImageGatherExtended = VK_TRUE,
    .shaderStorageImageExtendedFormats = VK_TRUE,
    .shaderStorageImageMultisample = VK_TRUE,
    .shaderStorageImageReadWithoutFormat = VK_TRUE,
    .shaderStorageImageWriteWithoutFormat = VK_TRUE,
    .shaderUniformBufferArrayDynamicIndexing = VK_TRUE,
    .shaderSampledImageArrayDynamicIndexing = VK_TRUE,
    .shaderStorageBufferArrayDynamicIndexing = VK_TRUE,
    .shaderStorageImageArrayDynamicIndexing = VK_TRUE,
    .shaderClipDistance = VK_TRUE,
    .shaderCullDistance = VK_TRUE,
    .shaderFloat64 = VK_TRUE,
    .shaderInt64 = VK_TRUE,
    .shaderInt16 = VK_TRUE,
    .variableMultisampleRate = VK_TRUE,
    .inheritedQueries = VK_TRUE,
};

/* A structure of features: a header, then VkBool32 members up to the named last one, since padding may follow it. All
 * features are on except up to two, which are named. */
struct feature_structure {
    VkStructureType type;
    uint32_t end;
    uint32_t off[2]; /* offsets; 0: none */
};

#define ON(type, structure, last)                                                                                      \
    {                                                                                                                  \
        type, offsetof(structure, last) + sizeof(VkBool32),                                                            \
        {                                                                                                              \
            0, 0                                                                                                       \
        }                                                                                                              \
    }
#define ON_BUT(type, structure, last, one)                                                                             \
    {                                                                                                                  \
        type, offsetof(structure, last) + sizeof(VkBool32),                                                            \
        {                                                                                                              \
            offsetof(structure, one), 0                                                                                \
        }                                                                                                              \
    }
#define ON_BUT_TWO(type, structure, last, one, two)                                                                    \
    {                                                                                                                  \
        type, offsetof(structure, last) + sizeof(VkBool32),                                                            \
        {                                                                                                              \
            offsetof(structure, one), offsetof(structure, two)                                                         \
        }                                                                                                              \
    }
#define S(name) VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##name

static const struct feature_structure structures[] = {
    ON_BUT(S(VULKAN_1_1_FEATURES), VkPhysicalDeviceVulkan11Features, shaderDrawParameters, protectedMemory),
    ON_BUT_TWO(S(VULKAN_1_2_FEATURES), VkPhysicalDeviceVulkan12Features, subgroupBroadcastDynamicId,
               bufferDeviceAddressCaptureReplay, bufferDeviceAddressMultiDevice),
    ON(S(VULKAN_1_3_FEATURES), VkPhysicalDeviceVulkan13Features, maintenance4),

    ON(S(16BIT_STORAGE_FEATURES), VkPhysicalDevice16BitStorageFeatures, storageInputOutput16),
    ON(S(MULTIVIEW_FEATURES), VkPhysicalDeviceMultiviewFeatures, multiviewTessellationShader),
    ON(S(VARIABLE_POINTERS_FEATURES), VkPhysicalDeviceVariablePointersFeatures, variablePointers),
    ON_BUT(S(PROTECTED_MEMORY_FEATURES), VkPhysicalDeviceProtectedMemoryFeatures, protectedMemory, protectedMemory),
    ON(S(SAMPLER_YCBCR_CONVERSION_FEATURES), VkPhysicalDeviceSamplerYcbcrConversionFeatures, samplerYcbcrConversion),
    ON(S(SHADER_DRAW_PARAMETERS_FEATURES), VkPhysicalDeviceShaderDrawParametersFeatures, shaderDrawParameters),

    ON(S(8BIT_STORAGE_FEATURES), VkPhysicalDevice8BitStorageFeatures, storagePushConstant8),
    ON(S(SHADER_ATOMIC_INT64_FEATURES), VkPhysicalDeviceShaderAtomicInt64Features, shaderSharedInt64Atomics),
    ON(S(SHADER_FLOAT16_INT8_FEATURES), VkPhysicalDeviceShaderFloat16Int8Features, shaderInt8),
    ON(S(DESCRIPTOR_INDEXING_FEATURES), VkPhysicalDeviceDescriptorIndexingFeatures, runtimeDescriptorArray),
    ON(S(SCALAR_BLOCK_LAYOUT_FEATURES), VkPhysicalDeviceScalarBlockLayoutFeatures, scalarBlockLayout),
    ON(S(IMAGELESS_FRAMEBUFFER_FEATURES), VkPhysicalDeviceImagelessFramebufferFeatures, imagelessFramebuffer),
    ON(S(UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES), VkPhysicalDeviceUniformBufferStandardLayoutFeatures,
       uniformBufferStandardLayout),
    ON(S(SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES), VkPhysicalDeviceShaderSubgroupExtendedTypesFeatures,
       shaderSubgroupExtendedTypes),
    ON(S(SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES), VkPhysicalDeviceSeparateDepthStencilLayoutsFeatures,
       separateDepthStencilLayouts),
    ON(S(HOST_QUERY_RESET_FEATURES), VkPhysicalDeviceHostQueryResetFeatures, hostQueryReset),
    ON(S(TIMELINE_SEMAPHORE_FEATURES), VkPhysicalDeviceTimelineSemaphoreFeatures, timelineSemaphore),
    ON_BUT_TWO(S(BUFFER_DEVICE_ADDRESS_FEATURES), VkPhysicalDeviceBufferDeviceAddressFeatures,
               bufferDeviceAddressMultiDevice, bufferDeviceAddressCaptureReplay, bufferDeviceAddressMultiDevice),
    ON(S(VULKAN_MEMORY_MODEL_FEATURES), VkPhysicalDeviceVulkanMemoryModelFeatures,
       vulkanMemoryModelAvailabilityVisibilityChains),

    ON(S(SHADER_TERMINATE_INVOCATION_FEATURES), VkPhysicalDeviceShaderTerminateInvocationFeatures,
       shaderTerminateInvocation),
    ON(S(SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES), VkPhysicalDeviceShaderDemoteToHelperInvocationFeatures,
       shaderDemoteToHelperInvocation),
    ON(S(PRIVATE_DATA_FEATURES), VkPhysicalDevicePrivateDataFeatures, privateData),
    ON(S(PIPELINE_CREATION_CACHE_CONTROL_FEATURES), VkPhysicalDevicePipelineCreationCacheControlFeatures,
       pipelineCreationCacheControl),
    ON(S(SYNCHRONIZATION_2_FEATURES), VkPhysicalDeviceSynchronization2Features, synchronization2),
    ON(S(ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES), VkPhysicalDeviceZeroInitializeWorkgroupMemoryFeatures,
       shaderZeroInitializeWorkgroupMemory),
    ON(S(IMAGE_ROBUSTNESS_FEATURES), VkPhysicalDeviceImageRobustnessFeatures, robustImageAccess),
    ON(S(SUBGROUP_SIZE_CONTROL_FEATURES), VkPhysicalDeviceSubgroupSizeControlFeatures, computeFullSubgroups),
    ON(S(INLINE_UNIFORM_BLOCK_FEATURES), VkPhysicalDeviceInlineUniformBlockFeatures,
       descriptorBindingInlineUniformBlockUpdateAfterBind),
    ON(S(SHADER_INTEGER_DOT_PRODUCT_FEATURES), VkPhysicalDeviceShaderIntegerDotProductFeatures,
       shaderIntegerDotProduct),
    ON(S(DYNAMIC_RENDERING_FEATURES), VkPhysicalDeviceDynamicRenderingFeatures, dynamicRendering),
    ON(S(MAINTENANCE_4_FEATURES), VkPhysicalDeviceMaintenance4Features, maintenance4),

    ON(S(TEXTURE_COMPRESSION_ASTC_HDR_FEATURES), VkPhysicalDeviceTextureCompressionASTCHDRFeatures,
       textureCompressionASTC_HDR),
    ON(S(4444_FORMATS_FEATURES_EXT), VkPhysicalDevice4444FormatsFeaturesEXT, formatA4B4G4R4),
    ON(S(EXTENDED_DYNAMIC_STATE_FEATURES_EXT), VkPhysicalDeviceExtendedDynamicStateFeaturesEXT, extendedDynamicState),
    ON(S(EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT), VkPhysicalDeviceExtendedDynamicState2FeaturesEXT,
       extendedDynamicState2PatchControlPoints),
    ON(S(TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT), VkPhysicalDeviceTexelBufferAlignmentFeaturesEXT, texelBufferAlignment),
    ON(S(YCBCR_2_PLANE_444_FORMATS_FEATURES_EXT), VkPhysicalDeviceYcbcr2Plane444FormatsFeaturesEXT,
       ycbcr2plane444Formats),
    ON(S(MULTI_DRAW_FEATURES_EXT), VkPhysicalDeviceMultiDrawFeaturesEXT, multiDraw),
};

static const struct feature_structure *structure_of(VkStructureType type)
{
    for (size_t i = 0; i < sizeof(structures) / sizeof(structures[0]); i++)
        if (structures[i].type == type) return &structures[i];
    return NULL;
}

static VkBool32 is_offered(const struct feature_structure *f, uint32_t offset)
{
    return offset != f->off[0] && offset != f->off[1];
}

void fill_features(void *chain)
{
    for (VkBaseOutStructure *s = chain; s; s = s->pNext) {
        const struct feature_structure *f = structure_of(s->sType);
        if (!f) continue;
        for (uint32_t at = sizeof(*s); at < f->end; at += sizeof(VkBool32)) {
            VkBool32 value = is_offered(f, at);
            memcpy((char *)s + at, &value, sizeof(value));
        }
    }
}

static bool core_offered(const VkPhysicalDeviceFeatures *wanted)
{
    const char *want = (const char *)wanted, *have = (const char *)&null_features;
    for (size_t at = 0; at < sizeof(*wanted); at += sizeof(VkBool32)) {
        VkBool32 w, h;
        memcpy(&w, want + at, sizeof(w));
        memcpy(&h, have + at, sizeof(h));
        if (w && !h) return false;
    }
    return true;
}

bool features_are_offered(const VkPhysicalDeviceFeatures *core, const void *chain)
{
    if (core && !core_offered(core)) return false;
    for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 &&
            !core_offered(&((const VkPhysicalDeviceFeatures2 *)s)->features))
            return false;
        const struct feature_structure *f = structure_of(s->sType);
        if (!f) continue;
        for (uint32_t at = sizeof(*s); at < f->end; at += sizeof(VkBool32)) {
            VkBool32 wanted;
            memcpy(&wanted, (const char *)s + at, sizeof(wanted));
            if (wanted && !is_offered(f, at)) return false;
        }
    }
    return true;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceFeatures(VkPhysicalDevice physicalDevice,
                                                            VkPhysicalDeviceFeatures *pFeatures)
{
    *pFeatures = null_features;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice physicalDevice,
                                                             VkPhysicalDeviceFeatures2 *pFeatures)
{
    pFeatures->features = null_features;
    fill_features(pFeatures->pNext);
}
