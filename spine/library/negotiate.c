/* negotiate.c: negotiates the interface version of a driver's library, 0 to 7, and looks up its commands. */
#include "library/library.h"

#include <stdatomic.h>

/* Returns an export, or NULL if the library has none of that name. */
static void *symbol_of(struct library *lib, enum driver_symbol symbol)
{
    static const char *const names[SYMBOLS] = {
        [SYMBOL_NEGOTIATE] = "vk_icdNegotiateLoaderICDInterfaceVersion",
        [SYMBOL_GIPA] = "vk_icdGetInstanceProcAddr",
        [SYMBOL_OLD_GIPA] = "vkGetInstanceProcAddr",
        [SYMBOL_GPDPA] = "vk_icdGetPhysicalDeviceProcAddr",
    };
    void *at = atomic_load(&lib->symbol[symbol]);
    if (!at) atomic_store(&lib->symbol[symbol], at = gate_dlsym(lib->handle, names[symbol]));
    return at;
}

#define ADAPTER_FUNCTION "vk_icdEnumerateAdapterPhysicalDevices"

void adapter_function_find(struct driver_lib *d)
{
    if (!BY_SYSTEM(false, true)) return; /* DRV-061: only on Windows do drivers identify their devices by adapter */
    if (d->interface_version >= 7) d->enumerate_adapter = (void *)d->gipa(NULL, ADAPTER_FUNCTION);
    if (!d->enumerate_adapter && d->interface_version >= 6 && d->library)
        d->enumerate_adapter = gate_dlsym(d->library->handle, ADAPTER_FUNCTION);
}

/* Reports whether a driver's function is the loader's own, and logs it: the loader is no driver (INS-018). */
static bool leads_back(struct instance *in, const void *function, struct driver_lib *d)
{
    if (!code_is_own(function)) return false;
    log_line(
        in, LOG_ERROR | LOG_DRIVER,
        "loader_scanned_icd_add: ICD %s is this loader itself or leads back to it, which would never end, skip this ICD.",
        driver_path(d));
    return true;
}

/* Agrees on the interface version (DRV-047 to 054). Returns false if the driver is rejected. */
static bool agree(struct instance *in, struct driver_lib *d, PFN_vkNegotiateLoaderICDInterfaceVersion ask,
                  PFN_vkGetInstanceProcAddr gipa, const char *given)
{
    if (!ask && gipa)
        ask = (PFN_vkNegotiateLoaderICDInterfaceVersion)gipa(NULL, "vk_icdNegotiateLoaderICDInterfaceVersion");
    /* DRV-054: without a negotiation function, version 1 if vk_icdGetInstanceProcAddr is exported, else 0 */
    uint32_t version = gipa ? 1 : 0;
    if (ask) {
        version = DRIVER_INTERFACE_VERSION;
        if (ask(&version) == VK_ERROR_INCOMPATIBLE_DRIVER) {
            log_line(
                in, LOG_ERROR,
                "loader_scanned_icd_add: ICD %s doesn't support interface version compatible with loader, skip this ICD.",
                given);
            return false;
        }
        if (version == 0 && gipa) version = 1;
        if (version != 0 && !gipa) {
            log_line(
                in, LOG_ERROR,
                "loader_scanned_icd_add: ICD %s reports an interface version of %u but doesn't export vk_icdGetInstanceProcAddr, skip this ICD.",
                given, version);
            return false;
        }
    }
    d->interface_version = version;
    return true;
}

/* Looks up a driver's commands: through vk_icdGetInstanceProcAddr, or of version 0 by their exports. */
static bool commands(struct instance *in, struct driver_lib *d, PFN_vkGetInstanceProcAddr gipa, const char *given)
{
    static const char create[] = "vkCreateInstance", list[] = "vkEnumerateInstanceExtensionProperties";
    bool exports = d->interface_version == 0;
    if (!gipa) {
        log_line(
            in, LOG_ERROR,
            "loader_scanned_icd_add: Attempt to retrieve either 'vkGetInstanceProcAddr' or 'vk_icdGetInstanceProcAddr' from ICD %s failed.",
            given);
        return false;
    }
    if (exports)
        log_line(
            in, LOG_WARN,
            "loader_scanned_icd_add: Using deprecated ICD interface of 'vkGetInstanceProcAddr' instead of 'vk_icdGetInstanceProcAddr' for ICD %s",
            driver_path(d));
    void *handle = d->library->handle;
    d->gipa = gipa;
    d->create_instance = exports ? gate_dlsym(handle, create) : (void *)gipa(NULL, create);
    if (d->create_instance) d->enumerate_extensions = exports ? gate_dlsym(handle, list) : (void *)gipa(NULL, list);
    if (!d->enumerate_extensions) {
        log_line(in, LOG_ERROR, "loader_scanned_icd_add: %s '%s' via %s for ICD %s",
                 exports && !d->create_instance ? " Failed querying" : "Could not get",
                 d->create_instance ? list : create, exports ? "dlsym/LoadLibrary" : "'vk_icdGetInstanceProcAddr'",
                 given);
        return false;
    }
    if (d->interface_version >=
        7) /* DRV-060: at version 7 the driver is asked first; its export is used from version 3 on */
        d->gpdpa = (PFN_vkGetInstanceProcAddr)gipa(NULL, "vk_icdGetPhysicalDeviceProcAddr");
    if (d->interface_version >= 3 && !d->gpdpa) d->gpdpa = symbol_of(d->library, SYMBOL_GPDPA);
    return true;
}

bool driver_negotiate(struct instance *in, struct driver_lib *d, const char *given)
{
    PFN_vkNegotiateLoaderICDInterfaceVersion ask = symbol_of(d->library, SYMBOL_NEGOTIATE);
    PFN_vkGetInstanceProcAddr gipa = symbol_of(d->library, SYMBOL_GIPA);
    PFN_vkGetInstanceProcAddr old = gipa ? NULL : symbol_of(d->library, SYMBOL_OLD_GIPA); /* of version 0 only */
    d->inside = gipa ? (void *)gipa : ask ? (void *)ask : (void *)old;
    if (leads_back(in, d->inside, d)) return false;
    if (!agree(in, d, ask, gipa, given)) return false;
    if (!commands(in, d, d->interface_version > 0 ? gipa : old, given)) return false;
    if (leads_back(in, (void *)d->gipa, d) || leads_back(in, (void *)d->create_instance, d)) return false;
    adapter_function_find(d);
    if (d->manifest_version >= VK_API_VERSION_1_1 && d->interface_version <= 4) /* DRV-063: accepted, with a warning */
        log_line(
            in, LOG_WARN,
            "loader_scanned_icd_add: Driver %s supports Vulkan %u.%u, but only supports loader interface version %u. Interface version 5 or newer required to support this version of Vulkan (Policy #LDP_DRIVER_7)",
            driver_path(d), VK_API_VERSION_MAJOR(d->manifest_version), VK_API_VERSION_MINOR(d->manifest_version),
            d->interface_version);
    return true;
}
