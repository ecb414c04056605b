/* driver.c: a Vulkan driver that does what its script says and logs what it saw. test/README.md lists the script's
 * words. Built several times with different FAKE_EXPORTS: which of the driver interface's functions are exported.
 */
#include "objects.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "thunks.inc"

#define EXPORT_NEGOTIATE 1
#define EXPORT_GIPA 2
#define EXPORT_GPDPA 4
#define EXPORT_OLD_GIPA 8
#define EXPORT_OLD_CREATE 16
#define EXPORT_OLD_EXTENSIONS 32
#ifndef FAKE_EXPORTS
#define FAKE_EXPORTS 7
#endif
#define VISIBLE __attribute__((visibility("default")))
#define H(handle) ((void *)(uintptr_t)(handle))

static PFN_vkVoidFunction lookup(struct object *instance, const char *name);
static PFN_vkVoidFunction device_lookup(const char *name);

/* ---- devices of the script ---- */

static int device_count(void)
{
    int n = 0;
    while (script_find("device", NULL, n)) n++;
    return n;
}

static const struct statement *device_statement(int i, char id[64])
{
    const struct statement *s = script_find("device", NULL, i);
    if (s) snprintf(id, 64, "%s", statement_value(s, "id", statement_value(s, "name", "")));
    if (s && !id[0]) snprintf(id, 64, "%d", i);
    return s;
}

static const struct statement *statement_of(const struct object *pd)
{
    char id[64];
    const struct statement *s;
    for (int i = 0; pd && (s = device_statement(i, id)); i++)
        if (!strcmp(id, pd->id)) return s;
    return NULL;
}

static struct object *physical_device(struct object *instance, const char *id)
{
    struct object *pd = object_like(PHYSICAL_DEVICE, instance, id, 0, 0);
    if (!pd) {
        pd = object_new(PHYSICAL_DEVICE, instance);
        snprintf(pd->id, sizeof pd->id, "%s", id);
    }
    return pd;
}

/* Is the name among the comma-separated words of a device's ext=? */
static bool device_lists(const struct statement *s, const char *name)
{
    const char *list = statement_value(s, "ext", "");
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at++)
        if ((at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ',' || at[n] == ':')) return true;
    return false;
}

static bool any_device_lists(const char *name)
{
    const struct statement *s;
    for (int i = 0; (s = script_find("device", NULL, i)); i++)
        if (device_lists(s, name)) return true;
    return false;
}

static uint32_t api(void) { return script_version(script_word("api", 1, "1.0.0")); }

/* Counting of arrays as Vulkan wants it. more: entries that only a filling call reports (they are not written). */
static VkResult give_count(uint32_t total, uint32_t *count, bool array, uint32_t *fill)
{
    *fill = 0;
    if (!array) {
        *count = total;
        return VK_SUCCESS;
    }
    *fill = *count < total ? *count : total;
    VkResult result = *count < total ? VK_INCOMPLETE : VK_SUCCESS;
    *count = *fill;
    return result;
}

/* "more FN N": the filling call claims N entries more than were counted. */
static void claim_more(const char *function, uint32_t *count, bool array)
{
    const struct statement *s = script_find("more", function, 0);
    if (s && array && s->count > 2) *count += (uint32_t)script_number(s->word[2]);
}

/* ---- global functions ---- */

static VkResult VKAPI_PTR fake_EnumerateInstanceVersion(uint32_t *version)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkEnumerateInstanceVersion", NULL, &result);
    record_open(&r, "vkEnumerateInstanceVersion");
    record_close(&r);
    if (!forced) *version = api();
    return result;
}

static VkResult list_extensions(const char *function, const char *layer, uint32_t *count, VkExtensionProperties *p, const struct statement *device)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    uint32_t total = 0, fill;
    VkExtensionProperties all[256];
    memset(all, 0, sizeof all);
    bool forced = imposed(function, p ? "fill" : "count", &result);
    record_open(&r, function);
    record_text(&r, "layer", layer);
    record_text(&r, "phase", p ? "fill" : "count");
    record_int(&r, "room", *count);
    record_close(&r);
    if (forced) return result;
    if (device) {
        char list[4096], *rest = NULL;
        snprintf(list, sizeof list, "%s", statement_value(device, "ext", ""));
        for (char *word = strtok_r(list, ",", &rest); word && total < 256; word = strtok_r(NULL, ",", &rest)) {
            char *colon = strchr(word, ':');
            if (colon) *colon = 0;
            memcpy(all[total].extensionName, word, strnlen(word, 255));
            all[total++].specVersion = colon ? (uint32_t)script_number(colon + 1) : 1;
        }
    } else {
        const struct statement *s;
        for (int i = 0; (s = script_find("ext", NULL, i)) && total < 256; i++) {
            if (s->count < 2) continue;
            memcpy(all[total].extensionName, s->word[1], strnlen(s->word[1], 255));
            all[total++].specVersion = s->count > 2 ? (uint32_t)script_number(s->word[2]) : 1;
        }
    }
    result = give_count(total, count, p != NULL, &fill);
    if (p) memcpy(p, all, fill * sizeof *p);
    claim_more(function, count, p != NULL);
    return result;
}

static VkResult VKAPI_PTR fake_EnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *p)
{
    return list_extensions("vkEnumerateInstanceExtensionProperties", layer, count, p, NULL);
}

static VkResult VKAPI_PTR fake_EnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *p)
{
    struct record r;
    (void)p;
    record_open(&r, "vkEnumerateInstanceLayerProperties");
    record_close(&r);
    *count = 0;
    return VK_SUCCESS;
}

static void record_allocator(struct record *r, const VkAllocationCallbacks *allocator)
{
    record_pointer(r, "allocator", allocator);
    if (allocator) record_int(r, "allocator_good", allocator->pfnAllocation && allocator->pfnReallocation && allocator->pfnFree);
}

static VkResult VKAPI_PTR fake_CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateInstance", NULL, &result);
    const VkApplicationInfo *app = info->pApplicationInfo;
    struct object *instance = forced && result != VK_SUCCESS ? NULL : object_new(INSTANCE, NULL);
    record_open(&r, "vkCreateInstance");
    record_int(&r, "flags", info->flags);
    record_names(&r, "extensions", info->enabledExtensionCount, info->ppEnabledExtensionNames);
    record_int(&r, "layer_count", info->enabledLayerCount);
    record_pointer(&r, "layer_names", info->ppEnabledLayerNames);
    record_chain(&r, "next", info->pNext);
    record_allocator(&r, allocator);
    if (app) {
        record_begin(&r, "app", '{');
        record_int(&r, "type", app->sType);
        record_text(&r, "name", app->pApplicationName);
        record_text(&r, "engine", app->pEngineName);
        record_int(&r, "version", app->applicationVersion);
        record_int(&r, "engine_version", app->engineVersion);
        record_int(&r, "api", app->apiVersion);
        record_end(&r, '}');
    } else {
        record_text(&r, "app", NULL);
    }
    if (instance) record_object(&r, "made", instance);
    record_int(&r, "result", result);
    record_close(&r);
    if (!instance) return result;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (!strcmp(info->ppEnabledExtensionNames[i], "VK_EXT_debug_utils")) instance->bits |= 1;
        if (!strcmp(info->ppEnabledExtensionNames[i], "VK_EXT_debug_report")) instance->bits |= 2;
    }
    if (allocator && script_has("use_allocator", NULL)) {
        instance->callbacks = *allocator;
        instance->memory = allocator->pfnAllocation(allocator->pUserData, 100, 8, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
        if (!instance->memory) {
            object_kill(instance);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    *out = H(instance);
    return result;
}

static void VKAPI_PTR fake_DestroyInstance(VkInstance h, const VkAllocationCallbacks *allocator)
{
    struct record r;
    VkResult result;
    struct object *instance = object_of(h);
    imposed("vkDestroyInstance", NULL, &result);
    record_open(&r, "vkDestroyInstance");
    record_object(&r, "instance", h);
    record_allocator(&r, allocator);
    if (instance) {
        record_int(&r, "surfaces", objects_alive(SURFACE, instance));
        record_int(&r, "messengers", objects_alive(MESSENGER, instance));
        record_int(&r, "reports", objects_alive(REPORT, instance));
        record_int(&r, "devices", objects_alive(DEVICE, instance));
    }
    record_close(&r);
    if (!instance || !instance->alive) return;
    if (instance->memory) instance->callbacks.pfnFree(instance->callbacks.pUserData, instance->memory);
    object_kill(instance);
}

/* ---- physical devices ---- */

static VkResult VKAPI_PTR fake_EnumeratePhysicalDevices(VkInstance h, uint32_t *count, VkPhysicalDevice *array)
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
    VkResult counted = give_count((uint32_t)device_count(), count, array != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) {
        char id[64] = "";
        if (device_statement((int)i, id)) array[i] = H(physical_device(instance, id));
    }
    claim_more("vkEnumeratePhysicalDevices", count, array != NULL);
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
            if (!strchr(s->word[w], '=')) g->physicalDevices[g->physicalDeviceCount++] = H(physical_device(instance, s->word[w]));
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

static VkResult VKAPI_PTR fake_EnumeratePhysicalDeviceGroups(VkInstance h, uint32_t *count, VkPhysicalDeviceGroupProperties *array)
{
    return groups("vkEnumeratePhysicalDeviceGroups", h, count, array);
}

static VkResult VKAPI_PTR fake_EnumeratePhysicalDeviceGroupsKHR(VkInstance h, uint32_t *count, VkPhysicalDeviceGroupProperties *array)
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

static void VKAPI_PTR fake_GetPhysicalDeviceProperties(VkPhysicalDevice h, VkPhysicalDeviceProperties *p)
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
        } else if (n->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES) {
            VkPhysicalDeviceDriverProperties *d = (void *)n;
            d->driverID = (VkDriverId)script_number(statement_value(s, "driver_id", "0"));
            snprintf(d->driverName, sizeof d->driverName, "%s", statement_value(s, "driver_name", "fake"));
        }
    }
}

static void VKAPI_PTR fake_GetPhysicalDeviceProperties2(VkPhysicalDevice h, VkPhysicalDeviceProperties2 *p) { properties2("vkGetPhysicalDeviceProperties2", h, p); }
static void VKAPI_PTR fake_GetPhysicalDeviceProperties2KHR(VkPhysicalDevice h, VkPhysicalDeviceProperties2 *p) { properties2("vkGetPhysicalDeviceProperties2KHR", h, p); }

static void fill_features(const struct statement *s, VkPhysicalDeviceFeatures *f)
{
    memset(f, 0, sizeof *f);
    f->robustBufferAccess = script_number(statement_value(s, "robust", "1")) != 0;
}

static void VKAPI_PTR fake_GetPhysicalDeviceFeatures(VkPhysicalDevice h, VkPhysicalDeviceFeatures *f)
{
    fill_features(query("vkGetPhysicalDeviceFeatures", h, NULL, NULL), f);
}

static void features2(const char *function, VkPhysicalDevice h, VkPhysicalDeviceFeatures2 *f)
{
    fill_features(query(function, h, f->pNext, NULL), &f->features);
}

static void VKAPI_PTR fake_GetPhysicalDeviceFeatures2(VkPhysicalDevice h, VkPhysicalDeviceFeatures2 *f) { features2("vkGetPhysicalDeviceFeatures2", h, f); }
static void VKAPI_PTR fake_GetPhysicalDeviceFeatures2KHR(VkPhysicalDevice h, VkPhysicalDeviceFeatures2 *f) { features2("vkGetPhysicalDeviceFeatures2KHR", h, f); }

static void fill_format(VkFormatProperties *p)
{
    memset(p, 0, sizeof *p);
    p->optimalTilingFeatures = 1;
}

static void VKAPI_PTR fake_GetPhysicalDeviceFormatProperties(VkPhysicalDevice h, VkFormat format, VkFormatProperties *p)
{
    (void)format;
    query("vkGetPhysicalDeviceFormatProperties", h, NULL, NULL);
    fill_format(p);
}

#define TWICE(name, parameters, arguments)                                                                             \
    static void VKAPI_PTR fake_##name parameters { do_##name("vk" #name, arguments); }                                 \
    static void VKAPI_PTR fake_##name##KHR parameters { do_##name("vk" #name "KHR", arguments); }
#define A(...) __VA_ARGS__

static void do_GetPhysicalDeviceFormatProperties2(const char *function, VkPhysicalDevice h, VkFormatProperties2 *p)
{
    query(function, h, p->pNext, NULL);
    fill_format(&p->formatProperties);
}
TWICE(GetPhysicalDeviceFormatProperties2, (VkPhysicalDevice h, VkFormat f, VkFormatProperties2 *p), A(((void)f, h), p))

static VkResult image_format(const char *function, VkPhysicalDevice h, const void *next, const void *input, VkImageFormatProperties *p)
{
    VkResult result = VK_SUCCESS;
    const struct statement *s = script_find("return", function, 0);
    query(function, h, next, input);
    memset(p, 0, sizeof *p);
    p->maxMipLevels = 7;
    if (s && s->count > 2) result = (VkResult)script_number(s->word[2]);
    return result;
}

static VkResult VKAPI_PTR fake_GetPhysicalDeviceImageFormatProperties(VkPhysicalDevice h, VkFormat a, VkImageType b, VkImageTiling c,
                                                                      VkImageUsageFlags d, VkImageCreateFlags e, VkImageFormatProperties *p)
{
    (void)a, (void)b, (void)c, (void)d, (void)e;
    return image_format("vkGetPhysicalDeviceImageFormatProperties", h, NULL, NULL, p);
}

static VkResult VKAPI_PTR fake_GetPhysicalDeviceImageFormatProperties2(VkPhysicalDevice h, const VkPhysicalDeviceImageFormatInfo2 *i, VkImageFormatProperties2 *p)
{
    return image_format("vkGetPhysicalDeviceImageFormatProperties2", h, p->pNext, i->pNext, &p->imageFormatProperties);
}

static VkResult VKAPI_PTR fake_GetPhysicalDeviceImageFormatProperties2KHR(VkPhysicalDevice h, const VkPhysicalDeviceImageFormatInfo2 *i, VkImageFormatProperties2 *p)
{
    return image_format("vkGetPhysicalDeviceImageFormatProperties2KHR", h, p->pNext, i->pNext, &p->imageFormatProperties);
}

static void fill_queue(VkQueueFamilyProperties *p)
{
    memset(p, 0, sizeof *p);
    p->queueFlags = 15;
    p->queueCount = 4;
}

static void VKAPI_PTR fake_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice h, uint32_t *count, VkQueueFamilyProperties *p)
{
    uint32_t fill;
    const struct statement *s = query("vkGetPhysicalDeviceQueueFamilyProperties", h, NULL, NULL);
    give_count((uint32_t)script_number(statement_value(s, "queues", "1")), count, p != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) fill_queue(&p[i]);
}

static void do_GetPhysicalDeviceQueueFamilyProperties2(const char *function, VkPhysicalDevice h, uint32_t *count, VkQueueFamilyProperties2 *p)
{
    uint32_t fill;
    const struct statement *s = query(function, h, p && *count ? p->pNext : NULL, NULL);
    give_count((uint32_t)script_number(statement_value(s, "queues", "1")), count, p != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) fill_queue(&p[i].queueFamilyProperties);
}
TWICE(GetPhysicalDeviceQueueFamilyProperties2, (VkPhysicalDevice h, uint32_t *c, VkQueueFamilyProperties2 *p), A(h, c, p))

static void fill_memory(VkPhysicalDeviceMemoryProperties *p)
{
    memset(p, 0, sizeof *p);
    p->memoryTypeCount = 1;
    p->memoryHeapCount = 1;
    p->memoryHeaps[0].size = 1 << 20;
}

static void VKAPI_PTR fake_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice h, VkPhysicalDeviceMemoryProperties *p)
{
    query("vkGetPhysicalDeviceMemoryProperties", h, NULL, NULL);
    fill_memory(p);
}

static void do_GetPhysicalDeviceMemoryProperties2(const char *function, VkPhysicalDevice h, VkPhysicalDeviceMemoryProperties2 *p)
{
    query(function, h, p->pNext, NULL);
    fill_memory(&p->memoryProperties);
}
TWICE(GetPhysicalDeviceMemoryProperties2, (VkPhysicalDevice h, VkPhysicalDeviceMemoryProperties2 *p), A(h, p))

static void VKAPI_PTR fake_GetPhysicalDeviceSparseImageFormatProperties(VkPhysicalDevice h, VkFormat a, VkImageType b, VkSampleCountFlagBits c,
                                                                        VkImageUsageFlags d, VkImageTiling e, uint32_t *count, VkSparseImageFormatProperties *p)
{
    uint32_t fill;
    (void)a, (void)b, (void)c, (void)d, (void)e;
    query("vkGetPhysicalDeviceSparseImageFormatProperties", h, NULL, NULL);
    give_count(2, count, p != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) p[i] = (VkSparseImageFormatProperties){.aspectMask = 1 + i};
}

static void do_GetPhysicalDeviceSparseImageFormatProperties2(const char *function, VkPhysicalDevice h, uint32_t *count, VkSparseImageFormatProperties2 *p)
{
    uint32_t fill;
    query(function, h, p && *count ? p->pNext : NULL, NULL);
    give_count(2, count, p != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) p[i].properties = (VkSparseImageFormatProperties){.aspectMask = 1 + i};
}
TWICE(GetPhysicalDeviceSparseImageFormatProperties2,
      (VkPhysicalDevice h, const VkPhysicalDeviceSparseImageFormatInfo2 *i, uint32_t *c, VkSparseImageFormatProperties2 *p), A(((void)i, h), c, p))

static VkResult VKAPI_PTR fake_EnumerateDeviceExtensionProperties(VkPhysicalDevice h, const char *layer, uint32_t *count, VkExtensionProperties *p)
{
    static const struct statement nothing;
    const struct statement *s = statement_of(object_of(h));
    struct record r;
    record_open(&r, "vkEnumerateDeviceExtensionProperties of");
    record_object(&r, "physical_device", h);
    record_close(&r);
    return list_extensions("vkEnumerateDeviceExtensionProperties", layer, count, p, s ? s : &nothing);
}

static VkResult VKAPI_PTR fake_EnumerateDeviceLayerProperties(VkPhysicalDevice h, uint32_t *count, VkLayerProperties *p)
{
    struct record r;
    (void)p;
    record_open(&r, "vkEnumerateDeviceLayerProperties");
    record_object(&r, "physical_device", h);
    record_close(&r);
    *count = 0;
    return VK_SUCCESS;
}

/* ---- devices ---- */

static VkResult VKAPI_PTR fake_CreateDevice(VkPhysicalDevice h, const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    struct object *pd = object_of(h), *device = NULL;
    bool forced = imposed("vkCreateDevice", NULL, &result);
    if (!forced || result == VK_SUCCESS) device = object_new(DEVICE, pd);
    record_open(&r, "vkCreateDevice");
    record_object(&r, "physical_device", h);
    if (pd) record_text(&r, "id", pd->id);
    record_names(&r, "extensions", info->enabledExtensionCount, info->ppEnabledExtensionNames);
    record_int(&r, "layer_count", info->enabledLayerCount);
    record_pointer(&r, "layer_names", info->ppEnabledLayerNames);
    record_chain(&r, "next", info->pNext);
    record_allocator(&r, allocator);
    record_int(&r, "queues", info->queueCreateInfoCount);
    record_int(&r, "features", info->pEnabledFeatures ? (int)info->pEnabledFeatures->robustBufferAccess : -1);
    for (const VkBaseInStructure *n = info->pNext; n; n = n->pNext) {
        if (n->sType != VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO) continue;
        const VkDeviceGroupDeviceCreateInfo *g = (const void *)n;
        record_begin(&r, "group", '[');
        for (uint32_t i = 0; i < g->physicalDeviceCount; i++) record_object(&r, NULL, g->pPhysicalDevices[i]);
        record_end(&r, ']');
    }
    if (device) record_object(&r, "made", device);
    record_int(&r, "result", result);
    record_close(&r);
    if (device) *out = H(device);
    return result;
}

static void VKAPI_PTR fake_DestroyDevice(VkDevice h, const VkAllocationCallbacks *allocator)
{
    struct record r;
    struct object *device = object_of(h);
    record_open(&r, "vkDestroyDevice");
    record_object(&r, "device", h);
    record_allocator(&r, allocator);
    record_close(&r);
    if (device) object_kill(device);
}

static struct object *queue_of(VkDevice h, uint32_t family, uint32_t index)
{
    struct object *device = object_of(h);
    struct object *queue = object_like(QUEUE, device, NULL, family, index);
    if (!queue) {
        queue = object_new(QUEUE, device);
        queue->family = family;
        queue->index = index;
    }
    return queue;
}

static void get_queue(const char *function, VkDevice h, uint32_t family, uint32_t index, VkQueue *out)
{
    struct record r;
    VkResult result;
    bool none = imposed(function, NULL, &result);
    record_open(&r, function);
    record_object(&r, "device", h);
    record_int(&r, "family", family);
    record_int(&r, "index", index);
    record_pointer(&r, "out", out);
    record_close(&r);
    if (out) *out = none ? NULL : H(queue_of(h, family, index));
}

static void VKAPI_PTR fake_GetDeviceQueue(VkDevice h, uint32_t family, uint32_t index, VkQueue *out) { get_queue("vkGetDeviceQueue", h, family, index, out); }
static void VKAPI_PTR fake_GetDeviceQueue2(VkDevice h, const VkDeviceQueueInfo2 *i, VkQueue *out) { get_queue("vkGetDeviceQueue2", h, i->queueFamilyIndex, i->queueIndex, out); }

static VkResult VKAPI_PTR fake_CreateCommandPool(VkDevice h, const VkCommandPoolCreateInfo *info, const VkAllocationCallbacks *allocator, VkCommandPool *out)
{
    (void)info, (void)allocator;
    *out = (VkCommandPool)(uintptr_t)object_new(POOL, object_of(h));
    return VK_SUCCESS;
}

static VkResult VKAPI_PTR fake_AllocateCommandBuffers(VkDevice h, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkAllocateCommandBuffers", NULL, &result);
    record_open(&r, "vkAllocateCommandBuffers");
    record_object(&r, "device", h);
    record_int(&r, "count", info->commandBufferCount);
    record_close(&r);
    if (forced && result < 0) return result;
    for (uint32_t i = 0; i < info->commandBufferCount; i++) out[i] = H(object_new(COMMAND_BUFFER, object_of(h)));
    return result;
}

static VkResult VKAPI_PTR fake_CreateSwapchainKHR(VkDevice h, const VkSwapchainCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSwapchainKHR *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateSwapchainKHR", NULL, &result);
    record_open(&r, "vkCreateSwapchainKHR");
    record_object(&r, "device", h);
    record_object(&r, "surface", H(info->surface));
    record_object(&r, "old", H(info->oldSwapchain));
    record_allocator(&r, allocator);
    record_close(&r);
    if (forced && result < 0) return result;
    *out = (VkSwapchainKHR)(uintptr_t)object_new(SWAPCHAIN, object_of(h));
    return result;
}

static VkResult VKAPI_PTR fake_CreateSharedSwapchainsKHR(VkDevice h, uint32_t count, const VkSwapchainCreateInfoKHR *info, const VkAllocationCallbacks *allocator, VkSwapchainKHR *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateSharedSwapchainsKHR", NULL, &result);
    record_open(&r, "vkCreateSharedSwapchainsKHR");
    record_object(&r, "device", h);
    record_begin(&r, "surfaces", '[');
    for (uint32_t i = 0; i < count; i++) record_object(&r, NULL, H(info[i].surface));
    record_end(&r, ']');
    record_allocator(&r, allocator);
    record_close(&r);
    if (forced && result < 0) return result;
    for (uint32_t i = 0; i < count; i++) out[i] = (VkSwapchainKHR)(uintptr_t)object_new(SWAPCHAIN, object_of(h));
    return result;
}

static void VKAPI_PTR fake_DestroySwapchainKHR(VkDevice h, VkSwapchainKHR swapchain, const VkAllocationCallbacks *allocator)
{
    struct record r;
    record_open(&r, "vkDestroySwapchainKHR");
    record_object(&r, "device", h);
    record_object(&r, "swapchain", H(swapchain));
    record_allocator(&r, allocator);
    record_close(&r);
    if (object_of(H(swapchain))) object_kill(object_of(H(swapchain)));
}

/* ---- surfaces ---- */

static VkResult create_surface(const char *function, VkInstance h, const void *info, const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed(function, NULL, &result);
    struct object *surface = forced && result < 0 ? NULL : object_new(SURFACE, object_of(h));
    char bytes[65];
    /* Creation structures are 40 bytes for xcb, xlib and wayland; the fields after the flags are what matters. */
    for (int i = 0; i < 32; i++) snprintf(bytes + 2 * i, 3, "%02x", strstr(function, "Headless") ? 0 : ((const unsigned char *)info)[16 + (i < 24 ? i : 0)]);
    record_open(&r, function);
    record_object(&r, "instance", h);
    record_int(&r, "type", ((const VkBaseInStructure *)info)->sType);
    record_chain(&r, "next", ((const VkBaseInStructure *)info)->pNext);
    record_text(&r, "bytes", bytes);
    record_allocator(&r, allocator);
    if (surface) record_object(&r, "made", surface);
    record_int(&r, "result", result);
    record_close(&r);
    if (surface) *out = (VkSurfaceKHR)(uintptr_t)surface;
    return result;
}

#define SURFACE_KIND(name)                                                                                             \
    static VkResult VKAPI_PTR fake_##name(VkInstance h, const void *i, const VkAllocationCallbacks *a, VkSurfaceKHR *o) \
    {                                                                                                                  \
        return create_surface("vk" #name, h, i, a, o);                                                                 \
    }
SURFACE_KIND(CreateXcbSurfaceKHR)
SURFACE_KIND(CreateXlibSurfaceKHR)
SURFACE_KIND(CreateWaylandSurfaceKHR)
SURFACE_KIND(CreateHeadlessSurfaceEXT)
SURFACE_KIND(CreateDisplayPlaneSurfaceKHR)

static void VKAPI_PTR fake_DestroySurfaceKHR(VkInstance h, VkSurfaceKHR surface, const VkAllocationCallbacks *allocator)
{
    struct record r;
    record_open(&r, "vkDestroySurfaceKHR");
    record_object(&r, "instance", h);
    record_object(&r, "surface", H(surface));
    record_allocator(&r, allocator);
    record_close(&r);
    if (object_of(H(surface))) object_kill(object_of(H(surface)));
}

static VkResult surface_query(const char *function, VkPhysicalDevice h, VkSurfaceKHR surface, bool *answer)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed(function, NULL, &result);
    const struct object *pd = object_of(h);
    record_open(&r, function);
    record_object(&r, "physical_device", h);
    if (pd) record_text(&r, "id", pd->id);
    record_object(&r, "surface", H(surface));
    record_close(&r);
    *answer = !forced || result >= 0;
    return result;
}

static VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice h, uint32_t family, VkSurfaceKHR surface, VkBool32 *out)
{
    bool answer;
    (void)family;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceSupportKHR", h, surface, &answer);
    if (answer) *out = VK_TRUE;
    return result;
}

static VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceCapabilitiesKHR(VkPhysicalDevice h, VkSurfaceKHR surface, VkSurfaceCapabilitiesKHR *out)
{
    bool answer;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceCapabilitiesKHR", h, surface, &answer);
    if (answer) {
        memset(out, 0, sizeof *out);
        out->minImageCount = 2;
        out->maxImageCount = 8;
    }
    return result;
}

static VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceCapabilities2KHR(VkPhysicalDevice h, const VkPhysicalDeviceSurfaceInfo2KHR *info, VkSurfaceCapabilities2KHR *out)
{
    bool answer;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceCapabilities2KHR", h, info->surface, &answer);
    if (answer) {
        memset(&out->surfaceCapabilities, 0, sizeof out->surfaceCapabilities);
        out->surfaceCapabilities.minImageCount = 3;
    }
    return result;
}

static VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice h, VkSurfaceKHR surface, uint32_t *count, VkSurfaceFormatKHR *out)
{
    bool answer;
    uint32_t fill = 0;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceFormatsKHR", h, surface, &answer);
    if (!answer) return result;
    result = give_count(2, count, out != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) out[i] = (VkSurfaceFormatKHR){.format = (VkFormat)(44 + i)};
    return result;
}

static VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfaceFormats2KHR(VkPhysicalDevice h, const VkPhysicalDeviceSurfaceInfo2KHR *info, uint32_t *count, VkSurfaceFormat2KHR *out)
{
    bool answer;
    uint32_t fill = 0;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfaceFormats2KHR", h, info->surface, &answer);
    if (!answer) return result;
    result = give_count(2, count, out != NULL, &fill);
    for (uint32_t i = 0; i < fill; i++) out[i].surfaceFormat = (VkSurfaceFormatKHR){.format = (VkFormat)(44 + i)};
    return result;
}

static VkResult VKAPI_PTR fake_GetPhysicalDeviceSurfacePresentModesKHR(VkPhysicalDevice h, VkSurfaceKHR surface, uint32_t *count, VkPresentModeKHR *out)
{
    bool answer;
    uint32_t fill = 0;
    VkResult result = surface_query("vkGetPhysicalDeviceSurfacePresentModesKHR", h, surface, &answer);
    if (!answer) return result;
    result = give_count(1, count, out != NULL, &fill);
    if (fill) out[0] = VK_PRESENT_MODE_FIFO_KHR;
    return result;
}

/* ---- debug ---- */

static VkResult VKAPI_PTR fake_CreateDebugUtilsMessengerEXT(VkInstance h, const VkDebugUtilsMessengerCreateInfoEXT *info, const VkAllocationCallbacks *allocator, VkDebugUtilsMessengerEXT *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateDebugUtilsMessengerEXT", NULL, &result);
    struct object *made = forced && result < 0 ? NULL : object_new(MESSENGER, object_of(h));
    record_open(&r, "vkCreateDebugUtilsMessengerEXT");
    record_object(&r, "instance", h);
    record_int(&r, "severity", info->messageSeverity);
    record_int(&r, "types", info->messageType);
    record_chain(&r, "next", info->pNext);
    record_allocator(&r, allocator);
    if (made) record_object(&r, "made", made);
    record_int(&r, "alive", objects_alive(MESSENGER, object_of(h)));
    record_close(&r);
    if (made) *out = (VkDebugUtilsMessengerEXT)(uintptr_t)made;
    return result;
}

static VkResult VKAPI_PTR fake_CreateDebugReportCallbackEXT(VkInstance h, const VkDebugReportCallbackCreateInfoEXT *info, const VkAllocationCallbacks *allocator, VkDebugReportCallbackEXT *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateDebugReportCallbackEXT", NULL, &result);
    struct object *made = forced && result < 0 ? NULL : object_new(REPORT, object_of(h));
    record_open(&r, "vkCreateDebugReportCallbackEXT");
    record_object(&r, "instance", h);
    record_int(&r, "flags", info->flags);
    record_allocator(&r, allocator);
    if (made) record_object(&r, "made", made);
    record_close(&r);
    if (made) *out = (VkDebugReportCallbackEXT)(uintptr_t)made;
    return result;
}

static void destroy_debug(const char *function, VkInstance h, uint64_t handle, const VkAllocationCallbacks *allocator)
{
    struct record r;
    record_open(&r, function);
    record_object(&r, "instance", h);
    record_object(&r, "object", H(handle));
    record_allocator(&r, allocator);
    record_close(&r);
    if (object_of(H(handle))) object_kill(object_of(H(handle)));
}

static void VKAPI_PTR fake_DestroyDebugUtilsMessengerEXT(VkInstance h, VkDebugUtilsMessengerEXT m, const VkAllocationCallbacks *a) { destroy_debug("vkDestroyDebugUtilsMessengerEXT", h, (uint64_t)m, a); }
static void VKAPI_PTR fake_DestroyDebugReportCallbackEXT(VkInstance h, VkDebugReportCallbackEXT m, const VkAllocationCallbacks *a) { destroy_debug("vkDestroyDebugReportCallbackEXT", h, (uint64_t)m, a); }

static void VKAPI_PTR fake_SubmitDebugUtilsMessageEXT(VkInstance h, VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types, const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    struct record r;
    record_open(&r, "vkSubmitDebugUtilsMessageEXT");
    record_object(&r, "instance", h);
    record_int(&r, "severity", severity);
    record_int(&r, "types", types);
    record_text(&r, "text", data->pMessage);
    record_close(&r);
}

static VkResult name_object(const char *function, VkDevice h, uint64_t type, uint64_t handle, const char *name)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    imposed(function, NULL, &result);
    if (script_has("quiet", function) || script_has("quiet", "*")) return result;
    record_open(&r, function);
    record_object(&r, "device", h);
    record_int(&r, "type", (int64_t)type);
    record_begin(&r, "object", '[');
    record_argument(&r, handle);
    record_end(&r, ']');
    record_text(&r, "name", name);
    record_close(&r);
    return result;
}

static VkResult VKAPI_PTR fake_SetDebugUtilsObjectNameEXT(VkDevice h, const VkDebugUtilsObjectNameInfoEXT *i) { return name_object("vkSetDebugUtilsObjectNameEXT", h, i->objectType, i->objectHandle, i->pObjectName); }
static VkResult VKAPI_PTR fake_SetDebugUtilsObjectTagEXT(VkDevice h, const VkDebugUtilsObjectTagInfoEXT *i) { return name_object("vkSetDebugUtilsObjectTagEXT", h, i->objectType, i->objectHandle, NULL); }
static VkResult VKAPI_PTR fake_DebugMarkerSetObjectNameEXT(VkDevice h, const VkDebugMarkerObjectNameInfoEXT *i) { return name_object("vkDebugMarkerSetObjectNameEXT", h, i->objectType, i->object, i->pObjectName); }
static VkResult VKAPI_PTR fake_DebugMarkerSetObjectTagEXT(VkDevice h, const VkDebugMarkerObjectTagInfoEXT *i) { return name_object("vkDebugMarkerSetObjectTagEXT", h, i->objectType, i->object, NULL); }

/* ---- look-up ---- */

static PFN_vkVoidFunction VKAPI_PTR fake_GetInstanceProcAddr(VkInstance h, const char *name);
static PFN_vkVoidFunction VKAPI_PTR fake_GetPhysicalDeviceProcAddr(VkInstance h, const char *name);
static PFN_vkVoidFunction VKAPI_PTR fake_GetDeviceProcAddr(VkDevice h, const char *name);
static VkResult VKAPI_PTR fake_Negotiate(uint32_t *version);

enum level { GLOBAL = 1, OF_INSTANCE, OF_PHYSICAL_DEVICE, OF_DEVICE };
static const struct entry {
    const char *name;
    enum level level;
    uint32_t minor;        /* offered when the driver's api is at least 1.minor */
    const char *extension; /* or when it lists this instance extension (device extension for OF_DEVICE) */
    PFN_vkVoidFunction function;
} entries[] = {
#define E(name, level, minor, extension) {"vk" #name, level, minor, extension, (PFN_vkVoidFunction)(uintptr_t)fake_##name},
    E(CreateInstance, GLOBAL, 0, NULL)
    E(EnumerateInstanceExtensionProperties, GLOBAL, 0, NULL)
    E(EnumerateInstanceLayerProperties, GLOBAL, 0, NULL)
    E(EnumerateInstanceVersion, GLOBAL, 1, NULL)
    E(DestroyInstance, OF_INSTANCE, 0, NULL)
    E(EnumeratePhysicalDevices, OF_INSTANCE, 0, NULL)
    E(GetInstanceProcAddr, OF_INSTANCE, 0, NULL)
    E(GetPhysicalDeviceFeatures, OF_PHYSICAL_DEVICE, 0, NULL)
    E(GetPhysicalDeviceFormatProperties, OF_PHYSICAL_DEVICE, 0, NULL)
    E(GetPhysicalDeviceImageFormatProperties, OF_PHYSICAL_DEVICE, 0, NULL)
    E(GetPhysicalDeviceProperties, OF_PHYSICAL_DEVICE, 0, NULL)
    E(GetPhysicalDeviceQueueFamilyProperties, OF_PHYSICAL_DEVICE, 0, NULL)
    E(GetPhysicalDeviceMemoryProperties, OF_PHYSICAL_DEVICE, 0, NULL)
    E(GetPhysicalDeviceSparseImageFormatProperties, OF_PHYSICAL_DEVICE, 0, NULL)
    E(EnumerateDeviceExtensionProperties, OF_PHYSICAL_DEVICE, 0, NULL)
    E(EnumerateDeviceLayerProperties, OF_PHYSICAL_DEVICE, 0, NULL)
    E(CreateDevice, OF_PHYSICAL_DEVICE, 0, NULL)
    E(GetDeviceProcAddr, OF_INSTANCE, 0, NULL)
    E(EnumeratePhysicalDeviceGroups, OF_INSTANCE, 1, NULL)
    E(EnumeratePhysicalDeviceGroupsKHR, OF_INSTANCE, 9, "VK_KHR_device_group_creation")
#define P2(name)                                                                                                       \
    E(name, OF_PHYSICAL_DEVICE, 1, NULL) E(name##KHR, OF_PHYSICAL_DEVICE, 9, "VK_KHR_get_physical_device_properties2")
    P2(GetPhysicalDeviceFeatures2)
    P2(GetPhysicalDeviceProperties2)
    P2(GetPhysicalDeviceFormatProperties2)
    P2(GetPhysicalDeviceImageFormatProperties2)
    P2(GetPhysicalDeviceQueueFamilyProperties2)
    P2(GetPhysicalDeviceMemoryProperties2)
    P2(GetPhysicalDeviceSparseImageFormatProperties2)
    E(CreateXcbSurfaceKHR, OF_INSTANCE, 9, "VK_KHR_xcb_surface")
    E(CreateXlibSurfaceKHR, OF_INSTANCE, 9, "VK_KHR_xlib_surface")
    E(CreateWaylandSurfaceKHR, OF_INSTANCE, 9, "VK_KHR_wayland_surface")
    E(CreateHeadlessSurfaceEXT, OF_INSTANCE, 9, "VK_EXT_headless_surface")
    E(CreateDisplayPlaneSurfaceKHR, OF_INSTANCE, 9, "VK_KHR_display")
    E(DestroySurfaceKHR, OF_INSTANCE, 9, "VK_KHR_surface")
    E(GetPhysicalDeviceSurfaceSupportKHR, OF_PHYSICAL_DEVICE, 9, "VK_KHR_surface")
    E(GetPhysicalDeviceSurfaceCapabilitiesKHR, OF_PHYSICAL_DEVICE, 9, "VK_KHR_surface")
    E(GetPhysicalDeviceSurfaceFormatsKHR, OF_PHYSICAL_DEVICE, 9, "VK_KHR_surface")
    E(GetPhysicalDeviceSurfacePresentModesKHR, OF_PHYSICAL_DEVICE, 9, "VK_KHR_surface")
    E(GetPhysicalDeviceSurfaceCapabilities2KHR, OF_PHYSICAL_DEVICE, 9, "VK_KHR_get_surface_capabilities2")
    E(GetPhysicalDeviceSurfaceFormats2KHR, OF_PHYSICAL_DEVICE, 9, "VK_KHR_get_surface_capabilities2")
    E(CreateDebugUtilsMessengerEXT, OF_INSTANCE, 9, "VK_EXT_debug_utils")
    E(DestroyDebugUtilsMessengerEXT, OF_INSTANCE, 9, "VK_EXT_debug_utils")
    E(SubmitDebugUtilsMessageEXT, OF_INSTANCE, 9, "VK_EXT_debug_utils")
    E(CreateDebugReportCallbackEXT, OF_INSTANCE, 9, "VK_EXT_debug_report")
    E(DestroyDebugReportCallbackEXT, OF_INSTANCE, 9, "VK_EXT_debug_report")
    E(DestroyDevice, OF_DEVICE, 0, NULL)
    E(GetDeviceQueue, OF_DEVICE, 0, NULL)
    E(GetDeviceQueue2, OF_DEVICE, 1, NULL)
    E(CreateCommandPool, OF_DEVICE, 0, NULL)
    E(AllocateCommandBuffers, OF_DEVICE, 0, NULL)
    E(CreateSwapchainKHR, OF_DEVICE, 9, "VK_KHR_swapchain")
    E(DestroySwapchainKHR, OF_DEVICE, 9, "VK_KHR_swapchain")
    E(CreateSharedSwapchainsKHR, OF_DEVICE, 9, "VK_KHR_display_swapchain")
    E(SetDebugUtilsObjectNameEXT, OF_DEVICE, 9, "instance VK_EXT_debug_utils")
    E(SetDebugUtilsObjectTagEXT, OF_DEVICE, 9, "instance VK_EXT_debug_utils")
    E(DebugMarkerSetObjectNameEXT, OF_DEVICE, 9, "VK_EXT_debug_marker")
    E(DebugMarkerSetObjectTagEXT, OF_DEVICE, 9, "VK_EXT_debug_marker")
};

/* Functions without code of their own that come with an extension. */
static const struct {
    const char *name, *extension;
    enum level level;
} plain[] = {
    {"vkGetPhysicalDeviceXcbPresentationSupportKHR", "VK_KHR_xcb_surface", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceXlibPresentationSupportKHR", "VK_KHR_xlib_surface", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceWaylandPresentationSupportKHR", "VK_KHR_wayland_surface", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDevicePresentRectanglesKHR", "VK_KHR_surface", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceDisplayPropertiesKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceDisplayPlanePropertiesKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayPlaneSupportedDisplaysKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayModePropertiesKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkCreateDisplayModeKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayPlaneCapabilitiesKHR", "VK_KHR_display", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceDisplayProperties2KHR", "VK_KHR_get_display_properties2", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceDisplayPlaneProperties2KHR", "VK_KHR_get_display_properties2", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayModeProperties2KHR", "VK_KHR_get_display_properties2", OF_PHYSICAL_DEVICE},
    {"vkGetDisplayPlaneCapabilities2KHR", "VK_KHR_get_display_properties2", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalBufferPropertiesKHR", "VK_KHR_external_memory_capabilities", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalSemaphorePropertiesKHR", "VK_KHR_external_semaphore_capabilities", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalFencePropertiesKHR", "VK_KHR_external_fence_capabilities", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalBufferProperties", "1.1", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalSemaphoreProperties", "1.1", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceExternalFenceProperties", "1.1", OF_PHYSICAL_DEVICE},
    {"vkGetPhysicalDeviceToolProperties", "1.3", OF_PHYSICAL_DEVICE},
    {"vkQueueBeginDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkQueueEndDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkQueueInsertDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkCmdBeginDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkCmdEndDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkCmdInsertDebugUtilsLabelEXT", "VK_EXT_debug_utils", OF_DEVICE},
    {"vkDebugReportMessageEXT", "VK_EXT_debug_report", OF_INSTANCE},
    {"vkGetSwapchainImagesKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkAcquireNextImageKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkQueuePresentKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkGetDeviceGroupSurfacePresentModesKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkGetDeviceGroupPresentCapabilitiesKHR", "device VK_KHR_swapchain", OF_DEVICE},
    {"vkAcquireNextImage2KHR", "device VK_KHR_swapchain", OF_DEVICE},
};

static uint32_t minor_of_api(void) { return (api() >> 12) & 1023; }

static bool listed(const char *extension)
{
    uint32_t minor = 0;
    if (sscanf(extension, "1.%u", &minor) == 1) return minor_of_api() >= minor;
    if (!strncmp(extension, "device ", 7)) return any_device_lists(extension + 7);
    if (!strncmp(extension, "instance ", 9)) return script_has("ext", extension + 9);
    return script_has("ext", extension);
}

static PFN_vkVoidFunction search(const char *name, unsigned levels)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        const struct entry *e = &entries[i];
        if (strcmp(e->name, name) || !(levels & 1u << e->level)) continue;
        bool device = e->level == OF_DEVICE && e->extension && strncmp(e->extension, "instance ", 9);
        bool yes = minor_of_api() >= e->minor || (e->extension && (device ? any_device_lists(e->extension) : listed(e->extension)));
        return yes || script_has("offer", name) ? e->function : NULL;
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!strcmp(plain[i].name, name) && (levels & 1u << plain[i].level)) return listed(plain[i].extension) || script_has("offer", name) ? thunk_for(name) : NULL;
    if (levels & 1u << OF_DEVICE) {
        static const struct {
            const char *name;
            uint32_t minor;
        } core[] = {
#define CORE(command, minor) {#command, minor},
#include "commands.inc"
#undef CORE
        };
        for (size_t i = 0; i < sizeof core / sizeof *core; i++)
            if (!strcmp(core[i].name, name)) return minor_of_api() >= core[i].minor ? thunk_for(name) : NULL;
    }
    return NULL;
}

static void log_lookup(const char *function, const void *handle, const char *name, const void *found)
{
    struct record r;
    const struct statement *s = script_find("log_lookups", NULL, 0);
    if (!s || (s->count > 1 && strcmp(s->word[1], name))) return;
    record_open(&r, function);
    record_object(&r, "handle", handle);
    record_text(&r, "name", name);
    record_int(&r, "found", found != NULL);
    record_close(&r);
}

static PFN_vkVoidFunction device_lookup(const char *name)
{
    if (script_has("missing", name) || script_has("missing_gdpa", name)) return NULL;
    if (script_has("offer", name) || script_has("offer_gdpa", name)) {
        PFN_vkVoidFunction typed = search(name, 1u << OF_DEVICE);
        return typed ? typed : thunk_for(name);
    }
    if (!strcmp(name, "vkGetDeviceProcAddr")) return (PFN_vkVoidFunction)(uintptr_t)fake_GetDeviceProcAddr;
    return search(name, 1u << OF_DEVICE);
}

static PFN_vkVoidFunction lookup(struct object *instance, const char *name)
{
    if (script_has("missing", name) || script_has("missing_gipa", name)) return NULL;
    if (!strcmp(name, "vk_icdNegotiateLoaderICDInterfaceVersion"))
        return FAKE_EXPORTS & EXPORT_NEGOTIATE || script_has("negotiate_by_gipa", NULL) ? (PFN_vkVoidFunction)(uintptr_t)fake_Negotiate : NULL;
    if (!strcmp(name, "vk_icdGetPhysicalDeviceProcAddr"))
        return script_has("no_gpdpa", NULL) ? NULL : (PFN_vkVoidFunction)(uintptr_t)fake_GetPhysicalDeviceProcAddr;
    if (!instance) return search(name, 1u << GLOBAL);
    if (script_has("offer", name) || script_has("offer_gipa", name)) {
        PFN_vkVoidFunction typed = search(name, ~0u);
        return typed ? typed : thunk_for(name);
    }
    return search(name, ~0u);
}

static PFN_vkVoidFunction VKAPI_PTR fake_GetInstanceProcAddr(VkInstance h, const char *name)
{
    PFN_vkVoidFunction found = lookup(object_of(h), name);
    log_lookup("vk_icdGetInstanceProcAddr", h, name, (const void *)(uintptr_t)found);
    return found;
}

static PFN_vkVoidFunction VKAPI_PTR fake_GetDeviceProcAddr(VkDevice h, const char *name)
{
    PFN_vkVoidFunction found = device_lookup(name);
    log_lookup("vkGetDeviceProcAddr", h, name, (const void *)(uintptr_t)found);
    return found;
}

static PFN_vkVoidFunction VKAPI_PTR fake_GetPhysicalDeviceProcAddr(VkInstance h, const char *name)
{
    PFN_vkVoidFunction found = NULL;
    if (script_has("offer_gpdpa", name)) found = thunk_for(name);
    else if (!script_has("missing", name)) found = search(name, 1u << OF_PHYSICAL_DEVICE);
    log_lookup("vk_icdGetPhysicalDeviceProcAddr", h, name, (const void *)(uintptr_t)found);
    return found;
}

static VkResult VKAPI_PTR fake_Negotiate(uint32_t *version)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    uint32_t low = (uint32_t)script_number(script_word("interface", 1, "0")), high = (uint32_t)script_number(script_word("interface", 2, "7"));
    const struct statement *forced = script_find("negotiate", NULL, 0); /* negotiate RESULT VERSION */
    record_open(&r, "vk_icdNegotiateLoaderICDInterfaceVersion");
    record_int(&r, "given", *version);
    if (forced && forced->count > 1) {
        result = (VkResult)script_number(forced->word[1]);
        if (forced->count > 2) *version = (uint32_t)script_number(forced->word[2]);
    } else if (*version < low) {
        result = VK_ERROR_INCOMPATIBLE_DRIVER;
    } else if (*version > high) {
        *version = high;
    }
    record_int(&r, "left", *version);
    record_int(&r, "result", result);
    record_close(&r);
    return result;
}

/* ---- exports ---- */

#if FAKE_EXPORTS & EXPORT_NEGOTIATE
VISIBLE VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version) { return fake_Negotiate(version); }
#endif
#if FAKE_EXPORTS & EXPORT_GIPA
VISIBLE PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance h, const char *name) { return fake_GetInstanceProcAddr(h, name); }
#endif
#if FAKE_EXPORTS & EXPORT_GPDPA
VISIBLE PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction vk_icdGetPhysicalDeviceProcAddr(VkInstance h, const char *name) { return fake_GetPhysicalDeviceProcAddr(h, name); }
#endif
#if FAKE_EXPORTS & EXPORT_OLD_GIPA
VISIBLE PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance h, const char *name) { return fake_GetInstanceProcAddr(h, name); }
#endif
#if FAKE_EXPORTS & EXPORT_OLD_CREATE
VISIBLE VkResult vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out);
VkResult vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *out) { return fake_CreateInstance(info, allocator, out); }
#endif
#if FAKE_EXPORTS & EXPORT_OLD_EXTENSIONS
VISIBLE VkResult vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *p);
VkResult vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *p) { return fake_EnumerateInstanceExtensionProperties(layer, count, p); }
#endif
#ifdef FAKE_UNDEFINED
/* A symbol that no library defines: harmless as long as symbols are bound lazily. */
extern void fake_symbol_that_does_not_exist(void);
VISIBLE void fake_needs_it(void);
void fake_needs_it(void) { fake_symbol_that_does_not_exist(); }
#endif
