/* formats.c: the features of formats, and the largest sizes of images.
 *
 * A driver that never touches a texel can support every feature of a format that any format of its kind has; that
 * covers the specification's tables of mandatory formats. It offers no sparse images, no protected images and no
 * handles of other APIs.
 */
#include "null.h"

static const struct format formats[] = {
#define FORMAT(name, size, width, height, kinds, planes, ...) {name, size, width, height, kinds, planes, {__VA_ARGS__}},
#include "formats.inc"
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(formats[0]))
#define LAST_BASE_FORMAT VK_FORMAT_ASTC_12x12_SRGB_BLOCK

/* The base formats come first, sorted and without gaps in their numbers. The few later ones are searched. */
const struct format *format_of(VkFormat format)
{
    if (format > VK_FORMAT_UNDEFINED && format <= LAST_BASE_FORMAT && formats[format - 1].format == format)
        return &formats[format - 1];
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].format == format) return &formats[i];
    return NULL;
}

#define TRANSFER (VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT | VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT)
#define BLIT (VK_FORMAT_FEATURE_2_BLIT_SRC_BIT | VK_FORMAT_FEATURE_2_BLIT_DST_BIT)
#define SAMPLED VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT
#define LINEAR                                                                                                         \
    (VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_MINMAX_BIT)
#define STORAGE                                                                                                        \
    (VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |                     \
     VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT)
#define DEPTH_COMPARISON VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_DEPTH_COMPARISON_BIT
#define CHROMA_CONVERSION                                                                                              \
    (VK_FORMAT_FEATURE_2_MIDPOINT_CHROMA_SAMPLES_BIT | VK_FORMAT_FEATURE_2_COSITED_CHROMA_SAMPLES_BIT |                \
     VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_YCBCR_CONVERSION_LINEAR_FILTER_BIT)

static bool has_atomics(VkFormat f)
{
    return f == VK_FORMAT_R32_UINT || f == VK_FORMAT_R32_SINT;
}

VkFormatFeatureFlags2 format_features(const struct format *f, VkImageTiling tiling)
{
    if (f->kinds & (KIND_SCALED | KIND_WIDE)) return 0; /* vertex data only */
    if (f->kinds & KIND_CHROMA) {
        VkFormatFeatureFlags2 disjoint = f->plane_count > 1 ? VK_FORMAT_FEATURE_2_DISJOINT_BIT : 0;
        return TRANSFER | SAMPLED | VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_FILTER_LINEAR_BIT | CHROMA_CONVERSION | disjoint;
    }
    if (f->kinds & (KIND_DEPTH | KIND_STENCIL)) {
        if (tiling == VK_IMAGE_TILING_LINEAR) return 0;
        return TRANSFER | BLIT | SAMPLED | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT |
               (f->kinds & KIND_DEPTH ? LINEAR | DEPTH_COMPARISON : 0);
    }
    if (f->kinds & KIND_COMPRESSED)
        return tiling == VK_IMAGE_TILING_LINEAR ? 0 : TRANSFER | VK_FORMAT_FEATURE_2_BLIT_SRC_BIT | SAMPLED | LINEAR;

    VkFormatFeatureFlags2 all = TRANSFER | BLIT | SAMPLED;
    if (f->kinds & KIND_INTEGER)
        return all | VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | STORAGE |
               (has_atomics(f->format) ? VK_FORMAT_FEATURE_2_STORAGE_IMAGE_ATOMIC_BIT : 0);
    all |= LINEAR;
    if (f->format == VK_FORMAT_E5B9G9R9_UFLOAT_PACK32)
        return all; /* the shared exponent cannot be written for one component */
    all |= VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BLEND_BIT;
    return f->kinds & KIND_SRGB ? all : all | STORAGE;
}

static VkFormatFeatureFlags2 buffer_features(const struct format *f)
{
    if (f->kinds & (KIND_COMPRESSED | KIND_CHROMA | KIND_DEPTH | KIND_STENCIL | KIND_SRGB)) return 0;
    if (f->kinds & (KIND_SCALED | KIND_WIDE)) return VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT;
    return VK_FORMAT_FEATURE_2_VERTEX_BUFFER_BIT | VK_FORMAT_FEATURE_2_UNIFORM_TEXEL_BUFFER_BIT |
           VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_2_STORAGE_READ_WITHOUT_FORMAT_BIT |
           VK_FORMAT_FEATURE_2_STORAGE_WRITE_WITHOUT_FORMAT_BIT |
           (has_atomics(f->format) ? VK_FORMAT_FEATURE_2_STORAGE_TEXEL_BUFFER_ATOMIC_BIT : 0);
}

static VkFormatProperties3 properties_of(VkFormat format)
{
    VkFormatProperties3 p = {.sType = VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
    const struct format *f = format_of(format);
    if (f) {
        p.linearTilingFeatures = format_features(f, VK_IMAGE_TILING_LINEAR);
        p.optimalTilingFeatures = format_features(f, VK_IMAGE_TILING_OPTIMAL);
        p.bufferFeatures = buffer_features(f);
    }
    return p;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceFormatProperties(VkPhysicalDevice physicalDevice, VkFormat format,
                                                                    VkFormatProperties *pFormatProperties)
{
    /* The lower 31 bits have the same meaning in both structures; the older one has only these. */
    VkFormatProperties3 p = properties_of(format);
    pFormatProperties->linearTilingFeatures = (VkFormatFeatureFlags)(p.linearTilingFeatures & 0x7FFFFFFF);
    pFormatProperties->optimalTilingFeatures = (VkFormatFeatureFlags)(p.optimalTilingFeatures & 0x7FFFFFFF);
    pFormatProperties->bufferFeatures = (VkFormatFeatureFlags)(p.bufferFeatures & 0x7FFFFFFF);
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceFormatProperties2(VkPhysicalDevice physicalDevice, VkFormat format,
                                                                     VkFormatProperties2 *pFormatProperties)
{
    null_vkGetPhysicalDeviceFormatProperties(physicalDevice, format, &pFormatProperties->formatProperties);
    for (VkBaseOutStructure *s = pFormatProperties->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3) {
            VkFormatProperties3 p = properties_of(format);
            p.pNext = s->pNext;
            memcpy(s, &p, sizeof(p));
        }
    }
}

/* ---- images ---------------------------------------------------------------------------------------------------- */

/* Returns the image usages that a format with these features supports. Input attachments need either attachment
 * feature. */
static VkImageUsageFlags usages(VkFormatFeatureFlags2 features)
{
    VkImageUsageFlags u = 0;
    if (features & VK_FORMAT_FEATURE_2_TRANSFER_SRC_BIT) u |= VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    if (features & VK_FORMAT_FEATURE_2_TRANSFER_DST_BIT) u |= VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (features & VK_FORMAT_FEATURE_2_SAMPLED_IMAGE_BIT) u |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (features & VK_FORMAT_FEATURE_2_STORAGE_IMAGE_BIT) u |= VK_IMAGE_USAGE_STORAGE_BIT;
    if (features & VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT) u |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (features & VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT) u |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if (features & (VK_FORMAT_FEATURE_2_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_2_DEPTH_STENCIL_ATTACHMENT_BIT))
        u |= VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT;
    return u;
}

#define NEVER_FLAGS                                                                                                    \
    (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT |  \
     VK_IMAGE_CREATE_PROTECTED_BIT)

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPhysicalDeviceImageFormatProperties(
    VkPhysicalDevice physicalDevice, VkFormat format, VkImageType type, VkImageTiling tiling, VkImageUsageFlags usage,
    VkImageCreateFlags flags, VkImageFormatProperties *pImageFormatProperties)
{
    VkImageFormatProperties *p = pImageFormatProperties;
    memset(p, 0, sizeof(*p));
    const struct format *f = format_of(format);
    if (!f || (tiling != VK_IMAGE_TILING_OPTIMAL && tiling != VK_IMAGE_TILING_LINEAR) || (flags & NEVER_FLAGS))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;

    /* With VK_IMAGE_CREATE_EXTENDED_USAGE_BIT, a usage is valid if any compatible view format supports it. */
    VkFormatFeatureFlags2 features = format_features(f, tiling);
    bool extended = (flags & VK_IMAGE_CREATE_EXTENDED_USAGE_BIT) && (flags & VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT);
    if (features == 0 || (!extended && (usage & ~usages(features)))) return VK_ERROR_FORMAT_NOT_SUPPORTED;

    bool simple = tiling == VK_IMAGE_TILING_LINEAR || (f->kinds & KIND_CHROMA);
    bool cube = flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    bool block = f->kinds & KIND_COMPRESSED;
    bool depth = f->kinds & (KIND_DEPTH | KIND_STENCIL);
    if ((simple && (type != VK_IMAGE_TYPE_2D || cube)) || (cube && type != VK_IMAGE_TYPE_2D) ||
        (block && type == VK_IMAGE_TYPE_1D) || (depth && type == VK_IMAGE_TYPE_3D) ||
        ((flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT) && type != VK_IMAGE_TYPE_3D) ||
        ((flags & VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT) && !block) ||
        ((flags & VK_IMAGE_CREATE_DISJOINT_BIT) && f->plane_count < 2))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;

    uint32_t side = type == VK_IMAGE_TYPE_3D ? MAX_EXTENT_3D : MAX_EXTENT_2D;
    p->maxExtent.width = side;
    p->maxExtent.height = type == VK_IMAGE_TYPE_1D ? 1 : side;
    p->maxExtent.depth = type == VK_IMAGE_TYPE_3D ? side : 1;
    p->maxMipLevels = simple ? 1 : type == VK_IMAGE_TYPE_3D ? 12 : MAX_MIP_LEVELS;
    p->maxArrayLayers = simple || type == VK_IMAGE_TYPE_3D ? 1 : MAX_LAYERS;
    p->sampleCounts = VK_SAMPLE_COUNT_1_BIT;
    if (!simple && !cube && !block && type == VK_IMAGE_TYPE_2D) p->sampleCounts = ALL_SAMPLE_COUNTS;
    p->maxResourceSize = MEMORY_HEAP_SIZE;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceImageFormatInfo2 *pImageFormatInfo,
    VkImageFormatProperties2 *pImageFormatProperties)
{
    const VkPhysicalDeviceImageFormatInfo2 *in = pImageFormatInfo;
    for (const VkBaseInStructure *s = in->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO &&
            ((const VkPhysicalDeviceExternalImageFormatInfo *)s)->handleType != 0)
            return VK_ERROR_FORMAT_NOT_SUPPORTED;
    for (VkBaseOutStructure *s = pImageFormatProperties->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES)
            memset(&((VkExternalImageFormatProperties *)s)->externalMemoryProperties, 0,
                   sizeof(VkExternalMemoryProperties));
        else if (s->sType == VK_STRUCTURE_TYPE_SAMPLER_YCBCR_CONVERSION_IMAGE_FORMAT_PROPERTIES)
            ((VkSamplerYcbcrConversionImageFormatProperties *)s)->combinedImageSamplerDescriptorCount = 1;
    }
    return null_vkGetPhysicalDeviceImageFormatProperties(physicalDevice, in->format, in->type, in->tiling, in->usage,
                                                         in->flags, &pImageFormatProperties->imageFormatProperties);
}

/* ---- unsupported features ---------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceSparseImageFormatProperties(
    VkPhysicalDevice physicalDevice, VkFormat format, VkImageType type, VkSampleCountFlagBits samples,
    VkImageUsageFlags usage, VkImageTiling tiling, uint32_t *pPropertyCount, VkSparseImageFormatProperties *pProperties)
{
    *pPropertyCount = 0;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceSparseImageFormatInfo2 *pFormatInfo,
    uint32_t *pPropertyCount, VkSparseImageFormatProperties2 *pProperties)
{
    *pPropertyCount = 0;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalBufferInfo *pExternalBufferInfo,
    VkExternalBufferProperties *pExternalBufferProperties)
{
    memset(&pExternalBufferProperties->externalMemoryProperties, 0, sizeof(VkExternalMemoryProperties));
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceExternalFenceProperties(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalFenceInfo *pExternalFenceInfo,
    VkExternalFenceProperties *pExternalFenceProperties)
{
    pExternalFenceProperties->exportFromImportedHandleTypes = 0;
    pExternalFenceProperties->compatibleHandleTypes = 0;
    pExternalFenceProperties->externalFenceFeatures = 0;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice physicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo *pExternalSemaphoreInfo,
    VkExternalSemaphoreProperties *pExternalSemaphoreProperties)
{
    pExternalSemaphoreProperties->exportFromImportedHandleTypes = 0;
    pExternalSemaphoreProperties->compatibleHandleTypes = 0;
    pExternalSemaphoreProperties->externalSemaphoreFeatures = 0;
}
