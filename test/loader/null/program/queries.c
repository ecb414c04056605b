/* queries.c: the properties of the physical device. */
#include "program.h"

/* Formats that the specification requires of every device, with their required features. */
static const struct {
    VkFormat format;
    VkFormatFeatureFlags optimal, buffer;
} mandatory[] = {
#define SAMPLED (VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT | VK_FORMAT_FEATURE_BLIT_SRC_BIT)
#define FILTERED (SAMPLED | VK_FORMAT_FEATURE_SAMPLED_IMAGE_FILTER_LINEAR_BIT)
#define COLOUR (VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BIT | VK_FORMAT_FEATURE_BLIT_DST_BIT)
#define BLENDED (COLOUR | VK_FORMAT_FEATURE_COLOR_ATTACHMENT_BLEND_BIT)
#define STORAGE VK_FORMAT_FEATURE_STORAGE_IMAGE_BIT
#define ATOMIC (STORAGE | VK_FORMAT_FEATURE_STORAGE_IMAGE_ATOMIC_BIT)
#define VERTEX VK_FORMAT_FEATURE_VERTEX_BUFFER_BIT
#define TEXEL VK_FORMAT_FEATURE_UNIFORM_TEXEL_BUFFER_BIT
#define TEXEL_STORAGE VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_BIT
#define TEXEL_ATOMIC (TEXEL_STORAGE | VK_FORMAT_FEATURE_STORAGE_TEXEL_BUFFER_ATOMIC_BIT)
#define DEPTH (SAMPLED | VK_FORMAT_FEATURE_DEPTH_STENCIL_ATTACHMENT_BIT)
    {VK_FORMAT_B4G4R4A4_UNORM_PACK16, FILTERED, 0},
    {VK_FORMAT_R5G6B5_UNORM_PACK16, FILTERED | BLENDED, 0},
    {VK_FORMAT_A1R5G5B5_UNORM_PACK16, FILTERED | BLENDED, 0},
    {VK_FORMAT_R8_UNORM, FILTERED | BLENDED, VERTEX | TEXEL},
    {VK_FORMAT_R8_SNORM, FILTERED, VERTEX | TEXEL},
    {VK_FORMAT_R8_UINT, SAMPLED | COLOUR, VERTEX | TEXEL},
    {VK_FORMAT_R8_SINT, SAMPLED | COLOUR, VERTEX | TEXEL},
    {VK_FORMAT_R8G8_UNORM, FILTERED | BLENDED, VERTEX | TEXEL},
    {VK_FORMAT_R8G8B8A8_UNORM, FILTERED | BLENDED | STORAGE, VERTEX | TEXEL | TEXEL_STORAGE},
    {VK_FORMAT_R8G8B8A8_SNORM, FILTERED | STORAGE, VERTEX | TEXEL | TEXEL_STORAGE},
    {VK_FORMAT_R8G8B8A8_UINT, SAMPLED | COLOUR | STORAGE, VERTEX | TEXEL | TEXEL_STORAGE},
    {VK_FORMAT_R8G8B8A8_SRGB, FILTERED | BLENDED, 0},
    {VK_FORMAT_B8G8R8A8_UNORM, FILTERED | BLENDED, VERTEX | TEXEL},
    {VK_FORMAT_B8G8R8A8_SRGB, FILTERED | BLENDED, 0},
    {VK_FORMAT_A8B8G8R8_UNORM_PACK32, FILTERED | BLENDED, VERTEX | TEXEL | TEXEL_STORAGE},
    {VK_FORMAT_A2B10G10R10_UNORM_PACK32, FILTERED | BLENDED, VERTEX | TEXEL},
    {VK_FORMAT_A2B10G10R10_UINT_PACK32, SAMPLED | COLOUR, TEXEL},
    {VK_FORMAT_R16_UINT, SAMPLED | COLOUR, VERTEX | TEXEL},
    {VK_FORMAT_R16_SFLOAT, FILTERED | BLENDED, VERTEX | TEXEL},
    {VK_FORMAT_R16G16B16A16_SFLOAT, FILTERED | BLENDED | STORAGE, VERTEX | TEXEL | TEXEL_STORAGE},
    {VK_FORMAT_R32_UINT, SAMPLED | COLOUR | ATOMIC, VERTEX | TEXEL | TEXEL_ATOMIC},
    {VK_FORMAT_R32_SINT, SAMPLED | COLOUR | ATOMIC, VERTEX | TEXEL | TEXEL_ATOMIC},
    {VK_FORMAT_R32_SFLOAT, SAMPLED | COLOUR | STORAGE, VERTEX | TEXEL | TEXEL_STORAGE},
    {VK_FORMAT_R32G32B32_SFLOAT, 0, VERTEX},
    {VK_FORMAT_R32G32B32A32_SFLOAT, SAMPLED | COLOUR | STORAGE, VERTEX | TEXEL | TEXEL_STORAGE},
    {VK_FORMAT_B10G11R11_UFLOAT_PACK32, FILTERED, TEXEL},
    {VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, FILTERED, 0},
    {VK_FORMAT_D16_UNORM, DEPTH, 0},
    {VK_FORMAT_X8_D24_UNORM_PACK32, DEPTH, 0},
    {VK_FORMAT_D32_SFLOAT, DEPTH, 0},
    {VK_FORMAT_D24_UNORM_S8_UINT, DEPTH, 0},
    {VK_FORMAT_D32_SFLOAT_S8_UINT, DEPTH, 0},
    {VK_FORMAT_BC1_RGB_UNORM_BLOCK, FILTERED, 0},
    {VK_FORMAT_BC7_SRGB_BLOCK, FILTERED, 0},
    {VK_FORMAT_ETC2_R8G8B8_UNORM_BLOCK, FILTERED, 0},
    {VK_FORMAT_ASTC_12x12_SRGB_BLOCK, FILTERED, 0},
};

static void formats(void)
{
    for (size_t i = 0; i < sizeof(mandatory) / sizeof(mandatory[0]); i++) {
        VkFormatProperties p;
        vkGetPhysicalDeviceFormatProperties(physical, mandatory[i].format, &p);
        if ((p.optimalTilingFeatures & mandatory[i].optimal) != mandatory[i].optimal ||
            (p.bufferFeatures & mandatory[i].buffer) != mandatory[i].buffer) {
            fprintf(stderr, "format %d lacks a mandatory feature\n", mandatory[i].format);
            exit(1);
        }
    }
    VkFormatProperties none;
    vkGetPhysicalDeviceFormatProperties(physical, VK_FORMAT_UNDEFINED, &none);
    CHECK(!none.linearTilingFeatures && !none.optimalTilingFeatures && !none.bufferFeatures);

    VkImageFormatProperties p;
    OK(vkGetPhysicalDeviceImageFormatProperties(physical, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_TYPE_2D,
                                                VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_SAMPLED_BIT, 0, &p));
    CHECK(p.maxExtent.width >= 4096 && p.maxMipLevels >= 13 && p.maxArrayLayers >= 256 && (p.sampleCounts & 5) == 5);
    CHECK(vkGetPhysicalDeviceImageFormatProperties(physical, VK_FORMAT_D16_UNORM, VK_IMAGE_TYPE_2D,
                                                   VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, 0,
                                                   &p) == VK_ERROR_FORMAT_NOT_SUPPORTED);
}

void queries(void)
{
    VkPhysicalDeviceProperties2 p = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    vkGetPhysicalDeviceProperties2KHR(physical, &p);
    CHECK(strcmp(p.properties.deviceName, "vkloader null device") == 0);
    CHECK(p.properties.apiVersion < VK_API_VERSION_1_1 && p.properties.vendorID > 0x10100);
    CHECK(p.properties.limits.maxImageDimension2D >= 4096 && p.properties.limits.maxBoundDescriptorSets >= 4);

    uint32_t count = 8;
    VkQueueFamilyProperties families[8];
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families);
    CHECK(count == 1 && families[0].queueCount == 1 && !(families[0].queueFlags & VK_QUEUE_SPARSE_BINDING_BIT));

    count = 0;
    OK(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL));
    CHECK(count == 1);
    VkExtensionProperties one;
    count = 0;
    CHECK(vkEnumerateDeviceExtensionProperties(physical, NULL, &count, &one) == VK_INCOMPLETE && count == 0);
    formats();
}
