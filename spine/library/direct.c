/* direct.c: drivers that the application provides as functions, without a library or a manifest
 * (VK_LUNARG_direct_driver_loading). A bad entry of the list is skipped, and the others are used (DRV-090 to 096). */
#include "library/library.h"

#include <stdlib.h>

const char driver_direct_path[] = "(null)";

/* Reports whether a function belongs to a Vulkan loader, this or another, and logs it (DRV-046). */
static bool is_loader(struct instance *in, const void *function, uint32_t index)
{
    const char *loader = loader_named_at(function);
    char *path = loader ? gate_path_of(function) : NULL;
    char *text = path ? library_loader_text(path, loader) : NULL;
    if (text)
        log_line(in, LOG_ERROR | LOG_DRIVER,
                 "loader_add_direct_driver: %s: the VkDirectDriverLoadingInfoLUNARG structure at index %u, skipping.",
                 text, index);
    free(text);
    free(path);
    return loader != NULL;
}

/* Returns the driver's interface version; 0 if it is too old, after its message. */
static uint32_t agree(struct instance *in, PFN_vkGetInstanceProcAddr gipa, uint32_t index)
{
    PFN_vkNegotiateLoaderICDInterfaceVersion ask =
        (PFN_vkNegotiateLoaderICDInterfaceVersion)gipa(NULL, "vk_icdNegotiateLoaderICDInterfaceVersion");
    if (!ask) {
        log_line(
            in, LOG_ERROR | LOG_DRIVER,
            "loader_add_direct_driver: Could not get 'vk_icdNegotiateLoaderICDInterfaceVersion' from VkDirectDriverLoadingInfoLUNARG structure at index %u, skipping.",
            index);
        return 0;
    }
    uint32_t version = DRIVER_INTERFACE_VERSION;
    if (ask(&version) == VK_SUCCESS && version >= 7) return version;
    log_line(
        in, LOG_ERROR | LOG_DRIVER,
        "loader_add_direct_driver: VkDirectDriverLoadingInfoLUNARG structure at index %u supports interface version %u, which is incompatible with the Loader Driver Interface version that supports the VK_LUNARG_direct_driver_loading extension, skipping.",
        index, version);
    return 0;
}

/* Looks up the driver's commands. Returns false if the entry is skipped. */
static bool commands(struct instance *in, struct driver_lib *d, PFN_vkGetInstanceProcAddr gipa, uint32_t index)
{
    d->gipa = gipa;
    d->create_instance = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
    if (code_is_own((void *)gipa) || code_is_own((void *)d->create_instance)) { /* INS-018: the loader is no driver */
        log_line(
            in, LOG_ERROR | LOG_DRIVER,
            "loader_add_direct_driver: VkDirectDriverLoadingInfoLUNARG structure at index %u leads back to this loader, which would never end, skipping.",
            index);
        return false;
    }
    if (d->create_instance)
        d->enumerate_extensions =
            (PFN_vkEnumerateInstanceExtensionProperties)gipa(NULL, "vkEnumerateInstanceExtensionProperties");
    if (!d->enumerate_extensions) {
        log_line(
            in, LOG_ERROR | LOG_DRIVER,
            "loader_add_direct_driver: Could not get '%s' from VkDirectDriverLoadingInfoLUNARG structure at index %u, skipping.",
            d->create_instance ? "vkEnumerateInstanceExtensionProperties" : "vkCreateInstance", index);
        return false;
    }
    d->manifest_version = VK_API_VERSION_1_1; /* DRV-095: 1.1 if the driver has no vkEnumerateInstanceVersion */
    PFN_vkEnumerateInstanceVersion ask_version =
        (PFN_vkEnumerateInstanceVersion)gipa(NULL, "vkEnumerateInstanceVersion");
    return !ask_version || ask_version(&d->manifest_version) == VK_SUCCESS;
}

struct driver_lib *driver_direct(struct instance *in, const VkDirectDriverLoadingInfoLUNARG *info, uint32_t index,
                                 VkResult *result)
{
    PFN_vkGetInstanceProcAddr gipa = (PFN_vkGetInstanceProcAddr)info->pfnGetInstanceProcAddr;
    if (!gipa) {
        log_line(
            in, LOG_ERROR | LOG_DRIVER,
            "loader_add_direct_driver: VkDirectDriverLoadingInfoLUNARG structure at index %u contains a NULL pointer for the pfnGetInstanceProcAddr member, skipping.",
            index);
        return NULL;
    }
    if (is_loader(in, (void *)gipa, index)) return NULL;
    struct driver_lib made = {.path = driver_direct_path, .interface_version = agree(in, gipa, index)};
    if (!made.interface_version || !commands(in, &made, gipa, index)) return NULL;
    struct driver_lib *d = malloc(sizeof *d);
    if (!d) {
        *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    *d = made;
    d->gpdpa = (PFN_vkGetInstanceProcAddr)gipa(NULL, "vk_icdGetPhysicalDeviceProcAddr");
    adapter_function_find(d);
    log_line(
        in, LOG_INFO | LOG_DRIVER,
        "loader_add_direct_driver: Adding driver found in index %u of VkDirectDriverLoadingListLUNARG::pDrivers structure. pfnGetInstanceProcAddr was set to %s",
        index, pointer_text((char[POINTER_TEXT]){0}, (const void *)gipa));
    return d;
}
