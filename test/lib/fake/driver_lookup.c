/* driver_lookup.c: the fake driver's function for each name, and its negotiation. Knows the functions of
 * driver_functions.inc by name only. */
#include "objects.h"
#include "thunks.h"
#include <stdio.h>
#include <dlfcn.h>
#include <string.h>

#define EXPORT_NEGOTIATE 1
extern const unsigned fake_exports;
uint32_t driver_api(void);
bool any_device_lists(const char *extension);
VkResult VKAPI_PTR fake_Negotiate(uint32_t *version);
VkResult VKAPI_PTR fake_EnumerateAdapterPhysicalDevices(VkInstance h, uint64_t adapter, uint32_t *count,
                                                        VkPhysicalDevice *array);
PFN_vkVoidFunction VKAPI_PTR fake_GetPhysicalDeviceProcAddr(VkInstance h, const char *name);

PFN_vkVoidFunction VKAPI_PTR fake_GetInstanceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction VKAPI_PTR fake_GetDeviceProcAddr(VkDevice h, const char *name);

bool thunk_below(const char *name, const uint64_t *a, uint64_t *value)
{
    (void)name, (void)a, (void)value;
    return false;
}

/* Their types are of no interest here. */
#define E(name, level, minor, extension) extern void fake_##name(void);
#include "driver_functions.inc"
#undef P2
#undef E

enum level { GLOBAL = 1, OF_INSTANCE, OF_PHYSICAL_DEVICE, OF_DEVICE };
static const struct entry {
    const char *name;
    enum level level;
    uint32_t minor;        /* offered when the driver's api is at least 1.minor */
    const char *extension; /* or when it lists this instance extension (device extension for OF_DEVICE) */
    PFN_vkVoidFunction function;
} entries[] = {
#define E(name, level, minor, extension) {"vk" #name, level, minor, extension, (PFN_vkVoidFunction)fake_##name},
#include "driver_functions.inc"
#undef P2
#undef E
};

/* The commands of devices, each with the minor version of Vulkan that brings it: a driver of that version offers it. */
static const struct {
    const char *name;
    uint32_t minor;
} core[] = {
#define COMMAND_GLOBAL(name, minor)
#define COMMAND_INSTANCE(name, minor)
#define COMMAND_PHYSDEV(name, minor)
#define COMMAND_DEVICE(name, minor) {#name, minor},
#define COMMAND_SHARED COMMAND_DEVICE
#define COMMAND(kind, name, trampoline, terminator, minor, ...) COMMAND_##kind(name, minor)
#define ALIAS(...)
#define ON_LINUX(line) line
#define ON_MACOS(line) line
#define ON_WINDOWS(line) line
#include "../../../spine/gen/zcommands.inc"
};

/* Functions without code of their own that come with an extension. */
static const struct {
    const char *name, *extension;
    enum level level;
} plain[] = {
    {"vkGetPhysicalDeviceWin32PresentationSupportKHR", "VK_KHR_win32_surface", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceXcbPresentationSupportKHR", "VK_KHR_xcb_surface", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceXlibPresentationSupportKHR", "VK_KHR_xlib_surface", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceWaylandPresentationSupportKHR", "VK_KHR_wayland_surface", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDevicePresentRectanglesKHR", "VK_KHR_surface", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceDisplayPropertiesKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceDisplayPlanePropertiesKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayPlaneSupportedDisplaysKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayModePropertiesKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkCreateDisplayModeKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayPlaneCapabilitiesKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceDisplayProperties2KHR", "VK_KHR_get_display_properties2", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceDisplayPlaneProperties2KHR", "VK_KHR_get_display_properties2", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayModeProperties2KHR", "VK_KHR_get_display_properties2", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayPlaneCapabilities2KHR", "VK_KHR_get_display_properties2", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalBufferPropertiesKHR", "VK_KHR_external_memory_capabilities", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR", "VK_KHR_external_semaphore_capabilities", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalFencePropertiesKHR", "VK_KHR_external_fence_capabilities", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalBufferProperties", "1.1", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalSemaphoreProperties", "1.1", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalFenceProperties", "1.1", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceToolProperties", "1.3", OF_PHYSICAL_DEVICE},
    {"vkQueueBeginDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkQueueEndDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkQueueInsertDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkCmdBeginDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkCmdEndDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkCmdInsertDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkDebugReportMessageEXT", "VK_EXT_debug_report", OF_INSTANCE},
    {"vkGetSwapchainImagesKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkAcquireNextImageKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkQueuePresentKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkGetDeviceGroupSurfacePresentModesKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkGetDeviceGroupPresentCapabilitiesKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkAcquireNextImage2KHR", "device VK_KHR_swapchain", OF_DEVICE},
};

static uint32_t minor_of_api(void)
{
    return (driver_api() >> 12) & 1023;
}

static bool listed(const char *extension)
{
    uint32_t minor = 0;
    if (sscanf(extension, "1.%u", &minor) == 1) return minor_of_api() >= minor;
    if (!strncmp(extension, "device ", 7)) return any_device_lists(extension + 7);
    if (!strncmp(extension, "instance ", 9)) return script_has("ext", extension + 9);
    return script_has("ext", extension);
}

static PFN_vkVoidFunction search(const char *name, unsigned levels)
{
    if (levels & 1u << OF_INSTANCE && !strcmp(name, "vkGetInstanceProcAddr"))
        return (PFN_vkVoidFunction)(uintptr_t)fake_GetInstanceProcAddr;
    if (levels & 1u << OF_INSTANCE && !strcmp(name, "vkGetDeviceProcAddr"))
        return (PFN_vkVoidFunction)(uintptr_t)fake_GetDeviceProcAddr;
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const struct entry *e = &entries[i];
        if (strcmp(e->name, name) || !(levels & 1u << e->level)) continue;
        bool device = e->level == OF_DEVICE && e->extension && strncmp(e->extension, "instance ", 9);
        bool yes = minor_of_api() >= e->minor ||
                   (e->extension && (device ? any_device_lists(e->extension) : listed(e->extension)));
        return yes || script_has("offer", name) ? e->function : NULL;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strcmp(plain[i].name, name) && (levels & 1u << plain[i].level))
            return listed(plain[i].extension) || script_has("offer", name) ? thunk_for(name) : NULL;
    if (levels & 1u << OF_DEVICE) {
        for (size_t i = 0; i < sizeof core / sizeof *core; i++)
            if (!strcmp(core[i].name, name)) return minor_of_api() >= core[i].minor ? thunk_for(name) : NULL;
    }
    return NULL;
}

static void log_lookup(const char *function, const void *handle, const char *name, const void *found)
{
    struct record r;
    const struct statement *s = script_find("log_lookups", NULL, 0);
    if (!s || (s->count > 1 && strcmp(s->word[1], name))) return;
    record_open(&r, function);
    record_object(&r, "handle", handle);
    record_text(&r, "name", name);
    record_int(&r, "found", found != NULL);
    record_close(&r);
}

static PFN_vkVoidFunction device_lookup(const char *name)
{
    if (script_has("missing", name) || script_has("missing_gdpa", name)) return NULL;
    if (script_has("offer", name) || script_has("offer_gdpa", name)) {
        PFN_vkVoidFunction typed = search(name, 1u << OF_DEVICE);
        return typed ? typed : thunk_for(name);
    }
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (PFN_vkVoidFunction)(uintptr_t)fake_GetDeviceProcAddr;
    return search(name, 1u << OF_DEVICE);
}

static PFN_vkVoidFunction lookup(struct object *instance, const char *name)
{
    if (script_has("missing", name) || script_has("missing_gipa", name)) return NULL;
    const struct statement *other = script_find("export_of", name, 0);
    if (other && other->count > 2) { /* the library is there already, and stays */
        void *library = dlopen(other->word[2], RTLD_LAZY | RTLD_NOLOAD);
        return library ? (PFN_vkVoidFunction)dlsym(library, name) : NULL;
    }
    if (!strcmp(name, "vk_icdNegotiateLoaderICDInterfaceVersion"))
        return fake_exports & EXPORT_NEGOTIATE || script_has("negotiate_by_gipa", NULL)
                   ? (PFN_vkVoidFunction)(uintptr_t)fake_Negotiate
                   : NULL;
    if (!strcmp(name, "vk_icdGetPhysicalDeviceProcAddr"))
        return script_has("no_gpdpa", NULL) ? NULL : (PFN_vkVoidFunction)(uintptr_t)fake_GetPhysicalDeviceProcAddr;
    if (!strcmp(name, "vk_icdEnumerateAdapterPhysicalDevices"))
        return script_has("adapter_by_gipa", NULL) ? (PFN_vkVoidFunction)(uintptr_t)fake_EnumerateAdapterPhysicalDevices
                                                   : NULL;
    if (!instance) return search(name, 1u << GLOBAL);
    if (script_has("offer", name) || script_has("offer_gipa", name)) {
        PFN_vkVoidFunction typed = search(name, ~0u);
        return typed ? typed : thunk_for(name);
    }
    return search(name, ~0u);
}

PFN_vkVoidFunction VKAPI_PTR fake_GetInstanceProcAddr(VkInstance h, const char *name)
{
    PFN_vkVoidFunction found = lookup(object_of(h), name);
    log_lookup("vk_icdGetInstanceProcAddr", h, name, (const void *)(uintptr_t)found);
    return found;
}

PFN_vkVoidFunction VKAPI_PTR fake_GetDeviceProcAddr(VkDevice h, const char *name)
{
    PFN_vkVoidFunction found = device_lookup(name);
    perform_lookup(name);
    log_lookup("vkGetDeviceProcAddr", h, name, (const void *)(uintptr_t)found);
    return found;
}

PFN_vkVoidFunction VKAPI_PTR fake_GetPhysicalDeviceProcAddr(VkInstance h, const char *name)
{
    PFN_vkVoidFunction found = NULL;
    if (script_has("offer_gpdpa", name))
        found = thunk_for(name);
    else if (!script_has("missing", name))
        found = search(name, 1u << OF_PHYSICAL_DEVICE);
    log_lookup("vk_icdGetPhysicalDeviceProcAddr", h, name, (const void *)(uintptr_t)found);
    return found;
}

VkResult VKAPI_PTR fake_Negotiate(uint32_t *version)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    uint32_t low = (uint32_t)script_number(script_word("interface", 1, "0")),
             high = (uint32_t)script_number(script_word("interface", 2, "7"));
    const struct statement *forced = script_find("negotiate", NULL, 0); /* negotiate RESULT VERSION */
    record_open(&r, "vk_icdNegotiateLoaderICDInterfaceVersion");
    record_int(&r, "given", *version);
    if (forced && forced->count > 1) {
        result = (VkResult)script_number(forced->word[1]);
        if (forced->count > 2) *version = (uint32_t)script_number(forced->word[2]);
    } else if (*version < low) {
        result = VK_ERROR_INCOMPATIBLE_DRIVER;
    } else if (*version > high) {
        *version = high;
    }
    record_int(&r, "left", *version);
    record_int(&r, "result", result);
    record_close(&r);
    return result;
}
