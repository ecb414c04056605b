/* physdev.h: what physdev.c, group.c, sort.c, filter.c and query.c tell each other; nobody else needs it. */
#ifndef VKL_PHYSDEV_H
#define VKL_PHYSDEV_H

#include "spine.h"

/* The version without its variant bits, for comparisons with 1.1. */
static inline bool at_least_1_1(uint32_t version)
{
    return version_reaches(version, 1);
}

/* The instance of a handle that a program gave; a bad one ends the process before anything else (HND-018). */
static inline struct instance *physdev_instance(VkInstance handle, uint32_t command)
{
    struct instance *instance = instance_of(handle);
    if (!instance || instance->magic != INSTANCE_MAGIC)
        bad_handle(command);
    return instance;
}

/* ---- physdev.c ------------------------------------------------------------------------------------------------- */

/* A handle from below, and the record that stands for it. */
struct found {
    struct driver *driver; /* lower end; NULL at the upper end */
    void *handle;
    struct physdev *record;
};

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
/* Makes lower-end records of what was found. */
VkResult scan_records(struct instance *instance, struct scan *scan);
void log_failed_driver(struct instance *instance, const struct driver *driver, VkResult result);
void log_no_devices(struct instance *instance);
/* Gives the chain's handles their upper-end records; on an error (no memory) not all have one. */
VkResult upper_records(struct instance *instance, struct found *found, uint32_t count);

/* With a filter the whole list is needed whatever the program asks for: the chain is asked with a guessed room that
 * grows until all fits. Counting first would ask every driver twice. */
#define FIRST_ROOM 32u
#define LAST_ROOM (FIRST_ROOM << 10)

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
/* Puts lower-end devices, given in the order of PHY-023, into that of PHY-027. VK_SUCCESS or out of memory. */
VkResult sort_devices(struct instance *instance, struct physdev **device, uint32_t count);
/* The same for groups, whose members are lower-end handles (PHY-075). */
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
