/* physdev.c: physical devices, upper and lower end: asks the drivers, gives every device its lasting handles (one for
 * layers, one for programs), and lets go of drivers without devices. It never sorts or filters itself, never holds the
 * lock while calling out, and takes nothing from the program's allocator. */
#include <stdlib.h>
#include <string.h>

#include "gen/zends.h"
#include "physdev.h"

/* ---- handles --------------------------------------------------------------------------------------------------- */

static void records_free(struct physdev *list)
{
    while (list) {
        struct physdev *next = list->next;
        free(list);
        list = next;
    }
}

/* The record of a found handle in a list. Under the lock. */
static struct physdev *record_of(struct physdev *list, const struct found *found)
{
    while (list && !(list->lower == found->handle && list->driver == found->driver))
        list = list->next;
    return list;
}

/* Gives each found handle its record, the old one where there is one (PHY-015): records stay until the instance goes,
 * since programs may keep handles that a trimmed or later result lacks (PHY-017). Records are allocated without the
 * lock; another thread may meanwhile have added the same device (THR-008), so all is looked at again. */
static VkResult give_records(struct instance *instance, struct physdev **list, uint64_t magic, struct found *found,
                             uint32_t count)
{
    struct physdev *spare = NULL;
    VkResult result = VK_SUCCESS;
    while (result == VK_SUCCESS) {
        uint32_t missing = 0;
        lock_take();
        for (uint32_t i = 0; i < count; i++) {
            if (found[i].record || !found[i].handle)
                continue;
            found[i].record = record_of(*list, &found[i]);
            if (found[i].record)
                continue;
            if (!spare) {
                missing++;
                continue;
            }
            struct physdev *record = spare;
            spare = record->next;
            *record = (struct physdev){.table = instance->table,
                                       .magic = magic,
                                       .lower = found[i].handle,
                                       .driver = found[i].driver,
                                       .instance = instance,
                                       .next = *list};
            *list = record;
            found[i].record = record;
        }
        lock_drop();
        if (!missing)
            break;
        for (; missing && result == VK_SUCCESS; missing--) {
            struct physdev *record = calloc(1, sizeof *record);
            if (record) {
                record->next = spare;
                spare = record;
            } else {
                result = VK_ERROR_OUT_OF_HOST_MEMORY;
            }
        }
    }
    records_free(spare);
    return result;
}

/* The record that a handle is, or NULL. Under the lock. */
static struct physdev *record_at(struct physdev *list, VkPhysicalDevice handle)
{
    while (list && (VkPhysicalDevice)list != handle)
        list = list->next;
    return list;
}

struct physdev *physdev_upper_find(struct instance *instance, VkPhysicalDevice handle)
{
    lock_take();
    struct physdev *record = record_at(instance->upper, handle);
    if (!record)
        record = record_at(instance->lower_devs, handle);
    lock_drop();
    return record;
}

void physdevs_free(struct instance *instance)
{
    records_free(instance->upper);
    records_free(instance->lower_devs);
}

/* ---- asking the drivers ---------------------------------------------------------------------------------------- */

VkResult scan_begin(struct instance *instance, struct scan *scan)
{
    scan->found = NULL;
    scan->count = 0;
    return drivers_take(instance, &scan->drivers) ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

void scan_end(struct scan *scan)
{
    drivers_drop(&scan->drivers);
    free(scan->found);
}

static bool scan_room(struct scan *scan, uint32_t more)
{
    uint32_t room;
    if (__builtin_add_overflow(scan->count, more, &room))
        return false;
    struct found *found = realloc(scan->found, (room ? room : 1) * sizeof *found);
    if (!found)
        return false;
    scan->found = found;
    return true;
}

/* ERRATA 18: from now on the driver stays; it is held, and so it has not gone meanwhile. */
static void note_device(struct driver *driver)
{
    lock_take();
    driver->reported_device = true;
    lock_drop();
}

/* The driver's list, by malloc. */
static VkResult driver_devices(struct driver *driver, uint32_t *count, VkPhysicalDevice **out, bool *reading)
{
    PFN_vkEnumeratePhysicalDevices enumerate = driver_fn(driver, vkEnumeratePhysicalDevices);
    VkPhysicalDevice *device = NULL;
    VkResult result = VK_INCOMPLETE;
    for (int retries = 0; result == VK_INCOMPLETE && retries <= LIST_RETRIES; retries++) {
        *count = 0;
        *reading = false;
        result = enumerate(driver->handle, count, NULL);
        if (!list_given(result))
            break;
        *reading = true;
        uint32_t room = *count;
        free(device);
        device = calloc(room ? room : 1, sizeof *device);
        if (!device)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        result = enumerate(driver->handle, count, device);
        *count = *count < room ? *count : room; /* PHY-013 */
    }
    if (!list_given(result)) {
        free(device);
        return result;
    }
    *out = device;
    return VK_SUCCESS;
}

VkResult scan_devices(struct scan *scan, struct driver *driver, bool *reading)
{
    uint32_t count, first = scan->count;
    VkPhysicalDevice *device;
    VkResult result = driver_devices(driver, &count, &device, reading);
    if (result != VK_SUCCESS)
        return result;
    if (scan_room(scan, count)) {
        for (uint32_t i = 0; i < count; i++)
            if (device[i])
                scan->found[scan->count++] = (struct found){.driver = driver, .handle = device[i]};
        if (scan->count > first)
            note_device(driver);
    } else {
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    free(device);
    return result;
}

void log_failed_driver(struct instance *instance, const struct driver *driver, VkResult result)
{
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
        log_line(instance, LOG_ERROR,
                 "setup_loader_term_phys_devs: Call to 'vkEnumeratePhysicalDevices' in ICD %s failed with error code "
                 "VK_ERROR_OUT_OF_HOST_MEMORY",
                 driver->lib->path);
    else
        log_line(instance, LOG_ERROR,
                 "setup_loader_term_phys_devs: Call to 'vkEnumeratePhysicalDevices' in ICD %s failed with error code "
                 "%d",
                 driver->lib->path, result);
}

/* Asks every driver for its devices (PHY-007 to PHY-012). One that fails has none (PHY-052). */
static VkResult scan_all_devices(struct instance *instance, struct scan *scan)
{
    for (uint32_t i = 0; i < scan->drivers.count; i++) {
        struct driver *driver = scan->drivers.driver[i];
        bool reading;
        VkResult result = scan_devices(scan, driver, &reading);
        if (result == VK_SUCCESS)
            continue;
        log_failed_driver(instance, driver, result);
        if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
            return result;
    }
    lock_take();
    for (uint32_t i = 0; i < scan->drivers.count; i++)
        scan->drivers.driver[i]->asked = true;
    lock_drop();
    return VK_SUCCESS;
}

VkResult scan_records(struct instance *instance, struct scan *scan)
{
    return give_records(instance, &instance->lower_devs, PHYSDEV_LOWER_MAGIC, scan->found, scan->count);
}

void log_no_devices(struct instance *instance)
{
    log_line(instance, LOG_ERROR,
             "setup_loader_term_phys_devs:  Failed to detect any valid GPUs in the current config");
}

/* ---- devices, lower end ---------------------------------------------------------------------------------------- */

VkResult term_vkEnumeratePhysicalDevices(VkInstance handle, uint32_t *count, VkPhysicalDevice *devices)
{
    struct instance *instance = instance_of(handle);
    struct physdev **order = NULL;
    struct scan scan;
    VkResult result = scan_begin(instance, &scan);
    if (result != VK_SUCCESS)
        return result;
    result = scan_all_devices(instance, &scan);
    if (result == VK_SUCCESS)
        result = scan_records(instance, &scan);
    if (result != VK_SUCCESS)
        goto done;
    if (!scan.count) {
        log_no_devices(instance);
        result = VK_ERROR_INITIALIZATION_FAILED;
        goto done;
    }
    order = malloc(scan.count * sizeof *order);
    if (!order) {
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
        goto done;
    }
    for (uint32_t i = 0; i < scan.count; i++)
        order[i] = scan.found[i].record;
    if (sort_wanted(instance))
        result = sort_devices(instance, order, scan.count);
    if (result != VK_SUCCESS)
        goto done;
    if (instance->configurations) {
        result = configurations_devices(instance, order, scan.count, count, devices);
        goto done;
    }
    if (!devices) {
        *count = scan.count;
        goto done;
    }
    if (*count < scan.count) {
        log_line(instance, LOG_INFO,
                 "terminator_EnumeratePhysicalDevices : Trimming device count from %u to %u.", scan.count, *count);
        result = VK_INCOMPLETE;
    } else {
        *count = scan.count;
    }
    for (uint32_t i = 0; i < *count; i++)
        devices[i] = (VkPhysicalDevice)order[i];
done:
    free(order);
    scan_end(&scan);
    return result;
}

/* ---- upper end ------------------------------------------------------------------------------------------------- */

VkResult upper_records(struct instance *instance, struct found *found, uint32_t count)
{
    return give_records(instance, &instance->upper, PHYSDEV_UPPER_MAGIC, found, count);
}

/* Replaces the chain's handles by the program's; by none, when there is no memory. */
static VkResult wrap_devices(struct instance *instance, VkPhysicalDevice *device, uint32_t count)
{
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    struct found *found = calloc(count ? count : 1, sizeof *found);
    if (found) {
        for (uint32_t i = 0; i < count; i++)
            found[i].handle = device[i];
        result = upper_records(instance, found, count);
    }
    for (uint32_t i = 0; i < count; i++)
        device[i] = result == VK_SUCCESS ? (VkPhysicalDevice)found[i].record : VK_NULL_HANDLE;
    free(found);
    return result;
}

/* PHY-048, ERRATA 18: after a complete enumeration the drivers go that never had a device. One that a thread is inside
 * of, perhaps this very one, is left to the next enumeration. */
static void remove_useless_drivers(struct instance *instance)
{
    struct driver *useless;
    while ((useless = driver_unlink_useless(instance))) {
        log_line(instance, LOG_INFO | LOG_DRIVER, "Removing driver %s due to not having any physical devices",
                 useless->lib->path);
        driver_end(useless);
    }
}

static VkResult filtered_devices(struct instance *instance, const struct id_filters *filters, uint32_t *count,
                                 VkPhysicalDevice *devices)
{
    PFN_vkEnumeratePhysicalDevices next = instance->table->slot[ISLOT_vkEnumeratePhysicalDevices];
    VkPhysicalDevice *all = NULL;
    uint32_t total = 0;
    VkResult result;
    for (uint32_t room = FIRST_ROOM;; room *= 4) {
        free(all);
        all = calloc(room, sizeof *all);
        if (!all)
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        total = room;
        result = next(instance->lower, &total, all);
        if (result != VK_INCOMPLETE || room == LAST_ROOM) {
            total = total < room ? total : room;
            break;
        }
    }
    if (list_given(result)) {
        uint32_t passed = 0;
        for (uint32_t i = 0; i < total; i++)
            if (all[i] && filters_pass(instance, filters, all[i])) /* a layer may give a list with gaps */
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
        if (list_given(result))
            *count = passed;
    }
    free(all);
    return result;
}

VkResult tramp_vkEnumeratePhysicalDevices(VkInstance handle, uint32_t *pPhysicalDeviceCount,
                                          VkPhysicalDevice *pPhysicalDevices)
{
    struct instance *instance = physdev_instance(handle, CMD_vkEnumeratePhysicalDevices);
    if (!pPhysicalDeviceCount) { /* PHY-006 */
        log_line(instance, LOG_FATAL | LOG_ERROR | LOG_VALIDATION,
                 "vkEnumeratePhysicalDevices: Received NULL pointer for physical device count return value. "
                 "[VUID-vkEnumeratePhysicalDevices-pPhysicalDeviceCount-parameter]");
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    struct id_filters filters;
    VkResult result;
    if (filters_read(instance, &filters)) {
        result = filtered_devices(instance, &filters, pPhysicalDeviceCount, pPhysicalDevices);
    } else {
        PFN_vkEnumeratePhysicalDevices next = instance->table->slot[ISLOT_vkEnumeratePhysicalDevices];
        uint32_t room = *pPhysicalDeviceCount;
        result = next(instance->lower, pPhysicalDeviceCount, pPhysicalDevices);
        if (list_given(result) && pPhysicalDevices) {
            if (*pPhysicalDeviceCount > room)
                *pPhysicalDeviceCount = room;
            VkResult wrapped = wrap_devices(instance, pPhysicalDevices, *pPhysicalDeviceCount);
            if (wrapped != VK_SUCCESS)
                result = wrapped;
        }
    }
    if (list_given(result) && pPhysicalDevices)
        remove_useless_drivers(instance);
    return result;
}
EXPORT_COMMAND(vkEnumeratePhysicalDevices);
