/* driver_physdev.c: the fake driver's physical devices and groups. */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

VkResult VKAPI_PTR fake_EnumeratePhysicalDevices(VkInstance h, uint32_t *count, VkPhysicalDevice *array)
{
    struct record r;
    struct object *instance = object_of(h);
    VkResult result = VK_SUCCESS;
    uint32_t fill;
    bool forced = imposed("vkEnumeratePhysicalDevices", array ? "fill" : "count", &result);
    record_open(&r, "vkEnumeratePhysicalDevices");
    record_object(&r, "instance", h);
    record_text(&r, "phase", array ? "fill" : "count");
    record_int(&r, "room", *count);
    record_close(&r);
    if (forced && result < 0) return result;
    int listed[64], total = 0, all = device_count();
    for (int i = 0; i < all && (all > 64 || total < 64); i++) {
        char id[64];
        const struct statement *s = device_statement(i, id);
        const char *there = s && all <= 64 ? statement_value(s, "there", NULL) : NULL;
        if (there && !script_chance(script_number(there))) continue;
        if (all <= 64) listed[total] = i;
        total++;
    }
    VkResult counted = give_count((uint32_t)total, count, array != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) {
        char id[64] = "";
        if (device_statement(all <= 64 ? listed[i] : (int)i, id)) array[i] = H(physical_device(instance, id));
    }
    claim_more("vkEnumeratePhysicalDevices", count, array != NULL);
    return forced ? result : counted;
}

/* Is the adapter among the comma-separated numbers of a device's luid=? */
static bool of_adapter(const struct statement *s, uint64_t adapter)
{
    const char *list = statement_value(s, "luid", NULL);
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (strtoull(list, NULL, 0) == adapter) return true;
    return false;
}

VkResult VKAPI_PTR fake_EnumerateAdapterPhysicalDevices(VkInstance h, uint64_t adapter, uint32_t *count,
                                                        VkPhysicalDevice *array)
{
    static const char function[] = "vk_icdEnumerateAdapterPhysicalDevices";
    struct record r;
    struct object *instance = object_of(h);
    VkResult result = VK_SUCCESS;
    uint32_t total = 0, fill;
    char id[64];
    const struct statement *s;
    bool forced = imposed(function, array ? "fill" : "count", &result);
    record_open(&r, function);
    record_object(&r, "instance", h);
    record_int(&r, "adapter", (int64_t)adapter);
    record_text(&r, "phase", array ? "fill" : "count");
    record_int(&r, "room", *count);
    record_close(&r);
    if (forced && result < 0) return result;
    bool first = calls_of(function) == 1;
    const struct statement *listed[64];
    for (int i = 0; (s = device_statement(i, id)) && total < 64; i++)
        if (of_adapter(s, adapter) && !(first && script_number(statement_value(s, "late", "0")))) listed[total++] = s;
    VkResult counted = give_count(total, count, array != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++)
        array[i] =
            H(physical_device(instance, statement_value(listed[i], "id", statement_value(listed[i], "name", ""))));
    return forced ? result : counted;
}

static VkResult groups(const char *function, VkInstance h, uint32_t *count, VkPhysicalDeviceGroupProperties *array)
{
    struct record r;
    struct object *instance = object_of(h);
    VkResult result = VK_SUCCESS;
    uint32_t fill, total = 0;
    bool scripted = script_has("group", NULL);
    bool forced = imposed(function, array ? "fill" : "count", &result);
    while (scripted ? script_find("group", NULL, (int)total) != NULL : (int)total < device_count()) total++;
    record_open(&r, function);
    record_object(&r, "instance", h);
    record_text(&r, "phase", array ? "fill" : "count");
    record_int(&r, "room", *count);
    for (uint32_t i = 0; array && i < *count; i++) record_chain(&r, "next", array[i].pNext);
    record_close(&r);
    if (forced && result < 0) return result;
    VkResult counted = give_count(total, count, array != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) {
        const struct statement *s = scripted ? script_find("group", NULL, (int)i) : NULL;
        VkPhysicalDeviceGroupProperties *g = &array[i];
        g->physicalDeviceCount = 0;
        g->subsetAllocation = s && !strcmp(statement_value(s, "subset", "0"), "1");
        char id[64] = "";
        if (!s) {
            device_statement((int)i, id);
            g->physicalDevices[g->physicalDeviceCount++] = H(physical_device(instance, id));
        }
        for (int w = 1; s && w < s->count && g->physicalDeviceCount < VK_MAX_DEVICE_GROUP_SIZE; w++)
            if (!strchr(s->word[w], '='))
                g->physicalDevices[g->physicalDeviceCount++] = H(physical_device(instance, s->word[w]));
        const char *claim = s ? statement_value(s, "members", NULL) : NULL;
        if (claim) g->physicalDeviceCount = (uint32_t)script_number(claim);
        for (VkBaseOutStructure *n = g->pNext; n; n = n->pNext) {
            uint64_t word = ((struct object *)(uintptr_t)g->physicalDevices[0])->serial;
            if (n->sType == (VkStructureType)0x7ffffff0) memcpy(n + 1, &word, 8);
        }
    }
    claim_more(function, count, array != NULL);
    return forced ? result : counted;
}

VkResult VKAPI_PTR fake_EnumeratePhysicalDeviceGroups(VkInstance h, uint32_t *count,
                                                      VkPhysicalDeviceGroupProperties *array)
{
    return groups("vkEnumeratePhysicalDeviceGroups", h, count, array);
}

VkResult VKAPI_PTR fake_EnumeratePhysicalDeviceGroupsKHR(VkInstance h, uint32_t *count,
                                                         VkPhysicalDeviceGroupProperties *array)
{
    return groups("vkEnumeratePhysicalDeviceGroupsKHR", h, count, array);
}

/* A query of a physical device: logged, and its statement in the script, NULL when the handle is not ours. */
static const struct statement *query(const char *function, VkPhysicalDevice h, const void *next, const void *input)
{
    struct record r;
    VkResult result;
    imposed(function, NULL, &result);
    record_open(&r, function);
    record_object(&r, "physical_device", h);
    if (next) record_chain(&r, "next", next);
    if (input) record_chain(&r, "input_next", input);
    const struct object *pd = object_of(h);
    if (pd) record_text(&r, "id", pd->id);
    record_close(&r);
    return statement_of(pd);
}

static void fill_properties(const struct statement *s, VkPhysicalDeviceProperties *p)
{
    static const char *const types[] = {"other", "integrated", "discrete", "virtual", "cpu"};
    const char *type = statement_value(s, "type", "discrete");
    memset(p, 0, sizeof *p);
    p->deviceType = (VkPhysicalDeviceType)script_number(type);
    for (int i = 0; i < 5; i++)
        if (!strcmp(types[i], type)) p->deviceType = (VkPhysicalDeviceType)i;
    p->apiVersion = script_version(statement_value(s, "api", script_word("api", 1, "1.0.0")));
    p->driverVersion = (uint32_t)script_number(statement_value(s, "driver_version", "1"));
    p->vendorID = (uint32_t)script_number(statement_value(s, "vendor", "0x1000"));
    p->deviceID = (uint32_t)script_number(statement_value(s, "device", "1"));
    snprintf(p->deviceName, sizeof p->deviceName, "%s", statement_value(s, "name", "fake"));
}

void VKAPI_PTR fake_GetPhysicalDeviceProperties(VkPhysicalDevice h, VkPhysicalDeviceProperties *p)
{
    fill_properties(query("vkGetPhysicalDeviceProperties", h, NULL, NULL), p);
}

static void properties2(const char *function, VkPhysicalDevice h, VkPhysicalDeviceProperties2 *p)
{
    const struct statement *s = query(function, h, p->pNext, NULL);
    fill_properties(s, &p->properties);
    for (VkBaseOutStructure *n = p->pNext; n; n = n->pNext) {
        if (n->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PCI_BUS_INFO_PROPERTIES_EXT) {
            VkPhysicalDevicePCIBusInfoPropertiesEXT *pci = (void *)n;
            unsigned v[4] = {0};
            sscanf(statement_value(s, "pci", "0:0:0:0"), "%u:%u:%u:%u", &v[0], &v[1], &v[2], &v[3]);
            pci->pciDomain = v[0];
            pci->pciBus = v[1];
            pci->pciDevice = v[2];
            pci->pciFunction = v[3];
        } else if (n->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES) {
            VkPhysicalDeviceIDProperties *id = (void *)n;
            memset(id->deviceUUID, (int)script_number(statement_value(s, "uuid", "0")), sizeof id->deviceUUID);
            memset(id->driverUUID, (int)script_number(statement_value(s, "driver_uuid", "0")), sizeof id->driverUUID);
        } else if (n->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_DRIVER_PROPERTIES_MSFT) {
            ((VkPhysicalDeviceLayeredDriverPropertiesMSFT *)(void *)n)->underlyingAPI =
                (VkLayeredDriverUnderlyingApiMSFT)script_number(statement_value(s, "layered", "0"));
        } else if (n->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            VkPhysicalDeviceDriverProperties *d = (void *)n;
            d->driverID = (VkDriverId)script_number(statement_value(s, "driver_id", "0"));
            snprintf(d->driverName, sizeof d->driverName, "%s", statement_value(s, "driver_name", "fake"));
        }
    }
}

void VKAPI_PTR fake_GetPhysicalDeviceProperties2(VkPhysicalDevice h, VkPhysicalDeviceProperties2 *p)
{
    properties2("vkGetPhysicalDeviceProperties2", h, p);
}
void VKAPI_PTR fake_GetPhysicalDeviceProperties2KHR(VkPhysicalDevice h, VkPhysicalDeviceProperties2 *p)
{
    properties2("vkGetPhysicalDeviceProperties2KHR", h, p);
}

static void fill_features(const struct statement *s, VkPhysicalDeviceFeatures *f)
{
    memset(f, 0, sizeof *f);
    f->robustBufferAccess = script_number(statement_value(s, "robust", "1")) != 0;
}

void VKAPI_PTR fake_GetPhysicalDeviceFeatures(VkPhysicalDevice h, VkPhysicalDeviceFeatures *f)
{
    fill_features(query("vkGetPhysicalDeviceFeatures", h, NULL, NULL), f);
}

static void features2(const char *function, VkPhysicalDevice h, VkPhysicalDeviceFeatures2 *f)
{
    fill_features(query(function, h, f->pNext, NULL), &f->features);
}

void VKAPI_PTR fake_GetPhysicalDeviceFeatures2(VkPhysicalDevice h, VkPhysicalDeviceFeatures2 *f)
{
    features2("vkGetPhysicalDeviceFeatures2", h, f);
}
void VKAPI_PTR fake_GetPhysicalDeviceFeatures2KHR(VkPhysicalDevice h, VkPhysicalDeviceFeatures2 *f)
{
    features2("vkGetPhysicalDeviceFeatures2KHR", h, f);
}

static void fill_format(VkFormatProperties *p)
{
    memset(p, 0, sizeof *p);
    p->optimalTilingFeatures = 1;
}

void VKAPI_PTR fake_GetPhysicalDeviceFormatProperties(VkPhysicalDevice h, VkFormat format, VkFormatProperties *p)
{
    (void)format;
    query("vkGetPhysicalDeviceFormatProperties", h, NULL, NULL);
    fill_format(p);
}

#define TWICE(name, parameters, arguments)                                                                             \
    void VKAPI_PTR fake_##name parameters                                                                              \
    {                                                                                                                  \
        do_##name("vk" #name, arguments);                                                                              \
    }                                                                                                                  \
    void VKAPI_PTR fake_##name##KHR parameters                                                                         \
    {                                                                                                                  \
        do_##name("vk" #name "KHR", arguments);                                                                        \
    }
#define A(...) __VA_ARGS__

static void do_GetPhysicalDeviceFormatProperties2(const char *function, VkPhysicalDevice h, VkFormatProperties2 *p)
{
    query(function, h, p->pNext, NULL);
    fill_format(&p->formatProperties);
}
TWICE(GetPhysicalDeviceFormatProperties2, (VkPhysicalDevice h, VkFormat f, VkFormatProperties2 *p), A(((void)f, h), p))

static VkResult image_format(const char *function, VkPhysicalDevice h, const void *next, const void *input,
                             VkImageFormatProperties *p)
{
    VkResult result = VK_SUCCESS;
    const struct statement *s = script_find("return", function, 0);
    query(function, h, next, input);
    memset(p, 0, sizeof *p);
    p->maxMipLevels = 7;
    if (s && s->count > 2) result = (VkResult)script_number(s->word[2]);
    return result;
}

VkResult VKAPI_PTR fake_GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice h, VkFormat a, VkImageType b,
                                                               VkImageTiling c, VkImageUsageFlags d,
                                                               VkImageCreateFlags e, VkImageFormatProperties *p)
{
    (void)a, (void)b, (void)c, (void)d, (void)e;
    return image_format("vkGetPhysicalDeviceImageFormatProperties", h, NULL, NULL, p);
}

VkResult VKAPI_PTR fake_GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice h,
                                                                const VkPhysicalDeviceImageFormatInfo2 *i,
                                                                VkImageFormatProperties2 *p)
{
    return image_format("vkGetPhysicalDeviceImageFormatProperties2", h, p->pNext, i->pNext, &p->imageFormatProperties);
}

VkResult VKAPI_PTR fake_GetPhysicalDeviceImageFormatProperties2KHR(VkPhysicalDevice h,
                                                                   const VkPhysicalDeviceImageFormatInfo2 *i,
                                                                   VkImageFormatProperties2 *p)
{
    return image_format("vkGetPhysicalDeviceImageFormatProperties2KHR", h, p->pNext, i->pNext,
                        &p->imageFormatProperties);
}

static void fill_queue(VkQueueFamilyProperties *p)
{
    memset(p, 0, sizeof *p);
    p->queueFlags = 15;
    p->queueCount = 4;
}

void VKAPI_PTR fake_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice h, uint32_t *count,
                                                           VkQueueFamilyProperties *p)
{
    uint32_t fill;
    const struct statement *s = query("vkGetPhysicalDeviceQueueFamilyProperties", h, NULL, NULL);
    give_count((uint32_t)script_number(statement_value(s, "queues", "1")), count, p != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) fill_queue(&p[i]);
    claim_more("vkGetPhysicalDeviceQueueFamilyProperties", count, p != NULL);
}

static void do_GetPhysicalDeviceQueueFamilyProperties2(const char *function, VkPhysicalDevice h, uint32_t *count,
                                                       VkQueueFamilyProperties2 *p)
{
    uint32_t fill;
    const struct statement *s = query(function, h, p && *count ? p->pNext : NULL, NULL);
    give_count((uint32_t)script_number(statement_value(s, "queues", "1")), count, p != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) fill_queue(&p[i].queueFamilyProperties);
}
TWICE(GetPhysicalDeviceQueueFamilyProperties2, (VkPhysicalDevice h, uint32_t *c, VkQueueFamilyProperties2 *p),
      A(h, c, p))

static void fill_memory(const struct statement *s, VkPhysicalDeviceMemoryProperties *p)
{
    const char *own = statement_value(s, "vram", NULL);
    memset(p, 0, sizeof *p);
    p->memoryTypeCount = 1;
    p->memoryHeapCount = own ? 2 : 1;
    p->memoryHeaps[0].size = 1 << 20;
    if (own) {
        p->memoryHeaps[1].size = (VkDeviceSize)script_number(own);
        p->memoryHeaps[1].flags = VK_MEMORY_HEAP_DEVICE_LOCAL_BIT;
    }
}

void VKAPI_PTR fake_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice h, VkPhysicalDeviceMemoryProperties *p)
{
    fill_memory(query("vkGetPhysicalDeviceMemoryProperties", h, NULL, NULL), p);
}

static void do_GetPhysicalDeviceMemoryProperties2(const char *function, VkPhysicalDevice h,
                                                  VkPhysicalDeviceMemoryProperties2 *p)
{
    fill_memory(query(function, h, p->pNext, NULL), &p->memoryProperties);
}
TWICE(GetPhysicalDeviceMemoryProperties2, (VkPhysicalDevice h, VkPhysicalDeviceMemoryProperties2 *p), A(h, p))

void VKAPI_PTR fake_GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice h, VkFormat a, VkImageType b,
                                                                 VkSampleCountFlagBits c, VkImageUsageFlags d,
                                                                 VkImageTiling e, uint32_t *count,
                                                                 VkSparseImageFormatProperties *p)
{
    uint32_t fill;
    (void)a, (void)b, (void)c, (void)d, (void)e;
    query("vkGetPhysicalDeviceSparseImageFormatProperties", h, NULL, NULL);
    give_count(2, count, p != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) p[i] = (VkSparseImageFormatProperties){.aspectMask = 1 + i};
    claim_more("vkGetPhysicalDeviceSparseImageFormatProperties", count, p != NULL);
}

static void do_GetPhysicalDeviceSparseImageFormatProperties2(const char *function, VkPhysicalDevice h, uint32_t *count,
                                                             VkSparseImageFormatProperties2 *p)
{
    uint32_t fill;
    query(function, h, p && *count ? p->pNext : NULL, NULL);
    give_count(2, count, p != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) p[i].properties = (VkSparseImageFormatProperties){.aspectMask = 1 + i};
}
TWICE(GetPhysicalDeviceSparseImageFormatProperties2,
      (VkPhysicalDevice h, const VkPhysicalDeviceSparseImageFormatInfo2 *i, uint32_t *c,
       VkSparseImageFormatProperties2 *p),
      A(((void)i, h), c, p))

VkResult VKAPI_PTR fake_EnumerateDeviceExtensionProperties(VkPhysicalDevice h, const char *layer, uint32_t *count,
                                                           VkExtensionProperties *p)
{
    static const struct statement nothing;
    const struct statement *s = statement_of(object_of(h));
    struct record r;
    record_open(&r, "vkEnumerateDeviceExtensionProperties of");
    record_object(&r, "physical_device", h);
    record_close(&r);
    return list_extensions("vkEnumerateDeviceExtensionProperties", layer, count, p, s ? s : &nothing);
}

VkResult VKAPI_PTR fake_EnumerateDeviceLayerProperties(VkPhysicalDevice h, uint32_t *count, VkLayerProperties *p)
{
    struct record r;
    (void)p;
    record_open(&r, "vkEnumerateDeviceLayerProperties");
    record_object(&r, "physical_device", h);
    record_close(&r);
    *count = 0;
    return VK_SUCCESS;
}
