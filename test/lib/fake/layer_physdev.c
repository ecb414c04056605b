/* layer_physdev.c: the fake layer's view of physical devices and groups: passed on, wrapped, added to, taken from,
 * put in another order.
 *
 * Script: "wrap physdev", "add_devices N", "remove_device INDEX", "reverse_devices", "add_group", "remove_group INDEX",
 * "reverse_groups", "null_device INDEX", "more FN N" (that many more are claimed than there are),
 * "device_ext NAME [VERSION]" (reported in addition).
 */
#include "layer.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 256

bool changes_devices(void)
{
    return wraps("physdev") || script_has("add_devices", NULL) || script_has("remove_device", NULL) ||
           script_has("reverse_devices", NULL) || script_has("null_device", NULL) || script_has("more", NULL) ||
           script_has("add_group", NULL) || script_has("remove_group", NULL) || script_has("reverse_groups", NULL);
}

static VkPhysicalDevice made(struct chain *chain, VkPhysicalDevice lower, const char *id)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct object *o = object_over(PHYSICAL_DEVICE, chain, id, lower);
    if (!o) {
        o = object_new(PHYSICAL_DEVICE, NULL);
        o->parent = (struct object *)chain; /* only compared */
        o->other = lower;
        object_name(o, id);
        chain->set_instance_data(chain->instance, o);
    }
    pthread_mutex_unlock(&lock);
    return H(o);
}

VkPhysicalDevice wrapped_physdev(struct chain *chain, VkPhysicalDevice lower)
{
    return wraps("physdev") ? made(chain, lower, "wrapped") : lower;
}

static void reverse(void *array, uint32_t count, size_t size)
{
    unsigned char swap[1024], *a = array;
    for (uint32_t i = 0; i < count / 2; i++) {
        memcpy(swap, a + i * size, size);
        memcpy(a + i * size, a + (count - 1 - i) * size, size);
        memcpy(a + (count - 1 - i) * size, swap, size);
    }
}

static void claim_more(const char *function, uint32_t *count)
{
    const struct statement *s = script_find("more", function, 0);
    if (s && s->count > 2) *count += (uint32_t)script_number(s->word[2]);
}

static VkResult give(uint32_t total, uint32_t *count, void *to, const void *from, size_t size)
{
    if (!to) {
        *count = total;
        return VK_SUCCESS;
    }
    uint32_t n = *count < total ? *count : total;
    memcpy(to, from, n * size);
    VkResult result = n < total ? VK_INCOMPLETE : VK_SUCCESS;
    *count = n;
    return result;
}

static VkResult devices(VkInstance h, uint32_t *count, VkPhysicalDevice *array)
{
    struct record r;
    struct chain *chain = chain_of(h);
    record_phase(&r, "vkEnumeratePhysicalDevices", array ? "fill" : "count");
    record_int(&r, "known", chain != NULL);
    record_int(&r, "room", *count);
    record_close(&r);
    probe(chain, "enumerate");
    PFN_vkEnumeratePhysicalDevices next = (PFN_vkEnumeratePhysicalDevices)next_of(chain, "vkEnumeratePhysicalDevices");
    if (!changes_devices()) return next(below(h), count, array);
    VkPhysicalDevice all[MANY];
    uint32_t n = MANY;
    VkResult result = next(below(h), &n, all);
    if (result != VK_SUCCESS) return result;
    VkPhysicalDevice first = n ? all[0] : NULL;
    for (uint32_t i = 0; i < n; i++) all[i] = wrapped_physdev(chain, all[i]);
    uint64_t gone = script_number(script_word("remove_device", 1, "0xffff"));
    if (gone < n) {
        memmove(all + gone, all + gone + 1, (n - gone - 1) * sizeof *all);
        n--;
    }
    for (uint64_t i = 0; first && i < script_number(script_word("add_devices", 1, "0")) && n < MANY; i++) {
        char id[32];
        snprintf(id, sizeof id, "added %u", (unsigned)i);
        all[n++] = made(chain, first, id);
    }
    if (script_has("reverse_devices", NULL)) reverse(all, n, sizeof *all);
    uint64_t none = script_number(script_word("null_device", 1, "0xffff"));
    if (none < n) all[none] = NULL;
    result = give(n, count, array, all, sizeof *all);
    if (array) claim_more("vkEnumeratePhysicalDevices", count);
    return result;
}

/* A "result" is answered after all has been done. */
static VkResult answered(const char *function, bool fill, VkResult result)
{
    VkResult forced;
    return imposed(function, fill ? "fill" : "count", &forced) && result >= 0 ? forced : result;
}

VkResult VKAPI_PTR layer_EnumeratePhysicalDevices(VkInstance h, uint32_t *count, VkPhysicalDevice *array)
{
    return answered("vkEnumeratePhysicalDevices", array, devices(h, count, array));
}

static VkResult changed_groups(const char *function, VkInstance h, uint32_t *count,
                               VkPhysicalDeviceGroupProperties *array)
{
    struct record r;
    struct chain *chain = chain_of(h);
    record_phase(&r, function, array ? "fill" : "count");
    record_int(&r, "known", chain != NULL);
    record_int(&r, "room", *count);
    record_close(&r);
    PFN_vkEnumeratePhysicalDeviceGroups next = (PFN_vkEnumeratePhysicalDeviceGroups)next_of(chain, function);
    if (!changes_devices()) return next(below(h), count, array);
    VkPhysicalDeviceGroupProperties *all = calloc(MANY, sizeof *all);
    uint32_t n = MANY;
    if (!all) abort();
    for (uint32_t i = 0; i < MANY; i++) all[i].sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GROUP_PROPERTIES;
    VkResult result = next(below(h), &n, all);
    if (result == VK_SUCCESS) {
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t d = 0; d < all[i].physicalDeviceCount; d++)
                all[i].physicalDevices[d] = wrapped_physdev(chain, all[i].physicalDevices[d]);
        uint64_t gone = script_number(script_word("remove_group", 1, "0xffff"));
        if (gone < n) {
            memmove(all + gone, all + gone + 1, (n - gone - 1) * sizeof *all);
            n--;
        }
        if (script_has("add_group", NULL) && n) {
            all[n] = all[0];
            all[n].subsetAllocation = VK_TRUE;
            n++;
        }
        if (script_has("reverse_groups", NULL)) reverse(all, n, sizeof *all);
        uint64_t none = script_number(script_word("null_device", 1, "0xffff"));
        if (none < n) all[none].physicalDevices[0] = NULL;
        result = give(n, count, array, all, sizeof *all);
        if (array) claim_more("vkEnumeratePhysicalDeviceGroups", count);
    }
    free(all);
    return result;
}

static VkResult groups(const char *function, VkInstance h, uint32_t *count, VkPhysicalDeviceGroupProperties *array)
{
    return answered(function, array, changed_groups(function, h, count, array));
}

VkResult VKAPI_PTR layer_EnumeratePhysicalDeviceGroups(VkInstance h, uint32_t *count,
                                                       VkPhysicalDeviceGroupProperties *array)
{
    return groups("vkEnumeratePhysicalDeviceGroups", h, count, array);
}

VkResult VKAPI_PTR layer_EnumeratePhysicalDeviceGroupsKHR(VkInstance h, uint32_t *count,
                                                          VkPhysicalDeviceGroupProperties *array)
{
    return groups("vkEnumeratePhysicalDeviceGroupsKHR", h, count, array);
}

void VKAPI_PTR layer_GetPhysicalDeviceProperties(VkPhysicalDevice h, VkPhysicalDeviceProperties *p)
{
    struct record r;
    struct chain *chain = chain_of(h);
    const struct object *o = object_of(h);
    record_phase(&r, "vkGetPhysicalDeviceProperties", "enter");
    record_int(&r, "known", chain != NULL);
    if (o) record_text(&r, "id", o->id);
    record_close(&r);
    PFN_vkGetPhysicalDeviceProperties next =
        (PFN_vkGetPhysicalDeviceProperties)next_of(chain, "vkGetPhysicalDeviceProperties");
    next(below(h), p);
    if (o && !strncmp(o->id, "added", 5)) snprintf(p->deviceName, sizeof p->deviceName, "%s", o->id);
}

VkResult VKAPI_PTR layer_EnumerateDeviceExtensionProperties(VkPhysicalDevice h, const char *name, uint32_t *count,
                                                            VkExtensionProperties *p)
{
    struct record r;
    struct chain *chain = chain_of(h);
    record_phase(&r, "vkEnumerateDeviceExtensionProperties", p ? "fill" : "count");
    record_int(&r, "known", chain != NULL);
    record_text(&r, "layer", name);
    record_close(&r);
    PFN_vkEnumerateDeviceExtensionProperties next =
        (PFN_vkEnumerateDeviceExtensionProperties)next_of(chain, "vkEnumerateDeviceExtensionProperties");
    if (!script_has("device_ext", NULL) || (name && *name)) return next(below(h), name, count, p);
    VkExtensionProperties *all = calloc(MANY * 2, sizeof *all);
    uint32_t n = MANY;
    if (!all) abort();
    VkResult result = next(below(h), name, &n, all);
    const struct statement *s;
    for (int i = 0; (s = script_find("device_ext", NULL, i)) && s->count > 1; i++) {
        memset(&all[n], 0, sizeof all[n]); /* a driver may have written beyond its count */
        memcpy(all[n].extensionName, s->word[1], strnlen(s->word[1], 255));
        all[n++].specVersion = s->count > 2 ? (uint32_t)script_number(s->word[2]) : 1;
    }
    if (result == VK_SUCCESS) result = give(n, count, p, all, sizeof *all);
    free(all);
    return result;
}
