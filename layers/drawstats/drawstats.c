/* drawstats.c: a sample layer, which counts the draws of command buffers.
 *
 * It counts the draws, instances and vertices of each command buffer from vkBeginCommandBuffer on, and writes a line at
 * vkEndCommandBuffer: to standard error, or appended to the file in DRAWSTATS_FILE. The parameters of indirect draws
 * are in buffers that only the device reads, so the layer only counts these draws.
 *
 * Recording commands take no lock and allocate nothing. The layer never changes a handle or an argument, and calls only
 * commands that the program calls. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interface.h"
#include "system.h"

/* ---- state ------------------------------------------------------------------------------------------------------ */

struct instance {
    struct instance *next;
    VkInstance handle;
    PFN_vkGetInstanceProcAddr get; /* of the next layer in the chain, like all functions below */
    PFN_vkDestroyInstance destroy;
};

/* The commands of devices that the layer intercepts, with its functions. */
#define DEVICE_COMMANDS(COMMAND)                                                                                       \
    COMMAND(vkDestroyDevice, destroy_device)                                                                           \
    COMMAND(vkDestroyCommandPool, destroy_command_pool)                                                                \
    COMMAND(vkAllocateCommandBuffers, allocate_command_buffers)                                                        \
    COMMAND(vkFreeCommandBuffers, free_command_buffers)                                                                \
    COMMAND(vkBeginCommandBuffer, begin_command_buffer)                                                                \
    COMMAND(vkEndCommandBuffer, end_command_buffer)                                                                    \
    COMMAND(vkCmdDraw, cmd_draw)                                                                                       \
    COMMAND(vkCmdDrawIndexed, cmd_draw_indexed)                                                                        \
    COMMAND(vkCmdDrawIndirect, cmd_draw_indirect)                                                                      \
    COMMAND(vkCmdDrawIndexedIndirect, cmd_draw_indexed_indirect)

struct device {
    struct device *next;
    VkDevice handle;
    PFN_vkGetDeviceProcAddr get;
#define MEMBER(name, function) PFN_##name name;
    DEVICE_COMMANDS(MEMBER)
};

struct counts {
    uint64_t draws, instances, vertices;
    uint64_t indirect; /* draws whose parameters are in a buffer */
};

/* The counts of a command buffer, in a table by handle. */
struct slot {
    _Atomic(VkCommandBuffer) handle; /* NULL: free */
    struct device *device;
    VkCommandPool pool;
    struct counts counts;
};

/* Guards everything except slots in use. Only the thread that records a command buffer uses its slot, as Vulkan
 * requires. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct instance *instances;
static struct device *devices;
static int output = STDERR_FILENO;

/* ---- command buffers, found without a lock ---------------------------------------------------------------------- */

/* The table has a few segments, each twice as large as the one before. A handle's slot is one of WINDOW entries in one
 * of the segments. A segment is added when no entry is free, and stays until the last device is destroyed, so that
 * lookups may read any segment at any time. Slots of other command buffers that are added and removed meanwhile do not
 * match. */
#define SEGMENTS 20
#define FIRST_SEGMENT 64
#define WINDOW 8

static _Atomic(struct slot *) segments[SEGMENTS];

static size_t window_of(VkCommandBuffer handle, unsigned segment)
{
    uint64_t h = (uint64_t)(uintptr_t)handle * 0x9E3779B97F4A7C15u;
    return (size_t)(h >> 32) & (((size_t)FIRST_SEGMENT << segment) - 1);
}

static struct slot *find(VkCommandBuffer handle)
{
    for (unsigned n = 0; n < SEGMENTS; n++) {
        struct slot *s = atomic_load_explicit(&segments[n], memory_order_acquire);
        if (!s) break;
        s += window_of(handle, n);
        for (unsigned i = 0; i < WINDOW; i++)
            if (atomic_load_explicit(&s[i].handle, memory_order_acquire) == handle) return &s[i];
    }
    return NULL;
}

static bool add(VkCommandBuffer handle, struct device *d, VkCommandPool pool)
{
    for (unsigned n = 0; n < SEGMENTS; n++) {
        struct slot *s = atomic_load(&segments[n]);
        if (!s) {
            s = calloc(((size_t)FIRST_SEGMENT << n) + WINDOW, sizeof(*s));
            if (!s) return false;
            atomic_store_explicit(&segments[n], s, memory_order_release);
        }
        s += window_of(handle, n);
        for (unsigned i = 0; i < WINDOW; i++) {
            if (atomic_load(&s[i].handle)) continue;
            s[i].device = d;
            s[i].pool = pool;
            memset(&s[i].counts, 0, sizeof(s[i].counts));
            atomic_store_explicit(&s[i].handle, handle, memory_order_release);
            return true;
        }
    }
    return false;
}

/* Frees the slots of a device, or only those of one of its pools. */
static void forget(const struct device *d, VkCommandPool pool)
{
    for (unsigned n = 0; n < SEGMENTS; n++) {
        struct slot *s = atomic_load(&segments[n]);
        for (size_t i = 0; s && i < ((size_t)FIRST_SEGMENT << n) + WINDOW; i++)
            if (atomic_load(&s[i].handle) && s[i].device == d && (!pool || s[i].pool == pool))
                atomic_store_explicit(&s[i].handle, NULL, memory_order_release);
    }
}

/* ---- instances -------------------------------------------------------------------------------------------------- */

static PFN_vkVoidFunction hook(const char *name, bool of_device);

/* Returns the layer's link in the chain of creation structures. Those of instances and devices begin alike. */
static void *link_of(const void *chain, VkStructureType type)
{
    for (const VkLayerInstanceCreateInfo *s = chain; s; s = s->pNext)
        if (s->sType == type && s->function == VK_LAYER_LINK_INFO) return (void *)s;
    return NULL;
}

/* Opens the output for the first instance; it is closed after the last. */
static void open_output(void)
{
    const char *path = safe_getenv("DRAWSTATS_FILE");
    int fd = path && *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : STDERR_FILENO;
    if (fd < 0) fprintf(stderr, "drawstats: cannot open DRAWSTATS_FILE %s: %s; writing here\n", path, strerror(errno));
    output = fd < 0 ? STDERR_FILENO : fd;
}

static VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                           VkInstance *handle)
{
    VkLayerInstanceCreateInfo *link = link_of(info->pNext, VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO);
    if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");
    if (!create) return VK_ERROR_INITIALIZATION_FAILED;
    struct instance *i = calloc(1, sizeof(*i));
    if (!i) return VK_ERROR_OUT_OF_HOST_MEMORY;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext; /* the next layer finds its own link there */
    VkResult result = create(info, allocator, handle);
    if (result != VK_SUCCESS) {
        free(i);
        return result;
    }
    i->handle = *handle;
    i->get = get;
    i->destroy = (PFN_vkDestroyInstance)get(*handle, "vkDestroyInstance");
    pthread_mutex_lock(&lock);
    if (!instances) open_output();
    i->next = instances;
    instances = i;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static void VKAPI_CALL destroy_instance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    if (!handle) return;
    pthread_mutex_lock(&lock);
    struct instance **at = &instances;
    while (*at && (*at)->handle != handle) at = &(*at)->next;
    struct instance *i = *at;
    if (i) *at = i->next;
    if (!instances && output != STDERR_FILENO) {
        close(output);
        output = STDERR_FILENO;
    }
    pthread_mutex_unlock(&lock);
    if (i) i->destroy(handle, allocator);
    free(i);
}

static PFN_vkVoidFunction VKAPI_CALL get_instance_proc_addr(VkInstance handle, const char *name)
{
    PFN_vkVoidFunction own = hook(name, false);
    if (!handle) /* some layers look vkCreateDevice up without an instance, too */
        return strcmp(name, "vkCreateInstance") == 0 || strcmp(name, "vkGetInstanceProcAddr") == 0 ||
                       strcmp(name, "vkCreateDevice") == 0
                   ? own
                   : NULL;
    PFN_vkGetInstanceProcAddr get = NULL;
    pthread_mutex_lock(&lock);
    for (struct instance *i = instances; i && !get; i = i->next)
        if (i->handle == handle) get = i->get;
    pthread_mutex_unlock(&lock);
    if (!get) return own; /* the instance is still being created, and vkCreateInstance is looked up */
    /* The layer has a function only if the next one in the chain has it, too. */
    PFN_vkVoidFunction below = get(handle, name);
    return own && below ? own : below;
}

/* ---- devices ---------------------------------------------------------------------------------------------------- */

static struct device *device_of(VkDevice handle)
{
    pthread_mutex_lock(&lock);
    struct device *d = devices;
    while (d && d->handle != handle) d = d->next;
    pthread_mutex_unlock(&lock);
    return d;
}

/* vkCreateDevice is in the instance's chain. A physical device begins with the same word as its instance. */
static VkInstance instance_of(VkPhysicalDevice physical)
{
    VkInstance handle = NULL;
    pthread_mutex_lock(&lock);
    for (struct instance *i = instances; i && !handle; i = i->next)
        if (*(void **)i->handle == *(void **)physical) handle = i->handle;
    pthread_mutex_unlock(&lock);
    return handle;
}

static VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                                         const VkAllocationCallbacks *allocator, VkDevice *handle)
{
    VkLayerDeviceCreateInfo *link = link_of(info->pNext, VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO);
    if (!link || !link->u.pLayerInfo) return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr get = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)get(instance_of(physical), "vkCreateDevice");
    if (!create) return VK_ERROR_INITIALIZATION_FAILED;
    struct device *d = calloc(1, sizeof(*d));
    if (!d) return VK_ERROR_OUT_OF_HOST_MEMORY;
    d->get = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = create(physical, info, allocator, handle);
    if (result != VK_SUCCESS) {
        free(d);
        return result;
    }
    d->handle = *handle;
#define FILL(name, function) d->name = (PFN_##name)d->get(d->handle, #name);
    DEVICE_COMMANDS(FILL)
    pthread_mutex_lock(&lock);
    d->next = devices;
    devices = d;
    pthread_mutex_unlock(&lock);
    return VK_SUCCESS;
}

static void VKAPI_CALL destroy_device(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    if (!handle) return;
    pthread_mutex_lock(&lock);
    struct device **at = &devices;
    while (*at && (*at)->handle != handle) at = &(*at)->next;
    struct device *d = *at;
    if (d) {
        *at = d->next;
        forget(d, VK_NULL_HANDLE);
    }
    for (unsigned n = 0; !devices && n < SEGMENTS; n++) free(atomic_exchange(&segments[n], NULL));
    pthread_mutex_unlock(&lock);
    if (d) d->vkDestroyDevice(handle, allocator);
    free(d);
}

static PFN_vkVoidFunction VKAPI_CALL get_device_proc_addr(VkDevice handle, const char *name)
{
    struct device *d = device_of(handle);
    if (!d) return NULL;
    PFN_vkVoidFunction own = hook(name, true), below = d->get(handle, name);
    return own && below ? own : below;
}

/* ---- command buffers come and go -------------------------------------------------------------------------------- */

static void VKAPI_CALL free_command_buffers(VkDevice handle, VkCommandPool pool, uint32_t count,
                                            const VkCommandBuffer *buffers)
{
    struct device *d = device_of(handle);
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < count; i++) {
        struct slot *s = buffers[i] ? find(buffers[i]) : NULL;
        if (s) atomic_store_explicit(&s->handle, NULL, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    /* only now, because another thread may then get the same handles */
    d->vkFreeCommandBuffers(handle, pool, count, buffers);
}

static VkResult VKAPI_CALL allocate_command_buffers(VkDevice handle, const VkCommandBufferAllocateInfo *info,
                                                    VkCommandBuffer *buffers)
{
    struct device *d = device_of(handle);
    VkResult result = d->vkAllocateCommandBuffers(handle, info, buffers);
    if (result != VK_SUCCESS) return result;
    bool all = true;
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < info->commandBufferCount; i++) all = all && add(buffers[i], d, info->commandPool);
    pthread_mutex_unlock(&lock);
    if (all) return VK_SUCCESS;
    free_command_buffers(handle, info->commandPool, info->commandBufferCount, buffers);
    memset(buffers, 0, info->commandBufferCount * sizeof(*buffers));
    return VK_ERROR_OUT_OF_HOST_MEMORY;
}

static void VKAPI_CALL destroy_command_pool(VkDevice handle, VkCommandPool pool, const VkAllocationCallbacks *allocator)
{
    struct device *d = device_of(handle);
    if (pool) {
        pthread_mutex_lock(&lock);
        forget(d, pool);
        pthread_mutex_unlock(&lock);
    }
    d->vkDestroyCommandPool(handle, pool, allocator);
}

/* ---- recording -------------------------------------------------------------------------------------------------- */

static VkResult VKAPI_CALL begin_command_buffer(VkCommandBuffer buffer, const VkCommandBufferBeginInfo *info)
{
    struct slot *s = find(buffer);
    memset(&s->counts, 0, sizeof(s->counts));
    return s->device->vkBeginCommandBuffer(buffer, info);
}

/* Writes the whole line with one call, so that lines of several threads do not mix. */
static VkResult VKAPI_CALL end_command_buffer(VkCommandBuffer buffer)
{
    struct slot *s = find(buffer);
    const struct counts *c = &s->counts;
    char line[256];
    int length =
        snprintf(line, sizeof(line),
                 "drawstats: command buffer %p: %llu draws, %llu instances, %llu vertices, %llu indirect draws\n",
                 (void *)buffer, (unsigned long long)c->draws, (unsigned long long)c->instances,
                 (unsigned long long)c->vertices, (unsigned long long)c->indirect);
    if (write(output, line, (size_t)length) < 0) {
        /* A failure to write is ignored, so that the program is not affected. */
    }
    return s->device->vkEndCommandBuffer(buffer);
}

static void count(struct slot *s, uint64_t vertices, uint64_t copies)
{
    s->counts.draws++;
    s->counts.instances += copies;
    s->counts.vertices += vertices * copies;
}

static void VKAPI_CALL cmd_draw(VkCommandBuffer buffer, uint32_t vertices, uint32_t copies, uint32_t first_vertex,
                                uint32_t first_instance)
{
    struct slot *s = find(buffer);
    count(s, vertices, copies);
    s->device->vkCmdDraw(buffer, vertices, copies, first_vertex, first_instance);
}

static void VKAPI_CALL cmd_draw_indexed(VkCommandBuffer buffer, uint32_t indices, uint32_t copies, uint32_t first_index,
                                        int32_t vertex_offset, uint32_t first_instance)
{
    struct slot *s = find(buffer);
    count(s, indices, copies);
    s->device->vkCmdDrawIndexed(buffer, indices, copies, first_index, vertex_offset, first_instance);
}

static void VKAPI_CALL cmd_draw_indirect(VkCommandBuffer buffer, VkBuffer from, VkDeviceSize offset, uint32_t draws,
                                         uint32_t stride)
{
    struct slot *s = find(buffer);
    s->counts.indirect += draws;
    s->device->vkCmdDrawIndirect(buffer, from, offset, draws, stride);
}

static void VKAPI_CALL cmd_draw_indexed_indirect(VkCommandBuffer buffer, VkBuffer from, VkDeviceSize offset,
                                                 uint32_t draws, uint32_t stride)
{
    struct slot *s = find(buffer);
    s->counts.indirect += draws;
    s->device->vkCmdDrawIndexedIndirect(buffer, from, offset, draws, stride);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    PFN_vkVoidFunction function;
    bool of_device;
} hooks[] = {
#define HOOK(of_device, name, function) {#name, (PFN_vkVoidFunction)(function), of_device},
#define DEVICE_HOOK(name, function) HOOK(true, name, function)
    HOOK(false, vkGetInstanceProcAddr, get_instance_proc_addr) HOOK(false, vkCreateInstance, create_instance)
        HOOK(false, vkDestroyInstance, destroy_instance) HOOK(false, vkCreateDevice, create_device)
            HOOK(true, vkGetDeviceProcAddr, get_device_proc_addr) DEVICE_COMMANDS(DEVICE_HOOK)};

static PFN_vkVoidFunction hook(const char *name, bool only_of_device)
{
    for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++)
        if (strcmp(hooks[i].name, name) == 0 && (hooks[i].of_device || !only_of_device)) return hooks[i].function;
    return NULL;
}

/* The only exported symbol. The layer adds no physical-device commands, so it has no third lookup function. */
__attribute__((visibility("default"))) VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *asked)
{
    if (asked->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT || asked->loaderLayerInterfaceVersion < 2)
        return VK_ERROR_INITIALIZATION_FAILED;
    asked->loaderLayerInterfaceVersion = 2;
    asked->pfnGetInstanceProcAddr = get_instance_proc_addr;
    asked->pfnGetDeviceProcAddr = get_device_proc_addr;
    asked->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
