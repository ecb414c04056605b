/* objects.h: what surfaces, messengers and report callbacks have in common: a place in a list of the instance, and at
 * the same index the handle that each driver made for it. Owner: objects.c. */
#ifndef VKL_OBJECTS_H
#define VKL_OBJECTS_H

#include "claim.h"
#include "spine.h"
#include "gen/zends.h"

/* Embedded in every object that has a place. */
struct object {
    uint32_t index;
    bool has_allocator;              /* the program gave one at creation */
    VkAllocationCallbacks allocator; /* a copy of it (ERRATA 12) */
};

static inline const VkAllocationCallbacks *object_allocator(const struct object *object)
{
    return object->has_allocator ? &object->allocator : NULL;
}

/* Finds a place, enlarging the lists of instance and drivers first where needed (DBG-036), and remembers a copy of the
 * program's allocator. An error leaves nothing behind. */
VkResult object_place(struct instance *instance, enum object_kind kind, struct object *object,
                      const VkAllocationCallbacks *given, const struct held_drivers *held);
/* Waits until nobody is enlarging lists; with the lock. False: this thread is. */
bool objects_settled(struct instance *instance);
/* Stores what a driver made, which is held. */
void object_store(struct driver *driver, enum object_kind kind, uint32_t index, uint64_t handle);
/* Destroys the object in each driver that made one, and gives the place up when the last one's is gone. */
void object_destroy(struct instance *instance, enum object_kind kind, const struct object *object,
                    const VkAllocationCallbacks *allocator);

/* Of the owners. */
void surface_free(struct instance *instance, struct object *object);
void debug_object_free(struct instance *instance, struct object *object);

#endif
