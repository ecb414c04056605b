/* extensions.c: lists a device's extensions and layers: device_extensions those of the driver alone, the terminator
 * also the extensions of implicit layers. */
#include <stdlib.h>
#include <string.h>

#include "gen/zends.h"
#include "physdev/physdev.h"

/* DEV-001: reports whether a count is not believed. A chain's list may be longer than a driver's by the extensions of
 * layers. */
static bool is_impossible(const struct driver *driver, uint32_t count)
{
    if (count <= (driver ? EXTENSIONS_MAX : 2 * EXTENSIONS_MAX)) return false;
    if (driver)
        log_line(driver->instance, LOG_ERROR | LOG_DRIVER, EXTENSIONS_UNTRUE, "vkEnumerateDeviceExtensionProperties",
                 driver_path(driver->lib), count);
    return true;
}

VkResult device_extensions(const struct driver *driver, PFN_vkEnumerateDeviceExtensionProperties enumerate,
                           VkPhysicalDevice physdev, const VkAllocationCallbacks *allocator, uint32_t *count,
                           VkExtensionProperties **out)
{
    VkExtensionProperties *list = NULL;
    VkResult result = VK_INCOMPLETE;
    *out = NULL;
    for (int retries = 0; result == VK_INCOMPLETE && retries <= LIST_RETRIES_MAX; retries++) {
        mem_free(allocator, list);
        list = NULL;
        *count = 0;
        result = enumerate(physdev, NULL, count, NULL); /* DRV-069: never a layer's name */
        if (!is_list_result(result)) return result;
        if (is_impossible(driver, *count)) {
            *count = 0;
            return driver ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED;
        }
        uint32_t room = *count;
        size_t size;
        if (!size_of_array(0, room ? room : 1, sizeof *list, &size)) return VK_ERROR_OUT_OF_HOST_MEMORY;
        list = allocator ? mem_new(allocator, size, VK_SYSTEM_ALLOCATION_SCOPE_COMMAND) : malloc(size);
        if (!list) return VK_ERROR_OUT_OF_HOST_MEMORY;
        for (uint32_t i = 0; i < room; i++)
            list[i].extensionName[0] = 0; /* stays if the driver does not write the entry that it has counted */
        if (!room) break;
        result = enumerate(physdev, NULL, count, list);
        if (*count > room) *count = room;
        if (!is_list_result(result)) {
            mem_free(allocator, list);
            return result;
        }
    }
    *out = list;
    return result;
}

/* A list of distinct extensions in order. A hash table, at most half full, finds the extensions of the list by name. */
struct ext_set {
    VkExtensionProperties *ext;
    uint32_t count;
    uint32_t *place; /* index + 1 into ext; 0: free */
    uint32_t mask;
};

/* Initializes a set that takes ownership of list, whose count extensions are not yet added, and enlarges it to room
 * elements. Returns false without memory. */
static bool ext_set_new(struct ext_set *set, VkExtensionProperties *list, uint32_t count, uint32_t room)
{
    uint32_t places = 16;
    *set = (struct ext_set){.ext = list};
    if (room > 1u << 24) return false;
    while (places < 2 * room) places *= 2;
    set->mask = places - 1;
    set->place = calloc(places, sizeof *set->place);
    if (!set->place || room == count) return set->place;
    list = array_grow(list, room, sizeof *list);
    if (list) set->ext = list;
    return list;
}

static void ext_set_free(struct ext_set *set)
{
    free(set->ext);
    free(set->place);
}

static uint32_t ext_hash(const VkExtensionProperties *ext)
{
    size_t left = strnlen(ext->extensionName, sizeof ext->extensionName);
    uint64_t h = left;
    for (const char *p = ext->extensionName; left; p += 8) {
        uint64_t v = 0;
        size_t now = left < 8 ? left : 8;
        memcpy(&v, p, now);
        h = (h ^ v) * 0x9fb21c651e98df25u;
        h ^= h >> 35;
        left -= now;
    }
    return (uint32_t)(h ^ h >> 32);
}

/* Adds an extension. An extension of the list itself stays at its place, or moves towards the front. */
static void ext_set_add(struct ext_set *set, const VkExtensionProperties *ext)
{
    for (uint32_t hash = ext_hash(ext);; hash++) {
        uint32_t *place = &set->place[hash & set->mask];
        if (!*place) {
            if (&set->ext[set->count] != ext) set->ext[set->count] = *ext;
            *place = ++set->count;
            return;
        }
        if (strncmp(set->ext[*place - 1].extensionName, ext->extensionName, sizeof ext->extensionName) == 0)
            return; /* DEV-003: the first one stays */
    }
}

static VkResult give_extensions(const VkExtensionProperties *ext, uint32_t total, uint32_t *pPropertyCount,
                                VkExtensionProperties *pProperties)
{
    if (!pProperties) {
        *pPropertyCount = total;
        return VK_SUCCESS;
    }
    uint32_t count = *pPropertyCount < total ? *pPropertyCount : total;
    if (count) memcpy(pProperties, ext, count * sizeof *ext);
    *pPropertyCount = count;
    return count < total ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkEnumerateDeviceExtensionProperties(VkPhysicalDevice handle,
                                                                         const char *pLayerName,
                                                                         uint32_t *pPropertyCount,
                                                                         VkExtensionProperties *pProperties)
{
    struct physdev *device = term_physdev(handle);
    struct instance *instance = device->instance;
    struct layer_list *layers = instance->layers;
    if (!pPropertyCount) return VK_INCOMPLETE; /* DEV-007: the result for a NULL count */
    if (pLayerName && *pLayerName) {
        if (!name_well_formed(pLayerName)) {
            log_line(instance, LOG_ERROR,
                     "vkEnumerateDeviceExtensionProperties:  pLayerName is too long or is badly formed");
            return VK_ERROR_EXTENSION_NOT_PRESENT;
        }
        const struct layer *layer = NULL;
        VkResult result = layers ? layer_named(layers, pLayerName, &layer) : VK_SUCCESS;
        if (result != VK_SUCCESS) return result;
        return give_extensions(layer ? layer->device_ext : NULL, layer ? layer->device_ext_count : 0, pPropertyCount,
                               pProperties);
    }
    VkExtensionProperties *own = NULL;
    uint32_t own_count = 0;
    VkResult listed = device_extensions(device->driver, driver_fn(device->driver, vkEnumerateDeviceExtensionProperties),
                                        driver_physdev(device), NULL, &own_count, &own);
    if (!is_list_result(listed)) return listed;
    uint64_t room = own_count; /* an upper bound */
    for (uint32_t i = 0; layers && i < layers->active_count; i++) room += layers->active[i].layer->device_ext_count;
    struct ext_set set = {.ext = own};
    VkResult result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (room <= UINT32_MAX && ext_set_new(&set, own, own_count, (uint32_t)room)) {
        for (uint32_t i = 0; i < own_count; i++) ext_set_add(&set, &set.ext[i]);
        for (uint32_t i = 0; layers && i < layers->active_count; i++) {
            const struct layer *layer = layers->active[i].layer;
            /* LAY-258: a meta-layer's own extensions do not count */
            for (uint32_t k = 0; layer->implicit && !layer->meta && k < layer->device_ext_count; k++)
                ext_set_add(&set, &layer->device_ext[k]);
        }
        result = give_extensions(set.ext, set.count, pPropertyCount, pProperties);
        if (result == VK_SUCCESS && pProperties) result = listed; /* VK_INCOMPLETE: the driver has more */
    }
    ext_set_free(&set);
    return result;
}

/* GPA-088: the loader answers this command itself; a layer that calls it on its next handle gets an error. */
VKAPI_ATTR VkResult VKAPI_CALL term_vkEnumerateDeviceLayerProperties(VkPhysicalDevice handle, uint32_t *pPropertyCount,
                                                                     VkLayerProperties *pProperties)
{
    (void)pPropertyCount;
    (void)pProperties;
    log_line(term_physdev(handle)->instance, LOG_ERROR,
             "Encountered the vkEnumerateDeviceLayerProperties terminator.  This means a layer improperly continued.");
    return VK_ERROR_INITIALIZATION_FAILED;
}
