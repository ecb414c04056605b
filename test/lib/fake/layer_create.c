/* layer_create.c: how the fake layer takes part in creating and destroying instances and devices: links, callbacks,
 * wrapping, and every misbehaviour the script asks for. */
#include "layer.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct chain *chains;
static uint64_t zero_block[32];

struct chain *chain_of(const void *handle)
{
    struct chain *found = NULL;
    if (!handle) return NULL;
    void *key = *(void *const *)handle;
    pthread_mutex_lock(&lock);
    for (found = chains; found && found->key != key; found = found->next) {
    }
    pthread_mutex_unlock(&lock);
    return found;
}

struct answer_of_next {
    struct answer_of_next *next;
    PFN_vkVoidFunction function;
    char name[];
};

static bool asks_for_unknown(const struct chain *chain, const char *name)
{
    return chain->gpdpa &&
           (script_has("offer_gpdpa", name) || script_has("intercept", name) || script_has("unknown", name));
}

static struct answer_of_next *answer(const struct chain *chain, const char *name)
{
    struct answer_of_next *a = chain->answers;
    while (a && strcmp(a->name, name)) a = a->next;
    return a;
}

static void keep(struct chain *chain, const char *name, PFN_vkVoidFunction function)
{
    struct answer_of_next *fresh = malloc(sizeof *fresh + strlen(name) + 1);
    if (!fresh) abort();
    fresh->function = function;
    strcpy(fresh->name, name);
    pthread_mutex_lock(&lock);
    if (!answer(chain, name)) { /* no other thread has asked meanwhile */
        fresh->next = chain->answers;
        chain->answers = fresh;
        fresh = NULL;
    }
    pthread_mutex_unlock(&lock);
    free(fresh);
}

PFN_vkVoidFunction next_of(struct chain *chain, const char *name)
{
    pthread_mutex_lock(&lock);
    const struct answer_of_next *a = answer(chain, name);
    pthread_mutex_unlock(&lock);
    if (a) return a->function;
    PFN_vkVoidFunction function = NULL;
    if (chain->device)
        function = chain->gdpa(chain->lower, name);
    else if (asks_for_unknown(chain, name))
        function = chain->gpdpa(chain->instance, name); /* a command that the loader may not know */
    if (!function && !chain->device) function = chain->gipa(chain->instance, name);
    if (!function && !chain->device && chain->gpdpa) function = chain->gpdpa(chain->instance, name);
    if (function) keep(chain, name, function);
    return function;
}

void next_is(struct chain *chain, const char *name, PFN_vkVoidFunction function)
{
    if (asks_for_unknown(chain, name))
        next_of(chain, name);
    else
        keep(chain, name, function);
}

void chain_add(struct chain *chain)
{
    static const char *const used[] = {"vkDestroyInstance",
                                       "vkEnumeratePhysicalDevices",
                                       "vkEnumeratePhysicalDeviceGroups",
                                       "vkEnumeratePhysicalDeviceGroupsKHR",
                                       "vkGetPhysicalDeviceProperties",
                                       "vkEnumerateDeviceExtensionProperties"};
    for (size_t i = 0; !chain->device && i < sizeof used / sizeof *used; i++) next_of(chain, used[i]);
    pthread_mutex_lock(&lock);
    chain->next = chains;
    chains = chain;
    pthread_mutex_unlock(&lock);
}

void chain_drop(struct chain *chain)
{
    pthread_mutex_lock(&lock);
    for (struct chain **at = &chains; *at; at = &(*at)->next)
        if (*at == chain) {
            *at = chain->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    for (struct answer_of_next *a = chain->answers; a;) {
        struct answer_of_next *gone = a;
        a = a->next;
        free(gone);
    }
    objects_kill(chain);
    free(chain->enabled);
    free(chain);
}

/* What instances and devices that never ended have left, when the library goes and the process stays. */
__attribute__((destructor)) static void on_unload(void)
{
    const int *exiting = dlsym(RTLD_DEFAULT, "host_exiting");
    while (exiting && !*exiting && chains) chain_drop(chains);
}

void *below(const void *handle)
{
    struct object *o = object_of(handle);
    return o ? o->other : H(handle);
}

bool wraps(const char *what)
{
    const struct statement *s = script_find("wrap", NULL, 0);
    for (int i = 1; s && i < s->count; i++)
        if (!strcmp(s->word[i], what)) return true;
    return false;
}

void record_phase(struct record *r, const char *function, const char *phase)
{
    record_open(r, function);
    record_text(r, "phase", phase);
}

/* "error FN CODE before|after"; before the next one is called, statements about every function apply as well. */
static bool wants_error(const char *function, const char *when, VkResult *result)
{
    if (!strcmp(when, "before") && imposed(function, NULL, result)) return true;
    const struct statement *s = script_find("error", function, 0);
    if (!s || s->count < 4 || strcmp(s->word[3], when)) return false;
    *result = (VkResult)script_number(s->word[2]);
    return true;
}

/* Names of a list plus those of "add_ext NAME" or "add_device_ext NAME" statements. */
static const char *const *more_names(const char *key, const char *const *names, uint32_t *count, const char **room,
                                     uint32_t size)
{
    const struct statement *s;
    uint32_t n = 0;
    if (!script_has(key, NULL)) return names;
    for (; n < *count && n < size; n++) room[n] = names[n];
    for (int i = 0; (s = script_find(key, NULL, i)) && n < size; i++)
        if (s->count > 1) room[n++] = s->word[1];
    *count = n;
    return room;
}

/* Records the loader's structures of a chain, in order, with their members. */
static void record_instance_chain(struct record *r, const void *next)
{
    record_begin(r, "chain", '[');
    for (const VkBaseInStructure *s = next; s; s = s->pNext) {
        const VkLayerInstanceCreateInfo *info = (const void *)s;
        record_begin(r, NULL, '{');
        record_int(r, "type", s->sType);
        if (s->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO) {
            record_int(r, "function", info->function);
            if (info->function == VK_LOADER_FEATURES) record_int(r, "features", info->u.loaderFeatures);
            if (info->function == VK_LOADER_DATA_CALLBACK)
                record_int(r, "set", info->u.pfnSetInstanceLoaderData != NULL);
            if (info->function == VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK) {
                record_int(r, "create", info->u.layerDevice.pfnLayerCreateDevice != NULL);
                record_int(r, "destroy", info->u.layerDevice.pfnLayerDestroyDevice != NULL);
            }
            if (info->function == VK_LAYER_LINK_INFO) {
                record_begin(r, "links", '[');
                for (const VkLayerInstanceLink *l = info->u.pLayerInfo; l; l = l->pNext) {
                    record_begin(r, NULL, '{');
                    record_pointer(r, "gipa", (const void *)(uintptr_t)l->pfnNextGetInstanceProcAddr);
                    record_pointer(r, "gpdpa", (const void *)(uintptr_t)l->pfnNextGetPhysicalDeviceProcAddr);
                    record_end(r, '}');
                }
                record_end(r, ']');
            }
        }
        record_end(r, '}');
    }
    record_end(r, ']');
}

static void record_device_chain(struct record *r, const void *next)
{
    record_begin(r, "chain", '[');
    for (const VkBaseInStructure *s = next; s; s = s->pNext) {
        const VkLayerDeviceCreateInfo *info = (const void *)s;
        record_begin(r, NULL, '{');
        record_int(r, "type", s->sType);
        if (s->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) {
            record_int(r, "function", info->function);
            if (info->function == VK_LOADER_DATA_CALLBACK) record_int(r, "set", info->u.pfnSetDeviceLoaderData != NULL);
            if (info->function == VK_LAYER_LINK_INFO) {
                record_begin(r, "links", '[');
                for (const VkLayerDeviceLink *l = info->u.pLayerInfo; l; l = l->pNext) {
                    record_begin(r, NULL, '{');
                    record_pointer(r, "gipa", (const void *)(uintptr_t)l->pfnNextGetInstanceProcAddr);
                    record_pointer(r, "gdpa", (const void *)(uintptr_t)l->pfnNextGetDeviceProcAddr);
                    record_end(r, '}');
                }
                record_end(r, ']');
            }
        }
        record_end(r, '}');
    }
    record_end(r, ']');
}

/* "query_globals": asks the global functions of the next layer, with a NULL instance, and logs the answers. */
static void query_globals(PFN_vkGetInstanceProcAddr gipa)
{
    struct record r;
    uint32_t version = 0, extensions = 0, layers = 0;
    PFN_vkEnumerateInstanceVersion v = (PFN_vkEnumerateInstanceVersion)gipa(NULL, "vkEnumerateInstanceVersion");
    PFN_vkEnumerateInstanceExtensionProperties e =
        (PFN_vkEnumerateInstanceExtensionProperties)gipa(NULL, "vkEnumerateInstanceExtensionProperties");
    PFN_vkEnumerateInstanceLayerProperties l =
        (PFN_vkEnumerateInstanceLayerProperties)gipa(NULL, "vkEnumerateInstanceLayerProperties");
    if (v) v(&version);
    if (e) e(NULL, &extensions, NULL);
    if (l) l(&layers, NULL);
    record_open(&r, "globals");
    record_int(&r, "version", version);
    record_int(&r, "extensions", extensions);
    record_int(&r, "layers", layers);
    const struct statement *s; /* "query_null NAME": another name to look up with a NULL instance */
    record_begin(&r, "null", '{');
    for (int i = 0; (s = script_find("query_null", NULL, i)); i++)
        record_int(&r, s->word[1], gipa(NULL, s->word[1]) != NULL);
    record_end(&r, '}');
    record_close(&r);
}

/* "ask_next NAME" and "ask_next_device NAME": looks a name up in the next element when creation below is done. */
static void ask_next(const char *key, struct chain *chain)
{
    const struct statement *s;
    for (int i = 0; (s = script_find(key, NULL, i)) && s->count > 1; i++) {
        struct record r;
        Dl_info info = {0};
        PFN_vkVoidFunction found =
            chain->device ? chain->gdpa(chain->lower, s->word[1]) : chain->gipa(chain->instance, s->word[1]);
        if (found) dladdr((void *)(uintptr_t)found, &info);
        record_open(&r, key);
        record_text(&r, "name", s->word[1]);
        record_int(&r, "found", found != NULL);
        record_pointer(&r, "at", (const void *)(uintptr_t)found);
        record_text(&r, "module", info.dli_fname);
        record_int(&r, "self",
                   found && found == (PFN_vkVoidFunction)(uintptr_t)(chain->device ? (void *)chain->gdpa
                                                                                   : (void *)chain->gipa));
        record_close(&r);
    }
}

void *the_loader(void)
{
    void *found = dlopen("libvulkan.so.1", RTLD_LAZY | RTLD_NOLOAD);
    void **of_host = dlsym(RTLD_DEFAULT, "host_loader"); /* not everywhere it is found by that name */
    void *export = !found && of_host && *of_host ? dlsym(*of_host, "vkCreateInstance") : NULL;
    Dl_info info;
    return export && dladdr(export, &info) ? dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : found;
}

/* "reenter": a further instance through the loader's exports, in the middle of this call. */
static void reenter(void)
{
    static __thread int depth;
    struct record r;
    VkInstance instance = NULL;
    if (!script_has("reenter", NULL) || depth) return;
    void *loader = the_loader();
    if (!loader) return;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)dlsym(loader, "vkCreateInstance");
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)dlsym(loader, "vkDestroyInstance");
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    depth++;
    VkResult result = create(&info, NULL, &instance);
    if (result == VK_SUCCESS) destroy(instance, NULL);
    depth--;
    dlclose(loader);
    record_open(&r, "reentered");
    record_int(&r, "result", result);
    record_close(&r);
}

static void damage(const char *what, void **handle)
{
    const char *how = script_word("corrupt", 1, "");
    const char *kind = script_word("corrupt", 2, "");
    if (strcmp(how, what)) return;
    if (!strcmp(kind, "null"))
        *handle = NULL;
    else if (!strcmp(kind, "other"))
        *handle = zero_block;
    else
        memset(*handle, 0, 128);
}

static void remember_extensions(struct chain *chain, uint32_t count, const char *const *names)
{
    size_t size = 2;
    if (!names) count = 0;
    for (uint32_t i = 0; i < count; i++) size += names[i] ? strlen(names[i]) + 1 : 0;
    chain->enabled = calloc(1, size);
    if (!chain->enabled) abort();
    strcpy(chain->enabled, " ");
    for (uint32_t i = 0; i < count; i++) {
        if (!names[i]) continue;
        strcat(chain->enabled, names[i]);
        strcat(chain->enabled, " ");
    }
}

static void record_call(struct record *r, const VkAllocationCallbacks *allocator, uint32_t layers,
                        const char *const *layer_names, uint32_t extensions, const char *const *extension_names)
{
    record_names(r, "extensions", extensions, extension_names);
    record_names(r, "layers", layers, layer_names);
    record_pointer(r, "allocator", allocator);
    record_pointer(r, "own gipa", (const void *)(uintptr_t)layer_gipa);
    record_pointer(r, "own gdpa", (const void *)(uintptr_t)layer_gdpa);
    record_pointer(r, "own gpdpa", (const void *)(uintptr_t)layer_gpdpa);
}

/* "again FN [N]": the object is destroyed and created again, N times. */
static int again(const char *function)
{
    const struct statement *s = script_find("again", function, 0);
    return !s ? 0 : s->count > 2 ? (int)script_number(s->word[2]) : 1;
}

/* "skip FN" returns success and calls no other function; "skip FN own" returns a handle of the layer's, too. */
static void skip(const char *function, void **out)
{
    const struct statement *s = script_find("skip", function, 0);
    if (s->count > 2) *out = zero_block;
}

VkResult VKAPI_PTR layer_CreateInstance(const VkInstanceCreateInfo *given, const VkAllocationCallbacks *allocator,
                                        VkInstance *out)
{
    struct record r;
    VkResult result = VK_SUCCESS, forced;
    const char *room[256];
    VkInstanceCreateInfo info = *given;
    VkApplicationInfo app = given->pApplicationInfo ? *given->pApplicationInfo
                                                    : (VkApplicationInfo){.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO};
    struct chain *chain = calloc(1, sizeof *chain);
    VkLayerInstanceCreateInfo *link = NULL;
    if (!chain) abort();
    record_phase(&r, "vkCreateInstance", "enter");
    record_pointer(&r, "handle", *out);
    record_call(&r, allocator, given->enabledLayerCount, given->ppEnabledLayerNames, given->enabledExtensionCount,
                given->ppEnabledExtensionNames);
    record_int(&r, "api", given->pApplicationInfo ? (int64_t)given->pApplicationInfo->apiVersion : -1);
    record_int(&r, "flags", given->flags);
    record_instance_chain(&r, given->pNext);
    record_close(&r);
    for (const VkBaseInStructure *s = given->pNext; s; s = s->pNext) {
        VkLayerInstanceCreateInfo *i = (VkLayerInstanceCreateInfo *)(uintptr_t)s;
        if (s->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO) continue;
        if (i->function == VK_LAYER_LINK_INFO && !link) link = i;
        if (i->function == VK_LOADER_DATA_CALLBACK) chain->set_instance_data = i->u.pfnSetInstanceLoaderData;
        if (i->function == VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK) {
            chain->create_device = i->u.layerDevice.pfnLayerCreateDevice;
            chain->destroy_device = i->u.layerDevice.pfnLayerDestroyDevice;
        }
    }
    if (!link || !link->u.pLayerInfo) {
        free(chain);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    chain->gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    chain->gpdpa = link->u.pLayerInfo->pfnNextGetPhysicalDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    if (wants_error("vkCreateInstance", "before", &forced)) {
        free(chain);
        return forced;
    }
    if (script_has("skip", "vkCreateInstance")) {
        skip("vkCreateInstance", (void **)out);
        free(chain);
        return VK_SUCCESS;
    }
    if (script_has("query_globals", NULL)) query_globals(chain->gipa);
    reenter();
    info.ppEnabledExtensionNames =
        more_names("add_ext", info.ppEnabledExtensionNames, &info.enabledExtensionCount, room, 256);
    if (script_has("change_api", NULL)) {
        app.apiVersion = script_version(script_word("change_api", 1, "1.0.0"));
        info.pApplicationInfo = &app;
    }
    PFN_vkCreateInstance next = (PFN_vkCreateInstance)chain->gipa(
        script_has("next_create_with_instance", NULL) ? *out : NULL, "vkCreateInstance");
    if (!next) {
        record_phase(&r, "vkCreateInstance", "nothing below");
        record_close(&r);
        free(chain);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    if (allocator && script_has("use_allocator", NULL)) {
        chain->callbacks = *allocator;
        chain->memory = allocator->pfnAllocation(allocator->pUserData, 64, 8, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
        if (!chain->memory) {
            free(chain);
            return VK_ERROR_OUT_OF_HOST_MEMORY;
        }
    }
    void *handle = *out;
    damage("instance", &handle);
    *out = handle;
    result = next(&info, allocator, out);
    for (int i = again("vkCreateInstance"); i > 0 && result == VK_SUCCESS; i--) {
        PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)chain->gipa(*out, "vkDestroyInstance");
        if (destroy) destroy(*out, allocator);
        *out = handle;
        result = next(&info, allocator, out);
    }
    if (result == VK_SUCCESS && wants_error("vkCreateInstance", "after", &forced)) result = forced;
    if (result != VK_SUCCESS) {
        if (chain->memory) chain->callbacks.pfnFree(chain->callbacks.pUserData, chain->memory);
        free(chain);
        chain = NULL;
    } else {
        chain->instance = *out;
        chain->key = *(void **)*out;
        remember_extensions(chain, given->enabledExtensionCount, given->ppEnabledExtensionNames);
        chain_add(chain);
        probe(chain, "create");
        ask_next("ask_next", chain);
        if (script_has("query_globals", NULL)) query_globals(chain->gipa);
        if (script_has("enumerate_in_create", NULL)) {
            uint32_t count = 0;
            PFN_vkEnumeratePhysicalDevices list =
                (PFN_vkEnumeratePhysicalDevices)next_of(chain, "vkEnumeratePhysicalDevices");
            VkResult listed = list ? list(*out, &count, NULL) : VK_ERROR_UNKNOWN;
            record_open(&r, "enumerated");
            record_int(&r, "result", listed);
            record_int(&r, "count", count);
            record_close(&r);
        }
        if (wraps("instance")) {
            chain->wrapper = object_new(INSTANCE, NULL);
            chain->wrapper->other = *out;
            chain->set_instance_data(*out, chain->wrapper);
            *out = H(chain->wrapper);
        }
    }
    if (result == VK_SUCCESS && script_has("null_handle", "vkCreateInstance")) *out = NULL;
    record_phase(&r, "vkCreateInstance", "leave");
    record_int(&r, "result", result);
    record_pointer(&r, "handle", *out);
    record_close(&r);
    return result;
}

void VKAPI_PTR layer_DestroyInstance(VkInstance h, const VkAllocationCallbacks *allocator)
{
    struct record r;
    struct chain *chain = chain_of(h);
    record_phase(&r, "vkDestroyInstance", "enter");
    record_pointer(&r, "handle", h);
    record_int(&r, "known", chain != NULL);
    record_pointer(&r, "allocator", allocator);
    record_close(&r);
    if (!chain) return;
    PFN_vkDestroyInstance next = (PFN_vkDestroyInstance)next_of(chain, "vkDestroyInstance");
    if (chain->memory) chain->callbacks.pfnFree(chain->callbacks.pUserData, chain->memory);
    if (next && !script_has("leak_instance", NULL)) next(below(h), allocator);
    if (chain->wrapper) object_kill(chain->wrapper);
    chain_drop(chain);
    record_phase(&r, "vkDestroyInstance", "leave");
    record_close(&r);
}

/* A second device through the loader's callback: "own_device before|after|instead". */
static VkResult own_device(struct chain *instance, VkPhysicalDevice pd, const VkDeviceCreateInfo *info,
                           const VkAllocationCallbacks *allocator, VkDevice *out, PFN_vkGetDeviceProcAddr *gdpa)
{
    struct record r;
    VkResult result = instance->create_device(instance->instance, pd, info, allocator, out, layer_gipa, gdpa);
    record_open(&r, "own device");
    record_int(&r, "result", result);
    record_int(&r, "gdpa", *gdpa != NULL);
    record_close(&r);
    return result;
}

VkResult VKAPI_PTR layer_CreateDevice(VkPhysicalDevice h, const VkDeviceCreateInfo *given,
                                      const VkAllocationCallbacks *allocator, VkDevice *out)
{
    struct record r;
    VkResult result = VK_SUCCESS, forced;
    const char *room[256], *own = script_word("own_device", 1, "");
    struct chain *instance = chain_of(h), *chain = calloc(1, sizeof *chain);
    VkDeviceCreateInfo info = *given;
    VkLayerDeviceCreateInfo *link = NULL;
    if (!chain) abort();
    record_phase(&r, "vkCreateDevice", "enter");
    record_pointer(&r, "physical_device", h);
    record_int(&r, "known", instance != NULL);
    record_pointer(&r, "handle", *out);
    record_call(&r, allocator, given->enabledLayerCount, given->ppEnabledLayerNames, given->enabledExtensionCount,
                given->ppEnabledExtensionNames);
    record_device_chain(&r, given->pNext);
    for (const VkBaseInStructure *s = given->pNext; s; s = s->pNext) {
        VkLayerDeviceCreateInfo *i = (VkLayerDeviceCreateInfo *)(uintptr_t)s;
        if (s->sType == VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO) {
            const VkDeviceGroupDeviceCreateInfo *g = (const void *)s;
            record_begin(&r, "group", '[');
            for (uint32_t d = 0; g->pPhysicalDevices && d < g->physicalDeviceCount; d++)
                record_int(&r, NULL, chain_of(g->pPhysicalDevices[d]) == instance);
            record_end(&r, ']');
        }
        if (s->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) continue;
        if (i->function == VK_LAYER_LINK_INFO && !link) link = i;
        if (i->function == VK_LOADER_DATA_CALLBACK && !chain->set_device_data)
            chain->set_device_data = i->u.pfnSetDeviceLoaderData;
    }
    record_close(&r);
    if (!link || !link->u.pLayerInfo || !instance) {
        free(chain);
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    chain->device = true;
    chain->above = instance;
    chain->instance = instance->instance;
    chain->gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    chain->gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    if (wants_error("vkCreateDevice", "before", &forced)) {
        free(chain);
        return forced;
    }
    if (script_has("skip", "vkCreateDevice")) {
        skip("vkCreateDevice", (void **)out);
        free(chain);
        return VK_SUCCESS;
    }
    /* The upper levels' handles in a group structure are taken off, and put back afterwards. */
    VkDeviceGroupDeviceCreateInfo *group = NULL;
    const VkPhysicalDevice *members = NULL;
    VkPhysicalDevice bare[64];
    for (const VkBaseInStructure *s = given->pNext; s && wraps("physdev"); s = s->pNext) {
        if (s->sType != VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO) continue;
        group = (VkDeviceGroupDeviceCreateInfo *)(uintptr_t)s;
        members = group->pPhysicalDevices;
        for (uint32_t i = 0; members && i < group->physicalDeviceCount && i < 64; i++) bare[i] = below(members[i]);
        group->pPhysicalDevices = members ? bare : NULL;
        break;
    }
    info.ppEnabledExtensionNames =
        more_names("add_device_ext", info.ppEnabledExtensionNames, &info.enabledExtensionCount, room, 256);
    if (!strcmp(own, "before")) own_device(instance, below(h), &info, allocator, &chain->own, &chain->own_gdpa);
    void *handle = *out;
    damage("device", &handle);
    *out = handle;
    if (!strcmp(own, "instead")) {
        result = own_device(instance, below(h), &info, allocator, out, &chain->gdpa);
    } else {
        PFN_vkCreateDevice next = (PFN_vkCreateDevice)chain->gipa(
            script_has("next_create_with_instance", NULL) ? instance->instance : NULL, "vkCreateDevice");
        result = next ? next(below(h), &info, allocator, out) : VK_ERROR_INITIALIZATION_FAILED;
        for (int i = again("vkCreateDevice"); i > 0 && result == VK_SUCCESS; i--) {
            PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)chain->gdpa(*out, "vkDestroyDevice");
            if (destroy) destroy(*out, allocator);
            *out = handle;
            result = next(below(h), &info, allocator, out);
        }
    }
    if (group) group->pPhysicalDevices = members;
    if (result == VK_SUCCESS && !strcmp(own, "after"))
        own_device(instance, below(h), given, allocator, &chain->own, &chain->own_gdpa);
    if (result == VK_SUCCESS && wants_error("vkCreateDevice", "after", &forced)) {
        PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)chain->gdpa(*out, "vkDestroyDevice");
        if (destroy && !script_has("leak_device", NULL)) destroy(*out, allocator);
        result = forced;
    }
    if (result != VK_SUCCESS) {
        free(chain);
    } else {
        chain->lower = *out;
        chain->key = *(void **)*out;
        remember_extensions(chain, given->enabledExtensionCount, given->ppEnabledExtensionNames);
        chain_add(chain);
        probe(chain, "create");
        if (wraps("device")) {
            chain->wrapper = object_new(DEVICE, NULL);
            chain->wrapper->other = *out;
            chain->set_device_data(*out, chain->wrapper);
            *out = H(chain->wrapper);
        }
    }
    if (result == VK_SUCCESS && script_has("null_handle", "vkCreateDevice")) *out = NULL;
    record_phase(&r, "vkCreateDevice", "leave");
    record_int(&r, "result", result);
    record_close(&r);
    return result;
}

void VKAPI_PTR layer_DestroyDevice(VkDevice h, const VkAllocationCallbacks *allocator)
{
    struct record r;
    struct chain *chain = chain_of(h);
    record_phase(&r, "vkDestroyDevice", "enter");
    record_pointer(&r, "handle", h);
    record_int(&r, "known", chain != NULL);
    record_pointer(&r, "allocator", allocator);
    record_close(&r);
    if (!chain) return;
    if (chain->own) {
        PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)chain->own_gdpa(chain->own, "vkDestroyDevice");
        chain->above->destroy_device(chain->own, allocator, destroy);
    }
    probe(chain, "destroy");
    own_buffer(chain);
    PFN_vkDestroyDevice next = (PFN_vkDestroyDevice)next_of(chain, "vkDestroyDevice");
    if (!strcmp(script_word("own_device", 1, ""), "instead"))
        chain->above->destroy_device(chain->lower, allocator, next);
    else if (next)
        next(below(h), allocator);
    if (chain->wrapper) object_kill(chain->wrapper);
    chain_drop(chain);
}
