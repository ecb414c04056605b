/* window.c: surfaces of every type and swapchains. The window systems themselves are made-up addresses: a loader only
 * copies them. */
#include "host.h"
#include <stdio.h>
#include <string.h>

/* Creation structures in the platform's C layout, spelled out so that no window system's header is needed. */
struct window_info {
    uint32_t type;
    const void *next;
    uint32_t flags;
    void *connection;
    uint64_t window;
};

COMMAND(create_surface)
{
    uint64_t instance = arg(line, "instance") ? arg_ref(line, "instance", 0) : resolve("i");
    const char *type = arg_or(line, "type", "headless");
    static const struct {
        const char *type, *command;
        uint32_t s_type;
    } kinds[] = {
        {"win32", "vkCreateWin32SurfaceKHR", 1000009000},
        {"xlib", "vkCreateXlibSurfaceKHR", 1000004000},
        {"xcb", "vkCreateXcbSurfaceKHR", 1000005000},
        {"wayland", "vkCreateWaylandSurfaceKHR", 1000006000},
        {"metal", "vkCreateMetalSurfaceEXT", 1000217000},
        {"macos", "vkCreateMacOSSurfaceMVK", 1000123000},
        {"display", "vkCreateDisplayPlaneSurfaceKHR", 1000002001},
        {"headless", "vkCreateHeadlessSurfaceEXT", 1000256000},
    };
    unsigned k = 0;
    while (k < 7 && strcmp(kinds[k].type, type)) k++;
    VkResult(VKAPI_PTR * create)(VkInstance, const void *, const VkAllocationCallbacks *, VkSurfaceKHR *);
    create = (VkResult(VKAPI_PTR *)(VkInstance, const void *, const VkAllocationCallbacks *, VkSurfaceKHR *))command(
        line, kinds[k].command, instance, 0);
    if (now->failed) return;
    struct window_info info = {.type = kinds[k].s_type,
                               .flags = (uint32_t)arg_int(line, "flags", 0),
                               .connection = (void *)(uintptr_t)arg_int(line, "connection", 0x1111000011110000ull),
                               .window = arg_int(line, "window", 0x22220000)};
    const uint32_t narrow = (uint32_t)info.window;
    if (!strcmp(type, "xcb")) memcpy(&info.window, &narrow, sizeof narrow); /* its windows have 32 bits */
    struct {
        uint32_t type;
        const void *next;
        uint32_t flags;
        uint64_t mode;
        uint32_t plane, stack, transform;
        float alpha;
        uint32_t alpha_mode, width, height;
    } display = {.type = kinds[k].s_type,
                 .mode = arg_int(line, "window", 0x33330000),
                 .plane = 1,
                 .stack = 2,
                 .transform = 1,
                 .alpha = 1.0f,
                 .alpha_mode = 1,
                 .width = 640,
                 .height = 480};
    VkSurfaceKHR surface = (VkSurfaceKHR)(uintptr_t)0xabababababababab;
    const void *given = k == 6 ? (const void *)&display : (const void *)&info;
    VkResult result = create((VkInstance)(uintptr_t)instance, given, arg_allocator(line), &surface);
    put_int("result", result);
    put_int("written", surface != (VkSurfaceKHR)(uintptr_t)0xabababababababab);
    if (result == VK_SUCCESS) {
        put_pointer("surface", (const void *)(uintptr_t)surface);
        object_add(arg_or(line, "as", "s"), SURFACE, (uint64_t)surface, instance, NULL, 0);
    }
}

COMMAND(destroy_surface)
{
    const char *name = arg_or(line, "name", "s");
    uint64_t instance = arg(line, "instance") ? arg_ref(line, "instance", 0) : resolve("i");
    uint64_t surface = resolve(name);
    PFN_vkDestroySurfaceKHR destroy = (PFN_vkDestroySurfaceKHR)command(line, "vkDestroySurfaceKHR", instance, 0);
    if (now->failed) return;
    destroy((VkInstance)(uintptr_t)instance, (VkSurfaceKHR)surface, arg_allocator(line));
    object_drop(name);
}

COMMAND(create_swapchain)
{
    uint64_t device = arg(line, "device") ? arg_ref(line, "device", 0) : resolve("d");
    PFN_vkCreateSwapchainKHR create =
        (PFN_vkCreateSwapchainKHR)command(line, "vkCreateSwapchainKHR", arg_ref(line, "instance", 0), device);
    if (now->failed) return;
    VkSwapchainCreateInfoKHR info = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                     .surface = (VkSurfaceKHR)arg_ref(line, "surface", 0),
                                     .minImageCount = 2,
                                     .imageExtent = {64, 64},
                                     .imageArrayLayers = 1};
    VkSwapchainKHR swapchain = VK_NULL_HANDLE;
    VkResult result = create((VkDevice)(uintptr_t)device, &info, arg_allocator(line), &swapchain);
    put_int("result", result);
    if (result == VK_SUCCESS) {
        put_pointer("swapchain", (const void *)(uintptr_t)swapchain);
        object_add(arg_or(line, "as", "sc"), SWAPCHAIN, (uint64_t)swapchain, device, NULL, 0);
    }
}

COMMAND(destroy_swapchain)
{
    const char *name = arg_or(line, "name", "sc");
    uint64_t device = arg(line, "device") ? arg_ref(line, "device", 0) : resolve("d");
    PFN_vkDestroySwapchainKHR destroy =
        (PFN_vkDestroySwapchainKHR)command(line, "vkDestroySwapchainKHR", arg_ref(line, "instance", 0), device);
    uint64_t swapchain = resolve(name);
    if (now->failed) return;
    destroy((VkDevice)(uintptr_t)device, (VkSwapchainKHR)swapchain, arg_allocator(line));
    object_drop(name);
}
