/* removal.c: the end of a driver in its instance: of one without a device, or of all with the instance. */
#include "state/state.h"

#include <stdlib.h>

struct driver *driver_unlink_useless(struct instance *in)
{
    struct driver *found = NULL;
    lock_take();
    for (struct driver **at = &in->drivers; *at && !found; at = &(*at)->next) {
        struct driver *d = *at;
        if (!d->asked || d->reported_device || d->holds) continue;
        found = d;
        *at = d->next;
        break;
    }
    lock_drop();
    return found;
}

/* Frees a driver that is in no list any more and not held: only the caller has a pointer to it. */
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
        if (d->lib->mapped && d->reported_device) d->lib->mapped->reported = true;
        free(d);
    }
}
