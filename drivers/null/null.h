/* null.h: the records of the null driver and what its files give one another.
 *
 *   names.c       the driver interface, and the look-up of names; table.c names and functions
 *   instance.c    instances, their extensions, the one physical device
 *   properties.c  limits and properties, also in the data of a pipeline cache
 *   features.c    features; formats.c formats and image formats
 *   device.c      devices and queues
 *   memory.c      device memory; resource.c buffers, images and their views
 *   objects.c     objects that only exist: samplers, shaders, pipelines, layouts, passes, descriptor sets, queries
 *   command.c     command pools and command buffers
 *   sync.c        fences and submission
 *   swapchain.c   headless surfaces and swapchains
 *
 * Nothing here is global and changes: everything hangs off an instance or a device.
 */
#ifndef NULL_NULL_H
#define NULL_NULL_H

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

/* The first word of the objects behind VkInstance, VkDevice and other dispatchable handles, until the loader writes its
 * own pointer there (DRV-078). */
#define OBJECT_MAGIC 0x01CDC0DEu

/* ---- extensions and other lists ---------------------------------------------------------------------------------- */

/* Instance extensions come first in the list of extensions, so that their gates are up to this one. */
enum {
    INSTANCE_EXTENSIONS =
#define INSTANCE_EXTENSION(gate, name, version) 1 +
#define DEVICE_EXTENSION(gate, name, version)
#include "extensions.inc"
#undef INSTANCE_EXTENSION
#undef DEVICE_EXTENSION
        0
};

/* instance.c. Sets the bits of the named extensions, bit g for gate g of the name table, or returns
 * VK_ERROR_EXTENSION_NOT_PRESENT for an unknown name. */
VkResult gates_of(bool instance, uint32_t count, const char *const *names, uint32_t *gates);

#define COUNT_OF(list) ((uint32_t)(sizeof(list) / sizeof((list)[0])))

/* Writes as many of all elements as *count allows, if there is a list. */
static inline VkResult give(const void *elements, size_t size, uint32_t all, uint32_t *count, void *list)
{
    uint32_t room = list ? *count : all;
    *count = room < all ? room : all;
    if (list) memcpy(list, elements, *count * size);
    return room < all ? VK_INCOMPLETE : VK_SUCCESS;
}

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

/* The size of objects without behavior: the function that creates them is the same. */
#define SIMPLE_SIZE 32

struct instance {
    uintptr_t magic;
    uintptr_t device; /* the magic of the physical device */
    uint32_t enabled; /* bits of gates */
};

struct device {
    uintptr_t magic;
    uintptr_t queue;                  /* the magic of the queue */
    uint32_t enabled;                 /* bits of gates */
    _Atomic uint32_t descriptor_sets; /* allocated so far */
};

struct memory {
    VkDeviceSize size;
    void *host; /* allocated by the first map, freed with the memory */
};

/* A buffer, or an image with the layout of the first level of its first layer. */
struct resource {
    VkDeviceSize size; /* of all levels and layers */
    VkSubresourceLayout layout;
};

struct command_buffer {
    uintptr_t magic;
    struct command_pool *pool;
    struct command_buffer *next, *previous; /* of the pool */
};

struct command_pool {
    struct allocator allocator;
    struct command_buffer *first;
};

struct fence {
    _Atomic bool signalled;
};

static inline struct device *device_of(VkDevice device)
{
    return (struct device *)device;
}

/* ---- names (table.c) --------------------------------------------------------------------------------------------- */

enum level { GLOBAL, INSTANCE, PHYSICAL, DEVICE };

struct entry {
    char name[52];
    uint8_t length, level;
    uint8_t gate; /* 0: no extension needed */
    PFN_vkVoidFunction function;
};

extern const struct entry entries[]; /* by length and alphabet */
extern const size_t entry_count;

/* ---- functions and data that the files share --------------------------------------------------------------------- */

#define MEMORY_HEAP_SIZE ((VkDeviceSize)8 << 30)
#define MEMORY_TYPE_COUNT 3
#define RESOURCE_ALIGNMENT 256
#define ALL_SAMPLE_COUNTS                                                                                              \
    (VK_SAMPLE_COUNT_1_BIT | VK_SAMPLE_COUNT_2_BIT | VK_SAMPLE_COUNT_4_BIT | VK_SAMPLE_COUNT_8_BIT)
#define MAX_EXTENT_2D 16384
#define MAX_EXTENT_3D 2048
#define MAX_LAYERS 2048
#define MAX_MIP_LEVELS 15

/* formats.c */
enum kind { KIND_COLOR, KIND_COMPRESSED, KIND_DEPTH };

struct format {
    uint8_t size, width, height; /* of a block */
    enum kind kind;
};

const struct format *format_of(VkFormat format); /* NULL: not offered */

/* features.c */
bool features_are_offered(const VkPhysicalDeviceFeatures *wanted);

/* sync.c */
void signal_fence(VkFence fence);

#endif
