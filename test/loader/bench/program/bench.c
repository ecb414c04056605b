/* bench.c: the measured library, and the steps of a program's life with it. */
#include "bench.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "state.h"

PFN_vkGetInstanceProcAddr bench_gipa;
struct state now = {.stage = OPENED};

static void *library;
static PFN_vkEnumerateInstanceExtensionProperties enumerate_extensions;
static PFN_vkEnumerateInstanceLayerProperties enumerate_layers;
static PFN_vkCreateInstance create_instance;

/* Room for lists. It is static because an allocation would be measured, too. */
static VkExtensionProperties extensions[1024];
static VkLayerProperties layers[4096];

void bench_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(3);
}

void bench_must(VkResult result, const char *what)
{
    if (result != VK_SUCCESS) bench_die("%s gave %d", what, (int)result);
}

uint64_t bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

uint64_t bench_spent(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Without a loader, the library is a driver. */
static bool bare;

PFN_vkVoidFunction bench_export(const char *name)
{
    PFN_vkVoidFunction function;
    if (bare && strcmp(name, "vkGetInstanceProcAddr") == 0) name = "vk_icdGetInstanceProcAddr";
    void *symbol = dlsym(library, name);
    if (!symbol && bare && bench_gipa) {
        function = bench_gipa(now.instance, name);
        if (function) return function;
    }
    if (!symbol) bench_die("the library exports no %s", name);
    memcpy(&function, &symbol, sizeof(function));
    return function;
}
#define EXPORT(name) ((PFN_##name)bench_export(#name))

static void negotiate(void)
{
    PFN_vkNegotiateLoaderICDInterfaceVersion ask =
        (PFN_vkNegotiateLoaderICDInterfaceVersion)bench_export("vk_icdNegotiateLoaderICDInterfaceVersion");
    uint32_t version = 5;
    bench_must(ask(&version), "vk_icdNegotiateLoaderICDInterfaceVersion");
}

void bench_open(const char *path)
{
    bare = getenv("BENCH_BARE") != NULL;
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) bench_die("%s", dlerror());
    if (bare) negotiate();
    bench_gipa = EXPORT(vkGetInstanceProcAddr);
    enumerate_extensions = EXPORT(vkEnumerateInstanceExtensionProperties);
    if (!bare) enumerate_layers = EXPORT(vkEnumerateInstanceLayerProperties);
    create_instance = EXPORT(vkCreateInstance);
}

void bench_extensions(void)
{
    uint32_t count = 0;
    bench_must(enumerate_extensions(NULL, &count, NULL), "vkEnumerateInstanceExtensionProperties");
    if (count > sizeof(extensions) / sizeof(extensions[0])) bench_die("%u instance extensions", count);
    bench_must(enumerate_extensions(NULL, &count, extensions), "vkEnumerateInstanceExtensionProperties");
}

void bench_layers(void)
{
    uint32_t count = 0;
    if (bare) return;
    bench_must(enumerate_layers(&count, NULL), "vkEnumerateInstanceLayerProperties");
    if (count > sizeof(layers) / sizeof(layers[0])) bench_die("%u layers", count);
    bench_must(enumerate_layers(&count, layers), "vkEnumerateInstanceLayerProperties");
}

static void create_with(uint32_t count, const char *const *names)
{
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_0};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application,
                                 .enabledExtensionCount = count,
                                 .ppEnabledExtensionNames = names};
    bench_must(create_instance(&info, NULL, &now.instance), "vkCreateInstance");
}

void bench_create(void)
{
    create_with(0, NULL);
}

/* Lists the devices; the program uses the first one. */
void bench_list(void)
{
    uint32_t count = 0;
    PFN_vkEnumeratePhysicalDevices enumerate = now.enumerate;
    if (!enumerate) enumerate = now.enumerate = EXPORT(vkEnumeratePhysicalDevices);
    bench_must(enumerate(now.instance, &count, NULL), "vkEnumeratePhysicalDevices");
    VkPhysicalDevice devices[64];
    if (count == 0 || count > 64) bench_die("%u physical devices", count);
    bench_must(enumerate(now.instance, &count, devices), "vkEnumeratePhysicalDevices");
    now.physical = devices[0];
}

void bench_destroy(void)
{
    if (!now.destroy_instance) now.destroy_instance = EXPORT(vkDestroyInstance);
    now.destroy_instance(now.instance, NULL);
    now.instance = NULL;
}

static void down(void)
{
    if (now.stage == WITH_DEVICE) state_leave_device();
    if (now.stage != OPENED) bench_destroy();
    now.stage = OPENED;
}

void bench_reach(enum stage stage)
{
    static const char *const names[] = {"VK_EXT_debug_utils", "VK_KHR_surface", "VK_EXT_headless_surface"};
    if (now.stage == stage) return;
    down();
    if (stage == OPENED) return;
    create_with(stage == WITH_SURFACES ? 3 : 0, names);
    bench_list();
    if (stage == WITH_DEVICE) state_enter_device();
    now.stage = stage;
}
