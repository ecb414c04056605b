/* allocations.c: fails every allocation in turn, for each kind of object, on the driver without a loader. A failure
 * must be reported, and leave nothing allocated. */
#include <dlfcn.h>

#include "program.h"

static long budget, live; /* allocations until one fails; allocations that are not freed */

static void *take(void *user, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
    (void)user;
    (void)scope;
    CHECK(alignment <= 16);
    if (budget-- == 0) return NULL;
    live++;
    void *p = malloc(size);
    memset(p, 0xA5, size);
    return p;
}

static void *again(void *user, void *old, size_t size, size_t alignment, VkSystemAllocationScope scope)
{
    (void)user, (void)old, (void)size, (void)alignment, (void)scope;
    CHECK(!"the driver reallocates nothing");
    return NULL;
}

static void give(void *user, void *p)
{
    (void)user;
    live -= p != NULL;
    free(p);
}

static const VkAllocationCallbacks allocator = {.pfnAllocation = take, .pfnReallocation = again, .pfnFree = give};
static PFN_vkGetInstanceProcAddr lookup;

#define GET(name) PFN_##name name = (PFN_##name)lookup(instance, #name)
#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        VkResult outcome = (call);                                                                                     \
        if (outcome == VK_ERROR_OUT_OF_HOST_MEMORY) return false;                                                      \
        OK(outcome);                                                                                                   \
    } while (0)

static bool with_pool(VkDevice d, VkCommandPool pool)
{
    GET(vkAllocateCommandBuffers);
    VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, .commandPool = pool, .commandBufferCount = 2};
    VkCommandBuffer buffers[2] = {NULL, NULL};
    TRY(vkAllocateCommandBuffers(d, &info, buffers));
    return true;
}

static bool with_device(VkDevice d)
{
    GET(vkCreateEvent);
    GET(vkDestroyEvent);
    GET(vkCreateCommandPool);
    GET(vkDestroyCommandPool);
    GET(vkAllocateMemory);
    GET(vkFreeMemory);
    GET(vkCreateComputePipelines);
    GET(vkDestroyPipeline);

    VkMemoryAllocateInfo memory_info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = 4096};
    VkDeviceMemory memory;
    TRY(vkAllocateMemory(d, &memory_info, &allocator, &memory));
    vkFreeMemory(d, memory, &allocator);

    VkComputePipelineCreateInfo pipeline_info[2] = {{.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO},
                                                    {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO}};
    VkPipeline pipelines[2];
    VkResult result = vkCreateComputePipelines(d, VK_NULL_HANDLE, 2, pipeline_info, &allocator, pipelines);
    CHECK((result == VK_SUCCESS) == (pipelines[0] && pipelines[1]));
    vkDestroyPipeline(d, pipelines[0], &allocator);
    vkDestroyPipeline(d, pipelines[1], &allocator);
    TRY(result);

    VkEventCreateInfo event_info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event;
    TRY(vkCreateEvent(d, &event_info, &allocator, &event));
    bool done = false;
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    if (vkCreateCommandPool(d, &pool_info, &allocator, &pool) == VK_SUCCESS) {
        done = with_pool(d, pool);
        vkDestroyCommandPool(d, pool, &allocator);
    }
    vkDestroyEvent(d, event, &allocator);
    return done;
}

static bool life(void)
{
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)lookup(NULL, "vkCreateInstance");
    const char *extensions[] = {"VK_KHR_surface", "VK_EXT_headless_surface"};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .enabledExtensionCount = 2,
                                 .ppEnabledExtensionNames = extensions};
    TRY(create(&info, &allocator, &instance));
    GET(vkEnumeratePhysicalDevices);
    GET(vkCreateDevice);
    GET(vkDestroyDevice);
    GET(vkDestroyInstance);
    GET(vkCreateHeadlessSurfaceEXT);
    GET(vkDestroySurfaceKHR);
    uint32_t count = 1;
    OK(vkEnumeratePhysicalDevices(instance, &count, &physical));
    VkHeadlessSurfaceCreateInfoEXT surface_info = {.sType = VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    VkSurfaceKHR surface;
    bool done = vkCreateHeadlessSurfaceEXT(instance, &surface_info, &allocator, &surface) == VK_SUCCESS;
    if (done) {
        VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
        VkDevice d;
        VkResult result = vkCreateDevice(physical, &device_info, &allocator, &d);
        done = result == VK_SUCCESS && with_device(d);
        if (result == VK_SUCCESS) vkDestroyDevice(d, &allocator);
        vkDestroySurfaceKHR(instance, surface, &allocator);
    }
    vkDestroyInstance(instance, &allocator);
    return done;
}

int driver_allocations(const char *driver)
{
    void *library = dlopen(driver, RTLD_NOW | RTLD_LOCAL);
    CHECK(library);
    lookup = (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
    CHECK(lookup);
    int failures = -1;
    do {
        budget = ++failures;
        live = 0;
        CHECK(failures < 100);
        bool done = life();
        CHECK(live == 0);
        if (done) break;
    } while (true);
    CHECK(failures >= 10);
    dlclose(library);
    return 0;
}
