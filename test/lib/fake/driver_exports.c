/* driver_exports.c: which functions of the driver interface the library exports: FAKE_EXPORTS is a sum of EXPORT_...
 * FAKE_UNDEFINED makes it need a symbol that no library defines. */
#include "driver.h"

#define VISIBLE __attribute__((visibility("default")))
const unsigned fake_exports = FAKE_EXPORTS;

#if FAKE_EXPORTS & EXPORT_NEGOTIATE
VISIBLE VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    return fake_Negotiate(version);
}
#endif
#if FAKE_EXPORTS & EXPORT_GIPA
VISIBLE PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance h, const char *name)
{
    return fake_GetInstanceProcAddr(h, name);
}
#endif
#if FAKE_EXPORTS & EXPORT_GPDPA
VISIBLE PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance h, const char *name)
{
    return fake_GetPhysicalDeviceProcAddr(h, name);
}
#endif
#if FAKE_EXPORTS & EXPORT_OLD_GIPA
VISIBLE PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance h, const char *name);
PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance h, const char *name)
{
    return fake_GetInstanceProcAddr(h, name);
}
#endif
#if FAKE_EXPORTS & EXPORT_OLD_CREATE
VISIBLE VkResult VKAPI_CALL vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                             VkInstance *out);
VkResult VKAPI_CALL vkCreateInstance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                     VkInstance *out)
{
    return fake_CreateInstance(info, allocator, out);
}
#endif
#if FAKE_EXPORTS & EXPORT_OLD_EXTENSIONS
VISIBLE VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count,
                                                                   VkExtensionProperties *p);
VkResult VKAPI_CALL vkEnumerateInstanceExtensionProperties(const char *layer, uint32_t *count, VkExtensionProperties *p)
{
    return fake_EnumerateInstanceExtensionProperties(layer, count, p);
}
#endif
#if FAKE_EXPORTS & EXPORT_ADAPTER
VISIBLE VkResult VKAPI_CALL vk_icdEnumerateAdapterPhysicalDevices(VkInstance h, uint64_t adapter, uint32_t *count,
                                                                  VkPhysicalDevice *array);
VkResult VKAPI_CALL vk_icdEnumerateAdapterPhysicalDevices(VkInstance h, uint64_t adapter, uint32_t *count,
                                                          VkPhysicalDevice *array)
{
    return fake_EnumerateAdapterPhysicalDevices(h, adapter, count, array);
}
#endif
#ifdef FAKE_UNDEFINED
/* A symbol that no library defines: harmless as long as symbols are bound lazily. */
extern void fake_symbol_that_does_not_exist(void);
VISIBLE void fake_needs_it(void);
void fake_needs_it(void)
{
    fake_symbol_that_does_not_exist();
}
#endif
