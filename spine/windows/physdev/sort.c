/* sort.c: the order of physical devices is the drivers' own here: no variable changes it (WIN-059), and layers are told
 * that the loader does not sort, as where there is no DXGI factory that orders adapters (WIN-060). */
#include "physdev/list.h"

bool sort_wanted(const struct instance *instance)
{
    (void)instance;
    return false;
}

VkResult sort_devices(struct instance *instance, struct physdev **device, uint32_t count)
{
    (void)instance, (void)device, (void)count;
    return VK_SUCCESS;
}

VkResult sort_groups(struct instance *instance, VkPhysicalDeviceGroupProperties *group, uint32_t count)
{
    (void)instance, (void)group, (void)count;
    return VK_SUCCESS;
}
