/* physdev.h: what physdev/ offers: the extensions of a physical device, and the device configurations of an
 * instance. All else that it does, it does as commands. */
#ifndef VKL_PHYSDEV_H
#define VKL_PHYSDEV_H

#include "state/state.h"

/* ---- extensions.c ----------------------------------------------------------------------------------------------- */

/* All device extensions that a function reports, in memory of the allocator's. VK_SUCCESS, VK_INCOMPLETE when there are
 * more even after the last attempt, or an error without a list. */
VkResult device_extensions(PFN_vkEnumerateDeviceExtensionProperties enumerate, VkPhysicalDevice physdev,
                           const VkAllocationCallbacks *allocator, uint32_t *count, VkExtensionProperties **out);

/* ---- configuration.c ------------------------------------------------------------------------------------------- */

/* Takes the device configurations out of the plan, before layers_read takes its bytes. */
VkResult configurations_read(struct instance *instance, const struct plan *plan);
void configurations_free(struct instance *instance);

#endif
