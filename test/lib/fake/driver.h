/* driver.h: the common declarations of the fake driver's files.
 *
 *   driver.c          the script's devices, the global commands, instances
 *   driver_physdev.c  physical devices and groups
 *   driver_device.c   devices, queues, command buffers, swapchains
 *   driver_window.c   surfaces, messengers, report callbacks, names
 *   driver_lookup.c   the function of each name, negotiation
 *   driver_exports.c  the exports of the library; built several times
 */
#ifndef TEST_FAKE_DRIVER_H
#define TEST_FAKE_DRIVER_H

#include "objects.h"

#define H(handle) ((void *)(uintptr_t)(handle))

#define EXPORT_NEGOTIATE 1
#define EXPORT_GIPA 2
#define EXPORT_GPDPA 4
#define EXPORT_OLD_GIPA 8
#define EXPORT_OLD_CREATE 16
#define EXPORT_OLD_EXTENSIONS 32
#define EXPORT_ADAPTER 64
extern const unsigned fake_exports;

int device_count(void);
/* The i-th device of the script and its id. */
const struct statement *device_statement(int i, char id[64]);
const struct statement *statement_of(const struct object *physical_device);
/* The driver's handle of the device id: the same for as long as the instance lives. */
struct object *physical_device(struct object *instance, const char *id);
bool any_device_lists(const char *extension);
uint32_t driver_api(void);
/* Counting of arrays as Vulkan wants it: how many elements to fill in *fill. */
VkResult give_count(uint32_t total, uint32_t *count, bool array, uint32_t *fill);
/* "more FN N": the filling call claims N entries more than were counted. */
void claim_more(const char *function, uint32_t *count, bool array);
/* Instance extensions of the script, or those of one device. */
VkResult list_extensions(const char *function, const char *layer, uint32_t *count, VkExtensionProperties *p,
                         const struct statement *device);
void record_allocator(struct record *r, const VkAllocationCallbacks *allocator);

VkResult VKAPI_PTR fake_EnumerateInstanceExtensionProperties(const char *layer, uint32_t *count,
                                                             VkExtensionProperties *p);
VkResult VKAPI_PTR fake_CreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                       VkInstance *out);
PFN_vkVoidFunction VKAPI_PTR fake_GetInstanceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction VKAPI_PTR fake_GetPhysicalDeviceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction VKAPI_PTR fake_GetDeviceProcAddr(VkDevice h, const char *name);
VkResult VKAPI_PTR fake_Negotiate(uint32_t *version);
/* adapter: a LUID of Windows, whose eight bytes it is. */
VkResult VKAPI_PTR fake_EnumerateAdapterPhysicalDevices(VkInstance h, uint64_t adapter, uint32_t *count,
                                                        VkPhysicalDevice *array);

#endif
