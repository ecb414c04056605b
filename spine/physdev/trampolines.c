/* trampolines.c: the trampolines that enumerate physical devices and groups. They filter the chain's result, replace
 * its handles by those of programs, and remove drivers without devices. They never sort, and never hold the lock while
 * calling out. */
#include <stdlib.h>
#include <string.h>

#include "gen/zends.h"
#include "physdev/list.h"

/* Returns the instance of a program's handle. A bad handle ends the process (HND-018). */
static inline struct instance *physdev_instance(VkInstance handle, uint32_t command)
{
    struct instance *instance = instance_of(handle);
    if (!instance || instance->magic != INSTANCE_MAGIC) bad_handle(command);
    return instance;
}

/* The room of the first call with a filter. A filter needs the whole list in each call of the program. So the chain is
 * called with a guessed room, which grows until the list fits; a separate call for the count would ask every driver
 * twice. */
#define ROOM_FIRST 32u
#define ROOM_MAX (ROOM_FIRST << 10)

/* ---- devices ----------------------------------------------------------------------------------------------------- */

/* Replaces the chain's handles by those of programs; without memory, by VK_NULL_HANDLE. */
static VkResult wrap_devices(struct instance *instance, VkPhysicalDevice *device, uint32_t count)
{
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    struct found_device *found = calloc(count ? count : 1, sizeof *found);
    if (found) {
        for (uint32_t i = 0; i < count; i++) found[i].handle = device[i];
        result = physdev_records_tramp(instance, found, count);
    }
    for (uint32_t i = 0; i < count; i++)
        device[i] = result == VK_SUCCESS ? (VkPhysicalDevice)found[i].record : VK_NULL_HANDLE;
    free(found);
    return result;
}

/* PHY-048: after a complete enumeration, removes the drivers that never reported a device. A driver that a thread is
 * calling, perhaps this thread, stays until the next enumeration. */
static void remove_useless_drivers(struct instance *instance)
{
    struct driver *useless;
    while ((useless = driver_unlink_useless(instance))) {
        if (log_heard(instance))
            log_line(instance, LOG_INFO | LOG_DRIVER, "Removing driver %s due to not having any physical devices",
                     driver_path(useless->lib));
        driver_end(useless);
    }
}

static VkResult filtered_devices(struct instance *instance, const struct id_filters *filters, uint32_t *count,
                                 VkPhysicalDevice *devices)
{
    PFN_vkEnumeratePhysicalDevices next = instance->table->slot[ISLOT_vkEnumeratePhysicalDevices];
    VkPhysicalDevice *all = NULL;
    uint32_t total = 0;
    VkResult result = VK_INCOMPLETE;
    for (uint32_t room = ROOM_FIRST; result == VK_INCOMPLETE && room <= ROOM_MAX; room *= 4) {
        free(all);
        all = calloc(room, sizeof *all);
        if (!all) return VK_ERROR_OUT_OF_HOST_MEMORY;
        total = room;
        result = next(instance->lower, &total, all);
        total = total < room ? total : room;
    }
    if (is_list_result(result)) {
        uint32_t passed = 0;
        for (uint32_t i = 0; i < total; i++)
            if (all[i] && filters_pass(instance, filters, all[i])) /* a layer may leave entries of the list unset */
                all[passed++] = all[i];
        if (devices) {
            if (*count < passed) {
                passed = *count;
                result = VK_INCOMPLETE;
            }
            VkResult wrapped = wrap_devices(instance, all, passed);
            if (wrapped != VK_SUCCESS)
                result = wrapped;
            else if (passed)
                memcpy(devices, all, passed * sizeof *devices);
        }
        if (is_list_result(result)) *count = passed;
    }
    free(all);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL tramp_vkEnumeratePhysicalDevices(VkInstance handle, uint32_t *pPhysicalDeviceCount,
                                                                VkPhysicalDevice *pPhysicalDevices)
{
    struct instance *instance = physdev_instance(handle, CMD_vkEnumeratePhysicalDevices);
    if (!pPhysicalDeviceCount) { /* PHY-006: a NULL count is an error */
        log_line(
            instance, LOG_FATAL | LOG_ERROR | LOG_VALIDATION,
            "vkEnumeratePhysicalDevices: Received NULL pointer for physical device count return value. [VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]");
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    struct id_filters filters;
    VkResult result = filters_read(&filters);
    if (result == VK_SUCCESS && filters_any(&filters)) {
        result = filtered_devices(instance, &filters, pPhysicalDeviceCount, pPhysicalDevices);
    } else if (result == VK_SUCCESS) {
        PFN_vkEnumeratePhysicalDevices next = instance->table->slot[ISLOT_vkEnumeratePhysicalDevices];
        uint32_t room = *pPhysicalDeviceCount;
        result = next(instance->lower, pPhysicalDeviceCount, pPhysicalDevices);
        if (is_list_result(result) && pPhysicalDevices) {
            if (*pPhysicalDeviceCount > room) *pPhysicalDeviceCount = room;
            VkResult wrapped = wrap_devices(instance, pPhysicalDevices, *pPhysicalDeviceCount);
            if (wrapped != VK_SUCCESS) result = wrapped;
        }
    }
    filters_free(&filters);
    if (is_list_result(result) && pPhysicalDevices) remove_useless_drivers(instance);
    return result;
}
EXPORT_COMMAND(vkEnumeratePhysicalDevices);

/* ---- groups ------------------------------------------------------------------------------------------------------ */

/* Replaces the chain's handles by those of programs; without memory, the groups have no members. */
static VkResult wrap_groups(struct instance *instance, VkPhysicalDeviceGroupProperties *group, uint32_t count)
{
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    size_t members = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (group[i].physicalDeviceCount > VK_MAX_DEVICE_GROUP_SIZE)
            group[i].physicalDeviceCount = VK_MAX_DEVICE_GROUP_SIZE;
        members += group[i].physicalDeviceCount;
    }
    struct found_device *found = calloc(members ? members : 1, sizeof *found), *end = found;
    if (found) {
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t j = 0; j < group[i].physicalDeviceCount; j++) (end++)->handle = group[i].physicalDevices[j];
        result = physdev_records_tramp(instance, found, (uint32_t)members);
    }
    const struct found_device *next = found;
    for (uint32_t i = 0; i < count; i++) {
        if (result != VK_SUCCESS) group[i].physicalDeviceCount = 0;
        for (uint32_t j = 0; j < group[i].physicalDeviceCount; j++)
            group[i].physicalDevices[j] = (VkPhysicalDevice)(next++)->record;
    }
    free(found);
    return result;
}

static bool group_passes(const struct instance *instance, const struct id_filters *filters,
                         const VkPhysicalDeviceGroupProperties *group)
{
    for (uint32_t i = 0; i < group->physicalDeviceCount && i < VK_MAX_DEVICE_GROUP_SIZE; i++)
        if (!filters_pass(instance, filters, group->physicalDevices[i])) return false;
    return true;
}

/* Returns the chain's function. Programs have one function under two names (PHY-060), layers may have two. The table's
 * slot of the core command has the preferred one (EXT-014); if it is empty, a layer has only the alias. */
static PFN_vkEnumeratePhysicalDeviceGroups next_groups(const struct instance *instance)
{
    void *core = instance->table->slot[ISLOT_vkEnumeratePhysicalDeviceGroups];
    void *alias = instance->table->slot[ISLOT_vkEnumeratePhysicalDeviceGroupsKHR];
    return is_missing(core) ? alias : core;
}

static VkResult filtered_groups(struct instance *instance, const struct id_filters *filters, uint32_t *count,
                                VkPhysicalDeviceGroupProperties *properties)
{
    PFN_vkEnumeratePhysicalDeviceGroups next = next_groups(instance);
    VkPhysicalDeviceGroupProperties *all = NULL;
    uint32_t total = 0, given = properties ? *count : 0;
    VkResult result = VK_INCOMPLETE;
    for (uint32_t room = ROOM_FIRST; result == VK_INCOMPLETE && room <= ROOM_MAX; room *= 4) {
        free(all);
        all = calloc(room, sizeof *all);
        if (!all) return VK_ERROR_OUT_OF_HOST_MEMORY;
        for (uint32_t i = 0; i < room; i++) {
            all[i].sType = i < given ? properties[i].sType : VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
            all[i].pNext = i < given ? properties[i].pNext : NULL;
        }
        total = room;
        result = next(instance->lower, &total, all);
        total = total < room ? total : room;
    }
    if (is_list_result(result)) {
        uint32_t passed = 0;
        for (uint32_t i = 0; i < total; i++)
            if (group_passes(instance, filters, &all[i])) all[passed++] = all[i]; /* includes pNext (PHY-072) */
        if (properties) {
            if (given < passed) {
                passed = given;
                result = VK_INCOMPLETE;
            }
            VkResult wrapped = wrap_groups(instance, all, passed);
            if (wrapped != VK_SUCCESS) result = wrapped;
            for (uint32_t i = 0; i < passed && is_list_result(result); i++) {
                all[i].sType = properties[i].sType;
                properties[i] = all[i];
            }
        }
        if (is_list_result(result)) *count = passed;
    }
    free(all);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL
tramp_vkEnumeratePhysicalDeviceGroups(VkInstance handle, uint32_t *pPhysicalDeviceGroupCount,
                                      VkPhysicalDeviceGroupProperties *pPhysicalDeviceGroupProperties)
{
    struct instance *instance = physdev_instance(handle, CMD_vkEnumeratePhysicalDeviceGroups);
    if (!pPhysicalDeviceGroupCount) { /* PHY-068: a NULL count is an error */
        log_line(
            instance, LOG_ERROR,
            "vkEnumeratePhysicalDeviceGroups: Received NULL pointer for physical device group count return value.");
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    struct id_filters filters;
    VkResult result = filters_read(&filters);
    bool any = filters_any(&filters);
    if (result == VK_SUCCESS && any)
        result = filtered_groups(instance, &filters, pPhysicalDeviceGroupCount, pPhysicalDeviceGroupProperties);
    filters_free(&filters);
    if (result != VK_SUCCESS || any) return result;
    uint32_t room = *pPhysicalDeviceGroupCount;
    result = next_groups(instance)(instance->lower, pPhysicalDeviceGroupCount, pPhysicalDeviceGroupProperties);
    if (!is_list_result(result) || !pPhysicalDeviceGroupProperties) return result;
    if (*pPhysicalDeviceGroupCount > room) *pPhysicalDeviceGroupCount = room;
    VkResult wrapped = wrap_groups(instance, pPhysicalDeviceGroupProperties, *pPhysicalDeviceGroupCount);
    return wrapped != VK_SUCCESS ? wrapped : result;
}
EXPORT_COMMAND(vkEnumeratePhysicalDeviceGroups);

/* ---- layers of a device ------------------------------------------------------------------------------------------ */

/* DEV-011 to DEV-013, LAY-252 to LAY-256: the loader answers, with the same list for every device of an instance. */
VKAPI_ATTR VkResult VKAPI_CALL tramp_vkEnumerateDeviceLayerProperties(VkPhysicalDevice handle, uint32_t *pPropertyCount,
                                                                      VkLayerProperties *pProperties)
{
    const struct physdev *device = (const struct physdev *)handle;
    if (!device || device->magic != PHYSDEV_TRAMP_MAGIC) bad_handle(CMD_vkEnumerateDeviceLayerProperties);
    const struct layer_list *layers = device->instance->layers;
    uint32_t total = layers ? layers->active_count : 0;
    if (!pPropertyCount) return VK_INCOMPLETE;
    if (!pProperties) {
        *pPropertyCount = total;
        return VK_SUCCESS;
    }
    uint32_t count = *pPropertyCount < total ? *pPropertyCount : total;
    for (uint32_t i = 0; i < count; i++) {
        const struct layer *layer = layers->active[i].layer;
        VkLayerProperties *out = &pProperties[i];
        memset(out, 0, sizeof *out);
        strncpy(out->layerName, layer->name ? layer->name : "", sizeof out->layerName - 1);
        out->specVersion = layer->spec_version;
        out->implementationVersion = layer->impl_version;
        strncpy(out->description, layer->description ? layer->description : "", sizeof out->description - 1);
    }
    *pPropertyCount = count;
    return count < total ? VK_INCOMPLETE : VK_SUCCESS;
}
EXPORT_COMMAND(vkEnumerateDeviceLayerProperties);
