/* instance.h: what instance.c, instance_end.c and device.c share. */
#ifndef VKL_INSTANCE_H
#define VKL_INSTANCE_H

#include "interface.h"
#include "spine.h"

/* GATE_* bits of a list of extension names. */
uint64_t gates_of(const char *const *names, uint32_t count);
/* names.c: GATE_* of an instance extension, -1 when the loader does not know it. */
int gate_find(const char *name);
/* names.c: stubs in all places of the instance's table, for calls that come before the chain is there. */
void table_fill_missing(struct instance *instance);
void unknown_names_free(struct instance *instance);

/* device.c: the callbacks of VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK (LAY-365 to 374). */
/* The instance of a handle that a layer got from below: the loader's, or a lower layer's own, which has the same first
 * word (LAY-376). NULL when it is none. */
struct instance *instance_known(VkInstance handle);
VkResult layer_create_device(VkInstance instance, VkPhysicalDevice physdev, const VkDeviceCreateInfo *info,
                             const VkAllocationCallbacks *allocator, VkDevice *device,
                             PFN_vkGetInstanceProcAddr layer_gipa, PFN_vkGetDeviceProcAddr *next_gdpa);
void layer_destroy_device(VkDevice device, const VkAllocationCallbacks *allocator, PFN_vkDestroyDevice destroy);

#endif
