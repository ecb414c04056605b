/* physdev.c: physical devices, groups and their properties. Handles are answered as pointer numbers. */
#include "host.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

COMMAND(physical_devices)
{
    uint64_t instance = arg_ref(line, "instance", 0);
    if (!arg(line, "instance")) instance = resolve("i");
    PFN_vkEnumeratePhysicalDevices f =
        (PFN_vkEnumeratePhysicalDevices)command(line, "vkEnumeratePhysicalDevices", instance, 0);
    const char *capacity = arg(line, "count");
    uint32_t count = (uint32_t)arg_int(line, "before", 0xabab);
    if (now->failed) return;
    if (capacity && !strcmp(capacity, "null")) {
        put_int("result", f((VkInstance)(uintptr_t)instance, NULL, NULL));
        return;
    }
    if (!capacity || !strcmp(capacity, "only")) {
        VkResult result = f((VkInstance)(uintptr_t)instance, &count, NULL);
        if (capacity || result != VK_SUCCESS) {
            put_int("result", result);
            put_int("count", count);
            return;
        }
        put_int("asked", count);
    } else {
        count = (uint32_t)number(capacity);
    }
    uint32_t room = count;
    const void *mark = (const void *)(uintptr_t)0xababababababababull;
    VkPhysicalDevice *array = malloc((room + 2) * sizeof *array);
    if (!array) abort();
    memset(array, 0xab, (room + 2) * sizeof *array);
    put_int("result", f((VkInstance)(uintptr_t)instance, &count, array));
    put_int("count", count);
    uint32_t written = room + 2;
    while (written && array[written - 1] == mark) written--;
    put_int("written", written);
    if (written > room) fail("%u devices were written where there is room for %u", written, room);
    put_open("devices", '[');
    for (uint32_t i = 0; i < written && i < count; i++) put_number(pointer_number(array[i]));
    put_close(']');
    free(array);
}

/* The first device of an instance under a name, for recorded lines. */
COMMAND(enumerate_first)
{
    uint64_t instance = arg(line, "instance") ? arg_ref(line, "instance", 0) : resolve("i");
    PFN_vkEnumeratePhysicalDevices f =
        (PFN_vkEnumeratePhysicalDevices)command(line, "vkEnumeratePhysicalDevices", instance, 0);
    uint32_t count = 1;
    VkPhysicalDevice first = NULL;
    if (now->failed) return;
    VkResult result = f((VkInstance)(uintptr_t)instance, &count, &first);
    put_int("result", result == VK_INCOMPLETE ? VK_SUCCESS : result);
    object_drop(arg_or(line, "as", "p"));
    object_add(arg_or(line, "as", "p"), ANY, (uint64_t)(uintptr_t)first, instance, NULL, 0);
}

COMMAND(device_groups)
{
    uint64_t instance = arg_ref(line, "instance", 0);
    if (!arg(line, "instance")) instance = resolve("i");
    const char *name = arg(line, "khr") ? "vkEnumeratePhysicalDeviceGroupsKHR" : "vkEnumeratePhysicalDeviceGroups";
    PFN_vkEnumeratePhysicalDeviceGroups f = (PFN_vkEnumeratePhysicalDeviceGroups)command(line, name, instance, 0);
    const char *capacity = arg(line, "count");
    uint32_t count = (uint32_t)arg_int(line, "before", 0xabab);
    if (now->failed) return;
    if (capacity && !strcmp(capacity, "null")) {
        put_int("result", f((VkInstance)(uintptr_t)instance, NULL, NULL));
        return;
    }
    if (!capacity || !strcmp(capacity, "only")) {
        VkResult result = f((VkInstance)(uintptr_t)instance, &count, NULL);
        if (capacity || result != VK_SUCCESS) {
            put_int("result", result);
            put_int("count", count);
            return;
        }
        put_int("asked", count);
    } else {
        count = (uint32_t)number(capacity);
    }
    uint32_t room = count;
    VkPhysicalDeviceGroupProperties *array = malloc((room + 2) * sizeof *array);
    /* With chain=1 every element has a structure of an unknown type whose word a driver may fill. */
    struct extra {
        uint32_t type;
        void *next;
        uint64_t word;
    } *extras = calloc(room + 2, sizeof *extras);
    if (!array || !extras) abort();
    memset(array, 0xab, (room + 2) * sizeof *array);
    for (uint32_t i = 0; i < room; i++) {
        array[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
        extras[i].type = 0x7ffffff0;
        array[i].pNext = arg(line, "chain") ? &extras[i] : NULL;
    }
    put_int("result", f((VkInstance)(uintptr_t)instance, &count, array));
    put_int("count", count);
    behind_check("groups", array, room * sizeof *array);
    put_open("groups", '[');
    for (uint32_t i = 0; i < count && i < room; i++) {
        put_open(NULL, '{');
        put_int("type", array[i].sType);
        put_open("devices", '[');
        for (uint32_t d = 0; d < array[i].physicalDeviceCount && d < VK_MAX_DEVICE_GROUP_SIZE; d++)
            put_number(pointer_number(array[i].physicalDevices[d]));
        put_close(']');
        put_int("members", array[i].physicalDeviceCount);
        put_int("subset", array[i].subsetAllocation);
        if (arg(line, "chain") && array[i].pNext) put_int("word", (int64_t)((struct extra *)array[i].pNext)->word);
        put_close('}');
    }
    put_close(']');
    free(extras);
    free(array);
}

static void put_properties(const VkPhysicalDeviceProperties *p)
{
    put_text("name", p->deviceName);
    put_int("type", p->deviceType);
    put_int("vendor", p->vendorID);
    put_int("device", p->deviceID);
    put_int("api", p->apiVersion);
    put_int("driver_version", p->driverVersion);
}

COMMAND(properties)
{
    uint64_t pd = arg_ref(line, "pd", 0);
    PFN_vkGetPhysicalDeviceProperties f = (PFN_vkGetPhysicalDeviceProperties)command(
        line, "vkGetPhysicalDeviceProperties", arg_ref(line, "instance", 0), 0);
    VkPhysicalDeviceProperties properties;
    if (now->failed) return;
    memset(&properties, 0, sizeof properties);
    f((VkPhysicalDevice)(uintptr_t)pd, &properties);
    put_properties(&properties);
}

COMMAND(properties2)
{
    uint64_t pd = arg_ref(line, "pd", 0);
    const char *name = arg(line, "khr") ? "vkGetPhysicalDeviceProperties2KHR" : "vkGetPhysicalDeviceProperties2";
    PFN_vkGetPhysicalDeviceProperties2 f =
        (PFN_vkGetPhysicalDeviceProperties2)command(line, name, arg_ref(line, "instance", 0), 0);
    VkPhysicalDeviceIDProperties id = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
                                               .pNext = &id};
    VkPhysicalDevicePCIBusInfoPropertiesEXT pci = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT, .pNext = &driver};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    if (now->failed) return;
    memset(id.deviceUUID, 0xab, sizeof id.deviceUUID);
    if (arg_int(line, "chain", 1)) properties.pNext = &pci;
    f((VkPhysicalDevice)(uintptr_t)pd, &properties);
    put_properties(&properties.properties);
    put_int("driver_id", driver.driverID);
    put_text("driver_name", driver.driverName);
    put_hex("uuid", id.deviceUUID, sizeof id.deviceUUID);
    put_open("pci", '[');
    put_number(pci.pciDomain);
    put_number(pci.pciBus);
    put_number(pci.pciDevice);
    put_number(pci.pciFunction);
    put_close(']');
}

COMMAND(queue_families)
{
    uint64_t pd = arg_ref(line, "pd", 0);
    PFN_vkGetPhysicalDeviceQueueFamilyProperties f = (PFN_vkGetPhysicalDeviceQueueFamilyProperties)command(
        line, "vkGetPhysicalDeviceQueueFamilyProperties", arg_ref(line, "instance", 0), 0);
    VkQueueFamilyProperties array[64 + BEHIND / sizeof(VkQueueFamilyProperties) + 1];
    uint32_t count = 0;
    if (now->failed) return;
    if (arg(line, "count"))
        count = (uint32_t)arg_int(line, "count", 0);
    else
        f((VkPhysicalDevice)(uintptr_t)pd, &count, NULL);
    if (count > 64) count = 64;
    uint32_t room = count;
    behind_set(array, room * sizeof *array);
    f((VkPhysicalDevice)(uintptr_t)pd, &count, array);
    behind_check("queue families", array, room * sizeof *array);
    put_int("count", count);
    put_open("queues", '[');
    for (uint32_t i = 0; i < count; i++) put_number(array[i].queueCount);
    put_close(']');
}
