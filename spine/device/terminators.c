/* terminators.c: the terminator of vkCreateDevice: it adapts the arguments to the driver, and makes the first word of
 * the driver's device point to the loader's table. */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#include "device/group.h"
#include "dispatch/dispatch.h"
#include "gen/zends.h"
#include "physdev/physdev.h"

/* HND-033, HND-034: returns the loader's object that *handle points to. Ends the process if a layer passed down another
 * handle, or none. */
static struct device *check_handle(struct instance *in, const VkDevice *handle)
{
    if (!*handle)
        log_abort(
            in, LOG_ERROR,
            "terminator_CreateDevice: Loader device pointer null encountered.  Possibly set by active layer. (Policy #LLP_LAYER_22)");
    struct device *dev = (struct device *)*handle;
    if (dev->magic != DEVICE_MAGIC)
        log_abort(
            in, LOG_ERROR,
            "terminator_CreateDevice: Device pointer (%s) has invalid MAGIC value 0x%08llx. The expected value is 0x10ADED040410ADED. Device value possibly corrupted by active layer (Policy #LLP_LAYER_22).  ",
            pointer_text((char[POINTER_TEXT]){0}, dev), (unsigned long long)dev->magic);
    return dev;
}

static bool has_extension(const VkDeviceCreateInfo *info, const char *name)
{
    return name_listed(info->ppEnabledExtensionNames, info->enabledExtensionCount, name);
}

/* DEV-026: keeps the extensions that the driver lists for this device. *names is from malloc. */
static VkResult filter(struct instance *in, struct physdev *p, const VkDeviceCreateInfo *info, VkDeviceCreateInfo *own,
                       const char ***names)
{
    uint32_t wanted = info->ppEnabledExtensionNames ? info->enabledExtensionCount : 0, count = 0, kept = 0;
    VkExtensionProperties *list = NULL;
    *names = array_grow(NULL, (uint64_t)wanted + 1, sizeof **names);
    if (!*names) return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (wanted) {
        VkResult result = device_extensions(p->driver, driver_fn(p->driver, vkEnumerateDeviceExtensionProperties),
                                            driver_physdev(p), NULL, &count, &list);
        if (!is_list_result(result)) return result;
    }
    for (uint32_t i = 0; i < wanted; i++) {
        const char *name = info->ppEnabledExtensionNames[i];
        if (!name) continue;
        if (extension_listed(list, count, name))
            (*names)[kept++] = name;
        else
            log_line(in, LOG_DEBUG | LOG_DRIVER,
                     "vkCreateDevice extension %s not available for devices associated with ICD %s", name,
                     driver_path(p->driver->lib));
    }
    free(list);
    own->enabledExtensionCount = kept;
    own->ppEnabledExtensionNames = *names;
    return VK_SUCCESS;
}

/* EXT-040, EXT-041: handles a device group and VkPhysicalDeviceFeatures2 for a driver that lacks their commands. */
static VkResult emulate(struct instance *in, struct driver *d, VkDeviceCreateInfo *own)
{
    const VkDeviceGroupDeviceCreateInfo *group =
        chain_find(own->pNext, VK_STRUCTURE_TYPE_DEVICE_GROUP_DEVICE_CREATE_INFO);
    if (group && !driver_fn(d, vkEnumeratePhysicalDeviceGroups) &&
        !driver_fn_raw(d, ISLOT_vkEnumeratePhysicalDeviceGroupsKHR)) {
        log_line(in, LOG_INFO,
                 "vkCreateDevice: Emulating handling of VkPhysicalDeviceGroupProperties in pNext chain for ICD \"%s\"",
                 driver_path(d->lib));
        if (group->physicalDeviceCount != 1) {
            log_text(in, LOG_ERROR, "vkCreateDevice: Emulation failed to create device from device group info");
            return VK_ERROR_INITIALIZATION_FAILED;
        }
    }
    const VkPhysicalDeviceFeatures2 *features = chain_find(own->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
    if (features && !driver_fn(d, vkGetPhysicalDeviceFeatures2) &&
        !driver_fn_raw(d, ISLOT_vkGetPhysicalDeviceFeatures2KHR)) {
        log_line(in, LOG_INFO,
                 "vkCreateDevice: Emulating handling of VkPhysicalDeviceFeatures2 in pNext chain for ICD \"%s\"",
                 driver_path(d->lib));
        if (instance_has(in, EXT_VK_KHR_get_physical_device_properties2)) own->pEnabledFeatures = &features->features;
    }
    return VK_SUCCESS;
}

/* Records the device that the driver has created. */
static void device_complete(struct physdev *p, struct device *dev, const VkDeviceCreateInfo *own, VkDevice handle)
{
    struct instance *in = p->instance;
    dev->driver = p->driver;
    dev->driver_handle = handle;
    dev->has_swapchain = has_extension(own, "VK_KHR_swapchain");
    dev->has_display_swapchain = has_extension(own, "VK_KHR_display_swapchain");
    dev->has_device_group = has_extension(own, "VK_KHR_device_group");
    dev->has_debug_marker = has_extension(own, "VK_EXT_debug_marker");
    const VkPhysicalDeviceMaintenance5FeaturesKHR *m5 =
        chain_find(own->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES);
    /* GPA-049: with maintenance5, core commands newer than the instance's version are not found */
    dev->hide_newer_core = has_extension(own, "VK_KHR_maintenance5") && m5 && m5->maintenance5;
    dev->driver_gdpa = driver_fn(p->driver, vkGetDeviceProcAddr);
    dev->table = &dev->own_table;
    *(void **)handle = dev->table; /* DEV-039: the driver's own handle, its first word replaced */
    table_fill_driver_slots(dev);
    lock_take();
    dev->next = in->devices;
    in->devices = dev;
    dev->linked = true;
    lock_drop();
}

/* Creates the device without extensions that the driver lacks. own: the create info for the driver, without its group.
 */
static VkResult create_filtered(struct physdev *p, struct device *dev, VkDeviceCreateInfo *own,
                                const VkAllocationCallbacks *allocator, VkDevice *out)
{
    struct instance *in = p->instance;
    struct driver *d = p->driver;
    struct group_chain chain;
    VkResult result = group_replace(in, &chain, own->pNext, PHYSDEV_TERM_MAGIC);
    own->pNext = chain.first;
    if (result == VK_SUCCESS) result = emulate(in, d, own);
    if (result == VK_SUCCESS) {
        VkPhysicalDeviceProperties properties;
        driver_fn(d, vkGetPhysicalDeviceProperties)(driver_physdev(p), &properties);
        if (log_heard(in))
            log_line(in, LOG_LAYER | LOG_DRIVER, "       Using \"%.*s\" with driver: \"%s\"",
                     VK_MAX_PHYSICAL_DEVICE_NAME_SIZE, properties.deviceName, driver_path(d->lib));
        VkDevice handle = NULL;
        result = driver_fn(d, vkCreateDevice)(driver_physdev(p), own, allocator, &handle);
        if (result != VK_SUCCESS) {
            log_line(in, LOG_ERROR | LOG_DRIVER, "terminator_CreateDevice: Failed in ICD %s vkCreateDevice call",
                     driver_path(d->lib));
        } else if (!handle) {
            log_line(in, LOG_ERROR | LOG_DRIVER,
                     "terminator_CreateDevice: ICD %s returned VK_SUCCESS from vkCreateDevice, but no device",
                     driver_path(d->lib));
            result = VK_ERROR_INITIALIZATION_FAILED;
        } else {
            device_complete(p, dev, own, handle);
            *out = handle;
        }
    }
    group_free(&chain);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateDevice(VkPhysicalDevice physdev, const VkDeviceCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkDevice *out)
{
    struct physdev *p = term_physdev(physdev);
    struct device *dev = check_handle(p->instance, out);
    device_unlink(dev); /* a layer may create, destroy and create the device again within one call */
    VkDeviceCreateInfo own = *info;
    own.enabledLayerCount = 0; /* DEV-025: no driver sees layers */
    own.ppEnabledLayerNames = NULL;
    const char **names = NULL;
    VkResult result = filter(p->instance, p, info, &own, &names);
    if (result == VK_SUCCESS) result = create_filtered(p, dev, &own, allocator, out);
    free(names);
    return result;
}
