/* display.c: terminators of the commands that query displays, acquire them and release them. Displays and modes are the
 * driver's handles and are never wrapped (EXT-067). */
#include <stdlib.h>
#include <string.h>

#include "gen/zends.h"
#include "state/state.h"

static const char *lib_path(const struct physdev *device)
{
    return driver_path(device->driver->lib);
}

/* ---- VK_KHR_display -------------------------------------------------------------------------------------------- */

/* EXT-063: reports whether VK_KHR_display is enabled on the instance, or logs an error. Without it a call does nothing.
 */
static bool display_is_enabled(const struct physdev *device, const char *name)
{
    if (instance_has(device->instance, EXT_VK_KHR_display)) return true;
    log_line(device->instance, LOG_ERROR, "VK_KHR_display extension not enabled. %s not executed!", name);
    return false;
}

/* EXT-064 to EXT-066: logs that a driver lacks a display command. */
static void log_no_export(const struct physdev *device, unsigned flags, const char *name)
{
    log_line(device->instance, flags, "ICD for selected physical device does not export %s!", name);
}

static VkResult list_nothing(const struct physdev *device, const char *name, uint32_t *count)
{
    log_no_export(device, LOG_WARN, name);
    if (count) *count = 0;
    return VK_SUCCESS;
}

/* Defines the terminator of a query that returns a list: the command, its parameters, and its arguments. */
#define DISPLAY_LIST(command, parameters, ...)                                                                         \
    VKAPI_ATTR VkResult VKAPI_CALL term_##command parameters                                                           \
    {                                                                                                                  \
        struct physdev *device = term_physdev(handle);                                                                 \
        if (!display_is_enabled(device, #command)) return VK_SUCCESS;                                                  \
        PFN_##command ask = driver_fn(device->driver, command);                                                        \
        return ask ? ask(driver_physdev(device), __VA_ARGS__) : list_nothing(device, #command, count);                 \
    }

DISPLAY_LIST(vkGetPhysicalDeviceDisplayPropertiesKHR,
             (VkPhysicalDevice handle, uint32_t *count, VkDisplayPropertiesKHR *list), count, list)
DISPLAY_LIST(vkGetPhysicalDeviceDisplayPlanePropertiesKHR,
             (VkPhysicalDevice handle, uint32_t *count, VkDisplayPlanePropertiesKHR *list), count, list)
DISPLAY_LIST(vkGetDisplayPlaneSupportedDisplaysKHR,
             (VkPhysicalDevice handle, uint32_t plane, uint32_t *count, VkDisplayKHR *list), plane, count, list)
DISPLAY_LIST(vkGetDisplayModePropertiesKHR,
             (VkPhysicalDevice handle, VkDisplayKHR display, uint32_t *count, VkDisplayModePropertiesKHR *list),
             display, count, list)

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateDisplayModeKHR(VkPhysicalDevice handle, VkDisplayKHR display,
                                                           const VkDisplayModeCreateInfoKHR *pCreateInfo,
                                                           const VkAllocationCallbacks *pAllocator,
                                                           VkDisplayModeKHR *pMode)
{
    struct physdev *device = term_physdev(handle);
    static const char name[] = "vkCreateDisplayModeKHR";
    if (!display_is_enabled(device, name)) return VK_ERROR_EXTENSION_NOT_PRESENT;
    PFN_vkCreateDisplayModeKHR create = driver_fn(device->driver, vkCreateDisplayModeKHR);
    if (create) return create(driver_physdev(device), display, pCreateInfo, pAllocator, pMode);
    log_no_export(device, LOG_ERROR, name);
    return VK_ERROR_INITIALIZATION_FAILED;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetDisplayPlaneCapabilitiesKHR(VkPhysicalDevice handle, VkDisplayModeKHR mode,
                                                                     uint32_t planeIndex,
                                                                     VkDisplayPlaneCapabilitiesKHR *pCapabilities)
{
    struct physdev *device = term_physdev(handle);
    static const char name[] = "vkGetDisplayPlaneCapabilitiesKHR";
    if (!display_is_enabled(device, name)) return VK_SUCCESS;
    PFN_vkGetDisplayPlaneCapabilitiesKHR ask = driver_fn(device->driver, vkGetDisplayPlaneCapabilitiesKHR);
    if (ask) return ask(driver_physdev(device), mode, planeIndex, pCapabilities);
    log_no_export(device, LOG_WARN, name);
    if (pCapabilities) memset(pCapabilities, 0, sizeof *pCapabilities);
    return VK_SUCCESS;
}

/* ---- VK_KHR_get_display_properties2, enabled or not (EXT-074) --------------------------------------------------- */

static void log_emulated(const struct physdev *device, const char *name)
{
    log_line(device->instance, LOG_INFO, "%s: Emulating call in ICD \"%s\"", name, lib_path(device));
}

/* Defines the terminator of a query that returns a list of structures, which the older command answers if the driver
 * lacks the newer one: command, older command, type of its elements, the member to copy them to, parameters, and the
 * arguments before the list. Without either command, the list is empty (EXT-069). */
#define DISPLAY_LIST_2(command, older, type, member, parameters, ...)                                                  \
    VKAPI_ATTR VkResult VKAPI_CALL term_##command parameters                                                           \
    {                                                                                                                  \
        struct physdev *device = term_physdev(handle);                                                                 \
        PFN_##command ask = driver_fn(device->driver, command);                                                        \
        if (ask) return ask(driver_physdev(device), __VA_ARGS__, list);                                                \
        log_emulated(device, #command);                                                                                \
        PFN_##older old = driver_fn(device->driver, older);                                                            \
        uint32_t given = *count;                                                                                       \
        if (!old) {                                                                                                    \
            *count = 0;                                                                                                \
            return VK_SUCCESS;                                                                                         \
        }                                                                                                              \
        if (!list || !given)                                                                                           \
            return old(driver_physdev(device), __VA_ARGS__, NULL); /* EXT-070: its count and result */                 \
        type *plain = calloc(given, sizeof *plain);                                                                    \
        if (!plain) return VK_ERROR_OUT_OF_HOST_MEMORY;                                                                \
        VkResult result = old(driver_physdev(device), __VA_ARGS__, plain);                                             \
        for (uint32_t i = 0; result >= 0 && i < given && i < *count; i++) list[i].member = plain[i];                   \
        free(plain);                                                                                                   \
        return result;                                                                                                 \
    }

DISPLAY_LIST_2(vkGetPhysicalDeviceDisplayProperties2KHR, vkGetPhysicalDeviceDisplayPropertiesKHR,
               VkDisplayPropertiesKHR, displayProperties,
               (VkPhysicalDevice handle, uint32_t *count, VkDisplayProperties2KHR *list), count)
DISPLAY_LIST_2(vkGetPhysicalDeviceDisplayPlaneProperties2KHR, vkGetPhysicalDeviceDisplayPlanePropertiesKHR,
               VkDisplayPlanePropertiesKHR, displayPlaneProperties,
               (VkPhysicalDevice handle, uint32_t *count, VkDisplayPlaneProperties2KHR *list), count)
DISPLAY_LIST_2(vkGetDisplayModeProperties2KHR, vkGetDisplayModePropertiesKHR, VkDisplayModePropertiesKHR,
               displayModeProperties,
               (VkPhysicalDevice handle, VkDisplayKHR display, uint32_t *count, VkDisplayModeProperties2KHR *list),
               display, count)

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetDisplayPlaneCapabilities2KHR(VkPhysicalDevice handle,
                                                                      const VkDisplayPlaneInfo2KHR *pDisplayPlaneInfo,
                                                                      VkDisplayPlaneCapabilities2KHR *pCapabilities)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetDisplayPlaneCapabilities2KHR ask = driver_fn(device->driver, vkGetDisplayPlaneCapabilities2KHR);
    if (ask) return ask(driver_physdev(device), pDisplayPlaneInfo, pCapabilities);
    log_emulated(device, "vkGetDisplayPlaneCapabilities2KHR");
    PFN_vkGetDisplayPlaneCapabilitiesKHR old = driver_fn(device->driver, vkGetDisplayPlaneCapabilitiesKHR);
    if (old) /* EXT-072: the older command fills the capabilities */
        return old(driver_physdev(device), pDisplayPlaneInfo->mode, pDisplayPlaneInfo->planeIndex,
                   &pCapabilities->capabilities);
    memset(&pCapabilities->capabilities, 0, sizeof pCapabilities->capabilities);
    return VK_SUCCESS;
}

/* ---- acquisition and release ----------------------------------------------------------------------------------- */

#define DRM_DISPLAY(Name, parameters, ...)                                                                             \
    VKAPI_ATTR VkResult VKAPI_CALL term_vk##Name parameters                                                            \
    {                                                                                                                  \
        struct physdev *device = term_physdev(handle);                                                                 \
        PFN_vk##Name call = driver_fn(device->driver, vk##Name);                                                       \
        if (call) return call(driver_physdev(device), __VA_ARGS__);                                                    \
        log_line(device->instance, LOG_ERROR, "ICD associated with VkPhysicalDevice does not support " #Name);         \
        return VK_ERROR_EXTENSION_NOT_PRESENT;                                                                         \
    }
DRM_DISPLAY(AcquireDrmDisplayEXT, (VkPhysicalDevice handle, int32_t fd, VkDisplayKHR display), fd, display)
DRM_DISPLAY(GetDrmDisplayEXT, (VkPhysicalDevice handle, int32_t fd, uint32_t connector, VkDisplayKHR *display), fd,
            connector, display)

VKAPI_ATTR VkResult VKAPI_CALL term_vkReleaseDisplayEXT(VkPhysicalDevice handle, VkDisplayKHR display)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkReleaseDisplayEXT release_display = driver_fn(device->driver, vkReleaseDisplayEXT);
    if (release_display) return release_display(driver_physdev(device), display);
    log_abort(
        device->instance, LOG_ERROR,
        "ICD \"%s\" associated with VkPhysicalDevice does not support vkReleaseDisplayEXT - Consequently, the call is invalid because it should not be possible to acquire a display on this device",
        lib_path(device));
}
