/* null.h: the records of the null driver and what its files give one another.
 *
 *   names.c       the driver interface, and the look-up of names; table.c names and functions
 *   instance.c    instances, their extensions, the one physical device
 *   properties.c  limits and properties; features.c features; formats.c formats and image formats
 *   device.c      devices and queues; private.c private data
 *   memory.c      device memory; resource.c buffers, images and their views
 *   objects.c     objects that only exist: samplers, shaders, pipelines, layouts, passes, queries
 *   descriptor.c  descriptor pools and sets
 *   command.c     command pools and command buffers
 *   sync.c        fences, semaphores, events, submission
 *   swapchain.c   headless surfaces and swapchains
 *
 * Nothing here is global and changes: everything hangs off an instance or a device.
 */
#ifndef NULL_NULL_H
#define NULL_NULL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "gen/zvk.h"
#include "interface.h"

/* A driver that does nothing does not use most of its arguments. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#define OBJECT_MAGIC 0x01CDC0DEu /* first word of the objects behind VkInstance, VkDevice, ... (DRV-078) */

/* ---- extensions ------------------------------------------------------------------------------------------------ */

/* One bit for each extension; bit g is gate g of the name table. */
struct gates {
    uint64_t bits[2];
};

static inline void gate_open(struct gates *g, unsigned gate)
{
    g->bits[gate / 64] |= (uint64_t)1 << (gate % 64);
}

static inline bool gate_is_open(const struct gates *g, unsigned gate)
{
    return (g->bits[gate / 64] >> (gate % 64)) & 1;
}

/* instance.c. gates_of sets the gates of the named extensions, or returns VK_ERROR_EXTENSION_NOT_PRESENT for an unknown
 * name. */
VkResult gates_of(bool instance, uint32_t count, const char *const *names, struct gates *gates);
VkResult list_extensions(bool instance, uint32_t *count, VkExtensionProperties *properties);

/* ---- allocation ------------------------------------------------------------------------------------------------ */

struct allocator {
    bool given;
    VkAllocationCallbacks callbacks;
};

static inline struct allocator allocator_copy(const VkAllocationCallbacks *callbacks)
{
    return callbacks ? (struct allocator){true, *callbacks} : (struct allocator){0};
}

static inline const VkAllocationCallbacks *allocator_of(const struct allocator *a)
{
    return a->given ? &a->callbacks : NULL;
}

/* Returns zeroed memory. */
static inline void *allocate(const VkAllocationCallbacks *callbacks, size_t size, VkSystemAllocationScope scope)
{
    if (!callbacks) return calloc(1, size);
    void *p = callbacks->pfnAllocation(callbacks->pUserData, size, 16, scope);
    if (p) memset(p, 0, size);
    return p;
}

static inline void release(const VkAllocationCallbacks *callbacks, void *p)
{
    if (!callbacks)
        free(p);
    else if (p)
        callbacks->pfnFree(callbacks->pUserData, p);
}

/* Non-dispatchable handles are the addresses of their records. */
#define TO_HANDLE(type, p) ((type)(uintptr_t)(p))
#define FROM_HANDLE(record, h) ((struct record *)(uintptr_t)(h))

/* ---- objects --------------------------------------------------------------------------------------------------- */

/* The first member of the records of a device and of its objects. */
struct object {
    uintptr_t magic;         /* dispatchable objects: OBJECT_MAGIC, until the loader writes its own pointer here */
    _Atomic uint64_t serial; /* set with the first private data; a new object at the same address gets another one */
};

/* The size of objects without behavior, and of events and surfaces: the function that creates them is the same. */
#define SIMPLE_SIZE 32

struct physical_device {
    uintptr_t magic;
    struct instance *instance;
};

struct instance {
    uintptr_t magic;
    struct physical_device device;
    struct gates enabled;
    struct allocator allocator;
};

struct queue {
    struct object object;
    struct device *device;
};

struct device {
    struct object object;
    struct physical_device *physical;
    struct gates enabled;
    struct allocator allocator;
    struct queue queue;
    bool has_queue;
    VkDeviceQueueCreateFlags queue_flags;

    _Atomic uint64_t next_serial;
    _Atomic VkDeviceSize allocated;       /* bytes of the heap */
    _Atomic VkDeviceAddress next_address; /* for memory, as shaders would see it */
};

struct memory {
    struct object object;
    VkDeviceSize size;
    VkDeviceAddress address;
    void *host; /* allocated by the first map, freed with the memory */
    size_t host_size;
};

struct buffer {
    struct object object;
    VkDeviceSize size;
    VkDeviceAddress address; /* of the memory it is bound to */
};

struct image {
    struct object object;
    VkImageCreateInfo info; /* without pNext and queue families */
};

struct event {
    struct object object;
    _Atomic bool set;
};
_Static_assert(sizeof(struct event) <= SIMPLE_SIZE, "events are simple objects");

struct event_operation {
    struct event *event;
    bool set;
};

struct command_buffer {
    struct object object;
    struct command_pool *pool;
    struct command_buffer *next, *previous; /* of the pool */
    struct event_operation *events;         /* changes of events in recording order; nothing else is recorded */
    uint32_t event_count, event_room;
    bool out_of_memory;
};

struct command_pool {
    struct object object;
    struct device *device;
    struct allocator allocator;
    struct command_buffer *first;
};

struct semaphore {
    struct object object;
    bool timeline;
    _Atomic uint64_t value; /* of a timeline */
};

struct fence {
    struct object object;
    _Atomic bool signalled;
};

static inline struct device *device_of(VkDevice device)
{
    return (struct device *)device;
}

/* ---- functions and data that the files share --------------------------------------------------------------------- */

#define MEMORY_HEAP_SIZE ((VkDeviceSize)8 << 30)
#define MEMORY_TYPE_COUNT 3
#define RESOURCE_ALIGNMENT 256
#define QUERY_POOL_STATISTICS 11
#define ALL_SAMPLE_COUNTS                                                                                              \
    (VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT)
#define MAX_EXTENT_2D 16384
#define MAX_EXTENT_3D 2048
#define MAX_LAYERS 2048
#define MAX_MIP_LEVELS 15

/* formats.c */
enum {
    KIND_PLAIN = 1,
    KIND_COMPRESSED = 2,
    KIND_CHROMA = 4,
    KIND_INTEGER = 8,
    KIND_SCALED = 16,
    KIND_SRGB = 32,
    KIND_DEPTH = 64,
    KIND_STENCIL = 128,
    KIND_WIDE = 256,
};

struct plane {
    uint8_t size, width_divisor, height_divisor;
};

struct format {
    VkFormat format;
    uint8_t size, width, height; /* of a block */
    uint16_t kinds;
    uint8_t plane_count;
    struct plane planes[3];
};

const struct format *format_of(VkFormat format); /* NULL: not offered */
VkFormatFeatureFlags2 format_features(const struct format *f, VkImageTiling tiling);

/* features.c */
bool features_are_offered(const VkPhysicalDeviceFeatures *core, const void *chain);

/* properties.c */
VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties *p);

/* sync.c */
void signal_now(struct fence *fence, struct semaphore *semaphore, uint64_t value);

/* command.c */
void apply_commands(VkCommandBuffer buffer);

#endif
