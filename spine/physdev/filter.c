/* filter.c: the three id filters, VK_LOADER_DEVICE_ID_FILTER and its kin: reads their values and judges devices by
 * them. It sees devices as programs do, through the chain; it never asks a driver itself and keeps nothing. */
#include <stdlib.h>

#include "physdev/list.h"

/* One number by C's rules (ENV-95); *end stays at text when there is none, and the number is 0. It cannot run into the
 * next entry: a comma is neither white space nor part of a number. */
static uint32_t read_number(const char *text, const char **end)
{
    char *stop = NULL;
    unsigned long long value = strtoull(text, &stop, 0);
    *end = stop;
    return (uint32_t)value;
}

/* Gives the number of ranges. */
static uint32_t read_filter(struct instance *instance, struct variable variable, struct id_filter *filter)
{
    filter->count = 0;
    char *block;
    const char *p = env_read(variable, &block);
    while (p && *p) {
        if (*p == ',') { /* ENV-93: empty entries are skipped */
            p++;
            continue;
        }
        if (filter->count == ID_RANGES_MAX) {
            log_line(
                instance, LOG_WARN,
                "parse_id_filter_environment_var: Exceeded maximum number of filters (%d) for env var '%s'. Remaining entries will be ignored.",
                ID_RANGES_MAX, variable.name);
            break;
        }
        const char *end;
        uint32_t first = read_number(p, &end), last = first;
        if (end == p) {
            last = 0; /* ENV-97: no number: the range 0 to 0 */
        } else if (*end != '\0' && *end != ',') {
            last = read_number(end + 1, &end); /* ENV-94: any one character separates; ENV-96: unreadable is 0 */
        }
        filter->range[filter->count].first = first;
        filter->range[filter->count].last = last;
        filter->count++;
        while (*p != '\0' && *p != ',') /* what follows the second number is ignored */
            p++;
    }
    free(block);
    return filter->count;
}

bool filters_read(struct instance *instance, struct id_filters *filters)
{
    uint32_t ranges = read_filter(instance, VARIABLE_LOADER_DEVICE_ID_FILTER, &filters->device);
    ranges += read_filter(instance, VARIABLE_LOADER_VENDOR_ID_FILTER, &filters->vendor);
    ranges += read_filter(instance, VARIABLE_LOADER_DRIVER_ID_FILTER, &filters->driver);
    return ranges;
}

static bool in_filter(const struct id_filter *filter, uint32_t id)
{
    for (uint32_t i = 0; i < filter->count; i++)
        if (filter->range[i].first <= id && id <= filter->range[i].last) return true;
    return filter->count == 0;
}

bool filters_pass(const struct instance *instance, const struct id_filters *filters, VkPhysicalDevice chain_handle)
{
    void *const *slot = instance->table->slot;
    if (filters->device.count || filters->vendor.count) {
        VkPhysicalDeviceProperties properties = {0};
        ((PFN_vkGetPhysicalDeviceProperties)slot[ISLOT_vkGetPhysicalDeviceProperties])(chain_handle, &properties);
        if (!in_filter(&filters->device, properties.deviceID) || !in_filter(&filters->vendor, properties.vendorID))
            return false;
    }
    if (!filters->driver.count) return true;
    /* PHY-042: without a way to ask, a set driver filter removes the device. */
    void *ask = NULL;
    if (instance_has(instance, EXT_VK_KHR_get_physical_device_properties2))
        ask = slot[ISLOT_vkGetPhysicalDeviceProperties2KHR];
    else if (version_reaches(instance->api_version, 1))
        ask = slot[ISLOT_vkGetPhysicalDeviceProperties2];
    if (!ask || is_missing(ask)) return false;
    /* Whoever answers without knowing the structure leaves the value that no driver has. */
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .driverID = VK_DRIVER_ID_MAX_ENUM};
    VkPhysicalDeviceProperties2 properties2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                               .pNext = &driver};
    ((PFN_vkGetPhysicalDeviceProperties2)ask)(chain_handle, &properties2);
    return driver.driverID != VK_DRIVER_ID_MAX_ENUM && in_filter(&filters->driver, (uint32_t)driver.driverID);
}
