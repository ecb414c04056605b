/* unknown.c: commands that the registry lacks. Each name gets a number, and the forwarding stub of this number. The
 * number is also the index in the tables of instances, drivers and devices.
 *
 * No driver or layer is called with the lock held. A name that two threads look up at the same time gets one number. */
#include <stdlib.h>
#include <string.h>

#include "asm/tables.h"
#include "dispatch/dispatch.h"

static void *stub(const int32_t *offsets, uint32_t i)
{
    return names_function(offsets[i]);
}

void unknown_names_free(struct instance *in)
{
    const VkAllocationCallbacks *a = instance_allocator(in);
    while (in->unknown_physdev.count) mem_free(a, in->unknown_physdev.name[--in->unknown_physdev.count]);
    while (in->unknown_device.count) mem_free(a, in->unknown_device.name[--in->unknown_device.count]);
}

/* Returns the number of a name; UNKNOWN_MAX if it has none. Called with the lock. */
static uint32_t find(const struct unknown_names *names, const char *name)
{
    lock_wanted(true);
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->name[i], name) == 0) return i;
    return UNKNOWN_MAX;
}

static uint32_t find_locked(const struct unknown_names *names, const char *name)
{
    lock_take();
    uint32_t i = find(names, name);
    lock_drop();
    return i;
}

/* Gives a name a number. Returns UNKNOWN_MAX if there is none left, or without memory. *fresh: this call added the
 * name. */
static uint32_t add(struct instance *in, struct unknown_names *names, const char *name, const char *full, bool *fresh)
{
    const VkAllocationCallbacks *a = instance_allocator(in);
    *fresh = false;
    size_t size = strlen(name) + 1;
    /* UNK-024: with the instance's callbacks; without memory, the name is not found */
    char *copy = mem_new(a, size, VK_SYSTEM_ALLOCATION_SCOPE_INSTANCE);
    if (!copy) return UNKNOWN_MAX;
    memcpy(copy, name, size);
    lock_take();
    uint32_t i = find(names, name);
    bool room = names->count < UNKNOWN_MAX;
    if (i == UNKNOWN_MAX && room) {
        i = names->count++;
        names->name[i] = copy;
        *fresh = true;
    }
    lock_drop();
    if (!*fresh) mem_free(a, copy);
    if (i == UNKNOWN_MAX) log_text(in, LOG_ERROR, full); /* UNK-020: no number is left */
    return i;
}

/* ---- physical-device commands ---------------------------------------------------------------------------------- */

static void *driver_physdev_fn(const struct driver *d, const char *name)
{
    return d->lib->interface_version >= 4 && d->lib->gpdpa ? (void *)d->lib->gpdpa(d->handle, name) : NULL;
}

/* Stores each driver's function for a name at index i of the driver's table (UNK-006), and reports whether any driver
 * has one. i: UNKNOWN_MAX to store nothing. */
static bool fill_drivers(struct instance *in, const char *name, uint32_t i, bool say)
{
    bool any = false;
    for (struct driver *d = driver_first(in); d; d = driver_after(d)) {
        void *p = driver_physdev_fn(d, name);
        if (!p) continue;
        any = true;
        if (i == UNKNOWN_MAX) {
            driver_release(d);
            break;
        }
        __atomic_store_n(&d->own_table.unknown[i], p, __ATOMIC_RELEASE);
        if (say && log_heard(in))
            log_line(in, LOG_DEBUG, "loader_phys_dev_ext_gpa: Driver %s returned ptr %s for %s", driver_path(d->lib),
                     pointer_text((char[POINTER_TEXT]){0}, p), name);
    }
    return any;
}

static bool asks_physdevs(const struct layer_node *n)
{
    return n->interface_version >= 2 && n->gpdpa;
}

/* UNK-001 b: asks the topmost layer that has a function for unknown physical-device commands, and no other layer. */
static bool top_layer_has(struct instance *in, const char *name)
{
    for (uint32_t i = 0; i < in->layers->node_count; i++)
        if (asks_physdevs(&in->layers->node[i])) return in->layers->node[i].gpdpa(in->lower, name) != NULL;
    return false;
}

/* UNK-004: stores the function that the instance's stub of a name jumps to. Layers are asked when the program looks the
 * name up, and not during vkCreateInstance, when a layer may have looked it up. */
static void choose_destination(struct instance *in, const char *name, uint32_t i)
{
    void *to = stub(unknown_physdev_terminators, i);
    for (uint32_t l = 0; l < in->layers->node_count; l++) {
        const struct layer_node *n = &in->layers->node[l];
        void *p = asks_physdevs(n) ? (void *)n->gpdpa(in->lower, name) : NULL;
        if (!p) continue;
        to = p;
        log_line(in, LOG_DEBUG, "loader_phys_dev_ext_gpa: Layer %s returned ptr %s for %s", n->layer->name,
                 pointer_text((char[POINTER_TEXT]){0}, p), name);
        break;
    }
    __atomic_store_n(&in->own_table.unknown[i], to, __ATOMIC_RELEASE);
}

PFN_vkVoidFunction unknown_physdev_find(struct instance *in, const char *name, bool from_program)
{
    struct unknown_names *names = &in->unknown_physdev;
    uint32_t i = find_locked(names, name);
    if (i == UNKNOWN_MAX) {
        if (!fill_drivers(in, name, i, false) && !(from_program && top_layer_has(in, name))) return NULL;
        bool fresh;
        i = add(in, names, name, "loader_dev_ext_gpa: Exhausted the unknown physical device function array!", &fresh);
        if (i == UNKNOWN_MAX) return NULL;
        if (fresh) /* UNK-023: logged when it is stored */
            log_line(in, LOG_DEBUG,
                     "loader_phys_dev_ext_gpa: Adding unknown physical function %s to internal store at index %u", name,
                     i);
        fill_drivers(in, name, i, fresh);
    } else if (!from_program && !fill_drivers(in, name, i, false)) {
        return NULL; /* UNK-008: the last layer finds a name only if a driver has it */
    }
    if (!from_program) return (PFN_vkVoidFunction)stub(unknown_physdev_terminators, i);
    if (__atomic_load_n(&in->own_table.unknown[i], __ATOMIC_ACQUIRE) == (void *)missing_in_chain) {
        /* another thread may have added the name just now, before filling the drivers' tables */
        fill_drivers(in, name, i, false);
        choose_destination(in, name, i);
    }
    return (PFN_vkVoidFunction)stub(unknown_physdev_trampolines, i);
}

/* ---- device commands ------------------------------------------------------------------------------------------- */

static void fill_one(struct device *dev, uint32_t i, const char *name)
{
    lock_wanted(false);
    void *p = (void *)dev->top_gdpa(dev->chain_handle, name);
    __atomic_store_n(&dev->own_table.unknown[i], p ? p : (void *)missing_unknown_device, __ATOMIC_RELEASE);
}

void unknown_fill_device(struct device *dev)
{
    struct instance *in = dev->instance;
    for (uint32_t i = 0; i < UNKNOWN_MAX; i++) dev->own_table.unknown[i] = (void *)missing_unknown_device;
    lock_take();
    dev->complete = true; /* from here on, fill_devices adds new names to this device */
    uint32_t count = in->unknown_device.count;
    lock_drop();
    for (uint32_t i = 0; i < count; i++) fill_one(dev, i, in->unknown_device.name[i]);
}

__attribute__((noinline)) static void fill_used(struct device *dev, uint32_t i, const char *name)
{
    CLAIM_UNWINDS
    fill_one(dev, i, name);
    __asm__ volatile(""); /* prevents a tail call, so that the frame with the claim stays */
}

/* Stores the destination of a new name in every device (UNK-014). A device is in use while its chain is asked. */
static void fill_devices(struct instance *in, uint32_t i, const char *name)
{
    struct claim claim;
    thread_now();
    lock_take();
    for (struct device *dev = in->devices; dev;) {
        if (dev->complete) {
            claim_use(&claim, &dev->uses);
            lock_drop();
            fill_used(dev, i, name);
            lock_take();
            claim_unuse(&claim, &dev->uses); /* wakes device_unlink */
        }
        dev = dev->next; /* a device in use stays in the list */
    }
    lock_drop();
}

static bool manifest_names(const struct instance *in, const char *name)
{ /* UNK-012 b: an active layer's manifest names it as an entry point */
    for (uint32_t l = 0; l < in->layers->active_count; l++) {
        const struct layer *layer = in->layers->active[l].layer;
        /* UNK-012: a meta-layer's own entry points do not count */
        for (uint32_t e = 0; !layer->meta && e < layer->entrypoint_count; e++)
            if (strcmp(layer->entrypoint[e], name) == 0) return true;
    }
    return false;
}

/* Finds the trampoline of a device command that the registry lacks. NULL: no driver or layer has it. */
static PFN_vkVoidFunction device_find(struct instance *in, const char *name, bool from_program)
{
    struct unknown_names *names = &in->unknown_device;
    uint32_t i = find_locked(names, name);
    /* UNK-012: a driver or an active layer must have the name. UNK-018: for a layer's lookup, only drivers count. */
    if ((i == UNKNOWN_MAX || !from_program) && !any_driver_has(in, name)) {
        /* UNK-012 c: the top layer returns a function */
        const struct layer_list *layers = in->layers;
        if (!from_program ||
            (!manifest_names(in, name) && !(layers->node_count && layers->node[0].gipa(in->lower, name))))
            return NULL;
    }
    if (i == UNKNOWN_MAX) {
        bool fresh;
        i = add(in, names, name, "loader_dev_ext_gpa: Exhausted the unknown device function array!", &fresh);
        if (i == UNKNOWN_MAX) return NULL;
    }
    if (!__atomic_load_n(&names->ready[i], __ATOMIC_ACQUIRE)) { /* another thread may do the same at the same time */
        fill_devices(in, i, name);
        __atomic_store_n(&names->ready[i], true, __ATOMIC_RELEASE);
    }
    return (PFN_vkVoidFunction)stub(unknown_device_trampolines, i);
}

PFN_vkVoidFunction unknown_find(struct instance *in, const char *name, bool from_program)
{
    /* LAY-405: never searched */
    if (strncmp(name, "vk_layer", 8) == 0 || strncmp(name, "vk_icd", 6) == 0) return NULL;
    if (!in->layers) return NULL;
    PFN_vkVoidFunction p = unknown_physdev_find(in, name, from_program);
    return p ? p : device_find(in, name, from_program);
}
