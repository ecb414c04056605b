/* presentation.c: a headless surface, its swapchain, and the order of its images. */
#include "program.h"

#define IMAGES 3

static VkSwapchainKHR make_swapchain(VkSurfaceKHR surface, VkSwapchainKHR old)
{
    VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = surface,
        .minImageCount = IMAGES,
        .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
        .imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR,
        .imageExtent = {320, 200},
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
        .preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR,
        .compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
        .oldSwapchain = old,
    };
    VkSwapchainKHR swapchain;
    OK(vkCreateSwapchainKHR(device, &info, NULL, &swapchain));
    return swapchain;
}

static VkSemaphore make_semaphore(void)
{
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore semaphore;
    OK(vkCreateSemaphore(device, &info, NULL, &semaphore));
    return semaphore;
}

static void move(VkCommandBuffer c, VkImage image, VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                    .oldLayout = from,
                                    .newLayout = to,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = image,
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, NULL, 0, NULL, 1,
                         &barrier);
}

static void frames(VkSwapchainKHR swapchain, const VkImage *images)
{
    VkSemaphore acquired = make_semaphore(), drawn = make_semaphore();
    VkCommandPool pool = make_pool();
    for (uint32_t i = 0; i < 2 * IMAGES + 1; i++) {
        uint32_t index;
        OK(vkAcquireNextImageKHR(device, swapchain, UINT64_MAX, acquired, VK_NULL_HANDLE, &index));
        CHECK(index == i % IMAGES);
        OK(vkResetCommandPool(device, pool, 0));
        VkCommandBuffer c = begin(pool);
        move(c, images[index], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        VkClearColorValue colour = {.float32 = {1, 0, 0, 1}};
        VkImageSubresourceRange all = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdClearColorImage(c, images[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &all);
        move(c, images[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
        OK(vkEndCommandBuffer(c));
        VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
        VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &acquired,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &c,
                               .signalSemaphoreCount = 1,
                               .pSignalSemaphores = &drawn};
        OK(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE));
        VkResult result = VK_NOT_READY;
        VkPresentInfoKHR present = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                    .waitSemaphoreCount = 1,
                                    .pWaitSemaphores = &drawn,
                                    .swapchainCount = 1,
                                    .pSwapchains = &swapchain,
                                    .pImageIndices = &index,
                                    .pResults = &result};
        OK(vkQueuePresentKHR(queue, &present));
        OK(result);
        OK(vkQueueWaitIdle(queue));
    }
    vkDestroyCommandPool(device, pool, NULL);
    vkDestroySemaphore(device, acquired, NULL);
    vkDestroySemaphore(device, drawn, NULL);
}

void presentation(void)
{
    VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    VkSurfaceKHR surface;
    OK(vkCreateHeadlessSurfaceEXT(instance, &info, NULL, &surface));
    VkBool32 supported;
    OK(vkGetPhysicalDeviceSurfaceSupportKHR(physical, 0, surface, &supported));
    CHECK(supported);
    VkSurfaceCapabilitiesKHR capabilities;
    OK(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(physical, surface, &capabilities));
    CHECK(capabilities.minImageCount <= IMAGES && capabilities.maxImageCount >= IMAGES);
    VkSurfaceFormatKHR formats[16];
    VkPresentModeKHR modes[16];
    uint32_t count = 0;
    OK(vkGetPhysicalDeviceSurfaceFormatsKHR(physical, surface, &count, NULL));
    CHECK(count > 0 && count <= 16);
    OK(vkGetPhysicalDeviceSurfaceFormatsKHR(physical, surface, &count, formats));
    count = 0;
    OK(vkGetPhysicalDeviceSurfacePresentModesKHR(physical, surface, &count, NULL));
    CHECK(count > 0 && count <= 16);
    OK(vkGetPhysicalDeviceSurfacePresentModesKHR(physical, surface, &count, modes));

    VkSwapchainKHR first = make_swapchain(surface, VK_NULL_HANDLE);
    VkImage images[IMAGES];
    count = 0;
    OK(vkGetSwapchainImagesKHR(device, first, &count, NULL));
    CHECK(count == IMAGES);
    OK(vkGetSwapchainImagesKHR(device, first, &count, images));
    CHECK(images[0] != images[1] && images[1] != images[2]);
    frames(first, images);

    VkSwapchainKHR second = make_swapchain(surface, first);
    vkDestroySwapchainKHR(device, first, NULL);
    count = IMAGES;
    OK(vkGetSwapchainImagesKHR(device, second, &count, images));
    frames(second, images);
    vkDestroySwapchainKHR(device, second, NULL);
    vkDestroySurfaceKHR(instance, surface, NULL);
}
