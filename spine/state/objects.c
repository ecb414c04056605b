/* objects.c: the entries of surfaces, messengers and report callbacks in the lists of the instance and of its drivers,
 * and the destruction of objects that a program has not destroyed, with their instance or with a driver.
 *
 * It never holds the lock while a driver or an allocator runs. */
#include <stdlib.h>
#include <string.h>

#include "state/state.h"

#define ROOM_FIRST 32u /* DBG-036: entries of the first allocation */

/* ---- places ---------------------------------------------------------------------------------------------------- */

bool objects_settled(struct instance *instance)
{
    return claim_wait(instance, NULL);
}

/* Enlarges an array of eight-byte entries. Called with the lock, which is released meanwhile, and with a claim on the
 * instance. An existing block is enlarged with pfnReallocation (ALC-042). */
__attribute__((noinline)) static bool enlarge(struct instance *instance, void *array, uint32_t *room, uint32_t wanted)
{
    CLAIM_UNWINDS
    const VkAllocationCallbacks *allocator = instance_allocator(instance);
    void *old;
    memcpy(&old, array, sizeof old);
    uint32_t old_room = *room;
    size_t size;
    if (wanted <= old_room || !size_of_array(0, wanted, 8, &size)) return false;
    lock_drop();
    void *grown = old ? mem_grow(allocator, old, old_room * (size_t)8, size, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE)
                      : mem_new(allocator, size, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    lock_take();
    if (!grown) return false;
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return true;
}

VkResult object_place(struct instance *instance, enum object_kind kind, struct object *object,
                      const VkAllocationCallbacks *given, const struct held_drivers *held)
{
    object->has_allocator = given != NULL;
    if (given) object->allocator = *given;

    struct claim claim;
    thread_now();
    lock_take();
    bool claimed = claim_take(&claim, instance, NULL);
    struct handle_list *list = &instance->objects[kind];
    uint32_t index = 0;
    while (index < list->room && list->object[index]) index++;
    bool fits = claimed && (index < list->room ||
                            enlarge(instance, &list->object, &list->room, list->room ? list->room * 2 : ROOM_FIRST));
    /* DBG-036: the instance's list first, then each driver's. */
    for (uint32_t i = 0; fits && i < held->count; i++) {
        struct handle_table *table = &held->driver[i]->objects[kind];
        if (index >= table->room) fits = enlarge(instance, &table->handle, &table->room, list->room);
    }
    if (fits) {
        object->index = index;
        list->object[index] = object;
    }
    if (claimed) claim_drop(&claim);
    lock_drop();
    return fits ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

void object_store(struct driver *driver, enum object_kind kind, uint32_t index, uint64_t handle)
{
    lock_take();
    if (objects_settled(driver->instance)) driver->objects[kind].handle[index] = handle;
    lock_drop();
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

static void destroy_in(struct driver *driver, enum object_kind kind, uint64_t handle,
                       const VkAllocationCallbacks *allocator)
{
#define DESTROY(Type)                                                                                                  \
    PFN_vkDestroy##Type destroy = driver_fn(driver, vkDestroy##Type);                                                  \
    if (destroy) destroy(driver->handle, (Vk##Type)handle, allocator)
    if (kind == OBJECT_SURFACE) {
        DESTROY(SurfaceKHR);
    } else if (kind == OBJECT_MESSENGER) {
        DESTROY(DebugUtilsMessengerEXT);
    } else {
        DESTROY(DebugReportCallbackEXT);
    }
}

/* Removes a handle from a driver's table, so that exactly one thread destroys it. Called with the lock. */
static uint64_t take_handle(struct driver *driver, enum object_kind kind, uint32_t index)
{
    struct handle_table *table = &driver->objects[kind];
    if (index >= table->room) return 0;
    uint64_t handle = table->handle[index];
    table->handle[index] = 0;
    return handle;
}

void object_destroy(struct instance *instance, enum object_kind kind, const struct object *object,
                    const VkAllocationCallbacks *allocator)
{
    /* Searches from the start for each handle: this needs no memory (ALC-040), and drivers may be removed meanwhile. */
    for (;;) {
        struct driver *driver;
        uint64_t handle = 0;
        lock_take();
        if (objects_settled(instance)) {
            for (driver = instance->drivers; driver; driver = driver->next)
                if ((handle = take_handle(driver, kind, object->index))) {
                    driver_hold(driver);
                    break;
                }
            if (!handle) instance->objects[kind].object[object->index] = NULL;
        }
        lock_drop();
        if (!handle) return;
        destroy_in(driver, kind, handle, allocator);
        driver_release(driver);
    }
}

void driver_destroy_objects(struct driver *driver)
{
    struct instance *instance = driver->instance;
    for (enum object_kind kind = 0; kind < OBJECT_KINDS; kind++) {
        struct handle_table *table = &driver->objects[kind];
        for (uint32_t i = 0; i < table->room; i++) {
            VkAllocationCallbacks copy;
            bool pass = false;
            lock_take();
            objects_settled(instance);
            uint64_t handle = take_handle(driver, kind, i);
            const struct object *object = instance->objects[kind].object[i]; /* it has room for the driver's handles */
            if (handle && object && object->has_allocator) {
                copy = object->allocator;
                pass = true;
            }
            lock_drop();
            if (handle) destroy_in(driver, kind, handle, pass ? &copy : NULL);
        }
        lock_take();
        struct handle_table old = *table;
        *table = (struct handle_table){0};
        lock_drop();
        mem_free(instance_allocator(instance), old.handle);
    }
}

void instance_free_objects(struct instance *instance)
{
    for (enum object_kind kind = 0; kind < OBJECT_KINDS; kind++) {
        struct handle_list *list = &instance->objects[kind];
        for (uint32_t i = 0; i < list->room; i++) {
            struct object *object = list->object[i];
            if (object) object->drop(instance, object);
        }
        mem_free(instance_allocator(instance), list->object);
        *list = (struct handle_list){0};
    }
}

/* ---- the end of drivers ------------------------------------------------------------------------------------------ */

struct driver *driver_unlink_useless(struct instance *in)
{
    lock_take();
    struct driver **at = &in->drivers;
    while (*at && (!(*at)->asked || (*at)->reported_device || (*at)->holds)) at = &(*at)->next;
    struct driver *found = *at;
    if (found) *at = found->next;
    lock_drop();
    return found;
}

/* Frees a driver that is in no list and not held, so that no other thread has a pointer to it. */
void driver_end(struct driver *driver)
{
    struct instance *in = driver->instance;
    driver_destroy_objects(driver);
    driver_fn(driver, vkDestroyInstance)(driver->handle, drivers_allocator(in));
    driver_lib_drop(in->libs, driver->lib);
    free(driver);
}

void drivers_end(struct instance *in, const VkAllocationCallbacks *allocator)
{
    while (in->drivers) {
        struct driver *d = in->drivers;
        driver_destroy_objects(d);
        driver_fn(d, vkDestroyInstance)(d->handle, allocator);
        in->drivers = d->next;
        /* INS-088: a driver that has reported a device stays mapped */
        if (d->lib->library && d->reported_device) d->lib->library->reported = true;
        free(d);
    }
}
