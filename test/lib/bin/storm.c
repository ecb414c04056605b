/* storm.c: threads that live whole lives of instances, devices, messengers, surfaces and swapchains at once, on
 * the drivers and layers of the environment (THR-001, 002, 004, 007 to 009, GPA-067). Between rounds all
 * threads rest, and one line of numbers is printed. Exits 0 when no call failed that must not fail.
 *
 *   storm LIBRARY [threads=N] [rounds=N] [lives=N | seconds=N] [shared] [flaky=NAME] [fake=LIBRARY]... [keep]
 *
 * lives: lives of each thread in a round; seconds: of the whole storm, instead. shared: one more instance that all
 * threads use together. flaky: the device of this name belongs to a driver that fails now and then; results that only
 * this driver can give are counted, not complained of. fake: a scripted fake whose live objects are counted. keep: the
 * library is not closed.
 *
 * A round's line: lives and injected failures so far, resident memory, live blocks of the C heap and their bytes (0
 * under a sanitizer, which has its own heap), live objects of the fakes. */
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gen/zvk.h"

/* ---- the C heap of the whole process, counted -------------------------------------------------------------------- */

static atomic_long blocks, bytes;

#ifndef STORM_SANITIZED
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static void *counted(void *block)
{
    if (!block) return NULL;
    atomic_fetch_add(&blocks, 1);
    atomic_fetch_add(&bytes, (long)malloc_usable_size(block));
    return block;
}

static void uncounted(void *block)
{
    if (!block) return;
    atomic_fetch_sub(&blocks, 1);
    atomic_fetch_sub(&bytes, (long)malloc_usable_size(block));
}

void *malloc(size_t size)
{
    return counted(__libc_malloc(size));
}
void *calloc(size_t count, size_t size)
{
    return counted(__libc_calloc(count, size));
}
void *memalign(size_t alignment, size_t size)
{
    return counted(__libc_memalign(alignment, size));
}
void *aligned_alloc(size_t alignment, size_t size)
{
    return counted(__libc_memalign(alignment, size));
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *block = counted(__libc_memalign(alignment, size));
    if (!block) return 12;
    *out = block;
    return 0;
}

void *realloc(void *block, size_t size)
{
    uncounted(block);
    void *grown = __libc_realloc(block, size);
    if (grown)
        counted(grown);
    else if (size)
        counted(block);
    return grown;
}

void free(void *block)
{
    uncounted(block);
    __libc_free(block);
}
#endif

/* ---- lives ------------------------------------------------------------------------------------------------------- */

static PFN_vkGetInstanceProcAddr gipa;
static VkInstance shared;
static const char *flaky;
static atomic_long lives, injected, failures, delivered;

#define GET(instance, command) PFN_##command command = (PFN_##command)gipa(instance, #command)
#define MUST(call) must(#call, call)

static void must(const char *call, VkResult result)
{
    if (result == VK_SUCCESS) return;
    atomic_fetch_add(&failures, 1);
    fprintf(stderr, "%s gave %d\n", call, (int)result);
}

/* Did it succeed? The failing driver's own results are these two. */
static int may(int from_flaky, const char *call, VkResult result)
{
    if (!flaky || !from_flaky || (result != VK_ERROR_OUT_OF_HOST_MEMORY && result != VK_ERROR_INITIALIZATION_FAILED))
        must(call, result);
    else
        atomic_fetch_add(&injected, 1);
    return result == VK_SUCCESS;
}

static VkBool32 heard(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)severity, (void)types, (void)data, (void)user;
    atomic_fetch_add(&delivered, 1);
    return VK_FALSE;
}

static VkResult make_instance(VkInstance *out)
{
    static const char *const names[] = {"VK_EXT_debug_utils", "VK_KHR_surface", "VK_EXT_headless_surface"};
    VkDebugUtilsMessengerCreateInfoEXT chained = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                  .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
                                                  .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
                                                  .pfnUserCallback = heard};
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_1};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pNext = &chained,
                                 .pApplicationInfo = &app,
                                 .enabledExtensionCount = 3,
                                 .ppEnabledExtensionNames = names};
    GET(NULL, vkCreateInstance);
    return vkCreateInstance(&info, NULL, out);
}

/* Commands that the loader does not know: drivers offer the first ones for devices, more for physical devices, and
 * none the rest (UNK-014, UNK-021). */
#define DEVICE_NAMES 10u
#define NAMES 25u

static PFN_vkVoidFunction unknown(VkInstance instance, unsigned n)
{
    char name[40];
    snprintf(name, sizeof name, "vkStormUnknown%u", n);
    return gipa(instance, name);
}

static void call_unknown(VkInstance instance, VkDevice device)
{
    PFN_vkDeviceWaitIdle call = (PFN_vkDeviceWaitIdle)unknown(instance, (unsigned)atomic_load(&lives) % DEVICE_NAMES);
    VkResult result = call ? call(device) : VK_ERROR_UNKNOWN;
    if (result != VK_ERROR_EXTENSION_NOT_PRESENT) must("vkStormUnknown", result); /* UNK-015 */
}

static void use_device(VkInstance instance, VkPhysicalDevice physical, VkSurfaceKHR surface)
{
    GET(instance, vkGetPhysicalDeviceProperties2);
    GET(instance, vkGetPhysicalDeviceSurfaceSupportKHR);
    GET(instance, vkEnumerateDeviceExtensionProperties);
    GET(instance, vkCreateDevice);
    GET(instance, vkDestroyDevice);
    GET(instance, vkGetDeviceProcAddr);
    GET(instance, vkGetDeviceQueue);
    GET(instance, vkSetDebugUtilsObjectNameEXT);
    static const char *const swapchain_name[] = {"VK_KHR_swapchain"};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    vkGetPhysicalDeviceProperties2(physical, &properties);
    int fails = flaky && strcmp(properties.properties.deviceName, flaky) == 0;
    VkBool32 supported = VK_FALSE;
    if (surface)
        may(fails, "vkGetPhysicalDeviceSurfaceSupportKHR",
            vkGetPhysicalDeviceSurfaceSupportKHR(physical, 0, surface, &supported));
    uint32_t count = 0;
    may(fails, "vkEnumerateDeviceExtensionProperties",
        vkEnumerateDeviceExtensionProperties(physical, NULL, &count, NULL));
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo make = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = 1,
                               .ppEnabledExtensionNames = swapchain_name};
    VkDevice device;
    if (!may(fails, "vkCreateDevice", vkCreateDevice(physical, &make, NULL, &device))) return;
    VkQueue got;
    vkGetDeviceQueue(device, 0, 0, &got);
    PFN_vkQueueWaitIdle idle = (PFN_vkQueueWaitIdle)vkGetDeviceProcAddr(device, "vkQueueWaitIdle");
    if (idle) idle(got);
    call_unknown(instance, device);
    VkDebugUtilsObjectNameInfoEXT name = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .pObjectName = "x"};
    for (int n = 0; n < 20; n++) MUST(vkSetDebugUtilsObjectNameEXT(device, &name)); /* THR-004 */
    GET(instance, vkCreateSwapchainKHR);
    GET(instance, vkDestroySwapchainKHR);
    VkSwapchainKHR swapchain;
    VkSwapchainCreateInfoKHR chain = {.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR,
                                      .surface = surface,
                                      .minImageCount = 2,
                                      .imageFormat = VK_FORMAT_B8G8R8A8_UNORM,
                                      .imageExtent = {64, 64},
                                      .imageArrayLayers = 1};
    if (supported && may(fails, "vkCreateSwapchainKHR", vkCreateSwapchainKHR(device, &chain, NULL, &swapchain)))
        vkDestroySwapchainKHR(device, swapchain, NULL);
    vkDestroyDevice(device, NULL);
}

static void use(VkInstance instance, unsigned seed)
{
    GET(instance, vkEnumeratePhysicalDevices);
    GET(instance, vkEnumeratePhysicalDeviceGroups);
    GET(instance, vkCreateDebugUtilsMessengerEXT);
    GET(instance, vkDestroyDebugUtilsMessengerEXT);
    GET(instance, vkSubmitDebugUtilsMessageEXT);
    GET(instance, vkCreateHeadlessSurfaceEXT);
    GET(instance, vkDestroySurfaceKHR);
    unknown(instance, seed % NAMES);

    VkPhysicalDevice devices[8];
    uint32_t count = 8, groups = 0;
    if (!may(1, "vkEnumeratePhysicalDevices", vkEnumeratePhysicalDevices(instance, &count, devices))) count = 0;
    may(1, "vkEnumeratePhysicalDeviceGroups", vkEnumeratePhysicalDeviceGroups(instance, &groups, NULL));

    VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
    VkDebugUtilsMessengerCreateInfoEXT listen = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                 .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                                                 .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
                                                 .pfnUserCallback = heard};
    int listens =
        may(1, "vkCreateDebugUtilsMessengerEXT", vkCreateDebugUtilsMessengerEXT(instance, &listen, NULL, &messenger));
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    VkHeadlessSurfaceCreateInfoEXT make = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    if (vkCreateHeadlessSurfaceEXT &&
        !may(1, "vkCreateHeadlessSurfaceEXT", vkCreateHeadlessSurfaceEXT(instance, &make, NULL, &surface)))
        surface = VK_NULL_HANDLE;
    for (uint32_t i = 0; i < count; i++) use_device(instance, devices[i], surface);
    VkDebugUtilsMessengerCallbackDataEXT said = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
                                                 .pMessage = "storm"};
    vkSubmitDebugUtilsMessageEXT(instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                                 VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &said);
    if (surface) vkDestroySurfaceKHR(instance, surface, NULL);
    if (listens) vkDestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
}

static void live(unsigned seed)
{
    GET(NULL, vkEnumerateInstanceExtensionProperties);
    GET(NULL, vkEnumerateInstanceLayerProperties);
    uint32_t count = 0;
    if (seed % 3 == 0)
        may(1, "vkEnumerateInstanceExtensionProperties", vkEnumerateInstanceExtensionProperties(NULL, &count, NULL));
    if (seed % 5 == 0) MUST(vkEnumerateInstanceLayerProperties(&count, NULL));
    VkInstance instance = VK_NULL_HANDLE;
    if (shared && seed % 2) {
        use(shared, seed);
    } else if (may(1, "vkCreateInstance", make_instance(&instance))) {
        use(instance, seed);
        GET(instance, vkDestroyInstance);
        vkDestroyInstance(instance, NULL);
    }
    atomic_fetch_add(&lives, 1);
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static pthread_barrier_t begin, end;
static long rounds = 2, lives_each = 3;
static double round_seconds;
static _Atomic(double) until;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The C library keeps a thread's last error of the dynamic linker until it is asked for the one after it. */
static void forget_errors(void)
{
    dlerror();
    dlerror();
}

/* Libraries opened by an enumeration stay until the next instance is destroyed (INS-087): none shall be left over. What
 * an instance remembers of unknown names is there from now on. */
static void settle(void)
{
    for (unsigned n = 0; shared && n < NAMES; n++) unknown(shared, n);
    VkInstance instance = VK_NULL_HANDLE;
    for (int tries = 0; !may(1, "vkCreateInstance", make_instance(&instance)); tries++)
        if (tries == 1000) abort();
    GET(instance, vkDestroyInstance);
    vkDestroyInstance(instance, NULL);
    forget_errors();
}

static void *storm(void *argument)
{
    unsigned seed = (unsigned)(size_t)argument;
    for (long r = 0; r < rounds; r++) {
        pthread_barrier_wait(&begin);
        for (long n = 0; round_seconds > 0 ? now() < atomic_load(&until) : n < lives_each; n++) {
            live(seed >> 8);
            seed = seed * 1103515245u + 12345u;
        }
        forget_errors();
        pthread_barrier_wait(&end);
    }
    pthread_barrier_wait(&begin); /* the end of a thread frees the C library's memory of it */
    return NULL;
}

static const char *fake[8];
static int fakes;

/* Returns the number of the fakes' live objects; 0 if the fake is not loaded. */
static int alive(void)
{
    int n = 0;
    for (int i = 0; i < fakes; i++) {
        void *library = dlopen(fake[i], RTLD_LAZY | RTLD_NOLOAD);
        int (*count)(void) = library ? (int (*)(void))(uintptr_t)dlsym(library, "fakeAlive") : NULL;
        if (count) n += count();
        if (library) dlclose(library);
    }
    return n;
}

static void print_round(long round)
{
    settle();
    long resident = -1;
    long b = atomic_load(&blocks), n = atomic_load(&bytes); /* before stdio and dlopen take theirs */
    char text[128];
    FILE *f = fopen("/proc/self/smaps_rollup", "r"); /* exact, where statm is off by some hundred kB */
    while (f && resident < 0 && fgets(text, sizeof text, f)) sscanf(text, "Rss: %ld kB", &resident);
    if (resident < 0) abort();
    fclose(f);
    printf("round %ld lives %ld injected %ld failures %ld delivered %ld resident_kb %ld blocks %ld bytes %ld "
           "alive %d\n",
           round, (long)lives, (long)injected, (long)failures, (long)delivered, resident, b, n, alive());
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static char line[8192];
    int threads = 8, keep = 0, with_shared = 0;
    double seconds = 0;
    setvbuf(stdout, line, _IOFBF, sizeof line);
    if (argc < 2) return 2;
    for (int i = 2; i < argc; i++) {
        const char *value = strchr(argv[i], '=');
        value = value ? value + 1 : "";
        if (strncmp(argv[i], "threads=", 8) == 0)
            threads = atoi(value);
        else if (strncmp(argv[i], "rounds=", 7) == 0)
            rounds = atol(value);
        else if (strncmp(argv[i], "lives=", 6) == 0)
            lives_each = atol(value);
        else if (strncmp(argv[i], "seconds=", 8) == 0)
            seconds = atof(value);
        else if (strncmp(argv[i], "flaky=", 6) == 0)
            flaky = value;
        else if (strncmp(argv[i], "fake=", 5) == 0 && fakes < 8)
            fake[fakes++] = value;
        else if (strcmp(argv[i], "shared") == 0)
            with_shared = 1;
        else if (strcmp(argv[i], "keep") == 0)
            keep = 1;
        else
            return 2;
    }
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    gipa = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    round_seconds = seconds / (double)rounds;
    for (int tries = 0; with_shared && !shared && tries < 1000; tries++)
        may(1, "vkCreateInstance", make_instance(&shared));
    pthread_barrier_init(&begin, NULL, (unsigned)threads + 1);
    pthread_barrier_init(&end, NULL, (unsigned)threads + 1);
    pthread_t thread[256];
    for (int i = 0; i < threads && i < 256; i++)
        pthread_create(&thread[i], NULL, storm, (void *)(size_t)(i * 2654435761u + 1));
    for (long r = 0; r < rounds; r++) {
        atomic_store(&until, now() + round_seconds);
        pthread_barrier_wait(&begin);
        pthread_barrier_wait(&end);
        print_round(r);
    }
    pthread_barrier_wait(&begin);
    for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    if (shared) {
        GET(shared, vkDestroyInstance);
        vkDestroyInstance(shared, NULL);
    }
    int left = alive();
    printf("end lives %ld injected %ld failures %ld alive %d\n", (long)lives, (long)injected, (long)failures, left);
    if (!keep) dlclose(library); /* a thread sanitizer does not survive it */
    return failures || left ? 1 : 0;
}
