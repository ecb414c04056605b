/* trampolines.c: vkCreateDevice and vkDestroyDevice as programs call them: the check of the requested extensions, the
 * device chain, and devices that layers create for themselves. Also the commands that return queues and command
 * buffers, whose first word must point to the device's table. */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#include "device/group.h"
#include "dispatch/dispatch.h"
#include "gen/zends.h"
#include "physdev/physdev.h"

/* HND-036: a layer may overwrite 128 bytes at the handle, as for instances. */
_Static_assert(offsetof(struct device, next) >= 128, "HND-036");

static struct device *devices; /* under the lock: every device from its creation to its end */

/* LAY-378: sets the first word of a layer's object. The handle need not be a device of the loader, so its first word is
 * compared and not followed. */
static VKAPI_ATTR VkResult VKAPI_CALL set_device_data(VkDevice handle, void *object)
{
    if (!handle || !object) return VK_ERROR_INITIALIZATION_FAILED;
    void *word = *(void **)handle;
    lock_take();
    const struct device *dev = devices;
    while (dev && (const void *)&dev->own_table != word) dev = dev->next_of_all;
    lock_drop();
    if (!dev) return VK_ERROR_INITIALIZATION_FAILED;
    *(void **)object = word;
    return VK_SUCCESS;
}

/* ---- checks ---------------------------------------------------------------------------------------------------- */

/* DEV-015 to 020, LAY-346: reports whether the top of the chain lists each enabled extension. */
static VkResult check_extensions(struct instance *in, PFN_vkEnumerateDeviceExtensionProperties enumerate,
                                 VkPhysicalDevice physdev, const VkDeviceCreateInfo *info)
{
    uint32_t wanted = info->ppEnabledExtensionNames ? info->enabledExtensionCount : 0;
    uint32_t count;
    VkExtensionProperties *list;
    VkResult result =
        device_extensions(NULL, enumerate, physdev, NULL, &count, &list); /* DEV-020: also if none is wanted */
    if (!is_list_result(result)) {
        log_text(in, LOG_ERROR, "vkCreateDevice: Failed to add extensions to list");
        return result;
    }
    result = VK_SUCCESS;
    for (uint32_t i = 0; i < wanted && result == VK_SUCCESS; i++) {
        const char *name = info->ppEnabledExtensionNames[i];
        if (!name) continue; /* LAY-348: a NULL entry is skipped */
        if (!name_well_formed(name)) {
            log_text(
                in, LOG_ERROR,
                "loader_validate_device_extensions: Device ppEnabledExtensionNames contains string that is too long or is badly formed");
            result = VK_ERROR_EXTENSION_NOT_PRESENT;
            break;
        }
        bool found = extension_listed(list, count, name);
        for (uint32_t l = 0; l < in->layers->active_count && !found; l++) {
            const struct layer *layer = in->layers->active[l].layer;
            found = !layer->meta && extension_listed(layer->device_ext, layer->device_ext_count, name);
        }
        if (found) continue;
        log_line(
            in, LOG_ERROR,
            "loader_validate_device_extensions: Device extension %s not supported by selected physical device or enabled layers.",
            name);
        result = VK_ERROR_EXTENSION_NOT_PRESENT;
    }
    free(list);
    if (result != VK_SUCCESS) log_text(in, LOG_ERROR, "vkCreateDevice: Failed to validate extensions in list");
    return result;
}

/* DEV-022, LAY-342: warns if the list of layers differs from the instance's. */
static void warn_layers(struct instance *in, const VkDeviceCreateInfo *info)
{
    if (!info->enabledLayerCount || !info->ppEnabledLayerNames) return;
    bool same = info->enabledLayerCount == in->app_layer_count;
    for (uint32_t i = 0; same && i < in->app_layer_count; i++)
        same = info->ppEnabledLayerNames[i] && strcmp(info->ppEnabledLayerNames[i], in->app_layers[i]) == 0;
    if (!same)
        log_text(
            in, LOG_WARN,
            "loader_create_device_chain: Using deprecated and ignored 'ppEnabledLayerNames' member of 'VkDeviceCreateInfo' when creating a Vulkan device.");
}

/* ---- creation -------------------------------------------------------------------------------------------------- */

void device_unlink(struct device *dev)
{
    struct instance *in = dev->instance;
    lock_take();
    while (tally_now(&dev->uses)) lock_wait();
    for (struct device **at = &in->devices; dev->linked; at = &(*at)->next) {
        if (*at != dev) continue;
        *at = dev->next;
        dev->linked = false;
        break;
    }
    lock_drop();
}

/* Returns the live device whose table the first word of a handle points to, or NULL. If no device lives, the handle may
 * be invalid and is not read. */
static struct device *with_table_of(struct instance *in, VkDevice handle)
{
    lock_take();
    struct device *dev = in->devices;
    const void *table = dev ? *(void **)handle : NULL;
    while (dev && &dev->own_table != table) dev = dev->next;
    lock_drop();
    return dev;
}

static void device_free(struct device *dev)
{
    VkAllocationCallbacks copy = dev->allocator;
    bool has = dev->has_allocator;
    lock_take();
    struct device **at = &devices;
    while (*at && *at != dev) at = &(*at)->next_of_all;
    if (*at) *at = dev->next_of_all;
    lock_drop();
    dev->own_table.mark = 0;
    mem_free(has ? &copy : NULL, dev);
}

/* Calls vkCreateDevice at the top of the chain. links: one for each layer with a vkGetDeviceProcAddr, from the top. */
static VkResult call_chain(struct instance *in, PFN_vkCreateDevice create, VkPhysicalDevice physdev,
                           const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator,
                           VkLayerDeviceLink *links, VkDevice *handle)
{
    struct group_chain chain;
    VkResult result = group_replace(in, &chain, info->pNext, PHYSDEV_TRAMP_MAGIC);
    VkLayerDeviceCreateInfo link = {.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                    .pNext = chain.first,
                                    .function = VK_LAYER_LINK_INFO,
                                    .u.pLayerInfo = links};
    VkLayerDeviceCreateInfo data = {.sType = VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO,
                                    .pNext = in->layers->node_count ? (const void *)&link : chain.first,
                                    .function = VK_LOADER_DATA_CALLBACK,
                                    .u.pfnSetDeviceLoaderData = set_device_data};
    VkDeviceCreateInfo copy = *info;
    copy.pNext = &data; /* LAY-350: the loader's structures come before the program's chain */
    if (result == VK_SUCCESS && !create) {
        log_text(in, LOG_ERROR, "loader_create_device_chain: Failed to find 'vkCreateDevice' in layers or ICD");
        result = VK_ERROR_INITIALIZATION_FAILED;
    } else if (result == VK_SUCCESS) {
        result = create(physdev, &copy, allocator, handle);
        if (result == VK_SUCCESS && !*handle) {
            log_text(in, LOG_ERROR | LOG_LAYER, "vkCreateDevice: A layer returned VK_SUCCESS, but no device");
            result = VK_ERROR_INITIALIZATION_FAILED;
        }
        if (result != VK_SUCCESS) /* DEV-037: an error is returned as it is, after this line */
            log_text(in, LOG_ERROR, "vkCreateDevice:  Failed to create device chain.");
    }
    group_free(&chain);
    return result;
}

/* LAY-340 to 345: logs a layer of the instance's chain. */
static void log_node(struct instance *in, const struct layer_node *n, bool inserted)
{
    char *path = log_heard(in) ? layer_node_path(n) : NULL;
    if (path && inserted)
        log_line(in, LOG_INFO | LOG_LAYER, "Inserted device layer \"%s\" (%s)", n->layer->name, path);
    else if (path)
        log_line(in, LOG_INFO | LOG_LAYER, "Failed to find vkGetDeviceProcAddr in layer \"%s\"", path);
    free(path);
}

/* Creates a device with the layers of the instance's chain from index from on. chain_instance and physdev are the
 * handles that this part of the chain knows. */
static VkResult create_device(struct instance *in, VkInstance chain_instance, VkPhysicalDevice physdev,
                              const VkDeviceCreateInfo *info, const VkAllocationCallbacks *allocator, VkDevice *out,
                              uint32_t from, PFN_vkGetDeviceProcAddr *next_gdpa)
{
    /* ALC-004: pAllocator serves the loader's memory, too; without one, the instance's callbacks do */
    const VkAllocationCallbacks *own = allocator ? allocator : instance_allocator(in);
    struct device *dev = mem_new(own, sizeof *dev, VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!dev) return VK_ERROR_OUT_OF_HOST_MEMORY;
    dev->magic = DEVICE_MAGIC;
    dev->instance = in;
    dev->has_allocator = own != NULL;
    if (own) dev->allocator = *own;
    dev->own_table.mark = DEVICE_MARK;
    dev->own_table.device = dev;
    lock_take();
    dev->next_of_all = devices;
    devices = dev;
    lock_drop();
    for (uint32_t i = 0; info->ppEnabledExtensionNames && i < info->enabledExtensionCount; i++)
        if (info->ppEnabledExtensionNames[i] && strcmp(info->ppEnabledExtensionNames[i], "VK_EXT_debug_marker") == 0)
            dev->app_debug_marker = true; /* GPA-058: its object commands are found */

    uint32_t count = in->layers->node_count, used = 0;
    VkLayerDeviceLink *links = array_new(0, (uint64_t)count + 1, sizeof *links);
    if (!links) {
        device_free(dev);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    PFN_vkGetInstanceProcAddr gipa = (PFN_vkGetInstanceProcAddr)term_vkGetInstanceProcAddr;
    PFN_vkGetDeviceProcAddr gdpa = (PFN_vkGetDeviceProcAddr)term_vkGetDeviceProcAddr;
    /* LAY-340 to 345: a layer of the instance's chain without vkGetDeviceProcAddr is left out, with a message */
    for (uint32_t i = count; i-- > from;) {
        const struct layer_node *n = &in->layers->node[i];
        if (!n->gdpa) {
            log_node(in, n, false);
            continue;
        }
        /* Filled from the end, so that the last one written is the topmost layer's. */
        VkLayerDeviceLink *l = &links[count - 1 - used];
        *l = (VkLayerDeviceLink){used ? l + 1 : NULL, gipa, gdpa};
        used++;
        gipa = n->gipa;
        gdpa = n->gdpa;
        log_node(in, n, true);
    }
    if (next_gdpa) *next_gdpa = gdpa; /* LAY-368: the next layer's below the caller, or the loader's */
    layers_log_stack(in, true);

    /* LAY-357: every layer finds an object of the loader in *pDevice */
    VkDevice handle = (VkDevice)dev;
    /* LAY-354: looked up in the top layer with the handle that it returned for the instance, and called once */
    PFN_vkCreateDevice create = (PFN_vkCreateDevice)gipa(chain_instance, "vkCreateDevice");
    VkResult result = call_chain(in, create, physdev, info, allocator, used ? &links[count - used] : NULL, &handle);
    free(links);
    struct device *own_of_layer = result != VK_SUCCESS || dev->linked ? NULL : with_table_of(in, handle);
    if (result == VK_SUCCESS && !dev->linked && !own_of_layer) { /* the chain did not call the terminator */
        layers_log_idle(in, true, from);
        result = VK_ERROR_INITIALIZATION_FAILED;
    }
    if (result != VK_SUCCESS) { /* a positive result, too, means that there is no device (DEV-037) */
        device_unlink(dev);
        device_free(dev);
        return result;
    }
    /* LAY-373: a layer created it with layer_create_device; its first word stays, because layers compare it */
    if (own_of_layer) {
        device_free(dev);
        dev = own_of_layer;
    } else {
        *(void **)handle = &dev->own_table; /* DEV-039: the top layer's handle, or the driver's own */
        dev->table = &dev->own_table;
    }
    dev->chain_handle = handle;
    dev->top_gdpa = gdpa;
    table_fill_device(dev, gipa, chain_instance);
    *out = handle;
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL tramp_vkCreateDevice(VkPhysicalDevice handle, const VkDeviceCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator, VkDevice *out)
{
    const struct physdev *p = (const struct physdev *)handle;
    /* DEV-014: an invalid physical device, NULL included, ends the process */
    if (!p || p->magic != PHYSDEV_TRAMP_MAGIC) bad_handle(CMD_vkCreateDevice);
    struct instance *in = p->instance;
    warn_layers(in, info);
    PFN_vkEnumerateDeviceExtensionProperties enumerate =
        (PFN_vkEnumerateDeviceExtensionProperties)in->table->slot[ISLOT_vkEnumerateDeviceExtensionProperties];
    VkResult result = check_extensions(in, enumerate, p->lower, info);
    if (result != VK_SUCCESS) return result;
    return create_device(in, in->lower, p->lower, info, allocator, out, 0, NULL);
}
EXPORT_COMMAND(vkCreateDevice);

VKAPI_ATTR void VKAPI_CALL tramp_vkDestroyDevice(VkDevice handle, const VkAllocationCallbacks *allocator)
{
    if (!handle) return; /* DEV-046: NULL is allowed */
    struct device *dev = device_check(handle, CMD_vkDestroyDevice);
    PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)dev->table->slot[DSLOT_vkDestroyDevice];
    device_unlink(dev);
    if (!is_missing((void *)destroy)) destroy(handle, allocator);
    device_free(dev);
}
EXPORT_COMMAND(vkDestroyDevice);

/* ---- devices of layers (LAY-365 to 374) ------------------------------------------------------------------------ */

VKAPI_ATTR VkResult VKAPI_CALL layer_create_device(VkInstance instance, VkPhysicalDevice physdev,
                                                   const VkDeviceCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkDevice *device,
                                                   PFN_vkGetInstanceProcAddr layer_gipa,
                                                   PFN_vkGetDeviceProcAddr *next_gdpa)
{
    struct instance *in = instance_find(instance);
    if (instance && !in) return VK_ERROR_INITIALIZATION_FAILED;
    if (!in) { /* LAY-366: an application-level physical device */
        const struct physdev *p = (const struct physdev *)physdev;
        if (!p || p->magic != PHYSDEV_TRAMP_MAGIC) return VK_ERROR_INITIALIZATION_FAILED;
        in = p->instance;
        physdev = p->lower;
        instance = in->lower;
    }
    uint32_t from = 0;
    for (uint32_t i = 0; layer_gipa && i < in->layers->node_count; i++)
        /* LAY-367: the layers below the caller, known by its GIPA */
        if (in->layers->node[i].gipa == layer_gipa) from = i + 1;
    PFN_vkEnumerateDeviceExtensionProperties enumerate =
        (PFN_vkEnumerateDeviceExtensionProperties)in->table->slot[ISLOT_vkEnumerateDeviceExtensionProperties];
    if (layer_gipa)
        enumerate =
            (PFN_vkEnumerateDeviceExtensionProperties)layer_gipa(instance, "vkEnumerateDeviceExtensionProperties");
    if (!enumerate) return VK_ERROR_INITIALIZATION_FAILED;
    /* LAY-369: extensions are enumerated through the caller's GIPA */
    VkResult result = check_extensions(in, enumerate, physdev, info);
    if (result != VK_SUCCESS) return result;
    return create_device(in, instance, physdev, info, allocator, device, from, next_gdpa);
}

VKAPI_ATTR void VKAPI_CALL layer_destroy_device(VkDevice handle, const VkAllocationCallbacks *allocator,
                                                PFN_vkDestroyDevice destroy)
{
    if (!handle) return;
    struct device *dev = device_of(handle);
    /* LAY-373: called within the program's vkDestroyDevice, which frees the record */
    if (dev && !dev->linked) dev = NULL;
    if (dev) device_unlink(dev);
    destroy(handle, allocator);
    if (dev) device_free(dev);
}

/* ---- queues and command buffers -------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL tramp_vkGetDeviceQueue(VkDevice device, uint32_t family, uint32_t index, VkQueue *queue)
{
    struct device *dev = device_check(device, CMD_vkGetDeviceQueue);
    ((PFN_vkGetDeviceQueue)dev->table->slot[DSLOT_vkGetDeviceQueue])(device, family, index, queue);
    if (queue && *queue) *(void **)*queue = dev->table; /* DEV-049: its first word leads to the device's table */
}
EXPORT_COMMAND(vkGetDeviceQueue);

VKAPI_ATTR void VKAPI_CALL tramp_vkGetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2 *info, VkQueue *queue)
{
    struct device *dev = device_check(device, CMD_vkGetDeviceQueue2);
    ((PFN_vkGetDeviceQueue2)dev->table->slot[DSLOT_vkGetDeviceQueue2])(device, info, queue);
    if (queue && *queue) *(void **)*queue = dev->table;
}
EXPORT_COMMAND(vkGetDeviceQueue2);

VKAPI_ATTR VkResult VKAPI_CALL tramp_vkAllocateCommandBuffers(VkDevice device, const VkCommandBufferAllocateInfo *info,
                                                              VkCommandBuffer *buffers)
{
    struct device *dev = device_check(device, CMD_vkAllocateCommandBuffers);
    VkResult result =
        ((PFN_vkAllocateCommandBuffers)dev->table->slot[DSLOT_vkAllocateCommandBuffers])(device, info, buffers);
    for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; i++)
        /* DEV-050: only on success, and only handles that are not NULL */
        if (buffers[i]) *(void **)buffers[i] = dev->table;
    return result;
}
EXPORT_COMMAND(vkAllocateCommandBuffers);

VKAPI_ATTR VkResult VKAPI_CALL tramp_vkCreateExternalComputeQueueNV(VkDevice device,
                                                                    const VkExternalComputeQueueCreateInfoNV *info,
                                                                    const VkAllocationCallbacks *allocator,
                                                                    VkExternalComputeQueueNV *queue)
{
    struct device *dev = device_check(device, CMD_vkCreateExternalComputeQueueNV);
    VkResult result = ((PFN_vkCreateExternalComputeQueueNV)dev->table->slot[DSLOT_vkCreateExternalComputeQueueNV])(
        device, info, allocator, queue);
    /* GPA-073: the new object's first word is set */
    if (result == VK_SUCCESS && queue && *queue) *(void **)*queue = dev->table;
    return result;
}
