/* present.c: presents frames on a window, as a plain Vulkan program does: instance, surface, device, swapchain, one
 * clear a frame, and everything destroyed. It is the same program on every loader and driver.
 *
 *   present xlib|xcb|wayland|win32|headless [frames] [options]
 *     --library FILE   the loader, libvulkan.so.1 when not given
 *     --device TEXT    the first device whose name contains the text
 *     --validate       with VK_LAYER_KHRONOS_validation; its messages of warning and above are counted
 *
 * Exit codes: 0 all frames presented, 1 a Vulkan call failed, 2 wrong usage, 77 no window system, driver or device.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/zvk.h"
#include "window.h"

#define WIDTH 320
#define HEIGHT 240
#define IMAGES 16

static PFN_vkGetInstanceProcAddr gipa;
static VkInstance instance;
static uint32_t complaints;

static void check(VkResult result, const char *what)
{
    if (result >= 0) return;
    fprintf(stderr, "present: %s failed with %d\n", what, result);
    exit(1);
}

/* A command of the instance; NULL never. */
static PFN_vkVoidFunction command(const char *name)
{
    PFN_vkVoidFunction function = gipa(instance, name);
    if (!function) {
        fprintf(stderr, "present: no %s\n", name);
        exit(1);
    }
    return function;
}
#define C(name) ((PFN_##name)command(#name))
#define DO(name, ...) check(C(name)(__VA_ARGS__), #name)

static VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                      VkDebugUtilsMessageTypeFlagsEXT types,
                                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types, (void)user;
    fprintf(stderr, "message: %s\n", data->pMessage);
    complaints++;
    return VK_FALSE;
}

struct options {
    const char *kind, *library, *device;
    int frames;
    bool validate;
};

static void usage(void)
{
    fputs("usage: present xlib|xcb|wayland|win32|headless [frames] [--library FILE] [--device TEXT] [--validate]\n",
          stderr);
    exit(2);
}

static struct options options_of(int argc, char **argv)
{
    struct options o = {.library = "libvulkan.so.1", .frames = 60};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--library") && i + 1 < argc)
            o.library = argv[++i];
        else if (!strcmp(argv[i], "--device") && i + 1 < argc)
            o.device = argv[++i];
        else if (!strcmp(argv[i], "--validate"))
            o.validate = true;
        else if (!o.kind)
            o.kind = argv[i];
        else
            o.frames = atoi(argv[i]);
    }
    if (!o.kind || o.frames <= 0) usage();
    return o;
}

static VkDebugUtilsMessengerEXT create_instance(const struct options *o, const char *surface_extension)
{
    const char *extensions[] = {"VK_KHR_surface", surface_extension, "VK_EXT_debug_utils"};
    const char *layers[] = {"VK_LAYER_KHRONOS_validation"};
    VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .pApplicationName = "present", .apiVersion = VK_API_VERSION_1_1};
    VkDebugUtilsMessengerCreateInfoEXT messenger = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
                                                                       VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT |
                                                                   VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
                                                    .pfnUserCallback = on_message};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app,
                                 .enabledExtensionCount = 3,
                                 .ppEnabledExtensionNames = extensions,
                                 .enabledLayerCount = o->validate,
                                 .ppEnabledLayerNames = layers};
    VkResult result = ((PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance"))(&info, NULL, &instance);
    if (result == VK_ERROR_EXTENSION_NOT_PRESENT || result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        fprintf(stderr, "present: no driver for %s\n", surface_extension);
        exit(77);
    }
    check(result, "vkCreateInstance");
    VkDebugUtilsMessengerEXT out;
    DO(vkCreateDebugUtilsMessengerEXT, instance, &messenger, NULL, &out);
    return out;
}

static VkSurfaceKHR create_surface(const char *kind, const struct window *window)
{
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    if (!strcmp(kind, "xlib")) {
        VkXlibSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XLIB_SURFACE_CREATE_INFO_KHR,
                                           .dpy = window->connection,
                                           .window = window->window};
        DO(vkCreateXlibSurfaceKHR, instance, &info, NULL, &surface);
    } else if (!strcmp(kind, "xcb")) {
        VkXcbSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_XCB_SURFACE_CREATE_INFO_KHR,
                                          .connection = window->connection,
                                          .window = (uint32_t)window->window};
        DO(vkCreateXcbSurfaceKHR, instance, &info, NULL, &surface);
    } else if (!strcmp(kind, "wayland")) {
        VkWaylandSurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_WAYLAND_SURFACE_CREATE_INFO_KHR,
                                              .display = window->connection,
                                              .surface = window->surface};
        DO(vkCreateWaylandSurfaceKHR, instance, &info, NULL, &surface);
    } else if (!strcmp(kind, "win32")) {
        VkWin32SurfaceCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_WIN32_SURFACE_CREATE_INFO_KHR,
                                            .hinstance = window->connection,
                                            .hwnd = window->surface};
        DO(vkCreateWin32SurfaceKHR, instance, &info, NULL, &surface);
    } else {
        VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
        DO(vkCreateHeadlessSurfaceEXT, instance, &info, NULL, &surface);
    }
    return surface;
}

/* The platform's own question, and the surface's, must agree for the family that is used. */
static bool can_present(const char *kind, const struct window *window, VkPhysicalDevice device, VkSurfaceKHR surface)
{
    VkBool32 platform = VK_TRUE, supported = VK_FALSE;
    if (!strcmp(kind, "xlib"))
        platform = C(vkGetPhysicalDeviceXlibPresentationSupportKHR)(device, 0, window->connection, window->visual);
    else if (!strcmp(kind, "xcb"))
        platform =
            C(vkGetPhysicalDeviceXcbPresentationSupportKHR)(device, 0, window->connection, (uint32_t)window->visual);
    else if (!strcmp(kind, "wayland"))
        platform = C(vkGetPhysicalDeviceWaylandPresentationSupportKHR)(device, 0, window->connection);
    else if (!strcmp(kind, "win32"))
        platform = C(vkGetPhysicalDeviceWin32PresentationSupportKHR)(device, 0);
    DO(vkGetPhysicalDeviceSurfaceSupportKHR, device, 0, surface, &supported);
    return platform && supported;
}

static VkPhysicalDevice choose_device(const struct options *o, const struct window *window, VkSurfaceKHR surface)
{
    VkPhysicalDevice devices[32];
    uint32_t count = 32;
    VkPhysicalDevice chosen = NULL;
    DO(vkEnumeratePhysicalDevices, instance, &count, devices);
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties properties;
        C(vkGetPhysicalDeviceProperties)(devices[i], &properties);
        bool usable = can_present(o->kind, window, devices[i], surface);
        printf("device %u: %s%s\n", i, properties.deviceName, usable ? "" : " (cannot present)");
        if (!chosen && usable && (!o->device || strstr(properties.deviceName, o->device))) chosen = devices[i];
    }
    if (!chosen) {
        fprintf(stderr, "present: no device can present\n");
        exit(77);
    }
    return chosen;
}

static VkDevice create_device(VkPhysicalDevice physical)
{
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const char *extension = "VK_KHR_swapchain";
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = &extension};
    VkDevice device;
    DO(vkCreateDevice, physical, &info, NULL, &device);
    return device;
}

static VkSwapchainKHR create_swapchain(VkPhysicalDevice physical, VkDevice device, VkSurfaceKHR surface)
{
    VkSurfaceCapabilitiesKHR can;
    DO(vkGetPhysicalDeviceSurfaceCapabilitiesKHR, physical, surface, &can);
    VkSurfaceFormatKHR formats[64];
    VkPresentModeKHR modes[8];
    uint32_t format_count = 64, mode_count = 8;
    DO(vkGetPhysicalDeviceSurfaceFormatsKHR, physical, surface, &format_count, formats);
    DO(vkGetPhysicalDeviceSurfacePresentModesKHR, physical, surface, &mode_count, modes);
    printf("surface: %u formats, %u present modes, %u images at least\n", format_count, mode_count, can.minImageCount);
    uint32_t images = can.minImageCount + 1;
    if (can.maxImageCount && images > can.maxImageCount) images = can.maxImageCount;
    VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                     .surface = surface,
                                     .minImageCount = images,
                                     .imageFormat = formats[0].format,
                                     .imageColorSpace = formats[0].colorSpace,
                                     .imageExtent = can.currentExtent.width == UINT32_MAX ? (VkExtent2D){WIDTH, HEIGHT}
                                                                                          : can.currentExtent,
                                     .imageArrayLayers = 1,
                                     .imageUsage = VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                     .preTransform = can.currentTransform,
                                     .compositeAlpha = can.supportedCompositeAlpha & VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                                                           ? VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR
                                                           : VK_COMPOSITE_ALPHA_INHERIT_BIT_KHR,
                                     .presentMode = VK_PRESENT_MODE_FIFO_KHR,
                                     .clipped = VK_TRUE};
    VkSwapchainKHR swapchain;
    DO(vkCreateSwapchainKHR, device, &info, NULL, &swapchain);
    return swapchain;
}

static void barrier(VkCommandBuffer commands, VkImage image, VkImageLayout from, VkImageLayout to)
{
    bool first = to == VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    VkImageMemoryBarrier b = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                              .srcAccessMask = first ? 0 : VK_ACCESS_TRANSFER_WRITE_BIT,
                              .dstAccessMask = first ? VK_ACCESS_TRANSFER_WRITE_BIT : 0,
                              .oldLayout = from,
                              .newLayout = to,
                              .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                              .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                              .image = image,
                              .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    C(vkCmdPipelineBarrier)
    (commands, VK_PIPELINE_STAGE_TRANSFER_BIT,
     first ? VK_PIPELINE_STAGE_TRANSFER_BIT : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL, 1, &b);
}

static void record(VkCommandBuffer commands, VkImage image, int frame)
{
    VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
                                      .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT};
    DO(vkBeginCommandBuffer, commands, &begin);
    VkClearColorValue colour = {.float32 = {(float)(frame % 60) / 60, 0.25f, 0.5f, 1}};
    VkImageSubresourceRange range = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT, .pLabelName = "clear"};
    C(vkCmdBeginDebugUtilsLabelEXT)(commands, &label);
    barrier(commands, image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    C(vkCmdClearColorImage)(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &colour, 1, &range);
    barrier(commands, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
    C(vkCmdEndDebugUtilsLabelEXT)(commands);
    DO(vkEndCommandBuffer, commands);
}

static void present_frames(const struct options *o, const struct window *window, VkDevice device,
                           VkSwapchainKHR swapchain)
{
    VkImage images[IMAGES];
    uint32_t image_count = IMAGES;
    DO(vkGetSwapchainImagesKHR, device, swapchain, &image_count, images);
    VkQueue queue;
    C(vkGetDeviceQueue)(device, 0, 0, &queue);
    VkDebugUtilsObjectNameInfoEXT name = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = VK_OBJECT_TYPE_QUEUE,
                                          .objectHandle = (uint64_t)(uintptr_t)queue,
                                          .pObjectName = "the queue"};
    DO(vkSetDebugUtilsObjectNameEXT, device, &name);
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    VkCommandPool pool;
    DO(vkCreateCommandPool, device, &pool_info, NULL, &pool);
    VkCommandBufferAllocateInfo buffer_info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 1};
    VkCommandBuffer commands;
    DO(vkAllocateCommandBuffers, device, &buffer_info, &commands);
    VkSemaphoreCreateInfo semaphore_info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore ready, done;
    DO(vkCreateSemaphore, device, &semaphore_info, NULL, &ready);
    DO(vkCreateSemaphore, device, &semaphore_info, NULL, &done);

    for (int frame = 0; frame < o->frames; frame++) {
        uint32_t index;
        DO(vkAcquireNextImageKHR, device, swapchain, UINT64_MAX, ready, VK_NULL_HANDLE, &index);
        record(commands, images[index], frame);
        VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
        VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &ready,
                               .pWaitDstStageMask = &stage,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands,
                               .signalSemaphoreCount = 1,
                               .pSignalSemaphores = &done};
        DO(vkQueueSubmit, queue, 1, &submit, VK_NULL_HANDLE);
        VkPresentInfoKHR present = {.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR,
                                    .waitSemaphoreCount = 1,
                                    .pWaitSemaphores = &done,
                                    .swapchainCount = 1,
                                    .pSwapchains = &swapchain,
                                    .pImageIndices = &index};
        DO(vkQueuePresentKHR, queue, &present);
        DO(vkQueueWaitIdle, queue);
        if (window->pump) window->pump();
    }
    C(vkDestroySemaphore)(device, done, NULL);
    C(vkDestroySemaphore)(device, ready, NULL);
    C(vkDestroyCommandPool)(device, pool, NULL);
    printf("presented %d frames with %u images\n", o->frames, image_count);
}

int main(int argc, char **argv)
{
    struct options o = options_of(argc, argv);
    struct window window = {0};
    const char *extension = "VK_EXT_headless_surface";
    bool made = true;
    if (strcmp(o.kind, "headless") != 0) {
        const struct window_kind *kind = window_kinds;
        while (kind->name && strcmp(kind->name, o.kind) != 0) kind++;
        if (!kind->name) usage();
        extension = kind->extension;
        made = kind->open(&window, WIDTH, HEIGHT);
    }
    if (!made) return 77;
    void *library = dlopen(o.library, RTLD_NOW);
    gipa = library ? (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr") : NULL;
    if (!gipa) {
        fprintf(stderr, "present: %s\n", dlerror());
        return 1;
    }
    VkDebugUtilsMessengerEXT messenger = create_instance(&o, extension);
    VkSurfaceKHR surface = create_surface(o.kind, &window);
    VkPhysicalDevice physical = choose_device(&o, &window, surface);
    VkDevice device = create_device(physical);
    VkSwapchainKHR swapchain = create_swapchain(physical, device, surface);
    present_frames(&o, &window, device, swapchain);
    DO(vkDeviceWaitIdle, device);
    C(vkDestroySwapchainKHR)(device, swapchain, NULL);
    C(vkDestroyDevice)(device, NULL);
    C(vkDestroySurfaceKHR)(instance, surface, NULL);
    C(vkDestroyDebugUtilsMessengerEXT)(instance, messenger, NULL);
    C(vkDestroyInstance)(instance, NULL);
    printf("%u messages\n", complaints);
    return 0;
}
