/* swapchain.c: headless surfaces and their swapchains.
 *
 * A presented image is free at once, and images are acquired in order. Nothing is displayed. There are no other
 * surfaces. */
#include "null.h"

struct surface {
    struct swapchain *current; /* the swapchain that is not retired; NULL: none */
};
_Static_assert(sizeof(struct surface) <= SIMPLE_SIZE, "surfaces are simple objects");

struct swapchain {
    struct surface *surface;
    bool retired;
    uint32_t count, next;
    struct swapchain_image {
        struct image image;
        bool acquired;
    } images[];
};

#define MIN_IMAGES 2
#define MAX_IMAGES 8

/* ---- surfaces -------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice physicalDevice,
                                                                         uint32_t queueFamilyIndex,
                                                                         VkSurfaceKHR surface, VkBool32 *pSupported)
{
    *pSupported = VK_TRUE;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPhysicalDeviceSurfaceCapabilitiesKHR(
    VkPhysicalDevice physicalDevice, VkSurfaceKHR surface, VkSurfaceCapabilitiesKHR *pSurfaceCapabilities)
{
    *pSurfaceCapabilities = (VkSurfaceCapabilitiesKHR){
        .minImageCount = MIN_IMAGES,
        .maxImageCount = MAX_IMAGES,
        .currentExtent = {UINT32_MAX, UINT32_MAX}, /* the swapchain decides */
        .minImageExtent = {1, 1},
        .maxImageExtent = {MAX_EXTENT_2D, MAX_EXTENT_2D},
        .maxImageArrayLayers = 1,
        .supportedTransforms = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .currentTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .supportedCompositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR | VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
        .supportedUsageFlags = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT |
                               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                               VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT,
    };
    return VK_SUCCESS;
}

static const VkSurfaceFormatKHR surface_formats[] = {
    {VK_FORMAT_B8G8R8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_B8G8R8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_R8G8B8A8_UNORM, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
    {VK_FORMAT_R8G8B8A8_SRGB, VK_COLOR_SPACE_SRGB_NONLINEAR_KHR},
};

static const VkPresentModeKHR present_modes[] = {
    VK_PRESENT_MODE_FIFO_KHR,
    VK_PRESENT_MODE_FIFO_RELAXED_KHR,
    VK_PRESENT_MODE_MAILBOX_KHR,
    VK_PRESENT_MODE_IMMEDIATE_KHR,
};

/* Writes as many of all elements as *count allows, if there is a list. */
static VkResult give(const void *elements, size_t size, uint32_t all, uint32_t *count, void *list)
{
    uint32_t room = list ? *count : all;
    *count = room < all ? room : all;
    if (list) memcpy(list, elements, *count * size);
    return room < all ? VK_INCOMPLETE : VK_SUCCESS;
}

#define COUNT_OF(list) ((uint32_t)(sizeof(list) / sizeof((list)[0])))

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice physicalDevice,
                                                                         VkSurfaceKHR surface,
                                                                         uint32_t *pSurfaceFormatCount,
                                                                         VkSurfaceFormatKHR *pSurfaceFormats)
{
    return give(surface_formats, sizeof(*surface_formats), COUNT_OF(surface_formats), pSurfaceFormatCount,
                pSurfaceFormats);
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetPhysicalDeviceSurfacePresentModesKHR(VkPhysicalDevice physicalDevice,
                                                                              VkSurfaceKHR surface,
                                                                              uint32_t *pPresentModeCount,
                                                                              VkPresentModeKHR *pPresentModes)
{
    return give(present_modes, sizeof(*present_modes), COUNT_OF(present_modes), pPresentModeCount, pPresentModes);
}

/* ---- swapchains ------------------------------------------------------------------------------------------------ */

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreateSwapchainKHR(VkDevice device, const VkSwapchainCreateInfoKHR *pCreateInfo,
                                                         const VkAllocationCallbacks *pAllocator,
                                                         VkSwapchainKHR *pSwapchain)
{
    struct surface *surface = FROM_HANDLE(surface, pCreateInfo->surface);
    struct swapchain *old = FROM_HANDLE(swapchain, pCreateInfo->oldSwapchain);
    if (old) {
        /* It is retired even if the creation of the new swapchain fails. */
        old->retired = true;
        if (surface->current == old) surface->current = NULL;
    }
    if (surface->current) return VK_ERROR_NATIVE_WINDOW_IN_USE_KHR;
    uint32_t count = pCreateInfo->minImageCount;
    if (count < MIN_IMAGES) count = MIN_IMAGES;
    if (count > MAX_IMAGES) return VK_ERROR_INITIALIZATION_FAILED;
    struct swapchain *s =
        allocate(pAllocator, sizeof(*s) + count * sizeof(s->images[0]), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!s) return VK_ERROR_OUT_OF_HOST_MEMORY;
    s->surface = surface;
    s->count = count;
    for (uint32_t i = 0; i < count; i++)
        s->images[i].image.info = (VkImageCreateInfo){
            .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
            .imageType = VK_IMAGE_TYPE_2D,
            .format = pCreateInfo->imageFormat,
            .extent = {pCreateInfo->imageExtent.width, pCreateInfo->imageExtent.height, 1},
            .mipLevels = 1,
            .arrayLayers = pCreateInfo->imageArrayLayers,
            .samples = VK_SAMPLE_COUNT_1_BIT,
            .tiling = VK_IMAGE_TILING_OPTIMAL,
            .usage = pCreateInfo->imageUsage,
        };
    surface->current = s;
    *pSwapchain = TO_HANDLE(VkSwapchainKHR, s);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL null_vkDestroySwapchainKHR(VkDevice device, VkSwapchainKHR swapchain,
                                                      const VkAllocationCallbacks *pAllocator)
{
    struct swapchain *s = FROM_HANDLE(swapchain, swapchain);
    if (!s) return;
    /* A retired swapchain may outlive its surface. */
    if (!s->retired) s->surface->current = NULL;
    release(pAllocator, s);
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetSwapchainImagesKHR(VkDevice device, VkSwapchainKHR swapchain,
                                                            uint32_t *pSwapchainImageCount, VkImage *pSwapchainImages)
{
    struct swapchain *s = FROM_HANDLE(swapchain, swapchain);
    VkImage images[MAX_IMAGES];
    for (uint32_t i = 0; i < s->count; i++) images[i] = TO_HANDLE(VkImage, &s->images[i].image);
    return give(images, sizeof(*images), s->count, pSwapchainImageCount, pSwapchainImages);
}

/* Does not wait if the program has acquired every image: no other thread may use the swapchain meanwhile, so no image
 * could become free. */
VKAPI_ATTR VkResult VKAPI_CALL null_vkAcquireNextImageKHR(VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout,
                                                          VkSemaphore semaphore, VkFence fence, uint32_t *pImageIndex)
{
    struct swapchain *s = FROM_HANDLE(swapchain, swapchain);
    if (s->retired) return VK_ERROR_OUT_OF_DATE_KHR;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = (s->next + i) % s->count;
        if (s->images[at].acquired) continue;
        s->images[at].acquired = true;
        s->next = (at + 1) % s->count;
        *pImageIndex = at;
        signal_fence(fence);
        return VK_SUCCESS;
    }
    return timeout == 0 ? VK_NOT_READY : VK_TIMEOUT;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkQueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *pPresentInfo)
{
    for (uint32_t i = 0; i < pPresentInfo->swapchainCount; i++) {
        struct swapchain *s = FROM_HANDLE(swapchain, pPresentInfo->pSwapchains[i]);
        s->images[pPresentInfo->pImageIndices[i]].acquired = false;
        if (pPresentInfo->pResults) pPresentInfo->pResults[i] = VK_SUCCESS;
    }
    return VK_SUCCESS;
}
