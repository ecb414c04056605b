/* group.c: the terminator of vkEnumeratePhysicalDeviceGroups: lists the groups of all drivers. Their members are the
 * same handles as those of vkEnumeratePhysicalDevices. It never holds the lock while calling out, and removes no driver
 * (PHY-053). */
#include <stdlib.h>

#include "gen/zends.h"
#include "physdev/list.h"

/* The groups of one driver in the list. */
struct part {
    uint32_t end; /* index behind the last group */
    bool made;    /* the loader replaced the driver's groups by a group for each device */
};

struct groups {
    VkPhysicalDeviceGroupProperties *group; /* members are the terminators' handles */
    uint32_t count;
    struct part *part; /* for each driver of the scan */
    /* The caller's elements, whose pNext chains drivers may fill (PHY-071). */
    const VkPhysicalDeviceGroupProperties *given;
    uint32_t given_count;
};

/* Appends an empty group with sType and pNext of the caller's element. There must be room for it. */
static VkPhysicalDeviceGroupProperties *groups_next(struct groups *groups)
{
    VkPhysicalDeviceGroupProperties *group = &groups->group[groups->count];
    *group = (VkPhysicalDeviceGroupProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
    if (groups->count < groups->given_count) {
        group->sType = groups->given[groups->count].sType;
        group->pNext = groups->given[groups->count].pNext;
    }
    groups->count++;
    return group;
}

static void log_failed_count(struct instance *instance, const struct driver *driver, const char *command,
                             const char *what)
{
    log_line(instance, LOG_ERROR,
             "terminator_EnumeratePhysicalDeviceGroups:  Failed during dispatch call of '%s' to ICD %s to get %s.",
             command, driver_path(driver->lib), what);
}

/* Adds a group for each device of the scan from index first on. Returns VK_SUCCESS or out of memory. */
static VkResult groups_of_devices(const struct scan *scan, uint32_t first, struct groups *groups)
{
    if (!array_more(&groups->group, groups->count, scan->count - first, sizeof *groups->group))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = first; i < scan->count; i++) {
        VkPhysicalDeviceGroupProperties *group = groups_next(groups);
        group->physicalDeviceCount = 1;
        group->physicalDevices[0] = scan->found[i].handle;
    }
    return VK_SUCCESS;
}

/* PHY-062: adds a group for each device of a driver without the command. */
static VkResult single_groups(struct instance *instance, struct scan *scan, struct driver *driver,
                              struct groups *groups)
{
    uint32_t first = scan->count;
    bool reading;
    VkResult result = scan_devices(scan, driver, &reading);
    if (result != VK_SUCCESS) {
        if (!reading) {
            log_failed_count(instance, driver, "EnumeratePhysicalDevices", "plain phys dev count");
            return VK_SUCCESS;
        }
        return result;
    }
    return groups_of_devices(scan, first, groups);
}

/* Asks a driver once for its groups and adds them. The members are the driver's handles, which wrap_members replaces
 * later. Returns VK_INCOMPLETE if there are more groups. */
static VkResult ask_groups(struct instance *instance, struct scan *scan, struct driver *driver,
                           PFN_vkEnumeratePhysicalDeviceGroups enumerate, struct groups *groups)
{
    uint32_t count = 0;
    VkResult result = enumerate(driver->handle, &count, NULL);
    if (!is_list_result(result)) { /* PHY-079: a driver whose groups cannot be counted is left out */
        log_failed_count(instance, driver, "EnumeratePhysicalDeviceGroups", "count");
        return VK_SUCCESS;
    }
    if (count > DEVICES_MAX) {
        log_line(instance, LOG_ERROR | LOG_DRIVER, GROUPS_UNTRUE, "vkEnumeratePhysicalDeviceGroups",
                 driver_path(driver->lib), count);
        return VK_SUCCESS;
    }
    bool reading;
    result = scan_devices(scan, driver, &reading);
    if (result != VK_SUCCESS) {
        log_failed_driver(instance, driver, result);
        return result == VK_ERROR_OUT_OF_HOST_MEMORY || reading ? result : VK_SUCCESS;
    }
    if (!count) return VK_SUCCESS;
    if (!array_more(&groups->group, groups->count, count, sizeof *groups->group)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    uint32_t first = groups->count, written = count;
    for (uint32_t i = 0; i < count; i++) groups_next(groups);
    result = enumerate(driver->handle, &written, &groups->group[first]);
    if (!is_list_result(result)) {
        log_line(
            instance, LOG_ERROR,
            "terminator_EnumeratePhysicalDeviceGroups:  Failed during dispatch call of 'EnumeratePhysicalDeviceGroups' to ICD %s to get its groups: error code %d.",
            driver_path(driver->lib), result);
        return result;
    }
    if (written < count) /* PHY-077: never more than was counted */
        groups->count = first + written;
    return result;
}

/* Reports whether a group has 1 to VK_MAX_DEVICE_GROUP_SIZE members, each once and each a device of the scan from index
 * first on. */
static bool group_true(const struct scan *scan, uint32_t first, const VkPhysicalDeviceGroupProperties *group)
{
    if (!group->physicalDeviceCount || group->physicalDeviceCount > VK_MAX_DEVICE_GROUP_SIZE) return false;
    for (uint32_t i = 0; i < group->physicalDeviceCount; i++) {
        bool known = false;
        for (uint32_t k = first; k < scan->count && !known; k++)
            known = scan->found[k].handle == (void *)group->physicalDevices[i];
        for (uint32_t k = 0; k < i && known; k++) known = group->physicalDevices[k] != group->physicalDevices[i];
        if (!known) return false;
    }
    return true;
}

/* Adds the groups of a driver. *made is set if they are replaced by a group for each device, because a group of the
 * driver has impossible members (PHY-078). */
static VkResult driver_groups(struct instance *instance, struct scan *scan, struct driver *driver,
                              PFN_vkEnumeratePhysicalDeviceGroups enumerate, struct groups *groups, bool *made)
{
    uint32_t first = groups->count, first_device = scan->count;
    VkResult result = VK_INCOMPLETE;
    for (int retries = 0; result == VK_INCOMPLETE && retries <= LIST_RETRIES_MAX; retries++) {
        groups->count = first;
        scan->count = first_device;
        result = ask_groups(instance, scan, driver, enumerate, groups);
    }
    if (!is_list_result(result)) return result;
    for (uint32_t i = first; i < groups->count; i++) {
        if (group_true(scan, first_device, &groups->group[i])) continue;
        log_line(
            instance, LOG_ERROR | LOG_DRIVER,
            "terminator_EnumeratePhysicalDeviceGroups: Driver %s reports a device group that cannot be true (group %u, %u members). Each of its devices is a group.",
            driver_path(driver->lib), i - first, groups->group[i].physicalDeviceCount);
        groups->count = first;
        *made = true;
        return groups_of_devices(scan, first_device, groups);
    }
    return VK_SUCCESS;
}

/* Replaces the driver's handles in its groups, from index first to last, by those of the records. */
static void wrap_members(const struct scan *scan, const struct driver *driver, struct groups *groups, uint32_t first,
                         uint32_t last)
{
    for (uint32_t g = first; g < last; g++) {
        VkPhysicalDeviceGroupProperties *group = &groups->group[g];
        for (uint32_t i = 0; i < group->physicalDeviceCount; i++) {
            struct physdev *record = NULL;
            for (uint32_t k = 0; k < scan->count && !record; k++)
                if (scan->found[k].driver == driver && scan->found[k].handle == (void *)group->physicalDevices[i])
                    record = scan->found[k].record;
            group->physicalDevices[i] = (VkPhysicalDevice)record;
        }
    }
}

/* PHY-061, EXT-036: returns the driver's function of one name. The other name is never used instead. */
static PFN_vkEnumeratePhysicalDeviceGroups driver_function(const struct instance *instance, const struct driver *driver)
{
    return driver_fn_raw(driver, instance_has(instance, EXT_VK_KHR_device_group_creation)
                                     ? ISLOT_vkEnumeratePhysicalDeviceGroupsKHR
                                     : ISLOT_vkEnumeratePhysicalDeviceGroups);
}

/* Asks each driver for its groups. Each device of a driver without the command is a group of its own. */
static VkResult scan_all_groups(struct instance *instance, struct scan *scan, struct groups *groups)
{
    groups->part = calloc(scan->drivers.count ? scan->drivers.count : 1, sizeof *groups->part);
    if (!groups->part) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < scan->drivers.count && result == VK_SUCCESS; i++) {
        struct driver *driver = scan->drivers.driver[i];
        PFN_vkEnumeratePhysicalDeviceGroups enumerate = driver_function(instance, driver);
        result = enumerate ? driver_groups(instance, scan, driver, enumerate, groups, &groups->part[i].made)
                           : single_groups(instance, scan, driver, groups);
        groups->part[i].end = groups->count;
    }
    if (result == VK_SUCCESS) result = physdev_records_term(instance, scan->found, scan->count);
    for (uint32_t i = 0; i < scan->drivers.count && result == VK_SUCCESS; i++)
        wrap_members(scan, scan->drivers.driver[i], groups, i ? groups->part[i - 1].end : 0, groups->part[i].end);
    return result;
}

/* Sorts a result that is longer than the caller's array. The drivers have already filled pNext chains of groups that
 * are not returned. After sorting, each remaining group gets the chain of its element, and the drivers are asked again
 * to fill it. */
static VkResult sort_trimmed(struct instance *instance, struct scan *scan, struct groups *groups)
{
    /* the index before sorting */
    for (uint32_t i = 0; i < groups->count; i++) groups->group[i].pNext = (void *)(uintptr_t)i;
    VkResult result = sort_groups(instance, scan, groups->group, groups->count);
    void **chain = calloc(groups->count, sizeof *chain); /* by index before sorting */
    VkPhysicalDeviceGroupProperties *again = calloc(groups->count, sizeof *again);
    if (!chain || !again) result = VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < groups->given_count && result == VK_SUCCESS; i++) {
        chain[(uintptr_t)groups->group[i].pNext] = groups->given[i].pNext;
        groups->group[i].pNext = groups->given[i].pNext;
    }
    for (uint32_t d = 0; d < scan->drivers.count && result == VK_SUCCESS; d++) {
        const struct driver *driver = scan->drivers.driver[d];
        uint32_t first = d ? groups->part[d - 1].end : 0, count = groups->part[d].end - first;
        PFN_vkEnumeratePhysicalDeviceGroups enumerate = driver_function(instance, driver);
        bool any = false;
        for (uint32_t i = 0; i < count; i++) {
            again[i] = (VkPhysicalDeviceGroupProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES,
                                                         .pNext = chain[first + i]};
            any = any || chain[first + i];
        }
        if (!enumerate || !any || groups->part[d].made) continue;
        VkResult asked = enumerate(driver->handle, &count, again);
        if (!is_list_result(asked)) result = asked;
    }
    free(chain);
    free(again);
    return result;
}

/* Applies device configurations. Of devices with the same identity, the first in the order of
 * vkEnumeratePhysicalDevices is visible (SET-95), so the devices are put into that order first. */
static VkResult apply_configurations(struct instance *instance, struct scan *scan, struct groups *groups)
{
    VkResult sorted = sort_wanted(instance, scan) ? sort_devices(instance, scan) : VK_SUCCESS;
    if (sorted != VK_SUCCESS) return sorted;
    struct physdev **device = calloc(scan->count ? scan->count : 1, sizeof *device);
    if (!device) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < scan->count; i++) device[i] = scan->found[i].record;
    VkResult result = configurations_groups(instance, device, scan->count, groups->group, &groups->count);
    free(device);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkEnumeratePhysicalDeviceGroups(VkInstance handle, uint32_t *count,
                                                                    VkPhysicalDeviceGroupProperties *properties)
{
    struct instance *instance = instance_of(handle);
    struct groups groups = {.given = properties, .given_count = properties ? *count : 0};
    struct scan scan;
    VkResult result = scan_begin(instance, &scan);
    if (result != VK_SUCCESS) return result;
    result = scan_all_groups(instance, &scan, &groups);
    if (result == VK_SUCCESS && !groups.count) { /* PHY-069: no device is an error, with and without an array */
        log_no_devices(instance);
        result = VK_ERROR_INITIALIZATION_FAILED;
    }
    if (result == VK_SUCCESS && sort_wanted(instance, &scan)) {
        bool chains = false;
        for (uint32_t i = 0; i < groups.given_count; i++) chains = chains || properties[i].pNext;
        result = chains && groups.given_count < groups.count ? sort_trimmed(instance, &scan, &groups)
                                                             : sort_groups(instance, &scan, groups.group, groups.count);
    }
    if (result == VK_SUCCESS && properties && instance->configurations)
        result = apply_configurations(instance, &scan, &groups);
    scan_end(&scan);
    if (result != VK_SUCCESS) goto done;
    if (!properties) { /* an upper bound if there are device configurations (SET-105) */
        *count = groups.count;
        goto done;
    }
    if (*count < groups.count) {
        log_line(instance, LOG_INFO, "terminator_EnumeratePhysicalDeviceGroups : Trimming device count from %u to %u.",
                 groups.count, *count);
        result = VK_INCOMPLETE;
    } else {
        *count = groups.count;
    }
    for (uint32_t i = 0; i < *count; i++) {
        VkStructureType type = properties[i].sType;
        properties[i] = groups.group[i];
        properties[i].sType = type; /* PHY-073: the caller's sType stays */
    }
done:
    free(groups.group);
    free(groups.part);
    return result;
}
