/* device.h: the interface of device/: devices that layers make for themselves. */
#ifndef VKL_DEVICE_H
#define VKL_DEVICE_H

#include "state/state.h"

/* Removes a device from the instance's list when no other thread looks names up through it. Does nothing for a device
 * that is not in the list. */
void device_unlink(struct device *dev);

/* The callbacks of VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK (LAY-365 to 374). */
VKAPI_ATTR VkResult VKAPI_CALL layer_create_device(VkInstance instance, VkPhysicalDevice physdev,
                                                   const VkDeviceCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator, VkDevice *device,
                                                   PFN_vkGetInstanceProcAddr layer_gipa,
                                                   PFN_vkGetDeviceProcAddr *next_gdpa);
VKAPI_ATTR void VKAPI_CALL layer_destroy_device(VkDevice device, const VkAllocationCallbacks *allocator,
                                                PFN_vkDestroyDevice destroy);

#endif
