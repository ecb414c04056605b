/* enumerate.c: the terminator of vkEnumeratePhysicalDevices: lists the devices of all drivers, in driver order, as
 * handles that stay the same for each device. It never holds the lock while calling out. */
#include <stdlib.h>

#include "gen/zends.h"
#include "physdev/list.h"

/* Asks every driver for its devices (PHY-007 to PHY-012). A driver that fails counts as having none (PHY-052). */
static VkResult scan_all_devices(struct instance *instance, struct scan *scan)
{
    for (uint32_t i = 0; i < scan->drivers.count; i++) {
        struct driver *driver = scan->drivers.driver[i];
        bool reading;
        VkResult result = scan_devices(scan, driver, &reading);
        if (result == VK_SUCCESS) continue;
        log_failed_driver(instance, driver, result);
        if (result == VK_ERROR_OUT_OF_HOST_MEMORY) return result;
    }
    lock_take();
    for (uint32_t i = 0; i < scan->drivers.count; i++) scan->drivers.driver[i]->asked = true;
    lock_drop();
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkEnumeratePhysicalDevices(VkInstance handle, uint32_t *count,
                                                               VkPhysicalDevice *devices)
{
    struct instance *instance = instance_of(handle);
    struct physdev **order = NULL;
    struct scan scan;
    VkResult result = scan_begin(instance, &scan);
    if (result != VK_SUCCESS) return result;
    result = scan_all_devices(instance, &scan);
    if (result == VK_SUCCESS) result = physdev_records_term(instance, scan.found, scan.count);
    if (result == VK_SUCCESS && sort_wanted(instance, &scan)) result = sort_devices(instance, &scan);
    if (result != VK_SUCCESS) goto done;
    if (!scan.count) {
        log_no_devices(instance);
        result = VK_ERROR_INITIALIZATION_FAILED;
        goto done;
    }
    order = array_grow(NULL, scan.count, sizeof *order);
    if (!order) {
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
        goto done;
    }
    for (uint32_t i = 0; i < scan.count; i++) order[i] = scan.found[i].record;
    if (instance->configurations) {
        result = configurations_devices(instance, order, scan.count, count, devices);
        goto done;
    }
    if (!devices) {
        *count = scan.count;
        goto done;
    }
    if (*count < scan.count) {
        log_line(instance, LOG_INFO, "terminator_EnumeratePhysicalDevices : Trimming device count from %u to %u.",
                 scan.count, *count);
        result = VK_INCOMPLETE;
    } else {
        *count = scan.count;
    }
    for (uint32_t i = 0; i < *count; i++) devices[i] = (VkPhysicalDevice)order[i];
done:
    free(order);
    scan_end(&scan);
    return result;
}
