/* state.h: the interface of state/: the drivers of an instance and their holders, the objects that every driver has
 * a handle of its own for, the records of physical devices, and finding an instance by a handle. */
#ifndef VKL_STATE_H
#define VKL_STATE_H

#include "library/library.h"

/* ---- driver.c -------------------------------------------------------------------------------------------------- */

/* A driver that was found in its instance's list is held before it is called, and released after (docs/concurrency.md).
 * A caller with a physical device or a device of it need not hold it: such a driver stays. With the lock. */
void driver_hold(struct driver *driver);
/* Without the lock, like all that follows. */
void driver_release(struct driver *driver);
/* Drivers of an instance one after the other, each held while it is the current one. To stop early, release it. */
struct driver *driver_first(struct instance *instance);
struct driver *driver_after(struct driver *current);
/* Does any driver have a command, by its vkGetInstanceProcAddr? */
bool any_driver_has(struct instance *instance, const char *name);
/* All of them at once, in chain order. */
#define HELD_FEW 32
struct held_drivers {
    uint32_t count;
    struct driver **driver;
    struct driver *few[HELD_FEW];
};
bool drivers_take(struct instance *instance, struct held_drivers *held); /* false: no memory */
void drivers_drop(struct held_drivers *held);
/* The driver's function for a slot, or NULL. */
void *driver_fn_raw(const struct driver *driver, unsigned slot);
#define driver_fn(driver, command) ((PFN_##command)driver_fn_raw((driver), ISLOT_##command))

/* ---- objects.c -------------------------------------------------------------------------------------------------- */

/* What surfaces, messengers and report callbacks have in common: a place in a list of the instance, and at the same
 * index the handle that each driver made for it. */

/* Embedded in every object that has a place. */
struct object {
    uint32_t index;
    void (*drop)(struct instance *instance, struct object *object); /* frees its rest when its instance ends */
    bool has_allocator;                                             /* the program gave one at creation */
    VkAllocationCallbacks allocator;                                /* a copy of it (ALC-014) */
};

static inline const VkAllocationCallbacks *object_allocator(const struct object *object)
{
    return object->has_allocator ? &object->allocator : NULL;
}

/* Finds a place, enlarging the lists of instance and drivers first where needed (DBG-036), and remembers a copy of the
 * program's allocator. An error leaves nothing behind. */
VkResult object_place(struct instance *instance, enum object_kind kind, struct object *object,
                      const VkAllocationCallbacks *given, const struct held_drivers *held);
/* Waits until no other thread is enlarging the lists of the instance; with the lock. False: this very thread is, and
 * was called back by an allocator. */
bool objects_settled(struct instance *instance);
/* Stores the handle of a driver's object; the driver is held. */
void object_store(struct driver *driver, enum object_kind kind, uint32_t index, uint64_t handle);
/* Destroys the object in each driver that made one, and gives the place up when the last one's is gone. */
void object_destroy(struct instance *instance, enum object_kind kind, const struct object *object,
                    const VkAllocationCallbacks *allocator);
/* The driver's objects of everything the program left alive: surfaces, messengers, reports (DBG-033). */
void driver_destroy_objects(struct driver *driver);
/* Frees the program's remaining objects in the instance itself; after all drivers are gone. */
void instance_free_objects(struct instance *instance);
/* Takes a driver out of the instance's list that was asked for its physical devices, never had one, and has no
 * holder; NULL when there is none. driver_end ends it: its objects, its instance, its library (PHY-049). */
struct driver *driver_unlink_useless(struct instance *instance);
void driver_end(struct driver *driver);
/* Destroys the driver instances that are left. */
void drivers_end(struct instance *instance, const VkAllocationCallbacks *allocator);

/* ---- physdev.c -------------------------------------------------------------------------------------------------- */

/* A handle from below, and the record that stands for it. */
struct found {
    struct driver *driver; /* NULL: the handle is the chain's */
    void *handle;
    struct physdev *record;
};

/* Gives each handle that was found its record: of those that the terminators know, or of those that programs hold. On
 * an error (no memory) not all have one. */
VkResult physdev_records_term(struct instance *instance, struct found *found, uint32_t count);
VkResult physdev_records_tramp(struct instance *instance, struct found *found, uint32_t count);
/* The record of either kind that a handle is; NULL when it is none. */
struct physdev *physdev_find(struct instance *instance, VkPhysicalDevice handle);
void physdevs_free(struct instance *instance);

/* ---- handles.c -------------------------------------------------------------------------------------------------- */

/* All instances there are. */
void instance_add(struct instance *instance);
void instance_drop(struct instance *instance);
/* The instance of a handle that a layer got from below: the loader's, or a lower layer's own, which has the same first
 * word (LAY-376). NULL when it is none. */
struct instance *instance_known(VkInstance handle);
/* The device of a handle that a program gave; a bad one ends the process with a message about the command. */
static inline struct device *given_device(const void *handle, uint32_t command)
{
    struct device *device = device_of(handle);
    if (!device) bad_handle(command);
    return device;
}

#endif
