/* group.c: replaces the handles in the device group of a VkDeviceCreateInfo by those that the next part of the chain
 * knows, in a copy of the chain's structures up to the group.
 *
 * The copy needs the sizes of the structures. The registry has the sizes of its own. An unknown structure, of a newer
 * version of Vulkan or of a layer, is copied together with the memory behind it: as much as is mapped, up to
 * UNKNOWN_SIZE bytes, which is more than four times the largest size in the registry. Leaving the structure out would
 * lose the program's request. Passing on the original chain with a second group in front would leave the program's
 * handles in it. */
#include "device/group.h"

#include <stdlib.h>
#include <string.h>

#include "gen/zchain.h"
#include "process/process.h"

#define UNKNOWN_SIZE 1024u
#define ALIGNED(size) (((size) + 15u) & ~(size_t)15)

struct pair {
    char first;
    uint64_t second;
};
#define NARROW(i386, wide32) (offsetof(struct pair, second) == 4 ? (i386) : (wide32))
#define HERE(lp64, i386, win64, wide32) (sizeof(void *) == 8 ? BY_SYSTEM(lp64, win64) : NARROW(i386, wide32))

static const struct {
    uint32_t type, size;
} sizes[] = {
#define SIZE(type, ...) {type, HERE(__VA_ARGS__)},
    DEVICE_CHAIN_LIST(SIZE)
#undef SIZE
};

/* Returns the size of a structure; 0 if it is unknown. */
static size_t size_of(VkStructureType type)
{
    if (type == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO) return sizeof(VkLayerDeviceCreateInfo);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].type == (uint32_t)type) return sizes[i].size;
    return 0;
}

/* Computes the room for the group, its handles, and copies of the structures before it. Returns false if that
 * overflows. */
static bool room_of_copies(const VkBaseInStructure *first, const VkDeviceGroupDeviceCreateInfo *group, size_t *room)
{
    size_t devices;
    if (__builtin_mul_overflow(group->physicalDeviceCount, sizeof *group->pPhysicalDevices, &devices)) return false;
    if (__builtin_add_overflow(devices, ALIGNED(sizeof *group) + 16, room)) return false;
    for (const VkBaseInStructure *p = first; (const void *)p != group; p = p->pNext) {
        size_t size = size_of(p->sType);
        if (__builtin_add_overflow(*room, ALIGNED(size ? size : UNKNOWN_SIZE), room)) return false;
    }
    return true;
}

VkResult group_replace(struct instance *instance, struct group_chain *chain, const void *first, uint64_t magic)
{
    *chain = (struct group_chain){.first = first};
    const VkDeviceGroupDeviceCreateInfo *group = chain_find(first, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    size_t room;
    if (!group || !group->physicalDeviceCount || !group->pPhysicalDevices) return VK_SUCCESS;
    if (!room_of_copies(first, group, &room)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    char *to = chain->copies = malloc(room);
    if (!to) return VK_ERROR_OUT_OF_HOST_MEMORY;
    const void **link = &chain->first;
    for (const VkBaseInStructure *p = first; (const void *)p != group; p = p->pNext) {
        size_t size = size_of(p->sType), got = size;
        if (size)
            memcpy(to, p, size);
        else
            got = memory_read(to, p, size = UNKNOWN_SIZE);
        if (got < sizeof *p) {
            log_line(instance, LOG_ERROR,
                     "vkCreateDevice: The structure of type %d before VkDeviceGroupDeviceCreateInfo cannot be copied",
                     (int)p->sType);
            return VK_ERROR_INITIALIZATION_FAILED;
        }
        *link = to;
        link = (const void **)&((VkBaseInStructure *)to)->pNext;
        to += ALIGNED(size);
    }
    VkDeviceGroupDeviceCreateInfo *own = (VkDeviceGroupDeviceCreateInfo *)to;
    VkPhysicalDevice *device = (VkPhysicalDevice *)(to + ALIGNED(sizeof *own));
    *own = *group;
    own->pPhysicalDevices = device;
    for (uint32_t i = 0; i < group->physicalDeviceCount; i++) {
        const struct physdev *p = (const struct physdev *)group->pPhysicalDevices[i];
        device[i] = p && p->magic == magic ? p->lower : group->pPhysicalDevices[i];
    }
    *link = own;
    return VK_SUCCESS;
}

void group_free(struct group_chain *chain)
{
    free(chain->copies);
}
