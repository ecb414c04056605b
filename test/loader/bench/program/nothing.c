/* nothing.c: a layer that does nothing, to measure the cost of a layer in the chain. It takes part in the creation of
 * instance and device, as a layer must, and passes every other lookup on. A library is one layer, so several layers
 * need copies of the file. It supports one instance with one device at a time. */
#include <string.h>

#include "interface.h"

static PFN_vkGetInstanceProcAddr next_gipa;
static PFN_vkGetDeviceProcAddr next_gdpa;
static VkInstance current;

static VkResult create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                VkInstance *instance)
{
    VkLayerInstanceCreateInfo *link = (VkLayerInstanceCreateInfo *)info->pNext;
    while (link &&
           (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerInstanceCreateInfo *)link->pNext;
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    next_gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    VkResult result = ((PFN_vkCreateInstance)next_gipa(NULL, "vkCreateInstance"))(info, allocator, instance);
    if (result == VK_SUCCESS) current = *instance;
    return result;
}

static VkResult create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo *info,
                              const VkAllocationCallbacks *allocator, VkDevice *device)
{
    VkLayerDeviceCreateInfo *link = (VkLayerDeviceCreateInfo *)info->pNext;
    while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO || link->function != VK_LAYER_LINK_INFO))
        link = (VkLayerDeviceCreateInfo *)link->pNext;
    if (!link) return VK_ERROR_INITIALIZATION_FAILED;
    PFN_vkGetInstanceProcAddr gipa = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    next_gdpa = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    return ((PFN_vkCreateDevice)gipa(current, "vkCreateDevice"))(physical, info, allocator, device);
}

static PFN_vkVoidFunction gdpa(VkDevice device, const char *name)
{
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (PFN_vkVoidFunction)gdpa;
    return next_gdpa(device, name);
}

static PFN_vkVoidFunction gipa(VkInstance instance, const char *name)
{
    if (strcmp(name, "vkGetInstanceProcAddr") == 0) return (PFN_vkVoidFunction)gipa;
    if (strcmp(name, "vkCreateInstance") == 0) return (PFN_vkVoidFunction)create_instance;
    if (strcmp(name, "vkCreateDevice") == 0) return (PFN_vkVoidFunction)create_device;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0) return (PFN_vkVoidFunction)gdpa;
    return next_gipa && instance ? next_gipa(instance, name) : NULL;
}

__attribute__((visibility("default"))) VkResult vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *with)
{
    with->loaderLayerInterfaceVersion = 2;
    with->pfnGetInstanceProcAddr = gipa;
    with->pfnGetDeviceProcAddr = gdpa;
    with->pfnGetPhysicalDeviceProcAddr = NULL;
    return VK_SUCCESS;
}
