/* sort.c: sorts physical devices and groups, in the terminators, into the order of DXGI's adapters, for drivers that
 * list devices by adapter (WIN-060 to WIN-070). No variable changes the order (WIN-059). */
#include <stdlib.h>

#include "physdev/windows/adapter.h"
#include "core/windows/dxgi.h"

VkLoaderFeatureFlags sort_features(struct instance *instance)
{
    if (!instance->inside_dxgi && dxgi_orders()) return VK_LOADER_FEATURE_PHYSICAL_DEVICE_SORTING;
    log_unordered(instance);
    return 0;
}

/* DXGI is not needed if no driver can list devices by adapter. It must not be called for an instance that DXGI itself
 * has created. */
bool sort_wanted(const struct instance *instance, const struct scan *scan)
{
    return !instance->inside_dxgi && scan_needs_adapters(scan);
}

/* Sorts the scan's list. *sorted: the number of devices at its head that are in the order of adapters. *ordered false:
 * the list is unchanged. */
static VkResult order(struct instance *instance, struct scan *scan, bool *ordered, uint32_t *sorted)
{
    struct scan plain = *scan;
    scan->found = NULL;
    scan->count = 0;
    VkResult result = adapters_scan(instance, scan, ordered);
    *sorted = scan->count;
    for (uint32_t i = 0; i < plain.count && result == VK_SUCCESS; i++) {
        /* WIN-069: devices that no adapter has come last, in driver order, each once */
        VkPhysicalDevice device = plain.found[i].handle;
        if (!*ordered || !scan_has(scan, plain.found[i].driver, device))
            result = scan_add(scan, plain.found[i].driver, &device, 1);
    }
    free(plain.found);
    return result == VK_SUCCESS ? physdev_records_term(instance, scan->found, scan->count) : result;
}

VkResult sort_devices(struct instance *instance, struct scan *scan)
{
    bool ordered;
    uint32_t sorted;
    return order(instance, scan, &ordered, &sorted);
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

/* A sort key. place: a member's index in the scan; for a group, that of its best member. Devices that no adapter has
 * share a place behind all others, so the driver's order among them stays. was: the index before sorting. */
struct place {
    uint32_t place, was;
    VkPhysicalDevice device;
};

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    return (a->was > b->was) - (a->was < b->was);
}

static uint32_t rank_of(const struct scan *scan, uint32_t sorted, VkPhysicalDevice device)
{
    uint32_t i = 0;
    while (i < sorted && (VkPhysicalDevice)scan->found[i].record != device) i++;
    return i;
}

static void sort_members(const struct scan *scan, uint32_t sorted, VkPhysicalDeviceGroupProperties *group)
{
    struct place member[VK_MAX_DEVICE_GROUP_SIZE];
    for (uint32_t i = 0; i < group->physicalDeviceCount; i++)
        member[i] = (struct place){rank_of(scan, sorted, group->physicalDevices[i]), i, group->physicalDevices[i]};
    qsort(member, group->physicalDeviceCount, sizeof *member, compare_places);
    for (uint32_t i = 0; i < group->physicalDeviceCount; i++) group->physicalDevices[i] = member[i].device;
}

VkResult sort_groups(struct instance *instance, struct scan *scan, VkPhysicalDeviceGroupProperties *group,
                     uint32_t count)
{
    bool ordered;
    uint32_t sorted;
    VkResult result = order(instance, scan, &ordered, &sorted);
    if (result != VK_SUCCESS || !ordered || !count) return result;
    struct place *place = calloc(count, sizeof *place);
    VkPhysicalDeviceGroupProperties *copy = calloc(count, sizeof *copy);
    if (place && copy) {
        for (uint32_t i = 0; i < count; i++) {
            sort_members(scan, sorted, &group[i]);
            copy[i] = group[i];
            place[i] = (struct place){.place = scan->count, .was = i}; /* a group without members goes last */
            if (group[i].physicalDeviceCount) place[i].place = rank_of(scan, sorted, group[i].physicalDevices[0]);
        }
        qsort(place, count, sizeof *place, compare_places);
        for (uint32_t i = 0; i < count; i++) group[i] = copy[place[i].was]; /* includes pNext (PHY-072) */
    } else {
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    free(place);
    free(copy);
    return result;
}
