/* query.c: terminators of physical-device queries that have two names or may be missing: the "2" queries and the
 * external-object queries, with their emulation, tool properties, and external image formats. Each calls the driver
 * that owns the device, and remembers nothing (THR-010). */
#include <stdlib.h>
#include <string.h>

#include "gen/zends.h"
#include "physdev/physdev.h"

/* ---- which function, and the messages -------------------------------------------------------------------------- */

/* EXT-007: returns the driver's core function, the extension's function, or NULL, which means emulation. */
static void *pick(const struct physdev *device, unsigned core, unsigned khr, unsigned ext)
{
    const struct instance *instance = device->instance;
    if (version_reaches(instance->api_version, 1)) {
        void *function = driver_fn_raw(device->driver, core);
        if (function) return function;
    }
    return instance_has(instance, ext) ? driver_fn_raw(device->driver, khr) : NULL;
}
#define PICK_2(device, command)                                                                                        \
    ((PFN_##command)pick((device), ISLOT_##command, ISLOT_##command##KHR, EXT_VK_KHR_get_physical_device_properties2))
#define PICK_EXTERNAL(device, command, what)                                                                           \
    ((PFN_##command)pick((device), ISLOT_##command, ISLOT_##command##KHR, EXT_VK_KHR_external_##what##_capabilities))

PFN_vkGetPhysicalDeviceProperties2 properties2_of(const struct instance *instance, const struct driver *driver,
                                                  uint32_t device_version)
{
    PFN_vkGetPhysicalDeviceProperties2 ask = NULL;
    if (version_reaches(instance->api_version, 1) && version_reaches(device_version, 1))
        ask = driver_fn(driver, vkGetPhysicalDeviceProperties2);
    return ask ? ask : driver_fn(driver, vkGetPhysicalDeviceProperties2KHR);
}

static void log_emulated(const struct physdev *device, const char *name, const char *old)
{
    log_line(device->instance, LOG_INFO, "%s: Emulating call in ICD \"%s\"%s%s", name, driver_path(device->driver->lib),
             old ? " using " : "", old ? old : "");
}

static void log_ignored(const struct physdev *device, const char *name, const char *where)
{
    log_line(device->instance, LOG_WARN,
             "%s: Emulation found unrecognized structure type in %s - this struct will be ignored", name, where);
}

static void log_ignored_element(const struct physdev *device, const char *name, const char *array, uint32_t i)
{
    log_line(device->instance, LOG_WARN,
             "%s: Emulation found unrecognized structure type in %s[%u].pNext - this struct will be ignored", name,
             array, i);
}

/* ---- group A: VK_KHR_get_physical_device_properties2 ----------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL term_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice handle,
                                                             VkPhysicalDeviceFeatures2 *pFeatures)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceFeatures2 ask = PICK_2(device, vkGetPhysicalDeviceFeatures2);
    if (ask) {
        ask(driver_physdev(device), pFeatures);
        return;
    }
    log_emulated(device, "vkGetPhysicalDeviceFeatures2", "vkGetPhysicalDeviceFeatures");
    driver_fn(device->driver, vkGetPhysicalDeviceFeatures)(driver_physdev(device), &pFeatures->features);
    for (VkBaseOutStructure *next = pFeatures->pNext; next; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MULTIVIEW_FEATURES) {
            VkPhysicalDeviceMultiviewFeatures *multiview = (VkPhysicalDeviceMultiviewFeatures *)next;
            multiview->multiview = VK_FALSE;
            multiview->multiviewGeometryShader = VK_FALSE;
            multiview->multiviewTessellationShader = VK_FALSE;
        } else {
            log_ignored(device, "vkGetPhysicalDeviceFeatures2", "pFeatures->pNext");
        }
    }
}

VKAPI_ATTR void VKAPI_CALL term_vkGetPhysicalDeviceProperties2(VkPhysicalDevice handle,
                                                               VkPhysicalDeviceProperties2 *pProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceProperties2 ask = PICK_2(device, vkGetPhysicalDeviceProperties2);
    if (ask) {
        ask(driver_physdev(device), pProperties);
        return;
    }
    log_emulated(device, "vkGetPhysicalDeviceProperties2", "vkGetPhysicalDeviceProperties");
    driver_fn(device->driver, vkGetPhysicalDeviceProperties)(driver_physdev(device), &pProperties->properties);
    for (VkBaseOutStructure *next = pProperties->pNext; next; next = next->pNext) {
        if (next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES) {
            if (!instance_has(device->instance, EXT_VK_KHR_external_memory_capabilities))
                continue; /* EXT-023: ignored without a message */
            log_line(
                device->instance, LOG_WARN,
                "vkGetPhysicalDeviceProperties2: Emulation cannot generate unique IDs for struct VkPhysicalDeviceIDProperties - setting IDs to zero instead");
            VkPhysicalDeviceIDProperties *id = (VkPhysicalDeviceIDProperties *)next;
            memset(id->deviceUUID, 0, sizeof id->deviceUUID);
            memset(id->driverUUID, 0, sizeof id->driverUUID);
            id->deviceLUIDValid = VK_FALSE;
        } else {
            /* EXT-024: the message has the name with KHR */
            log_ignored(device, "vkGetPhysicalDeviceProperties2KHR", "pProperties->pNext");
        }
    }
}

/* Defines the terminator of a query that fills one structure: the command without its 2, the member that the older
 * command fills, the parameters, whose last is named out, its name in the registry, and the other arguments. */
#define QUERY_2(command, member, parameters, out_name, ...)                                                            \
    VKAPI_ATTR void VKAPI_CALL term_##command##2 parameters                                                            \
    {                                                                                                                  \
        struct physdev *device = term_physdev(handle);                                                                 \
        PFN_##command##2 ask = PICK_2(device, command##2);                                                             \
        if (ask) {                                                                                                     \
            ask(__VA_ARGS__, out);                                                                                     \
            return;                                                                                                    \
        }                                                                                                              \
        log_emulated(device, #command "2", #command);                                                                  \
        driver_fn(device->driver, command)(__VA_ARGS__, &out->member);                                                 \
        if (out->pNext) log_ignored(device, #command "2", out_name "->pNext");                                         \
    }
QUERY_2(vkGetPhysicalDeviceFormatProperties, formatProperties,
        (VkPhysicalDevice handle, VkFormat format, VkFormatProperties2 *out), "pFormatProperties",
        driver_physdev(device), format)
QUERY_2(vkGetPhysicalDeviceMemoryProperties, memoryProperties,
        (VkPhysicalDevice handle, VkPhysicalDeviceMemoryProperties2 *out), "pMemoryProperties", driver_physdev(device))

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceImageFormatInfo2 *pImageFormatInfo,
    VkImageFormatProperties2 *pImageFormatProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceImageFormatProperties2 ask = PICK_2(device, vkGetPhysicalDeviceImageFormatProperties2);
    if (ask) return ask(driver_physdev(device), pImageFormatInfo, pImageFormatProperties);
    log_emulated(device, "vkGetPhysicalDeviceImageFormatProperties2", "vkGetPhysicalDeviceImageFormatProperties");
    if (pImageFormatInfo->pNext || pImageFormatProperties->pNext) return VK_ERROR_FORMAT_NOT_SUPPORTED;
    return driver_fn(device->driver, vkGetPhysicalDeviceImageFormatProperties)(
        driver_physdev(device), pImageFormatInfo->format, pImageFormatInfo->type, pImageFormatInfo->tiling,
        pImageFormatInfo->usage, pImageFormatInfo->flags, &pImageFormatProperties->imageFormatProperties);
}

VKAPI_ATTR void VKAPI_CALL term_vkGetPhysicalDeviceQueueFamilyProperties2(
    VkPhysicalDevice handle, uint32_t *pQueueFamilyPropertyCount, VkQueueFamilyProperties2 *pQueueFamilyProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceQueueFamilyProperties2 ask = PICK_2(device, vkGetPhysicalDeviceQueueFamilyProperties2);
    if (ask) {
        ask(driver_physdev(device), pQueueFamilyPropertyCount, pQueueFamilyProperties);
        return;
    }
    log_emulated(device, "vkGetPhysicalDeviceQueueFamilyProperties2", "vkGetPhysicalDeviceQueueFamilyProperties");
    PFN_vkGetPhysicalDeviceQueueFamilyProperties old =
        driver_fn(device->driver, vkGetPhysicalDeviceQueueFamilyProperties);
    uint32_t given = *pQueueFamilyPropertyCount;
    if (!pQueueFamilyProperties || !given) {
        old(driver_physdev(device), pQueueFamilyPropertyCount, NULL);
        return;
    }
    VkQueueFamilyProperties *family = calloc(given, sizeof *family);
    if (!family) {
        *pQueueFamilyPropertyCount = 0;
        return;
    }
    old(driver_physdev(device), pQueueFamilyPropertyCount, family);
    for (uint32_t i = 0; i < given && i < *pQueueFamilyPropertyCount; i++) {
        /* EXT-030: never past the caller's array */
        pQueueFamilyProperties[i].queueFamilyProperties = family[i];
        if (pQueueFamilyProperties[i].pNext)
            log_ignored_element(device, "vkGetPhysicalDeviceQueueFamilyProperties2", "pQueueFamilyProperties", i);
    }
    free(family);
}

VKAPI_ATTR void VKAPI_CALL term_vkGetPhysicalDeviceSparseImageFormatProperties2(
    VkPhysicalDevice handle, const VkPhysicalDeviceSparseImageFormatInfo2 *pFormatInfo, uint32_t *pPropertyCount,
    VkSparseImageFormatProperties2 *pProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceSparseImageFormatProperties2 ask =
        PICK_2(device, vkGetPhysicalDeviceSparseImageFormatProperties2);
    if (ask) {
        ask(driver_physdev(device), pFormatInfo, pPropertyCount, pProperties);
        return;
    }
    static const char name[] = "vkGetPhysicalDeviceSparseImageFormatProperties2";
    log_emulated(device, name, "vkGetPhysicalDeviceSparseImageFormatProperties");
    if (pFormatInfo->pNext) log_ignored(device, name, "pFormatInfo->pNext");
    PFN_vkGetPhysicalDeviceSparseImageFormatProperties old =
        driver_fn(device->driver, vkGetPhysicalDeviceSparseImageFormatProperties);
    uint32_t given = *pPropertyCount;
    VkSparseImageFormatProperties *format = NULL;
    if (pProperties && given) {
        format = calloc(given, sizeof *format);
        if (!format) {
            *pPropertyCount = 0;
            return;
        }
    }
    old(driver_physdev(device), pFormatInfo->format, pFormatInfo->type, pFormatInfo->samples, pFormatInfo->usage,
        pFormatInfo->tiling, pPropertyCount, format);
    for (uint32_t i = 0; format && i < given && i < *pPropertyCount; i++) {
        pProperties[i].properties = format[i];
        if (pProperties[i].pNext) log_ignored_element(device, name, "pProperties", i);
    }
    free(format);
}

/* ---- group B: external objects --------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL term_vkGetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice handle, const VkPhysicalDeviceExternalBufferInfo *pExternalBufferInfo,
    VkExternalBufferProperties *pExternalBufferProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceExternalBufferProperties ask =
        PICK_EXTERNAL(device, vkGetPhysicalDeviceExternalBufferProperties, memory);
    if (ask) {
        ask(driver_physdev(device), pExternalBufferInfo, pExternalBufferProperties);
        return;
    }
    static const char name[] = "vkGetPhysicalDeviceExternalBufferProperties";
    log_emulated(device, name, NULL);
    if (pExternalBufferInfo->pNext) log_ignored(device, name, "pExternalBufferInfo->pNext");
    memset(&pExternalBufferProperties->externalMemoryProperties, 0,
           sizeof pExternalBufferProperties->externalMemoryProperties);
    if (pExternalBufferProperties->pNext) log_ignored(device, name, "pExternalBufferProperties->pNext");
}

/* Defines the terminator of a query about semaphores or fences. If the driver lacks the query, they can be neither
 * exported nor imported. */
#define EXTERNAL_SYNC(Kind, kind)                                                                                      \
    VKAPI_ATTR void VKAPI_CALL term_vkGetPhysicalDeviceExternal##Kind##Properties(                                     \
        VkPhysicalDevice handle, const VkPhysicalDeviceExternal##Kind##Info *info,                                     \
        VkExternal##Kind##Properties *properties)                                                                      \
    {                                                                                                                  \
        static const char name[] = "vkGetPhysicalDeviceExternal" #Kind "Properties";                                   \
        struct physdev *device = term_physdev(handle);                                                                 \
        PFN_vkGetPhysicalDeviceExternal##Kind##Properties ask =                                                        \
            PICK_EXTERNAL(device, vkGetPhysicalDeviceExternal##Kind##Properties, kind);                                \
        if (ask) {                                                                                                     \
            ask(driver_physdev(device), info, properties);                                                             \
            return;                                                                                                    \
        }                                                                                                              \
        log_emulated(device, name, NULL);                                                                              \
        if (info->pNext) log_ignored(device, name, "pExternal" #Kind "Info->pNext");                                   \
        properties->exportFromImportedHandleTypes = 0;                                                                 \
        properties->compatibleHandleTypes = 0;                                                                         \
        properties->external##Kind##Features = 0;                                                                      \
        if (properties->pNext) log_ignored(device, name, "pExternal" #Kind "Properties->pNext");                       \
    }
EXTERNAL_SYNC(Semaphore, semaphore)
EXTERNAL_SYNC(Fence, fence)

/* EXT-056, EXT-057: if the driver lacks the command, an external handle type is an error; without a handle type, the
 * core command answers, and the external members are 0. */
VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceExternalImageFormatPropertiesNV(
    VkPhysicalDevice handle, VkFormat format, VkImageType type, VkImageTiling tiling, VkImageUsageFlags usage,
    VkImageCreateFlags flags, VkExternalMemoryHandleTypeFlagsNV externalHandleType,
    VkExternalImageFormatPropertiesNV *pExternalImageFormatProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceExternalImageFormatPropertiesNV ask =
        driver_fn(device->driver, vkGetPhysicalDeviceExternalImageFormatPropertiesNV);
    if (ask)
        return ask(driver_physdev(device), format, type, tiling, usage, flags, externalHandleType,
                   pExternalImageFormatProperties);
    if (externalHandleType) return VK_ERROR_FORMAT_NOT_SUPPORTED;
    pExternalImageFormatProperties->externalMemoryFeatures = 0;
    pExternalImageFormatProperties->exportFromImportedHandleTypes = 0;
    pExternalImageFormatProperties->compatibleHandleTypes = 0;
    return driver_fn(device->driver, vkGetPhysicalDeviceImageFormatProperties)(
        driver_physdev(device), format, type, tiling, usage, flags,
        &pExternalImageFormatProperties->imageFormatProperties);
}

/* ---- tools ----------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceToolProperties(VkPhysicalDevice handle, uint32_t *pToolCount,
                                                                      VkPhysicalDeviceToolProperties *pToolProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceToolProperties ask = driver_fn(device->driver, vkGetPhysicalDeviceToolProperties);
    if (!ask) {
        log_line(
            device->instance, LOG_ERROR,
            "terminator_GetPhysicalDeviceToolProperties: The ICD's vkGetPhysicalDeviceToolProperties was NULL yet the physical device supports Vulkan API Version 1.3.");
    } else {
        VkPhysicalDeviceProperties properties = {0};
        driver_fn(device->driver, vkGetPhysicalDeviceProperties)(driver_physdev(device), &properties);
        if (version_reaches(properties.apiVersion, 3)) /* EXT-043: below 1.3 the driver is not asked */
            return ask(driver_physdev(device), pToolCount, pToolProperties);
    }
    *pToolCount = 0;
    return VK_SUCCESS;
}

/* EXT-045: only this query lists the device's extensions with the program's allocator. */
VKAPI_ATTR VkResult VKAPI_CALL term_vkGetPhysicalDeviceToolPropertiesEXT(
    VkPhysicalDevice handle, uint32_t *pToolCount, VkPhysicalDeviceToolProperties *pToolProperties)
{
    struct physdev *device = term_physdev(handle);
    PFN_vkGetPhysicalDeviceToolPropertiesEXT ask = driver_fn(device->driver, vkGetPhysicalDeviceToolPropertiesEXT);
    PFN_vkEnumerateDeviceExtensionProperties list = driver_fn(device->driver, vkEnumerateDeviceExtensionProperties);
    const VkAllocationCallbacks *allocator = instance_allocator(device->instance);
    VkExtensionProperties *ext = NULL;
    uint32_t count = 0;
    VkResult result = VK_SUCCESS;
    if (ask && list) result = device_extensions(device->driver, list, driver_physdev(device), allocator, &count, &ext);
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY) return result;
    bool listed = ext && extension_listed(ext, count, "VK_EXT_tooling_info");
    mem_free(allocator, ext);
    if (listed) return ask(driver_physdev(device), pToolCount, pToolProperties);
    *pToolCount = 0;
    return VK_SUCCESS;
}
