/* display.c: terminators of the commands about displays, and of their acquisition and release. Displays and modes are
 * the driver's own handles and are never wrapped (EXT-067). */
#include <stdlib.h>
#include <string.h>

#include "gen/zends.h"
#include "state/state.h"

static const char *lib_path(const struct physdev *device)
{
    return driver_path(device->driver->lib);
}

/* ---- VK_KHR_display -------------------------------------------------------------------------------------------- */

/* EXT-063: a call does nothing, with an error line, unless VK_KHR_display is enabled on the instance. */
static bool display_enabled(const struct physdev *device, const char *name)
{
    if (instance_has(device->instance, EXT_VK_KHR_display)) return true;
    log_line(device->instance, LOG_ERROR, "VK_KHR_display extension not enabled. %s not executed!", name);
    return false;
}

/* EXT-064 to EXT-066: the line about a driver that lacks a display command. */
static void log_no_export(const struct physdev *device, unsigned flags, const char *name)
{
    log_line(device->instance, flags, "ICD for selected physical device does not export %s!", name);
}

static VkResult none(const struct physdev *device, const char *name, uint32_t *count)
{
    log_no_export(device, LOG_WARN, name);
    if (count) *count = 0;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceDisplayPropertiesKHR(VkPhysicalDevice handle,
                                                                            uint32_t *pPropertyCount,
                                                                            VkDisplayPropertiesKHR *pProperties)
{
    struct physdev *device = term_physdev(handle);
    static const char name[] = "vkGetPhysicalDeviceDisplayPropertiesKHR";
    if (!display_enabled(device, name)) return VK_SUCCESS;
    PFN_vkGetPhysicalDeviceDisplayPropertiesKHR ask =
        driver_fn(device->driver, vkGetPhysicalDeviceDisplayPropertiesKHR);
    return ask ? ask(driver_physdev(device), pPropertyCount, pProperties) : none(device, name, pPropertyCount);
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceDisplayPlanePropertiesKHR(
    VkPhysicalDevice handle, uint32_t *pPropertyCount, VkDisplayPlanePropertiesKHR *pProperties)
{
    struct physdev *device = term_physdev(handle);
    static const char name[] = "vkGetPhysicalDeviceDisplayPlanePropertiesKHR";
    if (!display_enabled(device, name)) return VK_SUCCESS;
    PFN_vkGetPhysicalDeviceDisplayPlanePropertiesKHR ask =
        driver_fn(device->driver, vkGetPhysicalDeviceDisplayPlanePropertiesKHR);
    return ask ? ask(driver_physdev(device), pPropertyCount, pProperties) : none(device, name, pPropertyCount);
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetDisplayPlaneSupportedDisplaysKHR(VkPhysicalDevice handle, uint32_t planeIndex,
                                                                          uint32_t *pDisplayCount,
                                                                          VkDisplayKHR *pDisplays)
{
    struct physdev *device = term_physdev(handle);
    static const char name[] = "vkGetDisplayPlaneSupportedDisplaysKHR";
    if (!display_enabled(device, name)) return VK_SUCCESS;
    PFN_vkGetDisplayPlaneSupportedDisplaysKHR ask = driver_fn(device->driver, vkGetDisplayPlaneSupportedDisplaysKHR);
    return ask ? ask(driver_physdev(device), planeIndex, pDisplayCount, pDisplays) : none(device, name, pDisplayCount);
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetDisplayModePropertiesKHR(VkPhysicalDevice handle, VkDisplayKHR display,
                                                                  uint32_t *pPropertyCount,
                                                                  VkDisplayModePropertiesKHR *pProperties)
{
    struct physdev *device = term_physdev(handle);
    static const char name[] = "vkGetDisplayModePropertiesKHR";
    if (!display_enabled(device, name)) return VK_SUCCESS;
    PFN_vkGetDisplayModePropertiesKHR ask = driver_fn(device->driver, vkGetDisplayModePropertiesKHR);
    return ask ? ask(driver_physdev(device), display, pPropertyCount, pProperties) : none(device, name, pPropertyCount);
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateDisplayModeKHR(VkPhysicalDevice handle, VkDisplayKHR display,
                                                           const VkDisplayModeCreateInfoKHR *pCreateInfo,
                                                           const VkAllocationCallbacks *pAllocator,
                                                           VkDisplayModeKHR *pMode)
{
    struct physdev *device = term_physdev(handle);
    static const char name[] = "vkCreateDisplayModeKHR";
    if (!display_enabled(device, name)) return VK_ERROR_EXTENSION_NOT_PRESENT;
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
    if (!display_enabled(device, name)) return VK_SUCCESS;
    PFN_vkGetDisplayPlaneCapabilitiesKHR ask = driver_fn(device->driver, vkGetDisplayPlaneCapabilitiesKHR);
    if (ask) return ask(driver_physdev(device), mode, planeIndex, pCapabilities);
    log_no_export(device, LOG_WARN, name);
    if (pCapabilities) memset(pCapabilities, 0, sizeof *pCapabilities);
    return VK_SUCCESS;
}

/* ---- VK_KHR_get_display_properties2, also where it is not enabled (EXT-074) ---------------------------------------
 */

static void log_emulated(const struct physdev *device, const char *name)
{
    log_line(device->instance, LOG_INFO, "%s: Emulating call in ICD \"%s\"", name, lib_path(device));
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceDisplayProperties2KHR(VkPhysicalDevice handle,
                                                                             uint32_t *pPropertyCount,
                                                                             VkDisplayProperties2KHR *pProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceDisplayProperties2KHR ask =
        driver_fn(device->driver, vkGetPhysicalDeviceDisplayProperties2KHR);
    if (ask) return ask(driver_physdev(device), pPropertyCount, pProperties);
    log_emulated(device, "vkGetPhysicalDeviceDisplayProperties2KHR");
    PFN_vkGetPhysicalDeviceDisplayPropertiesKHR old =
        driver_fn(device->driver, vkGetPhysicalDeviceDisplayPropertiesKHR);
    if (!old) { /* EXT-069: without either command the list is empty */
        *pPropertyCount = 0;
        return VK_SUCCESS;
    }
    uint32_t given = *pPropertyCount;
    if (!pProperties || !given) /* EXT-070: the older command's count and result */
        return old(driver_physdev(device), pPropertyCount, NULL);
    VkDisplayPropertiesKHR *list = calloc(given, sizeof *list);
    if (!list) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = old(driver_physdev(device), pPropertyCount, list);
    for (uint32_t i = 0; result >= 0 && i < given && i < *pPropertyCount; i++)
        pProperties[i].displayProperties = list[i];
    free(list);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceDisplayPlaneProperties2KHR(
    VkPhysicalDevice handle, uint32_t *pPropertyCount, VkDisplayPlaneProperties2KHR *pProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceDisplayPlaneProperties2KHR ask =
        driver_fn(device->driver, vkGetPhysicalDeviceDisplayPlaneProperties2KHR);
    if (ask) return ask(driver_physdev(device), pPropertyCount, pProperties);
    log_emulated(device, "vkGetPhysicalDeviceDisplayPlaneProperties2KHR");
    PFN_vkGetPhysicalDeviceDisplayPlanePropertiesKHR old =
        driver_fn(device->driver, vkGetPhysicalDeviceDisplayPlanePropertiesKHR);
    if (!old) {
        *pPropertyCount = 0;
        return VK_SUCCESS;
    }
    uint32_t given = *pPropertyCount;
    if (!pProperties || !given) return old(driver_physdev(device), pPropertyCount, NULL);
    VkDisplayPlanePropertiesKHR *list = calloc(given, sizeof *list);
    if (!list) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = old(driver_physdev(device), pPropertyCount, list);
    for (uint32_t i = 0; result >= 0 && i < given && i < *pPropertyCount; i++)
        pProperties[i].displayPlaneProperties = list[i];
    free(list);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetDisplayModeProperties2KHR(VkPhysicalDevice handle, VkDisplayKHR display,
                                                                   uint32_t *pPropertyCount,
                                                                   VkDisplayModeProperties2KHR *pProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetDisplayModeProperties2KHR ask = driver_fn(device->driver, vkGetDisplayModeProperties2KHR);
    if (ask) return ask(driver_physdev(device), display, pPropertyCount, pProperties);
    log_emulated(device, "vkGetDisplayModeProperties2KHR");
    PFN_vkGetDisplayModePropertiesKHR old = driver_fn(device->driver, vkGetDisplayModePropertiesKHR);
    if (!old) {
        *pPropertyCount = 0;
        return VK_SUCCESS;
    }
    uint32_t given = *pPropertyCount;
    if (!pProperties || !given) return old(driver_physdev(device), display, pPropertyCount, NULL);
    VkDisplayModePropertiesKHR *list = calloc(given, sizeof *list);
    if (!list) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = old(driver_physdev(device), display, pPropertyCount, list);
    for (uint32_t i = 0; result >= 0 && i < given && i < *pPropertyCount; i++)
        pProperties[i].displayModeProperties = list[i];
    free(list);
    return result;
}

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

VKAPI_ATTR VkResult VKAPI_CALL term_vkAcquireDrmDisplayEXT(VkPhysicalDevice handle, int32_t drmFd, VkDisplayKHR display)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkAcquireDrmDisplayEXT acquire = driver_fn(device->driver, vkAcquireDrmDisplayEXT);
    if (acquire) return acquire(driver_physdev(device), drmFd, display);
    log_line(device->instance, LOG_ERROR, "ICD associated with VkPhysicalDevice does not support AcquireDrmDisplayEXT");
    return VK_ERROR_EXTENSION_NOT_PRESENT;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetDrmDisplayEXT(VkPhysicalDevice handle, int32_t drmFd, uint32_t connectorId,
                                                       VkDisplayKHR *display)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetDrmDisplayEXT get = driver_fn(device->driver, vkGetDrmDisplayEXT);
    if (get) return get(driver_physdev(device), drmFd, connectorId, display);
    log_line(device->instance, LOG_ERROR, "ICD associated with VkPhysicalDevice does not support GetDrmDisplayEXT");
    return VK_ERROR_EXTENSION_NOT_PRESENT;
}

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
