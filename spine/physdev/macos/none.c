/* none.c: on macOS devices keep the order of their drivers, and no variable changes it (MAC-016). */
#include "physdev/list.h"

VkLoaderFeatureFlags sort_features(struct instance *instance)
{
    (void)instance;
    return 0;
}

bool sort_wanted(const struct instance *instance, const struct scan *scan)
{
    (void)instance, (void)scan;
    return false;
}

VkResult sort_devices(struct instance *instance, struct scan *scan)
{
    (void)instance, (void)scan;
    return VK_SUCCESS;
}

VkResult sort_groups(struct instance *instance, struct scan *scan, VkPhysicalDeviceGroupProperties *group,
                     uint32_t count)
{
    (void)instance, (void)scan, (void)group, (void)count;
    return VK_SUCCESS;
}
