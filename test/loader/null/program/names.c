/* names.c: the null driver's interface, called without a loader: negotiation and lookups. Reads names from standard
 * input, one a line, and prints one letter for each successful lookup: G without an instance, I with an instance, P as
 * a physical-device command, D with a device, E with a device that has every extension. */
#include <dlfcn.h>
#include <time.h>

#include "program.h"

typedef VkResult (*negotiate)(uint32_t *);

static PFN_vkGetInstanceProcAddr lookup, physical_lookup;
static PFN_vkGetDeviceProcAddr device_lookup;

static VkDevice make(PFN_vkCreateDevice create, uint32_t count, const char *const *extensions)
{
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .enabledExtensionCount = count,
                               .ppEnabledExtensionNames = extensions};
    VkDevice d;
    OK(create(physical, &info, NULL, &d));
    return d;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int driver_names(const char *driver)
{
    void *library = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    negotiate n = (negotiate)dlsym(library, "vk_icdNegotiateLoaderICDInterfaceVersion");
    lookup = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
    physical_lookup = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetPhysicalDeviceProcAddr");
    CHECK(n && lookup && physical_lookup);
    CHECK(lookup(NULL, "vk_icdNegotiateLoaderICDInterfaceVersion") == (PFN_vkVoidFunction)n);
    for (uint32_t version = 0; version < 10; version++) {
        uint32_t agreed = version;
        OK(n(&agreed));
        CHECK(agreed == (version < 7 ? version : 7));
    }

    /* The second device has everything that is offered enabled, the first nothing. */
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)lookup(NULL, "vkCreateInstance");
    PFN_vkEnumerateInstanceExtensionProperties list =
        (PFN_vkEnumerateInstanceExtensionProperties)lookup(NULL, "vkEnumerateInstanceExtensionProperties");
    static VkExtensionProperties properties[128];
    static const char *names[128];
    uint32_t count = 128;
    OK(list(NULL, &count, properties));
    for (uint32_t i = 0; i < count; i++) names[i] = properties[i].extensionName;
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance bare;
    OK(create(&info, NULL, &bare));
    CHECK(!lookup(bare, "vkCreateHeadlessSurfaceEXT") && lookup(bare, "vkCreateSwapchainKHR"));
    const char *unknown = "VK_KHR_unknown";
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &unknown;
    CHECK(create(&info, NULL, &instance) == VK_ERROR_EXTENSION_NOT_PRESENT);
    info.enabledExtensionCount = count;
    info.ppEnabledExtensionNames = names;
    OK(create(&info, NULL, &instance));
    CHECK(*(uintptr_t *)instance == 0x01CDC0DE);

    count = 1;
    OK(((PFN_vkEnumeratePhysicalDevices)lookup(instance, "vkEnumeratePhysicalDevices"))(instance, &count, &physical));
    CHECK(*(uintptr_t *)physical == 0x01CDC0DE);
    count = 128;
    OK(((PFN_vkEnumerateDeviceExtensionProperties)lookup(instance, "vkEnumerateDeviceExtensionProperties"))(
        physical, NULL, &count, properties));
    for (uint32_t i = 0; i < count; i++) names[i] = properties[i].extensionName;
    PFN_vkCreateDevice create_device = (PFN_vkCreateDevice)lookup(instance, "vkCreateDevice");
    device_lookup = (PFN_vkGetDeviceProcAddr)lookup(instance, "vkGetDeviceProcAddr");
    VkDevice plain = make(create_device, 0, NULL), full = make(create_device, count, names);
    CHECK(*(uintptr_t *)plain == 0x01CDC0DE);
    CHECK(!device_lookup(plain, "vkCreateSwapchainKHR") && device_lookup(full, "vkCreateSwapchainKHR"));

    static char asked[4096][128];
    size_t all = 0;
    while (all < 4096 && scanf("%127s", asked[all]) == 1) all++;
    for (size_t i = 0; i < all; i++) {
        printf("%s %s%s%s%s%s\n", asked[i], lookup(NULL, asked[i]) ? "G" : "", lookup(instance, asked[i]) ? "I" : "",
               physical_lookup(instance, asked[i]) ? "P" : "", device_lookup(plain, asked[i]) ? "D" : "",
               device_lookup(full, asked[i]) ? "E" : "");
    }
    double start = seconds();
    for (int round = 0; round < 1000; round++)
        for (size_t i = 0; i < all; i++) device_lookup(full, asked[i]);
    if (all) fprintf(stderr, "%.1f ns a look-up\n", (seconds() - start) / 1000 / (double)all * 1e9);

    PFN_vkDestroyDevice destroy_device = (PFN_vkDestroyDevice)device_lookup(plain, "vkDestroyDevice");
    destroy_device(plain, NULL);
    destroy_device(full, NULL);
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)lookup(instance, "vkDestroyInstance");
    destroy(instance, NULL);
    destroy(bare, NULL);
    dlclose(library);
    return 0;
}
