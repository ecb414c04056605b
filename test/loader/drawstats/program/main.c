/* main.c: records known numbers of draws of every kind in THREADS threads at once, and prints for each recording the
 * line that the layer must write: the command buffer's handle, draws, instances, vertices, indirect draws, and the
 * maximum of draws that the device counts. Arguments: the loader's file, and the number of command buffers for each
 * thread. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "gen/zvk.h"

#define THREADS 4

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)
#define OK(call) CHECK((call) == VK_SUCCESS)

/* clang-format off */
#define INSTANCE_COMMANDS(X)                                                                                           \
    X(vkDestroyInstance) X(vkEnumeratePhysicalDevices) X(vkCreateDevice) X(vkGetDeviceProcAddr)
#define DEVICE_COMMANDS(X)                                                                                             \
    X(vkDestroyDevice) X(vkCreateBuffer) X(vkDestroyBuffer) X(vkCreateCommandPool) X(vkDestroyCommandPool)             \
    X(vkAllocateCommandBuffers) X(vkFreeCommandBuffers) X(vkBeginCommandBuffer) X(vkEndCommandBuffer) X(vkCmdDraw)     \
    X(vkCmdDrawIndexed) X(vkCmdDrawIndirect) X(vkCmdDrawIndexedIndirect)
/* clang-format on */

#define DEFINE(name) static PFN_##name name;
INSTANCE_COMMANDS(DEFINE)
DEVICE_COMMANDS(DEFINE)

static VkDevice device;
static VkBuffer buffer;
static int recordings;

static void record(VkCommandBuffer c, uint32_t n)
{
    VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    OK(vkBeginCommandBuffer(c, &info));
    unsigned long long draws = 0, instances = 0, vertices = 0;
    for (uint32_t i = 0; i < n % 5; i++, draws++, instances += 2, vertices += 2 * (3 + n)) vkCmdDraw(c, 3 + n, 2, 0, 0);
    for (uint32_t i = 0; i < n % 3; i++, draws++, instances += 1, vertices += 6) vkCmdDrawIndexed(c, 6, 1, 0, 0, 0);
    vkCmdDrawIndirect(c, buffer, 0, 5, 16);
    vkCmdDrawIndexedIndirect(c, buffer, 0, 6, 20);
    OK(vkEndCommandBuffer(c));
    printf("%p %llu %llu %llu 11\n", (void *)c, draws, instances, vertices);
}

static void *work(void *argument)
{
    (void)argument;
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                         .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    VkCommandPool pool;
    OK(vkCreateCommandPool(device, &pool_info, NULL, &pool));
    VkCommandBuffer *all = calloc((size_t)recordings, sizeof(*all));
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .commandPool = pool,
                                        .commandBufferCount = (uint32_t)recordings};
    OK(vkAllocateCommandBuffers(device, &info, all));
    for (int i = 0; i < recordings; i++) record(all[i], (uint32_t)i);
    record(all[0], 7); /* counting starts again */
    vkFreeCommandBuffers(device, pool, (uint32_t)recordings / 2, all);
    info.commandBufferCount = 1;
    OK(vkAllocateCommandBuffers(device, &info, all));
    record(all[0], 1);
    vkDestroyCommandPool(device, pool, NULL);
    free(all);
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 3);
    recordings = atoi(argv[2]);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    PFN_vkGetInstanceProcAddr get = (PFN_vkGetInstanceProcAddr)dlsym(library, "vkGetInstanceProcAddr");
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_0};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &application};
    VkInstance instance;
    OK(create(&info, NULL, &instance));
#define LOAD(name) CHECK(name = (PFN_##name)get(instance, #name));
    INSTANCE_COMMANDS(LOAD)
#undef LOAD
    uint32_t count = 1;
    VkPhysicalDevice physical;
    OK(vkEnumeratePhysicalDevices(instance, &count, &physical));
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    VkDeviceCreateInfo device_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    OK(vkCreateDevice(physical, &device_info, NULL, &device));
#define LOAD(name) CHECK(name = (PFN_##name)vkGetDeviceProcAddr(device, #name));
    DEVICE_COMMANDS(LOAD)
#undef LOAD
    /* A command that the device lacks is absent with the layer, too. */
    CHECK(!vkGetDeviceProcAddr(device, "vkCreateSwapchainKHR"));
    VkBufferCreateInfo buffer_info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = 4096, .usage = VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT};
    OK(vkCreateBuffer(device, &buffer_info, NULL, &buffer));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    vkDestroyBuffer(device, buffer, NULL);
    vkDestroyDevice(device, NULL);
    vkDestroyInstance(instance, NULL);
    return 0;
}
