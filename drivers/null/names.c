/* names.c: the driver interface that the loader finds by symbol, and the look-up of commands by name.
 *
 * An extension's command is found only if that extension is enabled on the instance or device, as far as the given
 * handle shows that.
 */
#include "null.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
EXPORT PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
EXPORT PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name);

#define INTERFACE_VERSION 7

static const struct entry *entry_of(const char *name)
{
    size_t length = strlen(name);
    for (size_t low = 0, high = entry_count; low < high;) {
        size_t middle = (low + high) / 2;
        int order = (int)length - entries[middle].length;
        if (order == 0) order = memcmp(name, entries[middle].name, length);
        if (order == 0) return &entries[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static bool is_enabled(const struct entry *e, uint32_t gates)
{
    return e->gate == 0 || (gates >> e->gate & 1);
}

/* Accepts every version, and returns the lower one of the loader's and the driver's. */
VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    if (*version > INTERFACE_VERSION) *version = INTERFACE_VERSION;
    return VK_SUCCESS;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL null_vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    const struct entry *e = entry_of(name);
    if (!e) return NULL;
    if (e->level == GLOBAL) return e->function;
    if (!instance) return NULL;
    /* Every instance has the commands of device extensions, whether or not a device enables them. */
    if (e->gate <= INSTANCE_EXTENSIONS && !is_enabled(e, ((struct instance *)instance)->enabled)) return NULL;
    return e->function;
}

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    return null_vkGetInstanceProcAddr(instance, name);
}

/* Finds physical-device commands only, so that the loader can distinguish them from unknown device commands. */
PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
    const struct entry *e = entry_of(name);
    return e && e->level == PHYSICAL ? null_vkGetInstanceProcAddr(instance, name) : NULL;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL null_vkGetDeviceProcAddr(VkDevice device, const char *name)
{
    const struct entry *e = entry_of(name);
    return e && e->level == DEVICE && is_enabled(e, device_of(device)->enabled) ? e->function : NULL;
}
