/* driver.c: a Vulkan driver that follows its script and logs its calls; test/README.md lists the script's
 * words. This file: the script's devices, the global commands, instances.
 */
#include "driver.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- devices of the script ---- */

int device_count(void)
{
    int n = 0;
    while (script_find("device", NULL, n)) n++;
    return n;
}

const struct statement *device_statement(int i, char id[64])
{
    const struct statement *s = script_find("device", NULL, i);
    if (s) snprintf(id, 64, "%s", statement_value(s, "id", statement_value(s, "name", "")));
    if (s && !id[0]) snprintf(id, 64, "%d", i);
    return s;
}

const struct statement *statement_of(const struct object *pd)
{
    char id[64];
    const struct statement *s;
    for (int i = 0; pd && (s = device_statement(i, id)); i++)
        if (!strcmp(id, pd->id)) return s;
    return NULL;
}

struct object *physical_device(struct object *instance, const char *id)
{
    struct object *pd = object_like(PHYSICAL_DEVICE, instance, id, 0, 0);
    if (!pd) {
        pd = object_new(PHYSICAL_DEVICE, instance);
        object_name(pd, id);
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

bool any_device_lists(const char *name)
{
    const struct statement *s;
    for (int i = 0; (s = script_find("device", NULL, i)); i++)
        if (device_lists(s, name)) return true;
    return false;
}

uint32_t driver_api(void)
{
    return script_version(script_word("api", 1, "1.0.0"));
}

VkResult give_count(uint32_t total, uint32_t *count, bool array, uint32_t *fill)
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

void claim_more(const char *function, uint32_t *count, bool array)
{
    const struct statement *s = script_find(array ? "more" : "counts", function, 0);
    if (!s || s->count <= 2) return;
    uint32_t n = (uint32_t)script_number(s->word[2]);
    *count = array ? *count + n : n;
}

/* ---- global functions ---- */

VkResult VKAPI_PTR fake_EnumerateInstanceVersion(uint32_t *version)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkEnumerateInstanceVersion", NULL, &result);
    record_open(&r, "vkEnumerateInstanceVersion");
    record_close(&r);
    if (!forced) *version = driver_api();
    return result;
}

VkResult list_extensions(const char *function, const char *layer, uint32_t *count, VkExtensionProperties *p,
                         const struct statement *device)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    uint32_t total = 0, fill;
    bool forced = imposed(function, p ? "fill" : "count", &result);
    record_open(&r, function);
    record_text(&r, "layer", layer);
    record_text(&r, "phase", p ? "fill" : "count");
    record_int(&r, "room", *count);
    record_close(&r);
    if (forced && result < 0) return result;
    VkResult counted;
    VkExtensionProperties *all = calloc(256, sizeof *all); /* threads may have little stack */
    if (!all) abort();
    if (device) {
        char list[4096], *rest = NULL;
        snprintf(list, sizeof list, "%s", statement_value(device, "ext", ""));
        for (char *word = strtok_r(list, ",", &rest); word && total < 256; word = strtok_r(NULL, ",", &rest)) {
            char *colon = strchr(word, ':');
            if (colon) *colon = 0;
            memcpy(all[total].extensionName, word, strnlen(word, 256)); /* 256: without an end */
            all[total++].specVersion = colon ? (uint32_t)script_number(colon + 1) : 1;
        }
    } else {
        const struct statement *s;
        for (int i = 0; (s = script_find("ext", NULL, i)) && total < 256; i++) {
            if (s->count < 2) continue;
            memcpy(all[total].extensionName, s->word[1], strnlen(s->word[1], 256)); /* 256: without an end */
            all[total++].specVersion = s->count > 2 ? (uint32_t)script_number(s->word[2]) : 1;
        }
    }
    counted = give_count(total, count, p != NULL, &fill);
    if (p) memcpy(p, all, fill * sizeof *p);
    free(all);
    claim_more(function, count, p != NULL);
    return forced ? result : counted;
}

VkResult VKAPI_PTR fake_EnumerateInstanceExtensionProperties(const char *layer, uint32_t *count,
                                                             VkExtensionProperties *p)
{
    return list_extensions("vkEnumerateInstanceExtensionProperties", layer, count, p, NULL);
}

VkResult VKAPI_PTR fake_EnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *p)
{
    struct record r;
    (void)p;
    record_open(&r, "vkEnumerateInstanceLayerProperties");
    record_close(&r);
    *count = 0;
    return VK_SUCCESS;
}

void record_allocator(struct record *r, const VkAllocationCallbacks *allocator)
{
    record_pointer(r, "allocator", allocator);
    if (allocator)
        record_int(r, "allocator_good", allocator->pfnAllocation && allocator->pfnReallocation && allocator->pfnFree);
}

VkResult VKAPI_PTR fake_CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                       VkInstance *out)
{
    struct record r;
    VkResult result = VK_SUCCESS;
    bool forced = imposed("vkCreateInstance", NULL, &result);
    if (script_has("null_handle", "vkCreateInstance")) {
        *out = NULL;
        return VK_SUCCESS;
    }
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

void VKAPI_PTR fake_DestroyInstance(VkInstance h, const VkAllocationCallbacks *allocator)
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
