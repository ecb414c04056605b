/* physdev.h: the interface of physdev/: the extensions and the further properties of a physical device, the device
 * configurations of an instance, and the sorting that layers are told about. The other functions of physdev/ are
 * commands. */
#ifndef VKL_PHYSDEV_H
#define VKL_PHYSDEV_H

#include "state/state.h"

/* ---- extensions.c ----------------------------------------------------------------------------------------------- */

/* All device extensions that a function reports, in memory of the allocator's. VK_SUCCESS, VK_INCOMPLETE when there are
 * more even after the last attempt, or an error without a list. driver: whose function it is, which has none when their
 * number cannot be true (DEV-001); NULL: the chain's, which fails then. */
VkResult device_extensions(const struct driver *driver, PFN_vkEnumerateDeviceExtensionProperties enumerate,
                           VkPhysicalDevice physdev, const VkAllocationCallbacks *allocator, uint32_t *count,
                           VkExtensionProperties **out);

/* ---- query.c ---------------------------------------------------------------------------------------------------- */

/* The function by which the loader itself asks a driver for more properties of a device of this version: the core one
 * where instance and device are of 1.1 or newer, else or without it the KHR one (PHY-029, WIN-068). NULL: it has none.
 */
PFN_vkGetPhysicalDeviceProperties2 properties2_of(const struct instance *instance, const struct driver *driver,
                                                  uint32_t device_version);

/* ---- sort.c ----------------------------------------------------------------------------------------------------- */

/* What layers are told at instance creation: does the loader sort by itself (LAY-306, WIN-060)? */
VkLoaderFeatureFlags sort_features(struct instance *instance);

/* ---- configuration.c ------------------------------------------------------------------------------------------- */

/* Takes the device configurations out of the plan, before layers_read takes its bytes. */
VkResult configurations_read(struct instance *instance, const struct plan *plan);
void configurations_free(struct instance *instance);

#endif
