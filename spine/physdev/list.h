/* list.h: what the files of physdev that make lists of devices and groups tell each other. */
#ifndef VKL_PHYSDEV_LIST_H
#define VKL_PHYSDEV_LIST_H

#include "physdev/physdev.h"

/* ---- scan.c ----------------------------------------------------------------------------------------------------- */

/* What one enumeration learns from the drivers, which are held. */
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

/* PHY-025, PHY-026: is sorting in effect for this call? */
bool sort_wanted(const struct instance *instance);
/* Puts the terminators' devices, given in the order of PHY-023, into that of PHY-027. VK_SUCCESS or out of memory. */
VkResult sort_devices(struct instance *instance, struct physdev **device, uint32_t count);
/* The same for groups, whose members are the terminators' handles (PHY-075). */
VkResult sort_groups(struct instance *instance, VkPhysicalDeviceGroupProperties *group, uint32_t count);

/* ---- filter.c -------------------------------------------------------------------------------------------------- */

#define ID_RANGES_MAX 16 /* PHY-039 */

struct id_filter {
    uint32_t count; /* 0: everything passes */
    struct {
        uint32_t first, last;
    } range[ID_RANGES_MAX];
};

struct id_filters {
    struct id_filter device, vendor, driver;
};

/* Reads the three variables; false when none of them filters. */
bool filters_read(struct instance *instance, struct id_filters *filters);
/* Does a device, given by the chain's handle, pass all of them? Asks through the chain (PHY-041). */
bool filters_pass(const struct instance *instance, const struct id_filters *filters, VkPhysicalDevice chain_handle);

#endif
