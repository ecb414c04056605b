/* driver_window.c: the fake driver's surfaces, messengers, report callbacks and object names. */
#include "../interface.h"
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- surfaces ---- */

static VkResult create_surface(const char *function, VkInstance h, const void *info,
                               const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed(function, NULL, &result);
    struct object *surface = forced && result < 0 ? NULL : object_new(SURFACE, object_of(h));
    char bytes[65];
    unsigned char wide[40] = {0};
    /* Creation structures are 40 bytes for win32, xcb, xlib and wayland; the fields after the flags are what matters.
     */
    if (!strstr(function, "Headless"))
        widened(structure_of_type(((const VkBaseInStructure *)info)->sType), info, wide, sizeof wide);
    for (int i = 0; i < 32; i++) snprintf(bytes + 2 * i, 3, "%02x", wide[16 + (i < 24 ? i : 0)]);
    record_open(&r, function);
    record_object(&r, "instance", h);
    record_int(&r, "type", ((const VkBaseInStructure *)info)->sType);
    record_chain(&r, "next", ((const VkBaseInStructure *)info)->pNext);
    record_text(&r, "bytes", bytes);
    record_allocator(&r, allocator);
    if (surface) record_object(&r, "made", surface);
    record_int(&r, "result", result);
    record_close(&r);
    if (surface) *out = (VkSurfaceKHR)(uintptr_t)surface;
    return result;
}

#define SURFACE_KIND(name)                                                                                             \
    VkResult VKAPI_PTR fake_##name(VkInstance h, const void *i, const VkAllocationCallbacks *a, VkSurfaceKHR *o)       \
    {                                                                                                                  \
        return create_surface("vk" #name, h, i, a, o);                                                                 \
    }
SURFACE_KIND(CreateWin32SurfaceKHR)
SURFACE_KIND(CreateXcbSurfaceKHR)
SURFACE_KIND(CreateMetalSurfaceEXT)
SURFACE_KIND(CreateMacOSSurfaceMVK)
SURFACE_KIND(CreateXlibSurfaceKHR)
SURFACE_KIND(CreateWaylandSurfaceKHR)
SURFACE_KIND(CreateHeadlessSurfaceEXT)
SURFACE_KIND(CreateDisplayPlaneSurfaceKHR)

void VKAPI_PTR fake_DestroySurfaceKHR(VkInstance h, VkSurfaceKHR surface, const VkAllocationCallbacks *allocator)
{
    struct record r;
    VkResult result;
    imposed("vkDestroySurfaceKHR", NULL, &result);
    record_open(&r, "vkDestroySurfaceKHR");
    record_object(&r, "instance", h);
    record_object(&r, "surface", H(surface));
    record_allocator(&r, allocator);
    record_close(&r);
    if (object_of(H(surface))) object_kill(object_of(H(surface)));
}

static VkResult surface_query(const char *function, VkPhysicalDevice h, VkSurfaceKHR surface, bool *answer)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed(function, NULL, &result);
    const struct object *pd = object_of(h);
    record_open(&r, function);
    record_object(&r, "physical_device", h);
    if (pd) record_text(&r, "id", pd->id);
    record_object(&r, "surface", H(surface));
    record_close(&r);
    *answer = !forced || result >= 0;
    return result;
}

VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice h, uint32_t family, VkSurfaceKHR surface,
                                                           VkBool32 *out)
{
    bool answer;
    (void)family;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceSupportKHR", h, surface, &answer);
    if (answer) *out = VK_TRUE;
    return result;
}

VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceCapabilitiesKHR(VkPhysicalDevice h, VkSurfaceKHR surface,
                                                                VkSurfaceCapabilitiesKHR *out)
{
    bool answer;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", h, surface, &answer);
    if (answer) {
        *out = (VkSurfaceCapabilitiesKHR){2, 8, {640, 480}, {1, 3}, {4000, 3000}, 5, 6, 2, 9, 31};
    }
    return result;
}

VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceCapabilities2KHR(VkPhysicalDevice h,
                                                                 const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                                                 VkSurfaceCapabilities2KHR *out)
{
    bool answer;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceCapabilities2KHR", h, info->surface, &answer);
    if (answer) {
        out->surfaceCapabilities =
            (VkSurfaceCapabilitiesKHR){.minImageCount = 3, .minImageExtent = {7, 8}, .maxImageExtent = {900, 800}};
    }
    return result;
}

VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice h, VkSurfaceKHR surface, uint32_t *count,
                                                           VkSurfaceFormatKHR *out)
{
    bool answer;
    uint32_t fill = 0;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceFormatsKHR", h, surface, &answer);
    if (!answer) return result;
    result = give_count((uint32_t)script_number(script_word("formats", 1, "2")), count, out != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) out[i] = (VkSurfaceFormatKHR){.format = (VkFormat)(44 + i)};
    return result;
}

VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceFormats2KHR(VkPhysicalDevice h,
                                                            const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                                            uint32_t *count, VkSurfaceFormat2KHR *out)
{
    bool answer;
    uint32_t fill = 0;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceFormats2KHR", h, info->surface, &answer);
    if (!answer) return result;
    result = give_count((uint32_t)script_number(script_word("formats", 1, "2")), count, out != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) out[i].surfaceFormat = (VkSurfaceFormatKHR){.format = (VkFormat)(44 + i)};
    return result;
}

VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfacePresentModesKHR(VkPhysicalDevice h, VkSurfaceKHR surface,
                                                                uint32_t *count, VkPresentModeKHR *out)
{
    bool answer;
    uint32_t fill = 0;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfacePresentModesKHR", h, surface, &answer);
    if (!answer) return result;
    result = give_count(1, count, out != NULL, &fill);
    if (fill) out[0] = VK_PRESENT_MODE_FIFO_KHR;
    return result;
}

/* ---- debug ---- */

VkResult VKAPI_PTR fake_CreateDebugUtilsMessengerEXT(VkInstance h, const VkDebugUtilsMessengerCreateInfoEXT *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkDebugUtilsMessengerEXT *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateDebugUtilsMessengerEXT", NULL, &result);
    struct object *made = forced && result < 0 ? NULL : object_new(MESSENGER, object_of(h));
    record_open(&r, "vkCreateDebugUtilsMessengerEXT");
    record_object(&r, "instance", h);
    record_int(&r, "severity", info->messageSeverity);
    record_int(&r, "types", info->messageType);
    record_chain(&r, "next", info->pNext);
    record_allocator(&r, allocator);
    if (made) record_object(&r, "made", made);
    record_int(&r, "alive", objects_alive(MESSENGER, object_of(h)));
    record_close(&r);
    if (made) *out = (VkDebugUtilsMessengerEXT)(uintptr_t)made;
    return result;
}

VkResult VKAPI_PTR fake_CreateDebugReportCallbackEXT(VkInstance h, const VkDebugReportCallbackCreateInfoEXT *info,
                                                     const VkAllocationCallbacks *allocator,
                                                     VkDebugReportCallbackEXT *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateDebugReportCallbackEXT", NULL, &result);
    struct object *made = forced && result < 0 ? NULL : object_new(REPORT, object_of(h));
    record_open(&r, "vkCreateDebugReportCallbackEXT");
    record_object(&r, "instance", h);
    record_int(&r, "flags", info->flags);
    record_allocator(&r, allocator);
    if (made) record_object(&r, "made", made);
    record_close(&r);
    if (made) *out = (VkDebugReportCallbackEXT)(uintptr_t)made;
    return result;
}

static void destroy_debug(const char *function, VkInstance h, uint64_t handle, const VkAllocationCallbacks *allocator)
{
    struct record r;
    VkResult result;
    imposed(function, NULL, &result);
    record_open(&r, function);
    record_object(&r, "instance", h);
    record_object(&r, "object", H(handle));
    record_allocator(&r, allocator);
    record_close(&r);
    if (object_of(H(handle))) object_kill(object_of(H(handle)));
}

void VKAPI_PTR fake_DestroyDebugUtilsMessengerEXT(VkInstance h, VkDebugUtilsMessengerEXT m,
                                                  const VkAllocationCallbacks *a)
{
    destroy_debug("vkDestroyDebugUtilsMessengerEXT", h, (uint64_t)m, a);
}
void VKAPI_PTR fake_DestroyDebugReportCallbackEXT(VkInstance h, VkDebugReportCallbackEXT m,
                                                  const VkAllocationCallbacks *a)
{
    destroy_debug("vkDestroyDebugReportCallbackEXT", h, (uint64_t)m, a);
}

void VKAPI_PTR fake_SubmitDebugUtilsMessageEXT(VkInstance h, VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                               VkDebugUtilsMessageTypeFlagsEXT types,
                                               const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    struct record r;
    record_open(&r, "vkSubmitDebugUtilsMessageEXT");
    record_object(&r, "instance", h);
    record_int(&r, "severity", severity);
    record_int(&r, "types", types);
    record_text(&r, "text", data->pMessage);
    record_close(&r);
}

static VkResult name_object(const char *function, VkDevice h, uint64_t type, uint64_t handle, const char *name)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    imposed(function, NULL, &result);
    if (script_has("quiet", function) || script_has("quiet", "*")) return result;
    record_open(&r, function);
    record_object(&r, "device", h);
    record_int(&r, "type", (int64_t)type);
    record_begin(&r, "object", '[');
    record_argument(&r, handle);
    record_end(&r, ']');
    record_text(&r, "name", name);
    record_close(&r);
    return result;
}

VkResult VKAPI_PTR fake_SetDebugUtilsObjectNameEXT(VkDevice h, const VkDebugUtilsObjectNameInfoEXT *i)
{
    return name_object("vkSetDebugUtilsObjectNameEXT", h, i->objectType, i->objectHandle, i->pObjectName);
}
VkResult VKAPI_PTR fake_SetDebugUtilsObjectTagEXT(VkDevice h, const VkDebugUtilsObjectTagInfoEXT *i)
{
    return name_object("vkSetDebugUtilsObjectTagEXT", h, i->objectType, i->objectHandle, NULL);
}
VkResult VKAPI_PTR fake_DebugMarkerSetObjectNameEXT(VkDevice h, const VkDebugMarkerObjectNameInfoEXT *i)
{
    return name_object("vkDebugMarkerSetObjectNameEXT", h, i->objectType, i->object, i->pObjectName);
}
VkResult VKAPI_PTR fake_DebugMarkerSetObjectTagEXT(VkDevice h, const VkDebugMarkerObjectTagInfoEXT *i)
{
    return name_object("vkDebugMarkerSetObjectTagEXT", h, i->objectType, i->object, NULL);
}
