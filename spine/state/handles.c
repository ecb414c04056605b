/* handles.c: the instance and the device that a handle stands for. */
#include "state/state.h"

static struct instance *instances; /* under the lock */

void instance_add(struct instance *in) {
    lock_take();
    in->next = instances;
    instances = in;
    lock_drop();
}

void instance_drop(struct instance *in) {
    lock_take();
    for (struct instance **at = &instances; *at; at = &(*at)->next) {
        if (*at != in) continue;
        *at = in->next;
        break;
    }
    lock_drop();
}

struct instance *instance_known(VkInstance handle) {
    if (!handle) return NULL;
    const void *word = *(void **)handle;
    lock_take();
    struct instance *in = instances;
    while (in && in->table != word) in = in->next;
    lock_drop();
    return in;
}

struct device *device_of(const void *object) {
    const struct device_table *table = object ? *(const struct device_table *const *)object : NULL;
    return table && table->mark == DEVICE_MARK ? table->device : NULL;
}
