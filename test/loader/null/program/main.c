/* main.c: the null driver's test program. Its arguments are the loader's file and a case:
 *
 *   life     creates an instance and a device, and uses every kind of object; fails if a layer sends a message
 *   wrong    makes an invalid call, so that a test sees that the layer would send a message
 *
 * or the driver's file, which it calls without a loader, and a case:
 *
 *   names         the driver interface and its lookups
 *   allocations   every allocation fails in turn
 */
#include <dlfcn.h>

#include "program.h"

#define DEFINE(name) PFN_##name name;
GLOBAL_COMMANDS(DEFINE)
INSTANCE_COMMANDS(DEFINE)
DEVICE_COMMANDS(DEFINE)
PFN_vkGetInstanceProcAddr vkGetInstanceProcAddr;

VkInstance instance;
VkPhysicalDevice physical;
VkDevice device;
VkQueue queue;

static VkDebugUtilsMessengerEXT messenger;
static int messages;

static VkBool32 told(VkDebugUtilsMessageSeverityFlagBitsEXT severity, VkDebugUtilsMessageTypeFlagsEXT types,
                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    (void)user;
    fprintf(stderr, "message (%#x): %s\n", (unsigned)severity, data->pMessage);
    /* The loader sends general messages, for example that a variable has added a layer. */
    if (types & ~(unsigned)VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT) messages++;
    return VK_FALSE;
}

void open_loader(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    vkGetInstanceProcAddr = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    CHECK(vkGetInstanceProcAddr);
#define LOAD(name) CHECK(name = (PFN_##name)vkGetInstanceProcAddr(NULL, #name));
    GLOBAL_COMMANDS(LOAD)
#undef LOAD
}

void make_instance(bool with_messenger)
{
    const char *extensions[] = {"VK_KHR_surface", "VK_EXT_headless_surface", "VK_KHR_get_physical_device_properties2",
                                "VK_EXT_debug_utils"};
    VkDebugUtilsMessengerCreateInfoEXT talk = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT |
                       VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT,
        .pfnUserCallback = told,
    };
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_0};
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pNext = with_messenger ? &talk : NULL,
        .pApplicationInfo = &application,
        .enabledExtensionCount = 4,
        .ppEnabledExtensionNames = extensions,
    };
    OK(vkCreateInstance(&info, NULL, &instance));
#define LOAD(name) CHECK(name = (PFN_##name)vkGetInstanceProcAddr(instance, #name));
    INSTANCE_COMMANDS(LOAD)
#undef LOAD
    if (with_messenger) OK(vkCreateDebugUtilsMessengerEXT(instance, &talk, NULL, &messenger));
    uint32_t count = 1;
    VkResult result = vkEnumeratePhysicalDevices(instance, &count, &physical);
    CHECK(result == VK_SUCCESS && count == 1);
}

void make_device(void)
{
    /* Everything that the driver offers is enabled: it must accept its own offers. */
    VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    vkGetPhysicalDeviceFeatures2KHR(physical, &features);
    CHECK(features.features.robustBufferAccess && !features.features.sparseBinding);

    float priority = 1.0f;
    VkDeviceQueueCreateInfo queues = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const char *extensions[] = {"VK_KHR_swapchain"};
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queues,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = extensions,
    };
    OK(vkCreateDevice(physical, &info, NULL, &device));
#define LOAD(name) CHECK(name = (PFN_##name)vkGetDeviceProcAddr(device, #name));
    DEVICE_COMMANDS(LOAD)
#undef LOAD
    vkGetDeviceQueue(device, 0, 0, &queue);
    CHECK(queue);
}

void end_device(void)
{
    OK(vkDeviceWaitIdle(device));
    vkDestroyDevice(device, NULL);
}

void end_instance(void)
{
    if (messenger) vkDestroyDebugUtilsMessengerEXT(instance, messenger, NULL);
    vkDestroyInstance(instance, NULL);
}

static void wrong(void)
{
    VkBufferCreateInfo no_size = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                  .usage = VK_BUFFER_USAGE_INDEX_BUFFER_BIT};
    VkBuffer buffer;
    OK(vkCreateBuffer(device, &no_size, NULL, &buffer));
    vkDestroyBuffer(device, buffer, NULL);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s LIBRARY life|wrong|names|allocations\n", argv[0]);
        return 2;
    }
    if (strcmp(argv[2], "names") == 0) return driver_names(argv[1]);
    if (strcmp(argv[2], "allocations") == 0) return driver_allocations(argv[1]);
    open_loader(argv[1]);
    make_instance(true);
    queries();
    make_device();
    if (strcmp(argv[2], "wrong") == 0) {
        wrong();
    } else {
        resources();
        rendering();
        synchronization();
        presentation();
    }
    end_device();
    end_instance();
    if (messages == 0) puts("no message");
    return messages != 0;
}
