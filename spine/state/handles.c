/* handles.c: the list of instances, and the instance of a handle. */
#include "state/state.h"

static struct instance *instances; /* under the lock */

void instance_add(struct instance *in)
{
    lock_take();
    in->next = instances;
    instances = in;
    lock_drop();
}

void instance_drop(struct instance *in)
{
    lock_take();
    claims_forget(in);
    struct instance **at = &instances;
    while (*at && *at != in) at = &(*at)->next;
    if (*at) *at = in->next;
    lock_drop();
}

struct instance *instance_find(VkInstance handle)
{
    if (!handle) return NULL;
    const void *word = *(void **)handle;
    lock_take();
    struct instance *in = instances;
    while (in && in->table != word) in = in->next;
    lock_drop();
    return in;
}
