/* breaking.c: the null driver with two changes. Its vkCreateHeadlessSurfaceEXT, and its vkGetDeviceProcAddr for the
 * name vkBreakingTEST, first call the program's function within_driver. Built with NULL_DRIVER, the path of the null
 * driver. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../lib/vulkan.h"

#pragma GCC visibility push(default)
VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version);
PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name);
#pragma GCC visibility pop

extern void within_driver(void);

static PFN_vkCreateHeadlessSurfaceEXT create;

static void *of_null(const char *name)
{
    static void *library;
    if (!library) library = dlopen(NULL_DRIVER, RTLD_NOW | RTLD_LOCAL);
    void *p = library ? dlsym(library, name) : NULL;
    if (!p) {
        fprintf(stderr, "breaking: %s\n", dlerror());
        abort();
    }
    return p;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_surface(VkInstance instance, const VkHeadlessSurfaceCreateInfoEXT *info,
                                                     const VkAllocationCallbacks *allocator, VkSurfaceKHR *out)
{
    within_driver();
    return create(instance, info, allocator, out);
}

static PFN_vkGetDeviceProcAddr device_proc;

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char *name)
{
    if (strcmp(name, "vkBreakingTEST") != 0) return device_proc(device, name);
    within_driver();
    return (PFN_vkVoidFunction)create_surface;
}

VkResult vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
    return ((VkResult(*)(uint32_t *))of_null(__func__))(version);
}

PFN_vkVoidFunction vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
    PFN_vkVoidFunction p = ((PFN_vkGetInstanceProcAddr)of_null(__func__))(instance, name);
    if (strcmp(name, "vkBreakingTEST") == 0) return (PFN_vkVoidFunction)create_surface;
    if (strcmp(name, "vkGetDeviceProcAddr") == 0 && p) {
        device_proc = (PFN_vkGetDeviceProcAddr)p;
        return (PFN_vkVoidFunction)get_device_proc;
    }
    if (strcmp(name, "vkCreateHeadlessSurfaceEXT") != 0 || !p) return p;
    create = (PFN_vkCreateHeadlessSurfaceEXT)p;
    return (PFN_vkVoidFunction)create_surface;
}
