/* resource.c: buffers and images, their memory requirements, and their views. Their contents are never read or written.
 */
#include "null.h"

#define ALL_TYPES ((1u << MEMORY_TYPE_COUNT) - 1)

static VkDeviceSize align(VkDeviceSize n)
{
    return (n + RESOURCE_ALIGNMENT - 1) & ~(VkDeviceSize)(RESOURCE_ALIGNMENT - 1);
}

static VkMemoryRequirements requirements(VkDeviceSize size)
{
    return (VkMemoryRequirements){.size = align(size), .alignment = RESOURCE_ALIGNMENT, .memoryTypeBits = ALL_TYPES};
}

/* ---- buffers --------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateBuffer(VkDevice device, const VkBufferCreateInfo *pCreateInfo,
                                                   const VkAllocationCallbacks *pAllocator, VkBuffer *pBuffer)
{
    if (pCreateInfo->size > MEMORY_HEAP_SIZE) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct buffer *b = allocate(pAllocator, sizeof(*b), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!b) return VK_ERROR_OUT_OF_HOST_MEMORY;
    b->size = pCreateInfo->size;
    *pBuffer = TO_HANDLE(VkBuffer, b);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                              VkMemoryRequirements *pMemoryRequirements)
{
    *pMemoryRequirements = requirements(FROM_HANDLE(buffer, buffer)->size);
}

/* ---- images ---------------------------------------------------------------------------------------------------- */

/* Subresources are ordered by layer and level; each is aligned. */
static uint32_t clamp_to_one(uint32_t n)
{
    return n ? n : 1;
}

static VkSubresourceLayout level_layout(const VkImageCreateInfo *i, uint32_t level)
{
    const struct format *f = format_of(i->format);
    uint32_t width = clamp_to_one(i->extent.width >> level), height = clamp_to_one(i->extent.height >> level);
    VkSubresourceLayout l = {0};
    l.rowPitch = (VkDeviceSize)((width + f->width - 1) / f->width) * f->size * i->samples;
    l.depthPitch = l.rowPitch * ((height + f->height - 1) / f->height);
    l.size = l.depthPitch * clamp_to_one(i->extent.depth >> level);
    return l;
}

static VkDeviceSize level_offset(const VkImageCreateInfo *i, uint32_t level)
{
    VkDeviceSize size = 0;
    for (uint32_t l = 0; l < level; l++) size += align(level_layout(i, l).size);
    return size;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateImage(VkDevice device, const VkImageCreateInfo *pCreateInfo,
                                                  const VkAllocationCallbacks *pAllocator, VkImage *pImage)
{
    struct image *i = allocate(pAllocator, sizeof(*i), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!i) return VK_ERROR_OUT_OF_HOST_MEMORY;
    i->info = *pCreateInfo;
    i->info.pNext = NULL;
    i->info.pQueueFamilyIndices = NULL;
    *pImage = TO_HANDLE(VkImage, i);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetImageMemoryRequirements(VkDevice device, VkImage image,
                                                             VkMemoryRequirements *pMemoryRequirements)
{
    const VkImageCreateInfo *i = &FROM_HANDLE(image, image)->info;
    *pMemoryRequirements = requirements(level_offset(i, i->mipLevels) * i->arrayLayers);
}

VKAPI_ATTR void VKAPI_CALL null_vkGetImageSubresourceLayout(VkDevice device, VkImage image,
                                                            const VkImageSubresource *pSubresource,
                                                            VkSubresourceLayout *pLayout)
{
    const VkImageCreateInfo *i = &FROM_HANDLE(image, image)->info;
    VkDeviceSize layer = level_offset(i, i->mipLevels);
    *pLayout = level_layout(i, pSubresource->mipLevel);
    pLayout->offset = layer * pSubresource->arrayLayer + level_offset(i, pSubresource->mipLevel);
    pLayout->arrayPitch = layer;
}

/* No image is sparse. */
VKAPI_ATTR void VKAPI_CALL
null_vkGetImageSparseMemoryRequirements(VkDevice device, VkImage image, uint32_t *pSparseMemoryRequirementCount,
                                        VkSparseImageMemoryRequirements *pSparseMemoryRequirements)
{
    *pSparseMemoryRequirementCount = 0;
}
