/* needing.c: a driver that needs another library for its one extension. */
#include <string.h>

#include "../../../lib/vulkan.h"

int needed(void);

static VkResult extensions(const char *layer, uint32_t *count, VkExtensionProperties *list)
{
    (void)layer;
    if (list && *count) strcpy(list[0].extensionName, "VK_KHR_display");
    *count = (uint32_t)needed();
    return VK_SUCCESS;
}

static VkResult create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator, VkInstance *instance)
{
    (void)info, (void)allocator, (void)instance;
    return VK_ERROR_INCOMPATIBLE_DRIVER;
}

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    (void)instance;
    if (!strcmp(name, "vkCreateInstance")) return (PFN_vkVoidFunction)create;
    if (!strcmp(name, "vkEnumerateInstanceExtensionProperties")) return (PFN_vkVoidFunction)extensions;
    return NULL;
}
