/* driver.c: the drivers of an instance: the holds that keep one in its instance while it is called; its functions. */
#include "state/state.h"

#include <stdlib.h>

/* ---- holding ---------------------------------------------------------------------------------------------------- */

/* No thread waits for the release of a driver: a held driver is not removed, that is all. So a forked child inherits
 * the count as it is; a driver that its parent's threads held is not removed there before the instance ends. */
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
    struct driver *d = current->next; /* a held driver is in the list */
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
    for (struct driver *d = in->drivers; d; d = d->next) { /* they only get fewer */
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
