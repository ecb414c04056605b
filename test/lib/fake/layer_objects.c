/* layer_objects.c: the fake layer's own handles for surfaces, messengers and report callbacks, and the commands that
 * name objects, which take every wrapper off. Script: "wrap surface messenger report".
 */
#include "layer.h"
#include <string.h>

#define NEXT(handle, command) ((PFN_##command)(uintptr_t)next_of(chain_of(handle), #command))

/* Returns the wrapper of a handle from below. */
static void *wrapper(enum kind kind, const void *lower)
{
    struct object *o = object_new(kind, NULL);
    o->other = H(lower);
    return o;
}

static void drop(uint64_t handle)
{
    struct object *o = object_of(H(handle));
    if (o) object_kill(o);
}

/* ---- surfaces ---- */

static VkResult create_surface(const char *name, VkInstance h, const void *info, const VkAllocationCallbacks *a,
                               VkSurfaceKHR *out)
{
    VkResult(VKAPI_PTR * next)(VkInstance, const void *, const VkAllocationCallbacks *, VkSurfaceKHR *) =
        (VkResult(VKAPI_PTR *)(VkInstance, const void *, const VkAllocationCallbacks *, VkSurfaceKHR *))next_of(
            chain_of(h), name);
    VkResult result = next(below(h), info, a, out);
    if (result == VK_SUCCESS) *out = (VkSurfaceKHR)(uintptr_t)wrapper(SURFACE, H(*out));
    return result;
}

#define SURFACE_KIND(command)                                                                                          \
    static VkResult VKAPI_PTR layer_##command(VkInstance h, const void *i, const VkAllocationCallbacks *a,             \
                                              VkSurfaceKHR *o)                                                         \
    {                                                                                                                  \
        return create_surface(#command, h, i, a, o);                                                                   \
    }
SURFACE_KIND(vkCreateWin32SurfaceKHR)
SURFACE_KIND(vkCreateXcbSurfaceKHR)
SURFACE_KIND(vkCreateMetalSurfaceEXT)
SURFACE_KIND(vkCreateMacOSSurfaceMVK)
SURFACE_KIND(vkCreateXlibSurfaceKHR)
SURFACE_KIND(vkCreateWaylandSurfaceKHR)
SURFACE_KIND(vkCreateHeadlessSurfaceEXT)
SURFACE_KIND(vkCreateDisplayPlaneSurfaceKHR)

static VkSurfaceKHR lower_surface(VkSurfaceKHR surface)
{
    return (VkSurfaceKHR)(uintptr_t)below(H(surface));
}

static void VKAPI_PTR layer_vkDestroySurfaceKHR(VkInstance h, VkSurfaceKHR surface, const VkAllocationCallbacks *a)
{
    NEXT(h, vkDestroySurfaceKHR)(below(h), lower_surface(surface), a);
    drop((uint64_t)surface);
}

static VkResult VKAPI_PTR layer_vkGetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice h, uint32_t family,
                                                                     VkSurfaceKHR s, VkBool32 *out)
{
    return NEXT(h, vkGetPhysicalDeviceSurfaceSupportKHR)(below(h), family, lower_surface(s), out);
}

static VkResult VKAPI_PTR layer_vkGetPhysicalDeviceSurfaceCapabilitiesKHR(VkPhysicalDevice h, VkSurfaceKHR s,
                                                                          VkSurfaceCapabilitiesKHR *out)
{
    return NEXT(h, vkGetPhysicalDeviceSurfaceCapabilitiesKHR)(below(h), lower_surface(s), out);
}

static VkResult VKAPI_PTR layer_vkGetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice h, VkSurfaceKHR s, uint32_t *n,
                                                                     VkSurfaceFormatKHR *out)
{
    return NEXT(h, vkGetPhysicalDeviceSurfaceFormatsKHR)(below(h), lower_surface(s), n, out);
}

static VkResult VKAPI_PTR layer_vkGetPhysicalDeviceSurfacePresentModesKHR(VkPhysicalDevice h, VkSurfaceKHR s,
                                                                          uint32_t *n, VkPresentModeKHR *out)
{
    return NEXT(h, vkGetPhysicalDeviceSurfacePresentModesKHR)(below(h), lower_surface(s), n, out);
}

static VkResult VKAPI_PTR layer_vkGetPhysicalDeviceSurfaceCapabilities2KHR(VkPhysicalDevice h,
                                                                           const VkPhysicalDeviceSurfaceInfo2KHR *info,
                                                                           VkSurfaceCapabilities2KHR *out)
{
    VkPhysicalDeviceSurfaceInfo2KHR copy = *info;
    copy.surface = lower_surface(info->surface);
    return NEXT(h, vkGetPhysicalDeviceSurfaceCapabilities2KHR)(below(h), &copy, out);
}

static VkResult VKAPI_PTR layer_vkCreateSwapchainKHR(VkDevice h, const VkSwapchainCreateInfoKHR *info,
                                                     const VkAllocationCallbacks *a, VkSwapchainKHR *out)
{
    VkSwapchainCreateInfoKHR copy = *info;
    copy.surface = lower_surface(info->surface);
    return NEXT(h, vkCreateSwapchainKHR)(below(h), &copy, a, out);
}

/* ---- messengers and report callbacks ---- */

static VkResult VKAPI_PTR layer_vkCreateDebugUtilsMessengerEXT(VkInstance h,
                                                               const VkDebugUtilsMessengerCreateInfoEXT *info,
                                                               const VkAllocationCallbacks *a,
                                                               VkDebugUtilsMessengerEXT *out)
{
    VkResult result = NEXT(h, vkCreateDebugUtilsMessengerEXT)(below(h), info, a, out);
    if (result == VK_SUCCESS) *out = (VkDebugUtilsMessengerEXT)(uintptr_t)wrapper(MESSENGER, H(*out));
    return result;
}

static void VKAPI_PTR layer_vkDestroyDebugUtilsMessengerEXT(VkInstance h, VkDebugUtilsMessengerEXT m,
                                                            const VkAllocationCallbacks *a)
{
    NEXT(h, vkDestroyDebugUtilsMessengerEXT)(below(h), (VkDebugUtilsMessengerEXT)(uintptr_t)below(H(m)), a);
    drop((uint64_t)m);
}

static VkResult VKAPI_PTR layer_vkCreateDebugReportCallbackEXT(VkInstance h,
                                                               const VkDebugReportCallbackCreateInfoEXT *info,
                                                               const VkAllocationCallbacks *a,
                                                               VkDebugReportCallbackEXT *out)
{
    VkResult result = NEXT(h, vkCreateDebugReportCallbackEXT)(below(h), info, a, out);
    if (result == VK_SUCCESS) *out = (VkDebugReportCallbackEXT)(uintptr_t)wrapper(REPORT, H(*out));
    return result;
}

static void VKAPI_PTR layer_vkDestroyDebugReportCallbackEXT(VkInstance h, VkDebugReportCallbackEXT r,
                                                            const VkAllocationCallbacks *a)
{
    NEXT(h, vkDestroyDebugReportCallbackEXT)(below(h), (VkDebugReportCallbackEXT)(uintptr_t)below(H(r)), a);
    drop((uint64_t)r);
}

/* ---- names ---- */

#define NAMING(command, Info, member)                                                                                  \
    static VkResult VKAPI_PTR layer_##command(VkDevice h, const Info *info)                                            \
    {                                                                                                                  \
        struct record r;                                                                                               \
        record_phase(&r, #command, "enter");                                                                           \
        record_object(&r, "device", h);                                                                                \
        record_object(&r, "object", H(info->member));                                                                  \
        record_close(&r);                                                                                              \
        Info copy = *info;                                                                                             \
        copy.member = (uint64_t)(uintptr_t)below(H(info->member));                                                     \
        return NEXT(h, command)(below(h), &copy);                                                                      \
    }
NAMING(vkSetDebugUtilsObjectNameEXT, VkDebugUtilsObjectNameInfoEXT, objectHandle)
NAMING(vkSetDebugUtilsObjectTagEXT, VkDebugUtilsObjectTagInfoEXT, objectHandle)
NAMING(vkDebugMarkerSetObjectNameEXT, VkDebugMarkerObjectNameInfoEXT, object)
NAMING(vkDebugMarkerSetObjectTagEXT, VkDebugMarkerObjectTagInfoEXT, object)

/* ---- look-up ---- */

static const struct {
    const char *name, *wraps; /* NULL: any word of "wrap" */
    PFN_vkVoidFunction function;
} commands[] = {
#define E(command, what) {#command, what, (PFN_vkVoidFunction)(uintptr_t)layer_##command},
    E(vkCreateWin32SurfaceKHR, "surface") E(vkCreateXcbSurfaceKHR, "surface") E(vkCreateMetalSurfaceEXT, "surface") E(
        vkCreateMacOSSurfaceMVK, "surface") E(vkCreateXlibSurfaceKHR, "surface") E(vkCreateWaylandSurfaceKHR, "surface")
        E(vkCreateHeadlessSurfaceEXT, "surface") E(vkCreateDisplayPlaneSurfaceKHR, "surface")
            E(vkDestroySurfaceKHR, "surface") E(vkGetPhysicalDeviceSurfaceSupportKHR, "surface") E(
                vkGetPhysicalDeviceSurfaceCapabilitiesKHR, "surface") E(vkGetPhysicalDeviceSurfaceFormatsKHR, "surface")
                E(vkGetPhysicalDeviceSurfacePresentModesKHR, "surface")
                    E(vkGetPhysicalDeviceSurfaceCapabilities2KHR, "surface") E(vkCreateSwapchainKHR, "surface")
                        E(vkCreateDebugUtilsMessengerEXT, "messenger") E(vkDestroyDebugUtilsMessengerEXT, "messenger")
                            E(vkCreateDebugReportCallbackEXT, "report") E(vkDestroyDebugReportCallbackEXT, "report")
                                E(vkSetDebugUtilsObjectNameEXT, NULL) E(vkSetDebugUtilsObjectTagEXT, NULL)
                                    E(vkDebugMarkerSetObjectNameEXT, NULL) E(vkDebugMarkerSetObjectTagEXT, NULL)};

PFN_vkVoidFunction object_function(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(commands[i].name, name))
            return (commands[i].wraps ? wraps(commands[i].wraps) : script_has("wrap", NULL)) ? commands[i].function
                                                                                             : NULL;
    return NULL;
}
