/* layer.c: a Vulkan layer that follows its script and logs its calls: negotiation, exports, look-up.
 * test/README.md lists the script's words.
 */
#include "layer.h"
#include <stdio.h>
#include <string.h>
#include "thunks.h"

/* An intercepted function without code of its own goes on below with its first argument taken out of its wrapper. */
bool thunk_below(const char *name, const uint64_t *a, uint64_t *value)
{
    struct chain *chain = chain_of((const void *)(uintptr_t)a[0]);
    if (!chain || script_has("terminal", name)) return false;
    PFN_vkVoidFunction next = next_of(chain, name);
    if (!next) return false;
    uint64_t arguments[ARGUMENTS];
    memcpy(arguments, a, sizeof arguments);
    arguments[0] = (uint64_t)(uintptr_t)below((const void *)(uintptr_t)a[0]);
    *value = call_by(signature_of(name), next, arguments);
    return true;
}

static const struct {
    const char *name;
    PFN_vkVoidFunction function;
    bool optional; /* only where there is something below */
    char level;    /* i instance, p physical device, d device */
} entries[] = {
#define E(name, level, optional) {"vk" #name, (PFN_vkVoidFunction)(uintptr_t)layer_##name, optional, level},
    {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)(uintptr_t)layer_gipa, false, 'i'},
    {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)(uintptr_t)layer_gdpa, false, 'd'},
    E(CreateInstance, 'i', false) E(DestroyInstance, 'i', false) E(CreateDevice, 'p', false)
        E(DestroyDevice, 'd', false) E(EnumeratePhysicalDevices, 'i', true) E(EnumeratePhysicalDeviceGroups, 'i', true)
            E(EnumeratePhysicalDeviceGroupsKHR, 'i', true) E(GetPhysicalDeviceProperties, 'p', true)
                E(EnumerateDeviceExtensionProperties, 'p', true)};

static bool unwraps(void)
{
    return wraps("instance") || wraps("physdev") || wraps("device") || script_has("add_devices", NULL);
}

void log_lookup(const char *function, const char *name, const void *handle, const void *found)
{
    struct record r;
    const struct statement *s = script_find("log_lookups", NULL, 0);
    if (!s || (s->count > 1 && strcmp(s->word[1], name))) return;
    record_open(&r, function);
    record_text(&r, "name", name);
    record_pointer(&r, "handle", handle);
    record_int(&r, "found", found != NULL);
    record_close(&r);
}

/* "offer_with EXTENSION FN": only where the extension is enabled. */
static bool offered_with(const struct chain *chain, const char *name)
{
    char word[300];
    const struct statement *s;
    for (int i = 0; chain && chain->enabled && (s = script_find("offer_with", NULL, i)); i++) {
        if (s->count < 3 || strcmp(s->word[2], name)) continue;
        snprintf(word, sizeof word, " %s ", s->word[1]);
        if (strstr(chain->enabled, word)) return true;
    }
    return false;
}

static PFN_vkVoidFunction find_instance(VkInstance h, const char *name)
{
    if (script_has("gipa_null", name)) return NULL;
    struct chain *chain = h ? chain_of(h) : NULL;
    PFN_vkVoidFunction next = chain && !chain->device ? chain->gipa(below(h), name) : NULL;
    if (next) next_is(chain, name, next);
    if (next && object_function(name)) return object_function(name);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].name, name)) continue;
        if (script_has("pass", name)) return next;
        return !entries[i].optional || next ? entries[i].function : NULL;
    }
    if (script_has("offer", name) || script_has("offer_gipa", name) || offered_with(chain, name))
        return thunk_for(name);
    if (next && (script_has("intercept", name) || script_has("intercept", "*") ||
                 (unwraps() && strncmp(name, "vkEnumerateInstance", 19))))
        return thunk_for(name);
    return next;
}

PFN_vkVoidFunction VKAPI_PTR layer_gipa(VkInstance h, const char *name)
{
    PFN_vkVoidFunction found = find_instance(h, name);
    log_lookup("gipa", name, h, (const void *)(uintptr_t)found);
    return found;
}

static PFN_vkVoidFunction find_device(VkDevice h, const char *name)
{
    if (script_has("gdpa_null", name)) return NULL;
    struct chain *chain = chain_of(h);
    const char *other = script_word("gdpa_asks", 1, NULL); /* of the instance, as layers do that look further there */
    if (other && chain && chain->above) chain->above->gipa(chain->above->instance, other);
    PFN_vkVoidFunction next = chain && chain->device ? chain->gdpa(below(h), name) : NULL;
    if (next && object_function(name)) return object_function(name);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (!strcmp(entries[i].name, name) && entries[i].level == 'd') return entries[i].function;
    if (script_has("offer", name) || script_has("offer_gdpa", name) || offered_with(chain, name))
        return thunk_for(name);
    if (next && (script_has("intercept", name) || script_has("intercept", "*") || wraps("device")))
        return thunk_for(name);
    return next;
}

PFN_vkVoidFunction VKAPI_PTR layer_gdpa(VkDevice h, const char *name)
{
    PFN_vkVoidFunction found = find_device(h, name);
    log_lookup("gdpa", name, h, (const void *)(uintptr_t)found);
    return found;
}

PFN_vkVoidFunction VKAPI_PTR layer_gpdpa(VkInstance h, const char *name)
{
    struct chain *chain = h ? chain_of(h) : NULL;
    PFN_vkVoidFunction next = chain && chain->gpdpa ? chain->gpdpa(below(h), name) : NULL, found = next;
    if (script_has("gpdpa_null", name))
        found = NULL;
    else if (script_has("offer_gpdpa", name))
        found = thunk_for(name);
    else if (next && object_function(name))
        found = object_function(name);
    else if (next && (script_has("intercept", name) || script_has("intercept", "*") || unwraps()))
        found = thunk_for(name);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (found && found == next && entries[i].level == 'p' && !strcmp(entries[i].name, name))
            found = entries[i].function;
    log_lookup("gpdpa", name, h, (const void *)(uintptr_t)found);
    return found;
}

/* ---- negotiation ---- */

/* "negotiate RESULT VERSION"; "negotiate_null gipa|gdpa|gpdpa" leaves pointers NULL. */
VkResult layer_negotiate(VkNegotiateLayerInterface *n)
{
    struct record r;
    VkResult result = (VkResult)script_number(script_word("negotiate", 1, "0"));
    record_open(&r, "vkNegotiateLoaderLayerInterfaceVersion");
    record_int(&r, "type", n->sType);
    record_pointer(&r, "next", n->pNext);
    record_int(&r, "version", n->loaderLayerInterfaceVersion);
    record_int(&r, "pointers", n->pfnGetInstanceProcAddr || n->pfnGetDeviceProcAddr || n->pfnGetPhysicalDeviceProcAddr);
    record_close(&r);
    n->loaderLayerInterfaceVersion = (uint32_t)script_number(script_word("negotiate", 2, "2"));
    n->pfnGetInstanceProcAddr = script_has("negotiate_null", "gipa") ? NULL : layer_gipa;
    n->pfnGetDeviceProcAddr = script_has("negotiate_null", "gdpa") ? NULL : layer_gdpa;
    n->pfnGetPhysicalDeviceProcAddr = script_has("negotiate_null", "gpdpa") ? NULL : layer_gpdpa;
    return result;
}
