/* storm.c: threads that live whole lives of instances, devices, messengers and surfaces at once, on whatever drivers
 * and layers the environment gives (THR-001, 002, 004, 007 to 009, GPA-067). Prints one line of numbers; exits 0 when
 * no call failed that must not fail.
 *
 *   storm LIBRARY THREADS SECONDS [shared]
 *
 * shared: one more instance that all threads use together.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/zvk.h"

static PFN_vkGetInstanceProcAddr gipa;
static VkInstance shared;
static atomic_long lives, failures, delivered;
static time_t until;

#define GET(instance, command) PFN_##command command = (PFN_##command)gipa(instance, #command)
#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        VkResult must_result = (call);                                                                                 \
        if (must_result != VK_SUCCESS) {                                                                               \
            atomic_fetch_add(&failures, 1);                                                                            \
            fprintf(stderr, "%s gave %d\n", #call, (int)must_result);                                                  \
        }                                                                                                              \
    } while (0)

static VkBool32 heard(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user) {
    (void)severity, (void)types, (void)data, (void)user;
    atomic_fetch_add(&delivered, 1);
    return VK_FALSE;
}

static VkResult make_instance(VkInstance *out) {
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

static void use(VkInstance instance, unsigned seed) {
    GET(instance, vkEnumeratePhysicalDevices);
    GET(instance, vkEnumeratePhysicalDeviceGroups);
    GET(instance, vkGetPhysicalDeviceProperties2);
    GET(instance, vkCreateDevice);
    GET(instance, vkDestroyDevice);
    GET(instance, vkGetDeviceProcAddr);
    GET(instance, vkGetDeviceQueue);
    GET(instance, vkSetDebugUtilsObjectNameEXT);
    GET(instance, vkCreateDebugUtilsMessengerEXT);
    GET(instance, vkDestroyDebugUtilsMessengerEXT);
    GET(instance, vkSubmitDebugUtilsMessageEXT);
    GET(instance, vkCreateHeadlessSurfaceEXT);
    GET(instance, vkDestroySurfaceKHR);
    GET(instance, vkGetPhysicalDeviceSurfaceSupportKHR);
    char unknown[40];
    snprintf(unknown, sizeof unknown, "vkStormUnknown%u", seed % 7);
    gipa(instance, unknown);

    VkPhysicalDevice devices[8];
    uint32_t count = 8, groups = 0;
    MUST(vkEnumeratePhysicalDevices(instance, &count, devices));
    MUST(vkEnumeratePhysicalDeviceGroups(instance, &groups, NULL));

    VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
    VkDebugUtilsMessengerCreateInfoEXT listen = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
                                                 .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                                                 .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
                                                 .pfnUserCallback = heard};
    MUST(vkCreateDebugUtilsMessengerEXT(instance, &listen, NULL, &messenger));
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    if (vkCreateHeadlessSurfaceEXT) {
        VkHeadlessSurfaceCreateInfoEXT make = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
        MUST(vkCreateHeadlessSurfaceEXT(instance, &make, NULL, &surface));
    }
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
        vkGetPhysicalDeviceProperties2(devices[i], &properties);
        VkBool32 supported;
        if (surface) MUST(vkGetPhysicalDeviceSurfaceSupportKHR(devices[i], 0, surface, &supported));
        float priority = 1;
        VkDeviceQueueCreateInfo queue = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
        VkDeviceCreateInfo make = {
            .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
        VkDevice device;
        VkResult result = vkCreateDevice(devices[i], &make, NULL, &device);
        if (result != VK_SUCCESS) {
            atomic_fetch_add(&failures, 1);
            continue;
        }
        VkQueue got;
        vkGetDeviceQueue(device, 0, 0, &got);
        PFN_vkQueueWaitIdle idle = (PFN_vkQueueWaitIdle)vkGetDeviceProcAddr(device, "vkQueueWaitIdle");
        if (idle) idle(got);
        VkDebugUtilsObjectNameInfoEXT name = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                              .pObjectName = "x"};
        for (int n = 0; n < 20; n++) MUST(vkSetDebugUtilsObjectNameEXT(device, &name)); /* THR-004 */
        vkDestroyDevice(device, NULL);
    }
    VkDebugUtilsMessengerCallbackDataEXT said = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
                                                 .pMessage = "storm"};
    vkSubmitDebugUtilsMessageEXT(instance, VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
                                 VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT, &said);
    if (surface) vkDestroySurfaceKHR(instance, surface, NULL);
    vkDestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
}

static void *live(void *argument) {
    unsigned seed = (unsigned)(size_t)argument;
    GET(NULL, vkEnumerateInstanceExtensionProperties);
    GET(NULL, vkEnumerateInstanceLayerProperties);
    while (time(NULL) < until) {
        uint32_t count = 0;
        if (seed % 3 == 0) MUST(vkEnumerateInstanceExtensionProperties(NULL, &count, NULL));
        if (seed % 5 == 0) MUST(vkEnumerateInstanceLayerProperties(&count, NULL));
        if (shared && seed % 2) {
            use(shared, seed);
        } else {
            VkInstance instance = VK_NULL_HANDLE;
            VkResult result = make_instance(&instance);
            if (result != VK_SUCCESS) {
                atomic_fetch_add(&failures, 1);
                fprintf(stderr, "vkCreateInstance gave %d\n", (int)result);
                continue;
            }
            use(instance, seed);
            GET(instance, vkDestroyInstance);
            vkDestroyInstance(instance, NULL);
        }
        atomic_fetch_add(&lives, 1);
        seed = seed * 1103515245u + 12345u;
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    void *library = dlopen(argv[1], RTLD_NOW);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 3;
    }
    gipa = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    int threads = atoi(argv[2]);
    until = time(NULL) + atoi(argv[3]) + 1;
    if (argc > 4) MUST(make_instance(&shared));
    pthread_t *thread = calloc((size_t)threads, sizeof *thread);
    for (int i = 0; i < threads; i++) pthread_create(&thread[i], NULL, live, (void *)(size_t)(i + 1));
    for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
    free(thread);
    if (shared) {
        GET(shared, vkDestroyInstance);
        vkDestroyInstance(shared, NULL);
    }
    printf("lives %ld failures %ld delivered %ld\n", (long)lives, (long)failures, (long)delivered);
    if (!getenv("STORM_KEEP")) dlclose(library); /* a thread sanitizer does not survive it */
    return failures ? 1 : 0;
}
