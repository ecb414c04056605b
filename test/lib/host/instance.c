/* instance.c: the global commands and instances. Everything an application passes lies in an arena that is unmapped
 * when the call has returned, so that a loader that keeps pointers into it is found out. */
#include "host.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

COMMAND(instance_version)
{
    PFN_vkEnumerateInstanceVersion f =
        (PFN_vkEnumerateInstanceVersion)command(line, "vkEnumerateInstanceVersion", 0, 0);
    uint32_t version = 0xabababab;
    if (!f) return;
    put_int("result", f(arg(line, "arg") ? NULL : &version));
    put_int("version", version);
    char text[64];
    snprintf(text, sizeof text, "%u.%u.%u.%u", version >> 29, version >> 22 & 127, version >> 12 & 1023,
             version & 4095);
    put_text("text", text);
}

/* Enumerations of fixed-size elements: with count= once into an array of that many; count=only asks for the number;
 * without, number and then the array. All bytes are 0xab before; bytes written beyond the count are reported. */
struct listing {
    void *array;
    uint32_t count;
    bool have;
};

typedef VkResult (*lister)(void *context, uint32_t *count, void *array);

static bool list(const struct line *line, lister ask, void *context, size_t size, struct listing *out)
{
    const char *capacity = arg(line, "count");
    VkResult result;
    out->array = NULL;
    out->have = false;
    out->count = 0;
    if (capacity && !strcmp(capacity, "null")) {
        put_int("result", ask(context, NULL, NULL));
        return false;
    }
    if (!capacity || !strcmp(capacity, "only")) {
        out->count = (uint32_t)arg_int(line, "before", 0xabab);
        result = ask(context, &out->count, NULL);
        if (capacity || result != VK_SUCCESS) {
            put_int("result", result);
            put_int("count", out->count);
            return false;
        }
        put_int("asked", out->count);
    } else {
        out->count = (uint32_t)number(capacity);
    }
    uint32_t room = out->count;
    out->array = malloc((room + 2) * size);
    if (!out->array) abort();
    memset(out->array, 0xab, (room + 2) * size);
    result = ask(context, &out->count, out->array);
    put_int("result", result);
    put_int("count", out->count);
    size_t touched = room + 2;
    while (touched > 0) {
        const unsigned char *element = (unsigned char *)out->array + (touched - 1) * size;
        bool clean = true;
        for (size_t i = 0; i < size && clean; i++) clean = element[i] == 0xab;
        if (!clean) break;
        touched--;
    }
    put_int("written", (int64_t)touched);
    if (touched > room) fail("%zu elements were written where there is room for %u", touched, room);
    if (out->count > touched) out->count = (uint32_t)touched;
    if (out->count > room) out->count = room;
    out->have = true;
    return true;
}

static void put_extensions(struct listing *got)
{
    if (got->have) {
        VkExtensionProperties *p = got->array;
        put_open("extensions", '[');
        for (uint32_t i = 0; i < got->count; i++) put_text(NULL, p[i].extensionName);
        put_close(']');
        put_open("versions", '[');
        for (uint32_t i = 0; i < got->count; i++) put_number(p[i].specVersion);
        put_close(']');
    }
    free(got->array);
}

static void put_layers(struct listing *got)
{
    if (got->have) {
        VkLayerProperties *p = got->array;
        put_open("layers", '[');
        for (uint32_t i = 0; i < got->count; i++) put_text(NULL, p[i].layerName);
        put_close(']');
        put_open("properties", '[');
        for (uint32_t i = 0; i < got->count; i++) {
            put_open(NULL, '{');
            put_text("name", p[i].layerName);
            put_int("spec", p[i].specVersion);
            put_int("implementation", p[i].implementationVersion);
            put_text("description", p[i].description);
            put_close('}');
        }
        put_close(']');
    }
    free(got->array);
}

struct question {
    const struct line *line;
    PFN_vkVoidFunction function;
    uint64_t handle;
    const char *layer;
};

static VkResult ask_instance_extensions(void *context, uint32_t *count, void *array)
{
    struct question *q = context;
    return ((PFN_vkEnumerateInstanceExtensionProperties)q->function)(q->layer, count, array);
}

static VkResult ask_instance_layers(void *context, uint32_t *count, void *array)
{
    struct question *q = context;
    return ((PFN_vkEnumerateInstanceLayerProperties)q->function)(count, array);
}

static VkResult ask_device_extensions(void *context, uint32_t *count, void *array)
{
    struct question *q = context;
    return ((PFN_vkEnumerateDeviceExtensionProperties)q->function)((VkPhysicalDevice)(uintptr_t)q->handle, q->layer,
                                                                   count, array);
}

static VkResult ask_device_layers(void *context, uint32_t *count, void *array)
{
    struct question *q = context;
    return ((PFN_vkEnumerateDeviceLayerProperties)q->function)((VkPhysicalDevice)(uintptr_t)q->handle, count, array);
}

static void enumerate(const struct line *line, const char *name, lister ask, size_t size, void (*put)(struct listing *))
{
    struct question q = {.line = line, .handle = arg_ref(line, "pd", 0), .layer = arg(line, "layer")};
    struct listing got;
    q.function = command(line, name, arg_ref(line, "instance", 0), 0);
    if (now->failed) return;
    list(line, ask, &q, size, &got);
    put(&got);
}

COMMAND(instance_extensions)
{
    enumerate(line, "vkEnumerateInstanceExtensionProperties", ask_instance_extensions, sizeof(VkExtensionProperties),
              put_extensions);
}

COMMAND(instance_layers)
{
    enumerate(line, "vkEnumerateInstanceLayerProperties", ask_instance_layers, sizeof(VkLayerProperties), put_layers);
}

COMMAND(device_extensions)
{
    enumerate(line, "vkEnumerateDeviceExtensionProperties", ask_device_extensions, sizeof(VkExtensionProperties),
              put_extensions);
}

COMMAND(device_layers)
{
    enumerate(line, "vkEnumerateDeviceLayerProperties", ask_device_layers, sizeof(VkLayerProperties), put_layers);
}

/* Names of a repeated key as an array in the arena; "null" is a NULL element. */
static const char *const *names(const struct line *line, const char *key, struct arena *arena, uint32_t *count)
{
    int n = arg_count(line, key);
    const char **array = take(arena, ((size_t)n + 1) * sizeof *array);
    for (int i = 0; i < n; i++) {
        const char *name = arg_nth(line, key, i);
        array[i] = strcmp(name, "null") ? take_text(arena, name) : NULL;
    }
    *count = (uint32_t)n;
    return n ? array : NULL;
}

/* direct=PATH (a fake driver library) or direct=null; direct_mode=exclusive|inclusive; direct_null=1: pDrivers NULL;
 * direct_count=N overrides driverCount. */
static const void *direct_list(const struct line *line, struct arena *arena, const void *next)
{
    int n = arg_count(line, "direct");
    VkDirectDriverLoadingListLUNARG *direct = take(arena, sizeof *direct);
    VkDirectDriverLoadingInfoLUNARG *info = take(arena, ((size_t)n + 1) * sizeof *info);
    for (int i = 0; i < n; i++) {
        const char *path = arg_nth(line, "direct", i);
        info[i].sType = VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_INFO_LUNARG;
        if (!strcmp(path, "null")) continue;
        void *handle = dlopen(path, RTLD_LAZY);
        if (!handle)
            fail("%s", dlerror());
        else
            info[i].pfnGetInstanceProcAddr =
                (PFN_vkGetInstanceProcAddrLUNARG)dlsym(handle, "vk_icdGetInstanceProcAddr");
    }
    direct->sType = VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG;
    direct->pNext = (void *)next;
    direct->mode = !strcmp(arg_or(line, "direct_mode", "inclusive"), "exclusive")
                       ? VK_DIRECT_DRIVER_LOADING_MODE_EXCLUSIVE_LUNARG
                       : VK_DIRECT_DRIVER_LOADING_MODE_INCLUSIVE_LUNARG;
    direct->driverCount = (uint32_t)arg_int(line, "direct_count", (uint64_t)n);
    direct->pDrivers = arg(line, "direct_null") ? NULL : info;
    return direct;
}

COMMAND(create_instance)
{
    struct arena arena;
    VkInstance instance = (VkInstance)(uintptr_t)0xabababababababab;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)command(line, "vkCreateInstance", 0, 0);
    if (!create || !arena_start(&arena)) return;
    VkInstanceCreateInfo *info = take(&arena, sizeof *info);
    info->sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
    info->flags = (VkInstanceCreateFlags)arg_int(line, "flags", 0);
    if (arg_int(line, "app", 1)) {
        VkApplicationInfo *app = take(&arena, sizeof *app);
        app->sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
        if (arg(line, "app_name")) app->pApplicationName = take_text(&arena, arg(line, "app_name"));
        if (arg(line, "engine_name")) app->pEngineName = take_text(&arena, arg(line, "engine_name"));
        app->applicationVersion = (uint32_t)arg_int(line, "app_version", 0);
        app->engineVersion = (uint32_t)arg_int(line, "engine_version", 0);
        app->apiVersion = version_number(arg_or(line, "api", "1.0.0"));
        info->pApplicationInfo = app;
    }
    info->ppEnabledLayerNames = names(line, "layer", &arena, &info->enabledLayerCount);
    info->ppEnabledExtensionNames = names(line, "ext", &arena, &info->enabledExtensionCount);
    info->enabledLayerCount = (uint32_t)arg_int(line, "layer_count", info->enabledLayerCount);
    info->enabledExtensionCount = (uint32_t)arg_int(line, "ext_count", info->enabledExtensionCount);
    const void *next = (const void *)(uintptr_t)arg_ref(line, "next", 0);
    if (arg_count(line, "direct") || arg(line, "direct_mode")) next = direct_list(line, &arena, next);
    info->pNext = chained_messengers(line, &arena, next);
    if (now->failed) return arena_end(&arena);
    unsigned char *before = malloc(arena.used);
    if (!before) abort();
    memcpy(before, arena.base, arena.used);
    if (arg(line, "readonly")) arena_freeze(&arena);
    const char *null = arg_or(line, "null", "");
    const VkAllocationCallbacks *allocator = arg_allocator(line);
    VkResult result =
        create(strcmp(null, "info") ? info : NULL, allocator, strcmp(null, "instance") ? &instance : NULL);
    put_int("result", result);
    put_int("unchanged", !memcmp(before, arena.base, arena.used));
    put_int("written", instance != (VkInstance)(uintptr_t)0xabababababababab);
    if (result == VK_SUCCESS) {
        blocks_instances(1);
        put_pointer("instance", instance);
        object_add(arg_or(line, "as", "i"), INSTANCE, (uint64_t)(uintptr_t)instance, 0, NULL, 0);
    }
    free(before);
    arena_end(&arena);
}

COMMAND(destroy_instance)
{
    const char *name = arg_or(line, "name", "i");
    uint64_t instance = resolve(name);
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)command(line, "vkDestroyInstance", instance, 0);
    if (now->failed) return;
    destroy((VkInstance)(uintptr_t)instance, arg_allocator(line));
    if (instance) blocks_instances(-1);
    object_drop(name);
}
