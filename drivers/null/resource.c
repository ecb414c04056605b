/* resource.c: buffers and images, their memory requirements, and their views. Their contents are never read or written.
 */
#include "null.h"

#define ALL_TYPES ((1u << MEMORY_TYPE_COUNT) - 1)

/* ---- buffers --------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateBuffer(VkDevice device, const VkBufferCreateInfo *pCreateInfo,
                                                   const VkAllocationCallbacks *pAllocator, VkBuffer *pBuffer)
{
    if (pCreateInfo->size > MEMORY_HEAP_SIZE) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    struct resource *b = allocate(pAllocator, sizeof(*b), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!b) return VK_ERROR_OUT_OF_HOST_MEMORY;
    b->size = pCreateInfo->size;
    *pBuffer = TO_HANDLE(VkBuffer, b);
    return VK_SUCCESS;
}

/* The memory of a buffer or an image; the commands differ only in types. */
VKAPI_ATTR void VKAPI_CALL null_vkGetMemoryRequirements(VkDevice device, uint64_t resource,
                                                        VkMemoryRequirements *pMemoryRequirements)
{
    VkDeviceSize size = FROM_HANDLE(resource, resource)->size;
    size = (size + RESOURCE_ALIGNMENT - 1) & ~(VkDeviceSize)(RESOURCE_ALIGNMENT - 1);
    *pMemoryRequirements =
        (VkMemoryRequirements){.size = size, .alignment = RESOURCE_ALIGNMENT, .memoryTypeBits = ALL_TYPES};
}

/* ---- images ---------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateImage(VkDevice device, const VkImageCreateInfo *pCreateInfo,
                                                  const VkAllocationCallbacks *pAllocator, VkImage *pImage)
{
    struct resource *i = allocate(pAllocator, sizeof(*i), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!i) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const struct format *f = format_of(pCreateInfo->format);
    const VkExtent3D *e = &pCreateInfo->extent;
    VkSubresourceLayout *l = &i->layout;
    l->rowPitch = (VkDeviceSize)((e->width + f->width - 1) / f->width) * f->size * pCreateInfo->samples;
    l->depthPitch = l->rowPitch * ((e->height + f->height - 1) / f->height);
    l->size = l->arrayPitch = l->depthPitch * e->depth;
    i->size = l->size * pCreateInfo->mipLevels * pCreateInfo->arrayLayers; /* as if all levels were as large */
    *pImage = TO_HANDLE(VkImage, i);
    return VK_SUCCESS;
}

/* Linear images, the only ones of which a program may ask it, have one level and one layer. */
VKAPI_ATTR void VKAPI_CALL null_vkGetImageSubresourceLayout(VkDevice device, VkImage image,
                                                            const VkImageSubresource *pSubresource,
                                                            VkSubresourceLayout *pLayout)
{
    *pLayout = FROM_HANDLE(resource, image)->layout;
}

/* No image is sparse. */
VKAPI_ATTR void VKAPI_CALL
null_vkGetImageSparseMemoryRequirements(VkDevice device, VkImage image, uint32_t *pSparseMemoryRequirementCount,
                                        VkSparseImageMemoryRequirements *pSparseMemoryRequirements)
{
    *pSparseMemoryRequirementCount = 0;
}
