/* private.c: private data, which programs attach to objects.
 *
 * A slot is a hash table from objects to values, with open addressing and a separate lock. The key is the object's
 * serial number, which it gets at first use here: unlike an address, a serial number is never reused. Values stay until
 * the slot is destroyed. */
#include "null.h"

struct pair {
    uint64_t key; /* the object's serial number; 0: free entry */
    uint64_t value;
};

struct slot {
    struct object object;
    pthread_mutex_t lock;
    struct allocator allocator;
    struct pair *pairs;
    uint32_t room, used; /* room is 0 or a power of two */
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
    release(pAllocator, s->pairs);
    release(pAllocator, s);
}

/* Returns the entry of a key, or the free entry for it. The table is never full. */
static struct pair *find(struct pair *pairs, uint32_t room, uint64_t key)
{
    uint32_t at = (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32) & (room - 1);
    while (pairs[at].key != 0 && pairs[at].key != key) at = (at + 1) & (room - 1);
    return &pairs[at];
}

static bool grow(struct slot *s)
{
    uint32_t room = s->room ? s->room * 2 : 16;
    struct pair *pairs =
        allocate(allocator_of(&s->allocator), room * sizeof(*pairs), VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (!pairs) return false;
    for (uint32_t i = 0; i < s->room; i++)
        if (s->pairs[i].key) *find(pairs, room, s->pairs[i].key) = s->pairs[i];
    release(allocator_of(&s->allocator), s->pairs);
    s->pairs = pairs;
    s->room = room;
    return true;
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
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&s->lock);
    if (s->used * 4 < s->room * 3 || grow(s)) {
        struct pair *p = find(s->pairs, s->room, key);
        s->used += p->key == 0;
        *p = (struct pair){key, data};
    } else {
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    pthread_mutex_unlock(&s->lock);
    return result;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPrivateData(VkDevice device, VkObjectType objectType, uint64_t objectHandle,
                                                 VkPrivateDataSlot privateDataSlot, uint64_t *pData)
{
    struct slot *s = FROM_HANDLE(slot, privateDataSlot);
    uint64_t key = atomic_load(&FROM_HANDLE(object, objectHandle)->serial);
    pthread_mutex_lock(&s->lock);
    *pData = key && s->room ? find(s->pairs, s->room, key)->value : 0;
    pthread_mutex_unlock(&s->lock);
}
