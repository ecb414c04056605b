/* objects.c: the places of surfaces, messengers and report callbacks in the lists of instance and drivers, the claims
 * that let one thread call out while others wait, and the end of what a program left alive.
 *
 * It never holds the lock while a driver or an allocator runs.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "objects.h"

#define FIRST_ROOM 32u /* DBG-036: that many need no growth */

/* ---- claims ---------------------------------------------------------------------------------------------------- */

static struct claim *claims;       /* under the lock */
static uint64_t claims_generation; /* of the process: a forked child has none of its parent's threads */
static uint32_t claims_ended;      /* counts; waited on */

static struct claim *claim_find(const void *what, const void *whose)
{
    lock_wanted(true);
    if (claims_generation != fork_generation()) {
        claims_generation = fork_generation();
        claims = NULL;
    }
    for (struct claim *c = claims; c; c = c->next)
        if (c->what == what && c->whose == whose)
            return c;
    return NULL;
}

/* Waits until more claims have ended than were seen. The time limit is for nothing but a lost wake-up of a foreign
 * kernel; correctness does not need it, and the builds with sanitizers do without. */
static void claim_sleep(uint32_t seen)
{
    lock_wanted(false);
#ifdef CHECK_LOCK
    const struct timespec *limit = NULL;
#else
    const struct timespec *limit = &(struct timespec){.tv_nsec = 100 * 1000 * 1000};
#endif
    syscall(SYS_futex, &claims_ended, FUTEX_WAIT_PRIVATE, seen, limit, NULL, 0);
}

static bool claim_wait(const void *what, const void *whose)
{
    struct claim *other;
    while ((other = claim_find(what, whose))) {
        if (other->thread == (uint64_t)pthread_self())
            return false;
        uint32_t seen = __atomic_load_n(&claims_ended, __ATOMIC_RELAXED);
        lock_drop();
        claim_sleep(seen);
        lock_take();
    }
    return true;
}

bool claim_take(struct claim *claim, const void *what, const void *whose)
{
    if (!claim_wait(what, whose))
        return false;
    *claim = (struct claim){claims, what, whose, (uint64_t)pthread_self()};
    claims = claim;
    return true;
}

void claim_drop(struct claim *claim)
{
    if (claims_generation == fork_generation()) {
        struct claim **at = &claims;
        while (*at && *at != claim)
            at = &(*at)->next;
        if (*at)
            *at = claim->next;
    }
    __atomic_add_fetch(&claims_ended, 1, __ATOMIC_RELAXED);
    int before = errno;
    syscall(SYS_futex, &claims_ended, FUTEX_WAKE_PRIVATE, INT32_MAX, NULL, NULL, 0);
    errno = before;
}

/* ---- places ---------------------------------------------------------------------------------------------------- */

bool objects_settled(struct instance *instance)
{
    return claim_wait(instance, NULL);
}

/* Enlarges an array of eight-byte entries; called with the lock and the instance's claim, calls out without the lock
 * (ALC-042: an existing block is enlarged with pfnReallocation). */
static bool enlarge(struct instance *instance, void *array, uint32_t *room, uint32_t wanted)
{
    const VkAllocationCallbacks *allocator = instance_allocator(instance);
    void *old;
    memcpy(&old, array, sizeof old);
    uint32_t old_room = *room;
    lock_drop();
    void *grown = old ? mem_grow(allocator, old, old_room * (size_t)8, wanted * (size_t)8,
                                 VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE)
                      : mem_new(allocator, wanted * (size_t)8, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    lock_take();
    if (!grown)
        return false;
    memcpy(array, &grown, sizeof grown);
    *room = wanted;
    return true;
}

VkResult object_place(struct instance *instance, enum object_kind kind, struct object *object,
                      const VkAllocationCallbacks *given, const struct held_drivers *held)
{
    object->has_allocator = given != NULL;
    if (given)
        object->allocator = *given;

    struct claim claim;
    lock_take();
    bool claimed = claim_take(&claim, instance, NULL);
    struct handle_list *list = &instance->objects[kind];
    uint32_t index = 0;
    while (index < list->room && list->object[index])
        index++;
    bool fits = claimed && (index < list->room || enlarge(instance, &list->object, &list->room,
                                                          list->room ? list->room * 2 : FIRST_ROOM));
    /* DBG-036: the instance's list first, then each driver's. */
    for (uint32_t i = 0; fits && i < held->count; i++) {
        struct handle_table *table = &held->driver[i]->objects[kind];
        if (index >= table->room)
            fits = enlarge(instance, &table->handle, &table->room, list->room);
    }
    if (fits) {
        object->index = index;
        list->object[index] = object;
    }
    if (claimed)
        claim_drop(&claim);
    lock_drop();
    return fits ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

void object_store(struct driver *driver, enum object_kind kind, uint32_t index, uint64_t handle)
{
    lock_take();
    if (objects_settled(driver->instance))
        driver->objects[kind].handle[index] = handle;
    lock_drop();
}

/* ---- the end --------------------------------------------------------------------------------------------------- */

static void destroy_in(struct driver *driver, enum object_kind kind, uint64_t handle,
                       const VkAllocationCallbacks *allocator)
{
    if (kind == OBJECT_SURFACE) {
        PFN_vkDestroySurfaceKHR destroy = driver_fn(driver, vkDestroySurfaceKHR);
        if (destroy)
            destroy(driver->handle, (VkSurfaceKHR)handle, allocator);
    } else if (kind == OBJECT_MESSENGER) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy = driver_fn(driver, vkDestroyDebugUtilsMessengerEXT);
        if (destroy)
            destroy(driver->handle, (VkDebugUtilsMessengerEXT)handle, allocator);
    } else {
        PFN_vkDestroyDebugReportCallbackEXT destroy = driver_fn(driver, vkDestroyDebugReportCallbackEXT);
        if (destroy)
            destroy(driver->handle, (VkDebugReportCallbackEXT)handle, allocator);
    }
}

/* Takes a handle out of a driver's table, so that exactly one thread destroys it; with the lock. */
static uint64_t take_handle(struct driver *driver, enum object_kind kind, uint32_t index)
{
    struct handle_table *table = &driver->objects[kind];
    if (index >= table->room)
        return 0;
    uint64_t handle = table->handle[index];
    table->handle[index] = 0;
    return handle;
}

void object_destroy(struct instance *instance, enum object_kind kind, const struct object *object,
                    const VkAllocationCallbacks *allocator)
{
    /* One at a time from the start, so that no memory is needed (ALC-040) and drivers may be removed meanwhile. */
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
            if (!handle)
                instance->objects[kind].object[object->index] = NULL;
        }
        lock_drop();
        if (!handle)
            return;
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
            const struct object *object = instance->objects[kind].object[i]; /* it has room for what a driver has */
            if (handle && object && object->has_allocator) {
                copy = object->allocator;
                pass = true;
            }
            lock_drop();
            if (handle)
                destroy_in(driver, kind, handle, pass ? &copy : NULL);
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
            if (object && kind == OBJECT_SURFACE)
                surface_free(instance, object);
            else if (object)
                debug_object_free(instance, object);
        }
        mem_free(instance_allocator(instance), list->object);
        *list = (struct handle_list){0};
    }
}
