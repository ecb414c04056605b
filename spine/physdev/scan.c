/* scan.c: asks the drivers for their physical devices. It never holds the lock while calling out, and does not use the
 * program's allocator. */
#include "physdev/list.h"

#include <stdlib.h>

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

/* PHY-048: records that a driver has reported a device, so it is not removed. The driver is held. */
static void note_device(struct driver *driver)
{
    lock_take();
    driver->reported_device = true;
    lock_drop();
}

VkResult list_devices(list_function list, const void *whom, uint32_t *count, VkPhysicalDevice **out, bool *reading)
{
    VkPhysicalDevice *device = NULL;
    VkResult result = VK_INCOMPLETE;
    for (int retries = 0; result == VK_INCOMPLETE && retries <= LIST_RETRIES_MAX; retries++) {
        *count = 0;
        *reading = false;
        result = list(whom, count, NULL);
        if (!is_list_result(result)) break;
        if (*count > DEVICES_MAX) {
            result = VK_ERROR_INITIALIZATION_FAILED; /* the caller finds the reason in *count */
            break;
        }
        *reading = true;
        uint32_t room = *count;
        free(device);
        device = calloc(room ? room : 1, sizeof *device);
        if (!device) return VK_ERROR_OUT_OF_HOST_MEMORY;
        result = list(whom, count, device);
        *count = *count < room ? *count : room; /* PHY-013: never more than was counted */
    }
    if (!is_list_result(result)) {
        free(device);
        return result;
    }
    *out = device;
    return VK_SUCCESS;
}

VkResult scan_add(struct scan *scan, struct driver *driver, const VkPhysicalDevice *device, uint32_t count)
{
    uint32_t first = scan->count;
    if (!array_more(&scan->found, scan->count, count, sizeof *scan->found)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        if (device[i]) scan->found[scan->count++] = (struct found_device){.driver = driver, .handle = device[i]};
    if (scan->count > first) note_device(driver);
    return VK_SUCCESS;
}

static VkResult list_of_driver(const void *whom, uint32_t *count, VkPhysicalDevice *device)
{
    const struct driver *driver = whom;
    return driver_fn(driver, vkEnumeratePhysicalDevices)(driver->handle, count, device);
}

VkResult scan_devices(struct scan *scan, struct driver *driver, bool *reading)
{
    uint32_t count;
    VkPhysicalDevice *device;
    VkResult result = list_devices(list_of_driver, driver, &count, &device, reading);
    if (result == VK_ERROR_INITIALIZATION_FAILED && !*reading && count > DEVICES_MAX)
        log_line(driver->instance, LOG_ERROR | LOG_DRIVER, DEVICES_UNTRUE, "vkEnumeratePhysicalDevices",
                 driver_path(driver->lib), count);
    if (result != VK_SUCCESS) return result;
    result = scan_add(scan, driver, device, count);
    free(device);
    return result;
}

void log_failed_driver(struct instance *instance, const struct driver *driver, VkResult result)
{
    if (result == VK_ERROR_OUT_OF_HOST_MEMORY)
        log_line(
            instance, LOG_ERROR,
            "setup_loader_term_phys_devs: Call to 'vkEnumeratePhysicalDevices' in ICD %s failed with error code VK_ERROR_OUT_OF_HOST_MEMORY",
            driver_path(driver->lib));
    else
        log_line(
            instance, LOG_ERROR,
            "setup_loader_term_phys_devs: Call to 'vkEnumeratePhysicalDevices' in ICD %s failed with error code %d",
            driver_path(driver->lib), result);
}

void log_no_devices(struct instance *instance)
{
    log_line(instance, LOG_ERROR,
             "setup_loader_term_phys_devs:  Failed to detect any valid GPUs in the current config");
}
