/* state.h: the interface of state/: the drivers of an instance and the holds on them, objects with a handle in every
 * driver, the records of physical devices, and the instance or device of a handle. */
#ifndef VKL_STATE_H
#define VKL_STATE_H

#include "library/library.h"

/* ---- driver.c -------------------------------------------------------------------------------------------------- */

/* Holds a driver from the instance's list before a call into it; driver_release ends the hold (docs/concurrency.md). A
 * caller with a physical device of the driver, or a device created from one, needs no hold: a driver that has reported
 * a device stays. Call it with the lock. */
void driver_hold(struct driver *driver);
/* Ends a hold. Call this and the functions below without the lock. */
void driver_release(struct driver *driver);
/* Iterate over the drivers of an instance. The current driver is held; release it to stop early. */
struct driver *driver_first(struct instance *instance);
struct driver *driver_after(struct driver *current);
/* Reports whether the vkGetInstanceProcAddr of any driver has a command. */
bool any_driver_has(struct instance *instance, const char *name);
/* All drivers of an instance, held, in chain order. */
#define HELD_FEW 32
struct held_drivers {
    uint32_t count;
    struct driver **driver;
    struct driver *few[HELD_FEW];
};
bool drivers_take(struct instance *instance, struct held_drivers *held); /* false: no memory */
void drivers_drop(struct held_drivers *held);
/* Returns the driver's function for a slot, or NULL. */
void *driver_fn_raw(const struct driver *driver, unsigned slot);
#define driver_fn(driver, command) ((PFN_##command)driver_fn_raw((driver), ISLOT_##command))

/* ---- objects.c -------------------------------------------------------------------------------------------------- */

/* Surfaces, messengers and report callbacks have an entry in a list of the instance. The entry with the same index in
 * each driver's table is the driver's handle for the object. */

/* The common part of these objects. */
struct object {
    uint32_t index;
    /* frees the rest of the object when its instance ends */
    void (*drop)(struct instance *instance, struct object *object);
    bool has_allocator;              /* the program passed an allocator at creation */
    VkAllocationCallbacks allocator; /* a copy of it (ALC-014) */
};

static inline const VkAllocationCallbacks *object_allocator(const struct object *object)
{
    return object->has_allocator ? &object->allocator : NULL;
}

/* Gives the object an entry, after enlarging the lists of instance and drivers if necessary (DBG-036), and stores a
 * copy of the program's allocator. An error changes nothing. */
VkResult object_place(struct instance *instance, enum object_kind kind, struct object *object,
                      const VkAllocationCallbacks *given, const struct held_drivers *held);
/* Waits until no other thread is enlarging the lists of the instance. Returns false if this thread itself is, when an
 * allocator calls back into the loader. Call it with the lock. */
bool objects_settled(struct instance *instance);
/* Stores a driver's handle of an object. The driver must be held. */
void object_store(struct driver *driver, enum object_kind kind, uint32_t index, uint64_t handle);
/* Destroys the object in each driver that has a handle of it, then frees the entry. */
void object_destroy(struct instance *instance, enum object_kind kind, const struct object *object,
                    const VkAllocationCallbacks *allocator);
/* Destroys the driver's handles of objects that the program has not destroyed: surfaces, messengers, reports (DBG-033).
 */
void driver_destroy_objects(struct driver *driver);
/* Frees the objects that the program has not destroyed, after all drivers are gone. */
void instance_free_objects(struct instance *instance);
/* Removes a driver from the instance's list that was asked for its physical devices, never reported one, and is not
 * held. Returns it, or NULL if there is none. Pass it to driver_end, which destroys its objects, its instance and its
 * library (PHY-049). */
struct driver *driver_unlink_useless(struct instance *instance);
void driver_end(struct driver *driver);
/* Destroys the remaining driver instances. */
void drivers_end(struct instance *instance, const VkAllocationCallbacks *allocator);

/* ---- physdev.c -------------------------------------------------------------------------------------------------- */

/* A handle from a driver or from the chain, and the loader's record of it. */
struct found_device {
    struct driver *driver; /* NULL: handle is the chain's */
    void *handle;
    struct physdev *record;
};

/* Set the record of each found handle: physdev_records_term among the terminators' records, physdev_records_tramp among
 * those of programs. After an error (no memory), some records are NULL. */
VkResult physdev_records_term(struct instance *instance, struct found_device *found, uint32_t count);
VkResult physdev_records_tramp(struct instance *instance, struct found_device *found, uint32_t count);
/* Returns the record, of either kind, that a handle points to, or NULL. */
struct physdev *physdev_find(struct instance *instance, VkPhysicalDevice handle);
void physdevs_free(struct instance *instance);

/* ---- handles.c -------------------------------------------------------------------------------------------------- */

/* Add an instance to the list of all instances, and remove it. */
void instance_add(struct instance *instance);
void instance_drop(struct instance *instance);
/* Returns the instance of a handle that a layer passes: the loader's own handle, or a lower layer's wrapper, which has
 * the same first word (LAY-376). NULL: there is none. */
struct instance *instance_find(VkInstance handle);
/* Returns the device of a program's handle. A bad handle ends the process with a message about the command. */
static inline struct device *device_check(const void *handle, uint32_t command)
{
    struct device *device = device_of(handle);
    if (!device) bad_handle(command);
    return device;
}

#endif
