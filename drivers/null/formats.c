/* formats.c: the features of formats, and the largest sizes of images.
 *
 * A driver that never touches a texel can support for a format all that it supports for any format of its kind; that
 * covers the specification's tables of mandatory formats. It offers no sparse images. */
#include "null.h"

static const struct format formats[] = {
#define FORMAT(name, size, width, height, kind) {size, width, height, kind},
#include "formats.inc"
};

/* The formats are sorted, and their numbers have no gaps. */
const struct format *format_of(VkFormat format)
{
    return format > VK_FORMAT_UNDEFINED && format <= VK_FORMAT_ASTC_12x12_SRGB_BLOCK ? &formats[format - 1] : NULL;
}

#define BLIT (VK_FORMAT_FEATURE_BLIT_SRC_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT)
#define SAMPLED (VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT)

static VkFormatFeatureFlags format_features(const struct format *f, VkImageTiling tiling)
{
    if (f->kind != KIND_COLOR && tiling == VK_IMAGE_TILING_LINEAR) return 0;
    if (f->kind == KIND_COMPRESSED) return VK_FORMAT_FEATURE_BLIT_SRC_BIT | SAMPLED;
    if (f->kind == KIND_DEPTH) return BLIT | SAMPLED | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT;
    return BLIT | SAMPLED | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT |
           VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT | VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT;
}

static VkFormatFeatureFlags buffer_features(const struct format *f)
{
    if (f->kind != KIND_COLOR) return 0;
    return VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT | VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT |
           VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceFormatProperties(VkPhysicalDevice physicalDevice, VkFormat format,
                                                                    VkFormatProperties *pFormatProperties)
{
    const struct format *f = format_of(format);
    *pFormatProperties = (VkFormatProperties){0};
    if (!f) return;
    pFormatProperties->linearTilingFeatures = format_features(f, VK_IMAGE_TILING_LINEAR);
    pFormatProperties->optimalTilingFeatures = format_features(f, VK_IMAGE_TILING_OPTIMAL);
    pFormatProperties->bufferFeatures = buffer_features(f);
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceFormatProperties2(VkPhysicalDevice physicalDevice, VkFormat format,
                                                                     VkFormatProperties2 *pFormatProperties)
{
    null_vkGetPhysicalDeviceFormatProperties(physicalDevice, format, &pFormatProperties->formatProperties);
}

/* ---- images ---------------------------------------------------------------------------------------------------- */

/* Returns the image usages that a format with these features supports. Input attachments need either attachment
 * feature. */
static VkImageUsageFlags usages(VkFormatFeatureFlags features)
{
    VkImageUsageFlags u = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    if (features & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) u |= VK_IMAGE_USAGE_SAMPLED_BIT;
    if (features & VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT) u |= VK_IMAGE_USAGE_STORAGE_BIT;
    if (features & VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT) u |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    if (features & VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT) u |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    if (features & (VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT))
        u |= VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSIENT_ATTACHMENT_BIT;
    return u;
}

#define SPARSE_FLAGS                                                                                                   \
    (VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT)

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPhysicalDeviceImageFormatProperties(
    VkPhysicalDevice physicalDevice, VkFormat format, VkImageType type, VkImageTiling tiling, VkImageUsageFlags usage,
    VkImageCreateFlags flags, VkImageFormatProperties *pImageFormatProperties)
{
    VkImageFormatProperties *p = pImageFormatProperties;
    memset(p, 0, sizeof(*p));
    const struct format *f = format_of(format);
    if (!f || (tiling != VK_IMAGE_TILING_OPTIMAL && tiling != VK_IMAGE_TILING_LINEAR) || (flags & SPARSE_FLAGS))
        return VK_ERROR_FORMAT_NOT_SUPPORTED;

    VkFormatFeatureFlags features = format_features(f, tiling);
    if (features == 0 || (usage & ~usages(features))) return VK_ERROR_FORMAT_NOT_SUPPORTED;

    bool simple = tiling == VK_IMAGE_TILING_LINEAR;
    bool cube = flags & VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT;
    bool block = f->kind == KIND_COMPRESSED;
    bool depth = f->kind == KIND_DEPTH;
    if ((simple && (type != VK_IMAGE_TYPE_2D || cube)) || (cube && type != VK_IMAGE_TYPE_2D) ||
        (block && type == VK_IMAGE_TYPE_1D) || (depth && type == VK_IMAGE_TYPE_3D))
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
    return null_vkGetPhysicalDeviceImageFormatProperties(physicalDevice, in->format, in->type, in->tiling, in->usage,
                                                         in->flags, &pImageFormatProperties->imageFormatProperties);
}

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
