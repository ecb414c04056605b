/* list.h: functions that the files of physdev share: listing devices, configurations, sorting, filters. */
#ifndef VKL_PHYSDEV_LIST_H
#define VKL_PHYSDEV_LIST_H

#include "physdev/physdev.h"

/* ---- scan.c ----------------------------------------------------------------------------------------------------- */

/* The devices that the drivers report in one enumeration. The drivers are held. */
struct scan {
    struct held_drivers drivers;
    struct found_device *found;
    uint32_t count;
};

/* Begins a scan. After VK_SUCCESS, call scan_end. */
VkResult scan_begin(struct instance *instance, struct scan *scan);
void scan_end(struct scan *scan);
/* Asks a driver for its devices and adds them. If it fails, *reading tells whether its count call succeeded. */
VkResult scan_devices(struct scan *scan, struct driver *driver, bool *reading);
/* Adds handles of a driver. device: may be NULL if count is 0. Returns VK_SUCCESS or out of memory. */
VkResult scan_add(struct scan *scan, struct driver *driver, const VkPhysicalDevice *device, uint32_t count);
/* A function that lists devices with two calls, like vkEnumeratePhysicalDevices. list_devices calls it, with whom as
 * its first argument, and returns the list in memory from malloc; after an error there is none. *reading: as for
 * scan_devices. */
typedef VkResult (*list_function)(const void *whom, uint32_t *count, VkPhysicalDevice *device);
VkResult list_devices(list_function list, const void *whom, uint32_t *count, VkPhysicalDevice **out, bool *reading);
void log_failed_driver(struct instance *instance, const struct driver *driver, VkResult result);
void log_no_devices(struct instance *instance);

/* ---- configuration.c ------------------------------------------------------------------------------------------- */

/* Lists devices for an instance with device configurations. device: all devices in ordinary order (SET-93). */
VkResult configurations_devices(struct instance *instance, struct physdev *const *device, uint32_t available,
                                uint32_t *count, VkPhysicalDevice *out);
/* Removes groups with a device that is not visible (SET-103). */
VkResult configurations_groups(struct instance *instance, struct physdev *const *device, uint32_t available,
                               VkPhysicalDeviceGroupProperties *group, uint32_t *count);

/* ---- sort.c ---------------------------------------------------------------------------------------------------- */

/* Reports whether devices are sorted in this call (PHY-025, PHY-026, WIN-061). */
bool sort_wanted(const struct instance *instance, const struct scan *scan);
/* Sorts the devices of a scan by PHY-027 or WIN-061. Before, they must be in the order of PHY-023 and have records.
 * Returns VK_SUCCESS or out of memory. */
VkResult sort_devices(struct instance *instance, struct scan *scan);
/* Sorts groups, whose members are the terminators' handles (PHY-075, WIN-070). */
VkResult sort_groups(struct instance *instance, struct scan *scan, VkPhysicalDeviceGroupProperties *group,
                     uint32_t count);

/* ---- filter.c -------------------------------------------------------------------------------------------------- */

struct id_range {
    uint32_t first, last;
};

struct id_filter {
    size_t count; /* 0: all devices pass */
    struct id_range *range;
};

struct id_filters {
    struct id_filter device, vendor, driver;
};

/* Reads the three variables and returns VK_SUCCESS or out of memory. The caller frees the filters in both cases. */
VkResult filters_read(struct id_filters *filters);
void filters_free(struct id_filters *filters);
/* Reports whether any of the three variables is set to a filter. */
bool filters_any(const struct id_filters *filters);
/* Reports whether a device passes all filters. Queries the device through the chain (PHY-041). */
bool filters_pass(const struct instance *instance, const struct id_filters *filters, VkPhysicalDevice chain_handle);

#endif
