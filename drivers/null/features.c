/* features.c: the features. The driver has every feature of Vulkan 1.0 that a driver that does nothing can support; not
 * sparse resources. */
#include "null.h"

/* Only the features of sparse resources are off; they are next to each other. */
static VkBool32 is_offered(size_t offset)
{
    return offset < offsetof(VkPhysicalDeviceFeatures, shaderResourceResidency) ||
           offset > offsetof(VkPhysicalDeviceFeatures, sparseResidencyAliased);
}

bool features_are_offered(const VkPhysicalDeviceFeatures *wanted)
{
    for (size_t at = 0; at < sizeof(*wanted); at += sizeof(VkBool32)) {
        VkBool32 w;
        memcpy(&w, (const char *)wanted + at, sizeof(w));
        if (w && !is_offered(at)) return false;
    }
    return true;
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceFeatures(VkPhysicalDevice physicalDevice,
                                                            VkPhysicalDeviceFeatures *pFeatures)
{
    for (size_t at = 0; at < sizeof(*pFeatures); at += sizeof(VkBool32)) {
        VkBool32 value = is_offered(at);
        memcpy((char *)pFeatures + at, &value, sizeof(value));
    }
}

VKAPI_ATTR void VKAPI_CALL null_vkGetPhysicalDeviceFeatures2(VkPhysicalDevice physicalDevice,
                                                             VkPhysicalDeviceFeatures2 *pFeatures)
{
    null_vkGetPhysicalDeviceFeatures(physicalDevice, &pFeatures->features);
}
