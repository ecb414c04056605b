/* private.c: private data, which programs attach to objects.
 *
 * A slot is a list of objects and values. The key is the object's serial number, which it gets at first use here:
 * unlike an address, a serial number is never reused. Values stay until the slot is destroyed. */
#include "null.h"

struct pair {
    uint64_t key; /* the object's serial number */
    uint64_t value;
    struct pair *next;
};

struct slot {
    struct object object;
    pthread_mutex_t lock;
    struct allocator allocator;
    struct pair *pairs;
};

VKAPI_ATTR VkResult VKAPI_CALL null_vkCreatePrivateDataSlot(VkDevice device,
                                                            const VkPrivateDataSlotCreateInfo *pCreateInfo,
                                                            const VkAllocationCallbacks *pAllocator,
                                                            VkPrivateDataSlot *pPrivateDataSlot)
{
    struct slot *s = allocate(pAllocator, sizeof(*s), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!s) return VK_ERROR_OUT_OF_HOST_MEMORY;
    pthread_mutex_init(&s->lock, NULL);
    s->allocator = allocator_copy(pAllocator);
    *pPrivateDataSlot = TO_HANDLE(VkPrivateDataSlot, s);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL null_vkDestroyPrivateDataSlot(VkDevice device, VkPrivateDataSlot privateDataSlot,
                                                         const VkAllocationCallbacks *pAllocator)
{
    struct slot *s = FROM_HANDLE(slot, privateDataSlot);
    if (!s) return;
    pthread_mutex_destroy(&s->lock);
    for (struct pair *p = s->pairs, *next; p; p = next) {
        next = p->next;
        release(pAllocator, p);
    }
    release(pAllocator, s);
}

static struct pair *find(const struct slot *s, uint64_t key)
{
    struct pair *p = s->pairs;
    while (p && p->key != key) p = p->next;
    return p;
}

static uint64_t serial_of(struct device *d, struct object *o)
{
    uint64_t serial = atomic_load(&o->serial);
    if (serial == 0) {
        uint64_t fresh = atomic_fetch_add(&d->next_serial, 1) + 1;
        if (atomic_compare_exchange_strong(&o->serial, &serial, fresh)) serial = fresh;
    }
    return serial;
}

VKAPI_ATTR VkResult VKAPI_CALL null_vkSetPrivateData(VkDevice device, VkObjectType objectType, uint64_t objectHandle,
                                                     VkPrivateDataSlot privateDataSlot, uint64_t data)
{
    struct slot *s = FROM_HANDLE(slot, privateDataSlot);
    uint64_t key = serial_of(device_of(device), FROM_HANDLE(object, objectHandle));
    pthread_mutex_lock(&s->lock);
    struct pair *p = find(s, key);
    if (!p && (p = allocate(allocator_of(&s->allocator), sizeof(*p), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT))) {
        *p = (struct pair){.key = key, .next = s->pairs};
        s->pairs = p;
    }
    if (p) p->value = data;
    pthread_mutex_unlock(&s->lock);
    return p ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPrivateData(VkDevice device, VkObjectType objectType, uint64_t objectHandle,
                                                 VkPrivateDataSlot privateDataSlot, uint64_t *pData)
{
    struct slot *s = FROM_HANDLE(slot, privateDataSlot);
    uint64_t key = atomic_load(&FROM_HANDLE(object, objectHandle)->serial);
    pthread_mutex_lock(&s->lock);
    const struct pair *p = find(s, key); /* no object has the number 0 */
    *pData = p ? p->value : 0;
    pthread_mutex_unlock(&s->lock);
}
