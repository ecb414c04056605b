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

static void answer_requirements(VkMemoryRequirements2 *out, VkMemoryRequirements what)
{
    out->memoryRequirements = what;
    for (VkBaseOutStructure *s = out->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS) {
            ((VkMemoryDedicatedRequirements *)s)->prefersDedicatedAllocation = VK_FALSE;
            ((VkMemoryDedicatedRequirements *)s)->requiresDedicatedAllocation = VK_FALSE;
        }
    }
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

VKAPI_ATTR void VKAPI_CALL null_vkGetBufferMemoryRequirements2(VkDevice device,
                                                               const VkBufferMemoryRequirementsInfo2 *pInfo,
                                                               VkMemoryRequirements2 *pMemoryRequirements)
{
    answer_requirements(pMemoryRequirements, requirements(FROM_HANDLE(buffer, pInfo->buffer)->size));
}

VKAPI_ATTR void VKAPI_CALL null_vkGetDeviceBufferMemoryRequirements(VkDevice device,
                                                                    const VkDeviceBufferMemoryRequirements *pInfo,
                                                                    VkMemoryRequirements2 *pMemoryRequirements)
{
    answer_requirements(pMemoryRequirements, requirements(pInfo->pCreateInfo->size));
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkBindBufferMemory(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                       VkDeviceSize memoryOffset)
{
    FROM_HANDLE(buffer, buffer)->address = FROM_HANDLE(memory, memory)->address + memoryOffset;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkBindBufferMemory2(VkDevice device, uint32_t bindInfoCount,
                                                        const VkBindBufferMemoryInfo *pBindInfos)
{
    for (uint32_t i = 0; i < bindInfoCount; i++)
        null_vkBindBufferMemory(device, pBindInfos[i].buffer, pBindInfos[i].memory, pBindInfos[i].memoryOffset);
    return VK_SUCCESS;
}

VKAPI_ATTR VkDeviceAddress VKAPI_CALL null_vkGetBufferDeviceAddress(VkDevice device,
                                                                    const VkBufferDeviceAddressInfo *pInfo)
{
    return FROM_HANDLE(buffer, pInfo->buffer)->address;
}

/* ---- images ---------------------------------------------------------------------------------------------------- */

/* Subresources are ordered by plane, layer and level; each is aligned. */
static uint32_t clamp_to_one(uint32_t n)
{
    return n ? n : 1;
}

static VkSubresourceLayout level_layout(const VkImageCreateInfo *i, const struct format *f, const struct plane *p,
                                        uint32_t level)
{
    uint32_t width = clamp_to_one((i->extent.width / p->width_divisor) >> level);
    uint32_t height = clamp_to_one((i->extent.height / p->height_divisor) >> level);
    VkSubresourceLayout l = {0};
    l.rowPitch = (VkDeviceSize)((width + f->width - 1) / f->width) * p->size * i->samples;
    l.depthPitch = l.rowPitch * ((height + f->height - 1) / f->height);
    l.size = l.depthPitch * clamp_to_one(i->extent.depth >> level);
    return l;
}

static VkDeviceSize layer_size(const VkImageCreateInfo *i, const struct format *f, const struct plane *p)
{
    VkDeviceSize size = 0;
    for (uint32_t level = 0; level < i->mipLevels; level++) size += align(level_layout(i, f, p, level).size);
    return size;
}

/* Returns the index of a plane's aspect. All other aspects are in plane 0. */
static unsigned plane_of(VkImageAspectFlags aspect)
{
    return aspect & VK_IMAGE_ASPECT_PLANE_1_BIT ? 1 : aspect & VK_IMAGE_ASPECT_PLANE_2_BIT ? 2 : 0;
}

static VkMemoryRequirements image_requirements(const VkImageCreateInfo *i, VkImageAspectFlags aspect)
{
    const struct format *f = format_of(i->format);
    VkDeviceSize size = 0;
    bool one = i->flags & VK_IMAGE_CREATE_DISJOINT_BIT;
    for (unsigned p = 0; f && p < f->plane_count; p++)
        if (!one || p == plane_of(aspect)) size += layer_size(i, f, &f->planes[p]) * i->arrayLayers;
    return requirements(size);
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
    *pMemoryRequirements = image_requirements(&FROM_HANDLE(image, image)->info, 0);
}

VKAPI_ATTR void VKAPI_CALL null_vkGetImageMemoryRequirements2(VkDevice device,
                                                              const VkImageMemoryRequirementsInfo2 *pInfo,
                                                              VkMemoryRequirements2 *pMemoryRequirements)
{
    VkImageAspectFlags aspect = 0;
    for (const VkBaseInStructure *s = pInfo->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO)
            aspect = ((const VkImagePlaneMemoryRequirementsInfo *)s)->planeAspect;
    answer_requirements(pMemoryRequirements, image_requirements(&FROM_HANDLE(image, pInfo->image)->info, aspect));
}

VKAPI_ATTR void VKAPI_CALL null_vkGetDeviceImageMemoryRequirements(VkDevice device,
                                                                   const VkDeviceImageMemoryRequirements *pInfo,
                                                                   VkMemoryRequirements2 *pMemoryRequirements)
{
    VkImageAspectFlags aspect = pInfo->pCreateInfo->flags & VK_IMAGE_CREATE_DISJOINT_BIT ? pInfo->planeAspect : 0;
    answer_requirements(pMemoryRequirements, image_requirements(pInfo->pCreateInfo, aspect));
}

VKAPI_ATTR void VKAPI_CALL null_vkGetImageSubresourceLayout(VkDevice device, VkImage image,
                                                            const VkImageSubresource *pSubresource,
                                                            VkSubresourceLayout *pLayout)
{
    const VkImageCreateInfo *i = &FROM_HANDLE(image, image)->info;
    const struct format *f = format_of(i->format);
    memset(pLayout, 0, sizeof(*pLayout));
    unsigned plane = plane_of(pSubresource->aspectMask);
    if (!f || plane >= f->plane_count) return;
    VkDeviceSize offset = 0;
    if (!(i->flags & VK_IMAGE_CREATE_DISJOINT_BIT))
        for (unsigned p = 0; p < plane; p++) offset += layer_size(i, f, &f->planes[p]) * i->arrayLayers;
    VkDeviceSize layer = layer_size(i, f, &f->planes[plane]);
    offset += layer * pSubresource->arrayLayer;
    for (uint32_t level = 0; level < pSubresource->mipLevel; level++)
        offset += align(level_layout(i, f, &f->planes[plane], level).size);
    *pLayout = level_layout(i, f, &f->planes[plane], pSubresource->mipLevel);
    pLayout->offset = offset;
    pLayout->arrayPitch = layer;
}

/* No image is sparse. */
VKAPI_ATTR void VKAPI_CALL
null_vkGetImageSparseMemoryRequirements(VkDevice device, VkImage image, uint32_t *pSparseMemoryRequirementCount,
                                        VkSparseImageMemoryRequirements *pSparseMemoryRequirements)
{
    *pSparseMemoryRequirementCount = 0;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetImageSparseMemoryRequirements2(
    VkDevice device, const VkImageSparseMemoryRequirementsInfo2 *pInfo, uint32_t *pSparseMemoryRequirementCount,
    VkSparseImageMemoryRequirements2 *pSparseMemoryRequirements)
{
    *pSparseMemoryRequirementCount = 0;
}
