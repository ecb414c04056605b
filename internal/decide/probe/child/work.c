/* work.c: gives work to devices, because some layers and drivers crash only then: an empty command buffer with a fence
 * to wait for, which needs no display, and a few frames. The frames use a headless surface if the driver supports one,
 * and an xcb window if there is an X display.
 *
 * A platform without a surface, or without a queue for it, is no fault. An event reports the failed step, {"event":
 * "present","platform":"xcb","step":"...","result":-7}, and no further step of this platform follows. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"
#include "system.h"

#define FRAMES 3
#define MAX_IMAGES 16
#define SIDE 64

static const char *platform;

/* Returns whether a step of a platform succeeded, and writes an event about a failure. */
static bool step(const char *name, VkResult result)
{
    if (result >= 0) return true;
    fprintf(events, "{\"event\":\"present\"");
    put_text("platform", platform);
    put_text("step", name);
    put_number("result", result);
    end_line();
    return false;
}

/* ---- a window ---- */

struct screen { /* xcb_screen_t */
    uint32_t root, colormap, white, black, masks;
    uint16_t width, height, width_mm, height_mm, min_maps, max_maps;
    uint32_t root_visual;
};
struct screens { /* xcb_screen_iterator_t */
    struct screen *data;
    int rem, index;
};
struct cookie { /* xcb_void_cookie_t */
    unsigned sequence;
};

#define TAKE(library, result, name, ...)                                                                               \
    result (*name)(__VA_ARGS__) = NULL;                                                                                \
    {                                                                                                                  \
        PFN_vkVoidFunction symbol = system_symbol(library, #name);                                                     \
        memcpy(&name, &symbol, sizeof name);                                                                           \
    }                                                                                                                  \
    if (!name) return NULL

/* Opens an X connection with a window; returns NULL without an X server. */
static void *open_window(uint32_t *window)
{
    void *x = getenv("DISPLAY") ? system_open("libxcb.so.1") : NULL;
    if (!x) return NULL;
    TAKE(x, void *, xcb_connect, const char *, int *);
    TAKE(x, int, xcb_connection_has_error, void *);
    TAKE(x, void, xcb_disconnect, void *);
    TAKE(x, const void *, xcb_get_setup, void *);
    TAKE(x, struct screens, xcb_setup_roots_iterator, const void *);
    TAKE(x, uint32_t, xcb_generate_id, void *);
    TAKE(x, struct cookie, xcb_create_window, void *, uint8_t, uint32_t, uint32_t, int16_t, int16_t, uint16_t, uint16_t,
         uint16_t, uint16_t, uint32_t, uint32_t, const void *);
    TAKE(x, struct cookie, xcb_map_window, void *, uint32_t);
    TAKE(x, int, xcb_flush, void *);
    void *connection = xcb_connect(NULL, NULL);
    if (xcb_connection_has_error(connection)) {
        xcb_disconnect(connection);
        return NULL;
    }
    struct screen *screen = xcb_setup_roots_iterator(xcb_get_setup(connection)).data;
    *window = xcb_generate_id(connection);
    xcb_create_window(connection, 0, *window, screen->root, 0, 0, SIDE, SIDE, 0, 1, screen->root_visual, 0, NULL);
    xcb_map_window(connection, *window);
    xcb_flush(connection);
    return connection;
}

/* ---- commands ---- */

static struct {
    VkDevice device;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkSwapchainKHR swapchain;
    VkImage images[MAX_IMAGES];
    uint32_t image_count, family;
} at;

static PFN_vkVoidFunction device_command(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction f = COMMAND(instance, vkGetDeviceProcAddr)(at.device, name);
    return f ? f : command(instance, name);
}
#define OF_DEVICE(name) ((PFN_##name)device_command(instance, #name))

static VkResult make_commands(VkInstance instance)
{
    OF_DEVICE(vkGetDeviceQueue)(at.device, at.family, 0, &at.queue);
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
                                    .queueFamilyIndex = at.family};
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkResult r = OF_DEVICE(vkCreateCommandPool)(at.device, &pool, NULL, &at.pool);
    if (r >= 0) r = OF_DEVICE(vkCreateFence)(at.device, &fence, NULL, &at.fence);
    VkCommandBufferAllocateInfo buffer = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                          .commandPool = at.pool,
                                          .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                          .commandBufferCount = 1};
    if (r >= 0) r = OF_DEVICE(vkAllocateCommandBuffers)(at.device, &buffer, &at.commands);
    return r >= 0 && (!at.queue || !at.commands) ? VK_ERROR_INITIALIZATION_FAILED : r;
}

static void free_commands(VkInstance instance)
{
    if (at.fence) OF_DEVICE(vkDestroyFence)(at.device, at.fence, NULL);
    if (at.pool) OF_DEVICE(vkDestroyCommandPool)(at.device, at.pool, NULL);
}

static VkResult wait_for_fence(VkInstance instance)
{
    VkResult r = OF_DEVICE(vkWaitForFences)(at.device, 1, &at.fence, VK_TRUE, UINT64_MAX);
    return r < 0 ? r : OF_DEVICE(vkResetFences)(at.device, 1, &at.fence);
}

/* Submits a command buffer with a barrier, or without any command (NULL), and waits until it has been executed. */
static VkResult execute(VkInstance instance, const VkImageMemoryBarrier *barrier)
{
    VkCommandBufferBeginInfo begun = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    VkResult r = OF_DEVICE(vkBeginCommandBuffer)(at.commands, &begun);
    if (r >= 0 && barrier) {
        PFN_vkCmdPipelineBarrier record = OF_DEVICE(vkCmdPipelineBarrier);
        record(at.commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0,
               NULL, 1, barrier);
    }
    if (r >= 0) r = OF_DEVICE(vkEndCommandBuffer)(at.commands);
    VkSubmitInfo work = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &at.commands};
    if (r >= 0) r = OF_DEVICE(vkQueueSubmit)(at.queue, 1, &work, at.fence);
    return r < 0 ? r : wait_for_fence(instance);
}

VkResult submit(VkInstance instance, VkDevice device)
{
    memset(&at, 0, sizeof at);
    at.device = device;
    VkResult r = make_commands(instance);
    if (r >= 0) r = execute(instance, NULL);
    free_commands(instance);
    return r;
}

/* ---- frames ---- */

static VkResult make_device(VkInstance instance, VkPhysicalDevice physical, VkSurfaceKHR surface)
{
    uint32_t count = 0;
    VkBool32 can = VK_FALSE;
    COMMAND(instance, vkGetPhysicalDeviceQueueFamilyProperties)(physical, &count, NULL);
    for (at.family = 0; at.family < count && !can; at.family += !can)
        COMMAND(instance, vkGetPhysicalDeviceSurfaceSupportKHR)(physical, at.family, surface, &can);
    if (!can) return VK_ERROR_FEATURE_NOT_PRESENT;
    float priority = 1.0f;
    const char *extension = "VK_KHR_swapchain";
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueFamilyIndex = at.family,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = &extension};
    return COMMAND(instance, vkCreateDevice)(physical, &info, NULL, &at.device);
}

static VkResult make_swapchain(VkInstance instance, VkPhysicalDevice physical, VkSurfaceKHR surface)
{
    VkSurfaceCapabilitiesKHR can;
    VkSurfaceFormatKHR format;
    uint32_t one = 1;
    VkResult r = COMMAND(instance, vkGetPhysicalDeviceSurfaceCapabilitiesKHR)(physical, surface, &can);
    if (r < 0) return r;
    r = COMMAND(instance, vkGetPhysicalDeviceSurfaceFormatsKHR)(physical, surface, &one, &format);
    if (r < 0 || !one) return r < 0 ? r : VK_ERROR_FORMAT_NOT_SUPPORTED;
    bool opaque = can.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
    VkSwapchainCreateInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
        .surface = surface,
        .minImageCount = can.minImageCount,
        .imageFormat = format.format,
        .imageColorSpace = format.colorSpace,
        .imageExtent = can.currentExtent.width == UINT32_MAX ? (VkExtent2D){SIDE, SIDE} : can.currentExtent,
        .imageArrayLayers = 1,
        .imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
        .preTransform = can.currentTransform,
        .compositeAlpha = opaque ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
        .presentMode = VK_PRESENT_MODE_FIFO_KHR,
        .clipped = VK_TRUE};
    r = OF_DEVICE(vkCreateSwapchainKHR)(at.device, &info, NULL, &at.swapchain);
    if (r < 0) return r;
    at.image_count = MAX_IMAGES;
    return OF_DEVICE(vkGetSwapchainImagesKHR)(at.device, at.swapchain, &at.image_count, at.images);
}

static VkResult frame(VkInstance instance)
{
    uint32_t index = 0;
    VkResult r =
        OF_DEVICE(vkAcquireNextImageKHR)(at.device, at.swapchain, UINT64_MAX, VK_NULL_HANDLE, at.fence, &index);
    if (r >= 0) r = wait_for_fence(instance);
    if (r < 0) return r;
    if (index >= at.image_count) return VK_ERROR_UNKNOWN;
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                    .newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .image = at.images[index],
                                    .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    r = execute(instance, &barrier);
    if (r < 0) return r;
    VkPresentInfoKHR info = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                             .swapchainCount = 1,
                             .pSwapchains = &at.swapchain,
                             .pImageIndices = &index};
    return OF_DEVICE(vkQueuePresentKHR)(at.queue, &info);
}

static void show(VkInstance instance, VkPhysicalDevice physical, VkSurfaceKHR surface)
{
    char phase[64];
    memset(&at, 0, sizeof at);
    snprintf(phase, sizeof phase, "create swapchain (%s)", platform);
    begin(phase);
    VkResult r = make_device(instance, physical, surface);
    if (r >= 0) r = make_swapchain(instance, physical, surface);
    if (r >= 0) r = make_commands(instance);
    done(phase, VK_SUCCESS);
    if (step("create swapchain", r)) {
        snprintf(phase, sizeof phase, "present (%s)", platform);
        begin(phase);
        for (int i = 0; i < FRAMES && r >= 0; i++) r = frame(instance);
        done(phase, VK_SUCCESS);
        step("present", r);
    }
    if (!at.device) return;
    snprintf(phase, sizeof phase, "destroy swapchain (%s)", platform);
    begin(phase);
    OF_DEVICE(vkDeviceWaitIdle)(at.device);
    free_commands(instance);
    if (at.swapchain) OF_DEVICE(vkDestroySwapchainKHR)(at.device, at.swapchain, NULL);
    OF_DEVICE(vkDestroyDevice)(at.device, NULL);
    done(phase, VK_SUCCESS);
}

/* ---- platforms ---- */

static VkResult make_surface(VkInstance instance, void *connection, uint32_t window, VkSurfaceKHR *surface)
{
    if (connection) {
        VkXcbSurfaceCreateInfoKHR info = {
            .sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR, .connection = connection, .window = window};
        return COMMAND(instance, vkCreateXcbSurfaceKHR)(instance, &info, NULL, surface);
    }
    VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    return COMMAND(instance, vkCreateHeadlessSurfaceEXT)(instance, &info, NULL, surface);
}

static void try_platform(const char *name, const char *extension, void *connection, uint32_t window)
{
    platform = name;
    VkExtensionProperties *list;
    uint32_t listed;
    extensions_of(NULL, NULL, &list, &listed);
    bool offered = is_listed(list, listed, extension);
    free(list);
    if (!offered) return;
    const char *extensions[] = {"VK_KHR_surface", extension};
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .pApplicationName = "vkloader probe",
                             .apiVersion = VK_API_VERSION_1_0};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app,
                                 .enabledExtensionCount = 2,
                                 .ppEnabledExtensionNames = extensions};
    VkInstance instance = NULL;
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    char phase[64];
    snprintf(phase, sizeof phase, "create surface (%s)", name);
    begin(phase);
    VkResult r = COMMAND(NULL, vkCreateInstance)(&info, NULL, &instance);
    if (r >= 0) r = make_surface(instance, connection, window, &surface);
    VkPhysicalDevice physical[1];
    uint32_t count = 1;
    if (r >= 0) r = COMMAND(instance, vkEnumeratePhysicalDevices)(instance, &count, physical);
    done(phase, VK_SUCCESS);
    if (step("create surface", r) && count) show(instance, physical[0], surface);
    if (!instance) return;
    snprintf(phase, sizeof phase, "destroy surface (%s)", name);
    begin(phase);
    if (surface) COMMAND(instance, vkDestroySurfaceKHR)(instance, surface, NULL);
    COMMAND(instance, vkDestroyInstance)(instance, NULL);
    done(phase, VK_SUCCESS);
}

void present(void)
{
    try_platform("headless", "VK_EXT_headless_surface", NULL, 0);
    uint32_t window = 0;
    void *connection = open_window(&window);
    if (connection) try_platform("xcb", "VK_KHR_xcb_surface", connection, window);
}
