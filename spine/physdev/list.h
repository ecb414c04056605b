/* list.h: the functions that the files of physdev with lists of devices and groups share. */
#ifndef VKL_PHYSDEV_LIST_H
#define VKL_PHYSDEV_LIST_H

#include "physdev/physdev.h"

/* ---- scan.c ----------------------------------------------------------------------------------------------------- */

/* The results of the drivers in one enumeration; the drivers are held. */
struct scan {
    struct held_drivers drivers;
    struct found *found;
    uint32_t count;
};

/* scan_end follows a success. */
VkResult scan_begin(struct instance *instance, struct scan *scan);
void scan_end(struct scan *scan);
/* One driver's devices, added to the scan. *reading tells whether a failure came after its count call. */
VkResult scan_devices(struct scan *scan, struct driver *driver, bool *reading);
/* Adds devices that a driver has given otherwise, by its own handles; NULL is none. VK_SUCCESS or out of memory. */
VkResult scan_add(struct scan *scan, struct driver *driver, const VkPhysicalDevice *device, uint32_t count);
/* A list of devices that a function gives, its count asked first, in memory of malloc's; a failure has none. whom is
 * handed to the function as it is. */
typedef VkResult (*list_function)(const void *whom, uint32_t *count, VkPhysicalDevice *device);
VkResult list_devices(list_function list, const void *whom, uint32_t *count, VkPhysicalDevice **out, bool *reading);
void log_failed_driver(struct instance *instance, const struct driver *driver, VkResult result);
void log_no_devices(struct instance *instance);

/* ---- configuration.c ------------------------------------------------------------------------------------------- */

/* With device configurations active: the answer of an enumeration whose devices come in ordinary order (SET-93). */
VkResult configurations_devices(struct instance *instance, struct physdev *const *device, uint32_t available,
                                uint32_t *count, VkPhysicalDevice *out);
/* Leaves out groups with a device that is not shown (SET-103). */
VkResult configurations_groups(struct instance *instance, struct physdev *const *device, uint32_t available,
                               VkPhysicalDeviceGroupProperties *group, uint32_t *count);

/* ---- sort.c ---------------------------------------------------------------------------------------------------- */

/* Is sorting in effect for this call (PHY-025, PHY-026, WIN-061)? */
bool sort_wanted(const struct instance *instance, const struct scan *scan);
/* Puts the devices that were found, which have their records and come in the order of PHY-023, into that of PHY-027 or
 * of WIN-061. VK_SUCCESS or out of memory. */
VkResult sort_devices(struct instance *instance, struct scan *scan);
/* The same for groups, whose members are the terminators' handles (PHY-075, WIN-070). */
VkResult sort_groups(struct instance *instance, struct scan *scan, VkPhysicalDeviceGroupProperties *group,
                     uint32_t count);

/* ---- filter.c -------------------------------------------------------------------------------------------------- */

struct id_range {
    uint32_t first, last;
};

struct id_filter {
    size_t count; /* 0: everything passes */
    struct id_range *range;
};

struct id_filters {
    struct id_filter device, vendor, driver;
};

/* Reads the three variables and returns VK_SUCCESS or out of memory. The caller frees the filters in both cases. */
VkResult filters_read(struct id_filters *filters);
void filters_free(struct id_filters *filters);
/* Reports whether one of the variables filters. */
bool filters_any(const struct id_filters *filters);
/* Does a device, given by the chain's handle, pass all of them? Asks through the chain (PHY-041). */
bool filters_pass(const struct instance *instance, const struct id_filters *filters, VkPhysicalDevice chain_handle);

#endif
