/* physdev.c: the records of physical devices, whose addresses are the handles: one record of each device for layers,
 * another for programs. Records are not allocated with the program's allocator. */
#include "state/state.h"

#include <stdlib.h>

static void records_free(struct physdev *list)
{
    while (list) {
        struct physdev *next = list->next;
        free(list);
        list = next;
    }
}

/* Returns the record of a found handle in a list, or NULL. Called with the lock. */
static struct physdev *record_of(struct physdev *list, const struct found_device *found)
{
    while (list && !(list->lower == found->handle && list->driver == found->driver)) list = list->next;
    return list;
}

/* Sets the record of each found handle, to the existing record if there is one (PHY-015). Records stay until the
 * instance is destroyed, because programs may keep handles that a trimmed or later result lacks (PHY-017). New records
 * are allocated without the lock; another thread may add the same device meanwhile (THR-008), so the list is then
 * searched again. */
static VkResult give_records(struct instance *instance, struct physdev **list, uint64_t magic,
                             struct found_device *found, uint32_t count)
{
    struct physdev *spare = NULL;
    VkResult result = VK_SUCCESS;
    while (result == VK_SUCCESS) {
        uint32_t missing = 0;
        lock_take();
        for (uint32_t i = 0; i < count; i++) {
            if (found[i].record || !found[i].handle) continue;
            found[i].record = record_of(*list, &found[i]);
            if (found[i].record) continue;
            if (!spare) {
                missing++;
                continue;
            }
            struct physdev *record = spare;
            spare = record->next;
            *record = (struct physdev){.table = instance->table,
                                       .magic = magic,
                                       .lower = found[i].handle,
                                       .driver = found[i].driver,
                                       .instance = instance,
                                       .next = *list};
            *list = record;
            found[i].record = record;
        }
        lock_drop();
        if (!missing) break;
        for (; missing && result == VK_SUCCESS; missing--) {
            struct physdev *record = calloc(1, sizeof *record);
            if (record) {
                record->next = spare;
                spare = record;
            } else {
                result = VK_ERROR_OUT_OF_HOST_MEMORY;
            }
        }
    }
    records_free(spare);
    return result;
}

VkResult physdev_records_term(struct instance *instance, struct found_device *found, uint32_t count)
{
    return give_records(instance, &instance->term_devs, PHYSDEV_TERM_MAGIC, found, count);
}

VkResult physdev_records_tramp(struct instance *instance, struct found_device *found, uint32_t count)
{
    return give_records(instance, &instance->tramp_devs, PHYSDEV_TRAMP_MAGIC, found, count);
}

/* Returns the record whose address is the handle, or NULL. Called with the lock. */
static struct physdev *record_at(struct physdev *list, VkPhysicalDevice handle)
{
    while (list && (VkPhysicalDevice)list != handle) list = list->next;
    return list;
}

struct physdev *physdev_find(struct instance *instance, VkPhysicalDevice handle)
{
    lock_take();
    struct physdev *record = record_at(instance->tramp_devs, handle);
    if (!record) record = record_at(instance->term_devs, handle);
    lock_drop();
    return record;
}

void physdevs_free(struct instance *instance)
{
    records_free(instance->tramp_devs);
    records_free(instance->term_devs);
}
