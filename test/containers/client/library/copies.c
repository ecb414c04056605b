/* copies.c: a program with several copies of the loader, whose paths are its words: it counts the devices of each. */
#include <dlfcn.h>
#include <stdio.h>

#include "../../../lib/vulkan.h"

int main(int count, char **path)
{
    for (int i = 1; i < count; i++) {
        void *loader = dlopen(path[i], RTLD_NOW | RTLD_LOCAL);
        if (!loader) return fprintf(stderr, "%s\n", dlerror());
        PFN_vkCreateInstance create = (PFN_vkCreateInstance)dlsym(loader, "vkCreateInstance");
        PFN_vkEnumeratePhysicalDevices list =
            (PFN_vkEnumeratePhysicalDevices)dlsym(loader, "vkEnumeratePhysicalDevices");
        VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
        VkInstance instance;
        uint32_t devices = 0;
        VkResult result = create(&info, NULL, &instance);
        if (result == VK_SUCCESS) result = list(instance, &devices, NULL);
        printf("%p %d %u\n", (void *)create, result, devices);
    }
    return 0;
}
