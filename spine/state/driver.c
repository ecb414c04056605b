/* driver.c: the drivers of an instance. A hold keeps a driver in its instance's list while a thread calls it. */
#include "state/state.h"

#include <stdlib.h>

/* ---- holding ---------------------------------------------------------------------------------------------------- */

/* Takes a hold, which prevents the removal of the driver. No thread waits for the end of a hold. So a forked child may
 * inherit the count: a driver held by threads of the parent stays until its instance ends. */
void driver_hold(struct driver *driver)
{
    lock_wanted(true);
    driver->holds++;
}

void driver_release(struct driver *driver)
{
    lock_take();
    driver->holds--;
    lock_drop();
}

struct driver *driver_first(struct instance *in)
{
    lock_take();
    struct driver *d = in->drivers;
    if (d) driver_hold(d);
    lock_drop();
    return d;
}

struct driver *driver_after(struct driver *current)
{
    lock_take();
    struct driver *d = current->next; /* current is held, so it is still in the list */
    if (d) driver_hold(d);
    current->holds--;
    lock_drop();
    return d;
}

bool any_driver_has(struct instance *in, const char *name)
{
    for (struct driver *d = driver_first(in); d; d = driver_after(d)) {
        if (!d->lib->gipa(d->handle, name)) continue;
        driver_release(d);
        return true;
    }
    return false;
}

bool drivers_take(struct instance *in, struct held_drivers *held)
{
    uint32_t all = 0;
    lock_take();
    for (struct driver *d = in->drivers; d; d = d->next) all++;
    lock_drop();
    held->count = 0;
    held->driver = all > HELD_FEW ? array_grow(NULL, all, sizeof *held->driver) : held->few;
    if (!held->driver) return false;
    lock_take();
    /* drivers are only removed meanwhile, so the array is large enough */
    for (struct driver *d = in->drivers; d; d = d->next) {
        driver_hold(d);
        held->driver[held->count++] = d;
    }
    lock_drop();
    return true;
}

void drivers_drop(struct held_drivers *held)
{
    lock_take();
    for (uint32_t i = 0; i < held->count; i++) held->driver[i]->holds--;
    lock_drop();
    if (held->driver != held->few) free(held->driver);
}

void *driver_fn_raw(const struct driver *driver, unsigned slot)
{
    return driver->own_table.slot[slot];
}
