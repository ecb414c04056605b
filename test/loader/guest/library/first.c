/* first.c: a library whose constructor is the first caller of the loader, while the dynamic linker's lock is held, and
 * before the loader's own constructor if the order of loading allows that. */
#include <dlfcn.h>
#include <stdlib.h>

#include "../../../lib/vulkan.h"

int constructor_result = -1000;

__attribute__((constructor)) static void first(void)
{
    void *loader = dlopen(getenv("GUEST_LOADER"), RTLD_NOW | RTLD_LOCAL);
    if (!loader) return;
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)dlsym(loader, "vkCreateInstance");
    PFN_vkDestroyInstance destroy = (PFN_vkDestroyInstance)dlsym(loader, "vkDestroyInstance");
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    VkInstance instance;
    constructor_result = create(&info, NULL, &instance);
    if (constructor_result == VK_SUCCESS) destroy(instance, NULL);
}
