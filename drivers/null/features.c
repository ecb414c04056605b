/* features.c: the features. The driver has every feature that a driver that does nothing can
 * support; not sparse resources, protected memory, capture and replay of addresses, or several devices. */
#include "null.h"

/* A structure of features: a header, then VkBool32 members up to the named last one, since padding may follow it. All
 * features are on except up to two, which are named. */
struct feature_structure {
    VkStructureType type;
    uint32_t end;
    uint32_t off[3]; /* offsets; 0: none */
};

#define ON(type, name, last, ...)                                                                                      \
    {                                                                                                                  \
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_##type, offsetof(VkPhysicalDevice##name, last) + sizeof(VkBool32),           \
        {                                                                                                              \
            0, __VA_ARGS__                                                                                             \
        }                                                                                                              \
    }
#define OFF(name, feature) offsetof(VkPhysicalDevice##name, feature)

static const struct feature_structure structures[] = {
    ON(VULKAN_1_1_FEATURES, Vulkan11Features, shaderDrawParameters, OFF(Vulkan11Features, protectedMemory)),
    ON(VULKAN_1_2_FEATURES, Vulkan12Features, subgroupBroadcastDynamicId,
       OFF(Vulkan12Features, bufferDeviceAddressCaptureReplay), OFF(Vulkan12Features, bufferDeviceAddressMultiDevice)),
    ON(VULKAN_1_3_FEATURES, Vulkan13Features, maintenance4),

    ON(16BIT_STORAGE_FEATURES, 16BitStorageFeatures, storageInputOutput16),
    ON(MULTIVIEW_FEATURES, MultiviewFeatures, multiviewTessellationShader),
    ON(VARIABLE_POINTERS_FEATURES, VariablePointersFeatures, variablePointers),
    ON(PROTECTED_MEMORY_FEATURES, ProtectedMemoryFeatures, protectedMemory,
       OFF(ProtectedMemoryFeatures, protectedMemory)),
    ON(SAMPLER_YCBCR_CONVERSION_FEATURES, SamplerYcbcrConversionFeatures, samplerYcbcrConversion),
    ON(SHADER_DRAW_PARAMETERS_FEATURES, ShaderDrawParametersFeatures, shaderDrawParameters),

    ON(8BIT_STORAGE_FEATURES, 8BitStorageFeatures, storagePushConstant8),
    ON(SHADER_ATOMIC_INT64_FEATURES, ShaderAtomicInt64Features, shaderSharedInt64Atomics),
    ON(SHADER_FLOAT16_INT8_FEATURES, ShaderFloat16Int8Features, shaderInt8),
    ON(DESCRIPTOR_INDEXING_FEATURES, DescriptorIndexingFeatures, runtimeDescriptorArray),
    ON(SCALAR_BLOCK_LAYOUT_FEATURES, ScalarBlockLayoutFeatures, scalarBlockLayout),
    ON(IMAGELESS_FRAMEBUFFER_FEATURES, ImagelessFramebufferFeatures, imagelessFramebuffer),
    ON(UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES, UniformBufferStandardLayoutFeatures, uniformBufferStandardLayout),
    ON(SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES, ShaderSubgroupExtendedTypesFeatures, shaderSubgroupExtendedTypes),
    ON(SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES, SeparateDepthStencilLayoutsFeatures, separateDepthStencilLayouts),
    ON(HOST_QUERY_RESET_FEATURES, HostQueryResetFeatures, hostQueryReset),
    ON(TIMELINE_SEMAPHORE_FEATURES, TimelineSemaphoreFeatures, timelineSemaphore),
    ON(BUFFER_DEVICE_ADDRESS_FEATURES, BufferDeviceAddressFeatures, bufferDeviceAddressMultiDevice,
       OFF(BufferDeviceAddressFeatures, bufferDeviceAddressCaptureReplay),
       OFF(BufferDeviceAddressFeatures, bufferDeviceAddressMultiDevice)),
    ON(VULKAN_MEMORY_MODEL_FEATURES, VulkanMemoryModelFeatures, vulkanMemoryModelAvailabilityVisibilityChains),

    ON(SHADER_TERMINATE_INVOCATION_FEATURES, ShaderTerminateInvocationFeatures, shaderTerminateInvocation),
    ON(SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES, ShaderDemoteToHelperInvocationFeatures,
       shaderDemoteToHelperInvocation),
    ON(PRIVATE_DATA_FEATURES, PrivateDataFeatures, privateData),
    ON(PIPELINE_CREATION_CACHE_CONTROL_FEATURES, PipelineCreationCacheControlFeatures, pipelineCreationCacheControl),
    ON(SYNCHRONIZATION_2_FEATURES, Synchronization2Features, synchronization2),
    ON(ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES, ZeroInitializeWorkgroupMemoryFeatures,
       shaderZeroInitializeWorkgroupMemory),
    ON(IMAGE_ROBUSTNESS_FEATURES, ImageRobustnessFeatures, robustImageAccess),
    ON(SUBGROUP_SIZE_CONTROL_FEATURES, SubgroupSizeControlFeatures, computeFullSubgroups),
    ON(INLINE_UNIFORM_BLOCK_FEATURES, InlineUniformBlockFeatures, descriptorBindingInlineUniformBlockUpdateAfterBind),
    ON(SHADER_INTEGER_DOT_PRODUCT_FEATURES, ShaderIntegerDotProductFeatures, shaderIntegerDotProduct),
    ON(DYNAMIC_RENDERING_FEATURES, DynamicRenderingFeatures, dynamicRendering),
    ON(MAINTENANCE_4_FEATURES, Maintenance4Features, maintenance4),

    ON(TEXTURE_COMPRESSION_ASTC_HDR_FEATURES, TextureCompressionASTCHDRFeatures, textureCompressionASTC_HDR),
    ON(4444_FORMATS_FEATURES_EXT, 4444FormatsFeaturesEXT, formatA4B4G4R4),
    ON(EXTENDED_DYNAMIC_STATE_FEATURES_EXT, ExtendedDynamicStateFeaturesEXT, extendedDynamicState),
    ON(EXTENDED_DYNAMIC_STATE_2_FEATURES_EXT, ExtendedDynamicState2FeaturesEXT,
       extendedDynamicState2PatchControlPoints),
    ON(TEXEL_BUFFER_ALIGNMENT_FEATURES_EXT, TexelBufferAlignmentFeaturesEXT, texelBufferAlignment),
    ON(YCBCR_2_PLANE_444_FORMATS_FEATURES_EXT, Ycbcr2Plane444FormatsFeaturesEXT, ycbcr2plane444Formats),
    ON(MULTI_DRAW_FEATURES_EXT, MultiDrawFeaturesEXT, multiDraw),
};

static const struct feature_structure *structure_of(VkStructureType type)
{
    for (size_t i = 0; i < sizeof(structures) / sizeof(structures[0]); i++)
        if (structures[i].type == type) return &structures[i];
    return NULL;
}

static VkBool32 is_offered(const struct feature_structure *f, uint32_t offset)
{
    return offset != f->off[1] && offset != f->off[2];
}

static void fill_features(void *chain)
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

/* Only the features of sparse resources are off; they are next to each other. */
static VkBool32 core_is_offered(size_t offset)
{
    return offset < offsetof(VkPhysicalDeviceFeatures, shaderResourceResidency) ||
           offset > offsetof(VkPhysicalDeviceFeatures, sparseResidencyAliased);
}

static bool all_core_offered(const VkPhysicalDeviceFeatures *wanted)
{
    for (size_t at = 0; at < sizeof(*wanted); at += sizeof(VkBool32)) {
        VkBool32 w;
        memcpy(&w, (const char *)wanted + at, sizeof(w));
        if (w && !core_is_offered(at)) return false;
    }
    return true;
}

bool features_are_offered(const VkPhysicalDeviceFeatures *core, const void *chain)
{
    if (core && !all_core_offered(core)) return false;
    for (const VkBaseInStructure *s = chain; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2 &&
            !all_core_offered(&((const VkPhysicalDeviceFeatures2 *)s)->features))
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
    for (size_t at = 0; at < sizeof(*pFeatures); at += sizeof(VkBool32)) {
        VkBool32 value = core_is_offered(at);
        memcpy((char *)pFeatures + at, &value, sizeof(value));
    }
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice physicalDevice,
                                                             VkPhysicalDeviceFeatures2 *pFeatures)
{
    null_vkGetPhysicalDeviceFeatures(physicalDevice, &pFeatures->features);
    fill_features(pFeatures->pNext);
}
