/* swapchain.c: headless surfaces and their swapchains.
 *
 * Images are acquired in order, presented or not. Nothing is displayed. There are no other surfaces. */
#include "null.h"

struct swapchain {
    uint32_t count, next;
    struct resource images[];
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
    uint32_t count = pCreateInfo->minImageCount;
    if (count < MIN_IMAGES) count = MIN_IMAGES;
    if (count > MAX_IMAGES) return VK_ERROR_INITIALIZATION_FAILED;
    struct swapchain *s =
        allocate(pAllocator, sizeof(*s) + count * sizeof(s->images[0]), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!s) return VK_ERROR_OUT_OF_HOST_MEMORY;
    s->count = count;
    *pSwapchain = TO_HANDLE(VkSwapchainKHR, s);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkGetSwapchainImagesKHR(VkDevice device, VkSwapchainKHR swapchain,
                                                            uint32_t *pSwapchainImageCount, VkImage *pSwapchainImages)
{
    struct swapchain *s = FROM_HANDLE(swapchain, swapchain);
    VkImage images[MAX_IMAGES];
    for (uint32_t i = 0; i < s->count; i++) images[i] = TO_HANDLE(VkImage, &s->images[i]);
    return give(images, sizeof(*images), s->count, pSwapchainImageCount, pSwapchainImages);
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkAcquireNextImageKHR(VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout,
                                                          VkSemaphore semaphore, VkFence fence, uint32_t *pImageIndex)
{
    struct swapchain *s = FROM_HANDLE(swapchain, swapchain);
    *pImageIndex = s->next++ % s->count;
    signal_fence(fence);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkQueuePresentKHR(VkQueue queue, const VkPresentInfoKHR *pPresentInfo)
{
    for (uint32_t i = 0; pPresentInfo->pResults && i < pPresentInfo->swapchainCount; i++)
        pPresentInfo->pResults[i] = VK_SUCCESS;
    return VK_SUCCESS;
}
