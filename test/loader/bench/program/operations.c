/* operations.c: the measured operations, one function each. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

const char *bench_names;

/* ---- lives ---- */

static void cycle(void)
{
    bench_extensions();
    bench_layers();
    bench_create();
    bench_list();
    bench_destroy();
}

static void life(void)
{
    bench_create();
    bench_list();
    bench_destroy();
}

static void create_destroy(void)
{
    bench_create();
    bench_destroy();
}

/* Lists the devices of a new instance; each repetition has another instance. */
static void another_instance(void)
{
    bench_destroy();
    bench_create();
}

static VkDevice made;

static void create_device(void)
{
    made = state_make_device();
}

static void destroy_device(void)
{
    now.destroy_device(made, NULL);
}

static void device(void)
{
    create_device();
    destroy_device();
}

static void lists(void)
{
    static PFN_vkEnumeratePhysicalDeviceGroups enumerate;
    if (!enumerate) enumerate = (PFN_vkEnumeratePhysicalDeviceGroups)bench_export("vkEnumeratePhysicalDeviceGroups");
    bench_list();
    VkPhysicalDeviceGroupProperties groups[64];
    uint32_t count = 0;
    bench_must(enumerate(now.instance, &count, NULL), "vkEnumeratePhysicalDeviceGroups");
    if (count > 64) bench_die("%u groups", count);
    for (uint32_t i = 0; i < count; i++)
        groups[i] = (VkPhysicalDeviceGroupProperties){.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES};
    bench_must(enumerate(now.instance, &count, groups), "vkEnumeratePhysicalDeviceGroups");
}

/* ---- surfaces and messengers ---- */

static VkBool32 heard(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types, (void)data, (void)user;
    return VK_FALSE;
}

static PFN_vkVoidFunction of_instance(const char *name)
{
    PFN_vkVoidFunction function = bench_gipa(now.instance, name);
    if (!function) bench_die("the instance has no %s", name);
    return function;
}
#define OF_INSTANCE(name) ((PFN_##name)of_instance(#name))

static void messenger(void)
{
    VkDebugUtilsMessengerCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                               .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                               .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
                                               .pfnUserCallback = heard};
    VkDebugUtilsMessengerEXT m;
    bench_must(OF_INSTANCE(vkCreateDebugUtilsMessengerEXT)(now.instance, &info, NULL, &m),
               "vkCreateDebugUtilsMessengerEXT");
    OF_INSTANCE(vkDestroyDebugUtilsMessengerEXT)(now.instance, m, NULL);
}

static void surface(void)
{
    VkHeadlessSurfaceCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    VkSurfaceKHR s;
    bench_must(OF_INSTANCE(vkCreateHeadlessSurfaceEXT)(now.instance, &info, NULL, &s), "vkCreateHeadlessSurfaceEXT");
    /* Drivers create their surface at the first query about it. */
    VkBool32 supported;
    bench_must(OF_INSTANCE(vkGetPhysicalDeviceSurfaceSupportKHR)(now.physical, 0, s, &supported),
               "vkGetPhysicalDeviceSurfaceSupportKHR");
    OF_INSTANCE(vkDestroySurfaceKHR)(now.instance, s, NULL);
}

/* ---- calls ---- */

static PFN_vkGetPhysicalDeviceQueueFamilyProperties query_function;
static PFN_vkCmdDraw draw_function;

static void query(void)
{
    uint32_t count;
    query_function(now.physical, &count, NULL);
}

static void draw(void)
{
    draw_function(now.commands, 3, 1, 0, 0);
}

/* ---- all names ---- */

static char **names;
static unsigned name_count;

static void read_names(void)
{
    if (names) return;
    FILE *f = bench_names ? fopen(bench_names, "re") : NULL;
    if (!f) bench_die("BENCH_NAMES: no file \"%s\"", bench_names ? bench_names : "");
    char line[256];
    while (fgets(line, sizeof(line), f)) {
        line[strcspn(line, "\n")] = 0;
        names = realloc(names, (name_count + 1) * sizeof(*names));
        names[name_count++] = strdup(line);
    }
    fclose(f);
    if (name_count == 0) bench_die("%s: no names", bench_names);
}

static volatile PFN_vkVoidFunction found;

static void instance_names(void)
{
    for (unsigned i = 0; i < name_count; i++) found = bench_gipa(now.instance, names[i]);
}

static void device_names(void)
{
    for (unsigned i = 0; i < name_count; i++) found = now.gdpa(now.device, names[i]);
}

static void all_names(void)
{
    instance_names();
    device_names();
}

/* ---- the table ---- */

static const struct operation operations[] = {
    {"extensions", OPENED, 1, 50, bench_extensions, NULL, 1},
    {"layers", OPENED, 1, 50, bench_layers, NULL, 1},
    {"cycle", OPENED, 1, 30, cycle, NULL, 1},
    {"life", OPENED, 1, 30, life, NULL, 1},
    {"create_instance", OPENED, 1, 30, bench_create, bench_destroy, 1},
    {"instance", OPENED, 1, 30, create_destroy, NULL, 1},
    {"first_list", WITH_INSTANCE, 1, 30, bench_list, another_instance, 1},
    {"list", WITH_INSTANCE, 20, 50, bench_list, NULL, 1},
    {"lists", WITH_INSTANCE, 20, 50, lists, NULL, 1},
    {"messenger", WITH_SURFACES, 20, 50, messenger, NULL, 1},
    {"surface", WITH_SURFACES, 20, 50, surface, NULL, 1},
    {"create_device", WITH_DEVICE, 1, 50, create_device, destroy_device, 1},
    {"device", WITH_DEVICE, 1, 50, device, NULL, 1},
    {"query_export", WITH_DEVICE, 4000, 50, query, NULL, 1},
    {"query_instance", WITH_DEVICE, 4000, 50, query, NULL, 1},
    {"gipa", WITH_DEVICE, 1, 50, instance_names, NULL, 0},
    {"gdpa", WITH_DEVICE, 1, 50, device_names, NULL, 0},
    {"names", WITH_DEVICE, 1, 50, all_names, NULL, 0},
    {"draw_export", WITH_DEVICE, 4000, 50, draw, state_record, 1},
    {"draw_instance", WITH_DEVICE, 4000, 50, draw, state_record, 1},
    {"draw_device", WITH_DEVICE, 4000, 50, draw, state_record, 1},
};

const struct operation *operation_find(const char *name)
{
    for (unsigned i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        if (strcmp(operations[i].name, name) == 0) return &operations[i];
    return NULL;
}

unsigned operation_parts(const struct operation *o)
{
    return o->parts ? o->parts : name_count;
}

static PFN_vkVoidFunction by(const struct operation *o, const char *command)
{
    const char *way = strrchr(o->name, '_');
    if (strcmp(way, "_export") == 0) return bench_export(command);
    PFN_vkVoidFunction function = strcmp(way, "_instance") == 0 ? of_instance(command) : now.gdpa(now.device, command);
    if (!function) bench_die("the device has no %s", command);
    return function;
}

bool operation_ready(const struct operation *o)
{
    if (o->once == draw && !now.draws) return false;
    if (o->once == query)
        query_function =
            (PFN_vkGetPhysicalDeviceQueueFamilyProperties)by(o, "vkGetPhysicalDeviceQueueFamilyProperties");
    else if (o->once == draw)
        draw_function = (PFN_vkCmdDraw)by(o, "vkCmdDraw");
    else if (o->parts == 0)
        read_names();
    return true;
}

static const char *file_of(PFN_vkVoidFunction function)
{
    Dl_info where = {0};
    void *address;
    memcpy(&address, &function, sizeof(address));
    return dladdr(address, &where) && where.dli_fname ? where.dli_fname : "";
}

bool bench_draw_is_the_drivers(void)
{
    return strcmp(file_of(now.gdpa(now.device, "vkCmdDraw")), file_of(bench_export("vkCmdDraw"))) != 0;
}
