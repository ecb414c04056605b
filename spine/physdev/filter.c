/* filter.c: reads the filters VK_LOADER_DEVICE_ID_FILTER, VK_LOADER_VENDOR_ID_FILTER and VK_LOADER_DRIVER_ID_FILTER,
 * and applies them to devices. It queries devices through the chain, as programs do, and never calls a driver itself.
 * It remembers nothing. */
#include <stdlib.h>
#include <string.h>

#include "physdev/list.h"

/* Parses a number by C's rules (ENV-95). Without one, returns 0 with *end at text. A number never extends into the next
 * entry, because a comma is neither white space nor part of a number. */
static uint32_t read_number(const char *text, const char **end)
{
    char *stop = NULL;
    unsigned long long value = strtoull(text, &stop, 0);
    *end = stop;
    return (uint32_t)value;
}

/* Reads the ranges of a variable, in any number (ENV-98). Returns false without memory. */
static bool read_filter(struct variable variable, struct id_filter *filter)
{
    char *block;
    const char *p = env_read(variable, &block);
    size_t entries = 1;
    for (const char *comma = p; comma && (comma = strchr(comma, ',')); comma++) entries++;
    filter->range = p && *p ? array_new(0, entries, sizeof *filter->range) : NULL;
    bool memory = filter->range || !p || !*p;
    while (filter->range && *p) {
        if (*p == ',') { /* ENV-93: empty entries are skipped */
            p++;
            continue;
        }
        const char *end;
        uint32_t first = read_number(p, &end), last = first;
        if (end == p) {
            last = 0; /* ENV-97: no number: the range 0 to 0 */
        } else if (*end != '\0' && *end != ',') {
            last = read_number(end + 1, &end); /* ENV-94: any one character separates; ENV-96: unreadable is 0 */
        }
        filter->range[filter->count++] = (struct id_range){first, last};
        while (*p != '\0' && *p != ',') /* text after the second number is ignored */
            p++;
    }
    free(block);
    return memory;
}

VkResult filters_read(struct id_filters *filters)
{
    *filters = (struct id_filters){0};
    bool memory = read_filter(VARIABLE_LOADER_DEVICE_ID_FILTER, &filters->device) &&
                  read_filter(VARIABLE_LOADER_VENDOR_ID_FILTER, &filters->vendor) &&
                  read_filter(VARIABLE_LOADER_DRIVER_ID_FILTER, &filters->driver);
    return memory ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

void filters_free(struct id_filters *filters)
{
    free(filters->device.range);
    free(filters->vendor.range);
    free(filters->driver.range);
}

bool filters_any(const struct id_filters *filters)
{
    return filters->device.count || filters->vendor.count || filters->driver.count;
}

static bool has_id(const struct id_filter *filter, uint32_t id)
{
    for (size_t i = 0; i < filter->count; i++)
        if (filter->range[i].first <= id && id <= filter->range[i].last) return true;
    return filter->count == 0;
}

bool filters_pass(const struct instance *instance, const struct id_filters *filters, VkPhysicalDevice chain_handle)
{
    void *const *slot = instance->table->slot;
    if (filters->device.count || filters->vendor.count) {
        VkPhysicalDeviceProperties properties = {0};
        ((PFN_vkGetPhysicalDeviceProperties)slot[ISLOT_vkGetPhysicalDeviceProperties])(chain_handle, &properties);
        if (!has_id(&filters->device, properties.deviceID) || !has_id(&filters->vendor, properties.vendorID))
            return false;
    }
    if (!filters->driver.count) return true;
    /* PHY-042: if the properties cannot be queried, a driver filter removes the device. */
    void *ask = NULL;
    if (instance_has(instance, EXT_VK_KHR_get_physical_device_properties2))
        ask = slot[ISLOT_vkGetPhysicalDeviceProperties2KHR];
    else if (version_reaches(instance->api_version, 1))
        ask = slot[ISLOT_vkGetPhysicalDeviceProperties2];
    if (!ask || is_missing(ask)) return false;
    /* A driver that does not know the structure leaves this value, which no driver has as its ID. */
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .driverID = VK_DRIVER_ID_MAX_ENUM};
    VkPhysicalDeviceProperties2 properties2 = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
                                               .pNext = &driver};
    ((PFN_vkGetPhysicalDeviceProperties2)ask)(chain_handle, &properties2);
    return driver.driverID != VK_DRIVER_ID_MAX_ENUM && has_id(&filters->driver, (uint32_t)driver.driverID);
}
