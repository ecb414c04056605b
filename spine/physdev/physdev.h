/* physdev.h: the interface of physdev/: the extensions and extended properties of a physical device, an instance's
 * device configurations, and the sorting feature that layers see. The other functions of physdev/ are commands. */
#ifndef VKL_PHYSDEV_H
#define VKL_PHYSDEV_H

#include "state/state.h"

/* ---- extensions.c ----------------------------------------------------------------------------------------------- */

/* Lists the device extensions that enumerate returns, in memory from the allocator. Returns VK_SUCCESS, VK_INCOMPLETE
 * if there are more after the last attempt, or an error without a list. driver: the driver that enumerate belongs to,
 * or NULL for the chain's function. If their number is not believed (DEV-001), a driver's list is empty, and the
 * chain's is an error. */
VkResult device_extensions(const struct driver *driver, PFN_vkEnumerateDeviceExtensionProperties enumerate,
                           VkPhysicalDevice physdev, const VkAllocationCallbacks *allocator, uint32_t *count,
                           VkExtensionProperties **out);

/* ---- query.c ---------------------------------------------------------------------------------------------------- */

/* Returns the function with which the loader queries a driver for extended properties of a device of this version: the
 * core function if instance and device are of version 1.1 or newer and the driver has it, otherwise the KHR function
 * (PHY-029, WIN-068). NULL: the driver has neither. */
PFN_vkGetPhysicalDeviceProperties2 properties2_of(const struct instance *instance, const struct driver *driver,
                                                  uint32_t device_version);

/* ---- sort.c ----------------------------------------------------------------------------------------------------- */

/* Returns the feature flags for layers at instance creation, which tell whether the loader sorts devices (LAY-306,
 * WIN-060). */
VkLoaderFeatureFlags sort_features(struct instance *instance);

/* ---- configuration.c ------------------------------------------------------------------------------------------- */

/* Copies the device configurations from the plan. Call it before layers_read, which takes ownership of the plan. */
VkResult configurations_read(struct instance *instance, const struct plan *plan);
void configurations_free(struct instance *instance);

#endif
