/* sort.c: sorts physical devices and groups, in the terminators (PHY-025 to 035). It asks drivers for the properties
 * that decide the order, and reads its two variables at every call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "physdev/list.h"

struct key {
    struct physdev *device;
    uint32_t place; /* index in the order of PHY-023 */
    bool chosen;    /* VK_LOADER_DEVICE_SELECT names the device */
    bool has_pci;
    uint32_t rank; /* of the device's type */
    uint32_t pci[4];
    uint32_t vendor, id, api_version;
    char name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
};

VkLoaderFeatureFlags sort_features(struct instance *instance)
{
    (void)instance;
    return 0; /* LAY-306: the feature flags are 0 on Linux */
}

bool sort_wanted(const struct instance *instance, const struct scan *scan)
{
    (void)scan;
    if (!instance->sort) return false;
    char *block;
    const char *off = env_read(VARIABLE_LOADER_DISABLE_SELECT, &block);
    bool wanted = !off || strtoll(off, NULL, 10) == 0;
    free(block);
    return wanted;
}

static uint32_t type_rank(VkPhysicalDeviceType type)
{
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_OTHER: return 3;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return 4;
    default: return 5;
    }
}

static void read_key(struct key *key, struct physdev *device, uint32_t place)
{
    VkPhysicalDeviceProperties properties = {0};
    driver_fn(device->driver, vkGetPhysicalDeviceProperties)(driver_physdev(device), &properties);
    *key = (struct key){.device = device,
                        .place = place,
                        .rank = type_rank(properties.deviceType),
                        .vendor = properties.vendorID,
                        .id = properties.deviceID,
                        .api_version = properties.apiVersion};
    properties.deviceName[sizeof properties.deviceName - 1] = '\0';
    memcpy(key->name, properties.deviceName, sizeof key->name);
}

/* PHY-029: reads the PCI address, if the driver has one. Returns false if the driver fails to list its extensions; the
 * next enumeration then asks again. This enumeration goes on without the address. */
static bool ask_pci(const struct instance *instance, struct key *key)
{
    const struct driver *driver = key->device->driver;
    VkPhysicalDevice handle = driver_physdev(key->device);
    PFN_vkGetPhysicalDeviceProperties2 ask = properties2_of(instance, driver, key->api_version);
    PFN_vkEnumerateDeviceExtensionProperties list = driver_fn(driver, vkEnumerateDeviceExtensionProperties);
    uint32_t count;
    VkExtensionProperties *ext;
    if (!ask || !list) return true;
    if (!is_list_result(device_extensions(driver, list, handle, NULL, &count, &ext))) return false;
    bool listed = extension_listed(ext, count, "VK_EXT_pci_bus_info");
    free(ext);
    if (!listed) return true;
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {.sType =
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = &pci};
    ask(handle, &properties);
    key->has_pci = true;
    key->pci[0] = pci.pciDomain;
    key->pci[1] = pci.pciBus;
    key->pci[2] = pci.pciDevice;
    key->pci[3] = pci.pciFunction;
    return true;
}

/* Reads the PCI address from the record. The driver is asked once for each device, because its list of extensions is
 * long and the address never changes. */
static void read_pci(const struct instance *instance, struct key *key)
{
    struct physdev *device = key->device;
    lock_take();
    bool known = device->pci.asked;
    key->has_pci = device->pci.has;
    memcpy(key->pci, device->pci.address, sizeof key->pci);
    lock_drop();
    if (known || !ask_pci(instance, key)) return;
    lock_take();
    device->pci.has = key->has_pci;
    memcpy(device->pci.address, key->pci, sizeof key->pci);
    device->pci.asked = true;
    lock_drop();
}

/* Reads PCI addresses where they are compared: between devices of the same type (PHY-028). */
static void read_all_pci(const struct instance *instance, struct key *key, uint32_t count)
{
    uint32_t of_rank[6] = {0};
    for (uint32_t i = 0; i < count; i++) of_rank[key[i].rank]++;
    for (uint32_t i = 0; i < count; i++)
        if (of_rank[key[i].rank] > 1) read_pci(instance, &key[i]);
}

/* PHY-033, ENV-86: reads two hexadecimal numbers with a colon between them. Text after them is ignored. */
static bool read_selection(struct instance *instance, uint32_t *vendor, uint32_t *id)
{
    char *block;
    const char *value = env_read(VARIABLE_LOADER_DEVICE_SELECT, &block);
    if (!value) return false;
    log_line(instance, LOG_DEBUG | LOG_DRIVER,
             "linux_env_var_default_device:  Found 'VK_LOADER_DEVICE_SELECT' set to %s", value);
    unsigned a, b;
    bool two = sscanf(value, "%x:%x", &a, &b) == 2;
    free(block);
    if (!two) return false;
    *vendor = a;
    *id = b;
    return true;
}

static void choose(struct instance *instance, struct key *key, uint32_t count, uint32_t vendor, uint32_t id)
{
    for (uint32_t i = 0; i < count; i++) {
        if (key[i].vendor != vendor || key[i].id != id) continue;
        log_line(instance, LOG_INFO | LOG_DRIVER, "linux_env_var_default_device:  Found default at index %u '%s'", i,
                 key[i].name);
        key[i].chosen = true;
        return;
    }
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

/* PHY-027: orders by selection, type, PCI address, vendorID XOR deviceID, and the original order. */
static int compare_keys(const void *left, const void *right)
{
    const struct key *a = left, *b = right;
    int order = (int)b->chosen - (int)a->chosen;
    if (!order) order = compare_numbers(a->rank, b->rank);
    if (!order) order = (int)b->has_pci - (int)a->has_pci;
    for (int i = 0; !order && a->has_pci && i < 4; i++) order = compare_numbers(a->pci[i], b->pci[i]);
    if (!order) order = compare_numbers(a->vendor ^ a->id, b->vendor ^ b->id);
    return order ? order : compare_numbers(a->place, b->place);
}

VkResult sort_devices(struct instance *instance, struct scan *scan)
{
    uint32_t count = scan->count;
    if (!count) return VK_SUCCESS;
    struct key *key = calloc(count, sizeof *key);
    if (!key) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < count; i++) read_key(&key[i], scan->found[i].record, i);
    read_all_pci(instance, key, count);
    uint32_t vendor = 0, id = 0;
    if (read_selection(instance, &vendor, &id)) choose(instance, key, count, vendor, id);
    log_line(instance, LOG_INFO | LOG_DRIVER, "linux_read_sorted_physical_devices:");
    log_line(instance, LOG_INFO | LOG_DRIVER, "     Original order:");
    for (uint32_t i = 0; i < count; i++)
        log_line(instance, LOG_INFO | LOG_DRIVER, "           [%u] %s", i, key[i].name);
    qsort(key, count, sizeof *key, compare_keys);
    log_line(instance, LOG_INFO | LOG_DRIVER, "     Sorted order:");
    for (uint32_t i = 0; i < count; i++) {
        log_line(instance, LOG_INFO | LOG_DRIVER, "           [%u] %s  %s", i, key[i].name,
                 key[i].chosen ? "[default]" : "");
        struct physdev *device = key[i].device;
        scan->found[i] = (struct found_device){device->driver, device->lower, device};
    }
    free(key);
    return VK_SUCCESS;
}

/* A group and the sort key of its first member. */
struct group_key {
    struct key first;
    VkPhysicalDeviceGroupProperties group;
};

static int compare_groups(const void *left, const void *right)
{
    const struct group_key *a = left, *b = right;
    return compare_keys(&a->first, &b->first);
}

VkResult sort_groups(struct instance *instance, struct scan *scan, VkPhysicalDeviceGroupProperties *group,
                     uint32_t count)
{
    (void)scan;
    uint64_t members = 0;
    for (uint32_t i = 0; i < count; i++) members += group[i].physicalDeviceCount;
    struct key *key = members <= UINT32_MAX ? array_new(0, members, sizeof *key) : NULL;
    struct group_key *order = calloc(count ? count : 1, sizeof *order);
    if (!key || !order) {
        free(key);
        free(order);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    struct key *next = key;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < group[i].physicalDeviceCount; j++, next++)
            read_key(next, term_physdev(group[i].physicalDevices[j]), (uint32_t)(next - key));
    read_all_pci(instance, key, (uint32_t)members);
    uint32_t vendor = 0, id = 0;
    bool selection = read_selection(instance, &vendor, &id);
    next = key;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = group[i].physicalDeviceCount;
        if (selection) /* ENV-90: the first matching device of each group */
            choose(instance, next, size, vendor, id);
        qsort(next, size, sizeof *next, compare_keys);
        for (uint32_t j = 0; j < size; j++) group[i].physicalDevices[j] = (VkPhysicalDevice)next[j].device;
        order[i].group = group[i];
        if (size)
            order[i].first = next[0];
        else
            order[i].first = (struct key){.rank = 6, .place = i}; /* a group without members goes last */
        next += size;
    }
    qsort(order, count, sizeof *order, compare_groups);
    for (uint32_t i = 0; i < count; i++) group[i] = order[i].group; /* includes pNext (PHY-072) */
    free(key);
    free(order);
    return VK_SUCCESS;
}
