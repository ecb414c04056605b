/* driver.c: from the plan's steps to usable driver libraries: opening, negotiation of interface versions 0 to 7, the
 * extension lists, direct drivers; and the count of outcalls that keeps a driver alive while it is used.
 *
 * It decides nothing about which drivers are wanted (the core does) and creates no driver instance (instance.c does).
 */
#include "spine.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/zwire.h"
#include "global.h"
#include "library.h"
#include "interface.h"
#include "instance.h"
#include "names.h"

#define INTERFACE_VERSION 7u /* DRV-047 */

/* ---- opening --------------------------------------------------------------------------------------------------- */

static const char direct_path[] = "(null)"; /* DRV-100 */

void driver_lib_free(struct driver_lib *lib) {
    if (lib->path != direct_path) free((char *)lib->path);
    free(lib->ext);
    free(lib);
}

/* DRV-047 to 063. False: rejected, after its message, or no memory (then *result says so). One that is rejected is named
 * as it was given to the linker: its real path is for those that are loaded (DRV-025). */
static bool negotiate(struct instance *in, struct driver_lib *d, VkResult *result) {
    void *handle = d->mapped->handle;
    const char *given = d->mapped->given;
    PFN_vkNegotiateLoaderICDInterfaceVersion ask = gate_dlsym(handle, "vk_icdNegotiateLoaderICDInterfaceVersion");
    PFN_vkGetInstanceProcAddr gipa = gate_dlsym(handle, "vk_icdGetInstanceProcAddr");
    PFN_vkGetInstanceProcAddr old = gate_dlsym(handle, "vkGetInstanceProcAddr");

    char *real = gate_path_of(gipa ? (void *)gipa : ask ? (void *)ask : (void *)old);
    if (real) d->mapped->real = real;
    library_identify(d->mapped);
    char *path = strdup(d->mapped->real);
    if (!path) {
        *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return false;
    }
    d->path = path;

    if (!ask && gipa)
        ask = (PFN_vkNegotiateLoaderICDInterfaceVersion)gipa(NULL, "vk_icdNegotiateLoaderICDInterfaceVersion");
    uint32_t version = gipa ? 1 : 0; /* DRV-054 */
    if (ask) {
        version = INTERFACE_VERSION;
        if (ask(&version) == VK_ERROR_INCOMPATIBLE_DRIVER) {
            log_line(in, LOG_ERROR,
                     "loader_scanned_icd_add: ICD %s doesn't support interface version compatible with loader, skip "
                     "this ICD.",
                     given);
            return false;
        }
        if (version == 0 && gipa) version = 1;
        if (version != 0 && !gipa) {
            log_line(in, LOG_ERROR,
                     "loader_scanned_icd_add: ICD %s reports an interface version of %u but doesn't export "
                     "vk_icdGetInstanceProcAddr, skip this ICD.",
                     given, version);
            return false;
        }
    }
    d->interface_version = version;

    if (version > 0) {
        d->gipa = gipa;
        d->create_instance = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
        if (!d->create_instance) {
            log_line(
                in, LOG_ERROR,
                "loader_scanned_icd_add: Could not get 'vkCreateInstance' via 'vk_icdGetInstanceProcAddr' for ICD %s",
                given);
            return false;
        }
        d->enumerate_extensions =
            (PFN_vkEnumerateInstanceExtensionProperties)gipa(NULL, "vkEnumerateInstanceExtensionProperties");
        if (!d->enumerate_extensions) {
            log_line(in, LOG_ERROR,
                     "loader_scanned_icd_add: Could not get 'vkEnumerateInstanceExtensionProperties' via "
                     "'vk_icdGetInstanceProcAddr' for ICD %s",
                     given);
            return false;
        }
        if (version >= 7) /* DRV-060 */
            d->gpdpa = (PFN_vkGetInstanceProcAddr)gipa(NULL, "vk_icdGetPhysicalDeviceProcAddr");
        if (version >= 3 && !d->gpdpa) d->gpdpa = gate_dlsym(handle, "vk_icdGetPhysicalDeviceProcAddr");
    } else {
        if (!old) {
            log_line(in, LOG_ERROR,
                     "loader_scanned_icd_add: Attempt to retrieve either 'vkGetInstanceProcAddr' or "
                     "'vk_icdGetInstanceProcAddr' from ICD %s failed.",
                     given);
            return false;
        }
        log_line(in, LOG_WARN,
                 "loader_scanned_icd_add: Using deprecated ICD interface of 'vkGetInstanceProcAddr' instead of "
                 "'vk_icdGetInstanceProcAddr' for ICD %s",
                 d->path);
        d->gipa = old;
        d->create_instance = gate_dlsym(handle, "vkCreateInstance");
        if (!d->create_instance) {
            log_line(in, LOG_ERROR,
                     "loader_scanned_icd_add:  Failed querying 'vkCreateInstance' via dlsym/LoadLibrary for ICD %s",
                     given);
            return false;
        }
        d->enumerate_extensions = gate_dlsym(handle, "vkEnumerateInstanceExtensionProperties");
        if (!d->enumerate_extensions) {
            log_line(in, LOG_ERROR,
                     "loader_scanned_icd_add: Could not get 'vkEnumerateInstanceExtensionProperties' via "
                     "dlsym/LoadLibrary for "
                     "ICD %s",
                     given);
            return false;
        }
    }
    if (d->manifest_version >= VK_API_VERSION_1_1 && version <= 4) /* DRV-063 */
        log_line(
            in, LOG_WARN,
            "loader_scanned_icd_add: Driver %s supports Vulkan %u.%u, but only supports loader interface version %u. "
            "Interface version 5 or newer required to support this version of Vulkan (Policy #LDP_DRIVER_7)",
            d->path, VK_API_VERSION_MAJOR(d->manifest_version), VK_API_VERSION_MINOR(d->manifest_version), version);
    return true;
}

/* NULL: rejected, or no memory (then *result says so). */
static struct driver_lib *open_one(struct instance *in, const struct wire_open_driver *step, VkResult *result) {
    char *text;
    struct mapped_lib *mapped = library_open(step->library, &text);
    if (!mapped) {
        if (!text) {
            *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        } else if (library_wrong_class(text)) { /* DRV-041 */
            log_text(in, LOG_INFO, text);
            log_line(in, LOG_DRIVER, "Requested ICD %s was wrong bit-type. Ignoring this JSON", step->library);
        } else { /* DRV-042 */
            log_text(in, LOG_ERROR, text);
            log_line(in, LOG_ERROR | LOG_DRIVER,
                     "loader_icd_scan: Failed loading library associated with ICD JSON %s. Ignoring this JSON",
                     step->library);
        }
        free(text);
        return NULL;
    }
    struct driver_lib *d = calloc(1, sizeof *d);
    if (!d) {
        library_close(mapped);
        *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    d->mapped = mapped;
    d->manifest_version = step->api_version;
    if (!negotiate(in, d, result)) {
        library_close(mapped);
        driver_lib_free(d);
        return NULL;
    }
    if (step->has_slash) { /* DRV-026 */
        char *wanted = realpath(step->library, NULL);
        if (wanted && strcmp(wanted, d->path) != 0)
            log_line(in, LOG_WARN | LOG_LAYER, "Path to given binary %s was found to differ from OS loaded path %s",
                     wanted, d->path);
        free(wanted);
    }
    return d;
}

/* DRV-090 to 096. */
static struct driver_lib *direct_one(struct instance *in, const VkDirectDriverLoadingInfoLUNARG *info, uint32_t index,
                                     VkResult *result) {
    PFN_vkGetInstanceProcAddr gipa = (PFN_vkGetInstanceProcAddr)info->pfnGetInstanceProcAddr;
    if (!gipa) {
        log_line(in, LOG_ERROR | LOG_DRIVER,
                 "loader_add_direct_driver: VkDirectDriverLoadingInfoLUNARG structure at index %u contains a NULL "
                 "pointer for "
                 "the pfnGetInstanceProcAddr member, skipping.",
                 index);
        return NULL;
    }
    PFN_vkNegotiateLoaderICDInterfaceVersion ask =
        (PFN_vkNegotiateLoaderICDInterfaceVersion)gipa(NULL, "vk_icdNegotiateLoaderICDInterfaceVersion");
    if (!ask) {
        log_line(in, LOG_ERROR | LOG_DRIVER,
                 "loader_add_direct_driver: Could not get 'vk_icdNegotiateLoaderICDInterfaceVersion' from "
                 "VkDirectDriverLoadingInfoLUNARG structure at index %u, skipping.",
                 index);
        return NULL;
    }
    uint32_t version = INTERFACE_VERSION;
    if (ask(&version) != VK_SUCCESS || version < 7) {
        log_line(in, LOG_ERROR | LOG_DRIVER,
                 "loader_add_direct_driver: VkDirectDriverLoadingInfoLUNARG structure at index %u supports interface "
                 "version "
                 "%u, which is incompatible with the Loader Driver Interface version that supports the "
                 "VK_LUNARG_direct_driver_loading extension, skipping.",
                 index, version);
        return NULL;
    }
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa(NULL, "vkCreateInstance");
    PFN_vkEnumerateInstanceExtensionProperties enumerate =
        create ? (PFN_vkEnumerateInstanceExtensionProperties)gipa(NULL, "vkEnumerateInstanceExtensionProperties")
               : NULL;
    if (!create || !enumerate) {
        log_line(
            in, LOG_ERROR | LOG_DRIVER,
            "loader_add_direct_driver: Could not get '%s' from VkDirectDriverLoadingInfoLUNARG structure at index %u, "
            "skipping.",
            create ? "vkEnumerateInstanceExtensionProperties" : "vkCreateInstance", index);
        return NULL;
    }
    uint32_t api = VK_API_VERSION_1_1; /* DRV-095 */
    PFN_vkEnumerateInstanceVersion ask_version =
        (PFN_vkEnumerateInstanceVersion)gipa(NULL, "vkEnumerateInstanceVersion");
    if (ask_version && ask_version(&api) != VK_SUCCESS) return NULL;

    struct driver_lib *d = calloc(1, sizeof *d);
    if (!d) {
        *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    d->path = direct_path;
    d->manifest_version = api;
    d->interface_version = version;
    d->gipa = gipa;
    d->create_instance = create;
    d->enumerate_extensions = enumerate;
    d->gpdpa = (PFN_vkGetInstanceProcAddr)gipa(NULL, "vk_icdGetPhysicalDeviceProcAddr");
    log_line(in, LOG_INFO | LOG_DRIVER,
             "loader_add_direct_driver: Adding driver found in index %u of VkDirectDriverLoadingListLUNARG::pDrivers "
             "structure. pfnGetInstanceProcAddr was set to %p",
             index, (void *)gipa);
    return d;
}

static void append(struct driver_scan *scan, struct driver_lib *d) {
    struct driver_lib **at = &scan->first;
    while (*at) at = &(*at)->next;
    *at = d;
    scan->count++;
}

static const VkDirectDriverLoadingListLUNARG *direct_list(const VkInstanceCreateInfo *info) {
    for (const VkBaseInStructure *p = info ? info->pNext : NULL; p; p = p->pNext)
        if (p->sType == VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG)
            return (const VkDirectDriverLoadingListLUNARG *)p; /* DRV-081: the first */
    return NULL;
}

VkResult drivers_open(struct instance *in, const struct plan *plan, const VkInstanceCreateInfo *info,
                      struct driver_scan **out) {
    VkResult result = VK_SUCCESS;
    struct driver_scan *scan = calloc(1, sizeof *scan);
    if (!scan) return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct wire_reader reader;
    struct wire_record record;
    wire_open(&reader, plan->bytes, plan->size);
    while (result == VK_SUCCESS && wire_next(&reader, &record)) {
        if (record.id == WIRE_LOG || record.id == WIRE_LOG_LEVEL) {
            plan_step(in, &record);
        } else if (record.id == WIRE_DIRECT) {
            const VkDirectDriverLoadingListLUNARG *list = direct_list(info);
            for (uint32_t i = 0; list && list->pDrivers && i < list->driverCount && result == VK_SUCCESS; i++) {
                struct driver_lib *d = direct_one(in, &list->pDrivers[i], i, &result);
                if (d) append(scan, d);
            }
        } else if (record.id == WIRE_OPEN_DRIVER) {
            struct wire_open_driver step;
            if (!wire_get_open_driver(&record, &step)) continue;
            struct driver_lib *d = open_one(in, &step, &result);
            if (d) append(scan, d);
        }
    }
    if (result != VK_SUCCESS) {
        drivers_close(in, scan);
        return result;
    }
    *out = scan;
    return VK_SUCCESS;
}

/* ---- extension lists ------------------------------------------------------------------------------------------- */

/* INS-017 to 019; *call says which of the two calls failed. */
static VkResult read_extensions(struct instance *in, struct driver_lib *d, uint32_t *call) {
    free(d->ext);
    d->ext = NULL;
    d->ext_count = 0;
    *call = 1;
    if ((void *)d->enumerate_extensions == (void *)tramp_vkEnumerateInstanceExtensionProperties) {
        log_line(in, LOG_ERROR,
                 "loader_add_instance_extensions: %s's vkEnumerateInstanceExtensionProperties points to the loader, "
                 "this would "
                 "lead to infinite recursion.",
                 d->path);
        return VK_SUCCESS;
    }
    uint32_t count = 0;
    VkResult result = d->enumerate_extensions(NULL, &count, NULL); /* DRV-069 */
    if (result != VK_SUCCESS || count == 0) return result;
    d->ext = calloc(count, sizeof *d->ext);
    if (!d->ext) return VK_ERROR_OUT_OF_HOST_MEMORY;
    uint32_t given = count;
    *call = 2;
    result = d->enumerate_extensions(NULL, &given, d->ext);
    if (result != VK_SUCCESS) return result;
    d->ext_count = given < count ? given : count;
    for (uint32_t i = 0; i < d->ext_count; i++)
        d->ext[i].extensionName[VK_MAX_EXTENSION_NAME_SIZE - 1] = 0; /* FUZ-040 */
    return VK_SUCCESS;
}

VkResult drivers_facts(struct instance *in, const struct driver_scan *scan, struct facts *facts) {
    struct wire_writer *w = facts_writer(facts);
    uint32_t index = 0;
    for (struct driver_lib *d = scan->first; d; d = d->next, index++) {
        uint32_t call;
        VkResult result = read_extensions(in, d, &call);
        wire_put_driver(w, &(struct wire_driver){.index = index,
                                                 .usable = 1,
                                                 WIRE_STR(path, d->path),
                                                 .ext_result = result,
                                                 .ext_call = call});
        for (uint32_t i = 0; i < d->ext_count; i++)
            wire_put_driver_ext(w, &(struct wire_driver_ext){.driver = index,
                                                             WIRE_STR(name, d->ext[i].extensionName),
                                                             .spec_version = d->ext[i].specVersion});
    }
    return w->failed ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_SUCCESS;
}

bool driver_lib_has_ext(const struct driver_lib *lib, const char *name) {
    for (uint32_t i = 0; i < lib->ext_count; i++)
        if (strcmp(lib->ext[i].extensionName, name) == 0) return true;
    return false;
}

/* ---- closing --------------------------------------------------------------------------------------------------- */

void driver_lib_drop(struct instance *in, struct driver_lib *lib) {
    lock_take(); /* another thread may be removing another driver of the instance */
    struct driver_lib **at = &in->scan->first;
    while (*at && *at != lib) at = &(*at)->next;
    bool found = *at != NULL;
    if (found) {
        *at = lib->next;
        in->scan->count--;
    }
    lock_drop();
    if (!found) return;
    if (lib->mapped) library_drop_preloaded(lib->mapped->given); /* PHY-050 */
    library_close(lib->mapped);
    lib->mapped = NULL;
}

void drivers_close(struct instance *in, struct driver_scan *scan) {
    if (!scan) return;
    for (struct driver_lib *d = scan->first; d;) {
        struct driver_lib *next = d->next;
        if (d->mapped) log_line(in, LOG_DEBUG | LOG_DRIVER, "Unloading driver library %s", d->path);
        library_close(d->mapped);
        driver_lib_free(d);
        d = next;
    }
    free(scan);
}

void drivers_drop_preloaded(void) { library_drop_preloaded(NULL); }

/* ---- use ------------------------------------------------------------------------------------------------------- */

/* Outcalls of one thread to one driver; a driver is removed when only the removing thread's own are left. */
struct use {
    struct use *next;
    struct driver *driver;
    pthread_t thread;
    uint64_t generation; /* of the process; entries of a forked child's parent mean nothing */
    uint32_t count;
};

static struct use *uses; /* under the lock; an entry for every driver and thread in an outcall */

/* Where this thread's entry for the driver is linked in; NULL when it has none. Under the lock. */
static struct use **own_use(const struct driver *driver) {
    for (struct use **at = &uses; *at; at = &(*at)->next)
        if ((*at)->driver == driver && (*at)->generation == fork_generation() &&
            pthread_equal((*at)->thread, pthread_self()))
            return at;
    return NULL;
}

/* Without memory for an entry the use counts like one of another thread. */
bool driver_hold(struct driver *driver) {
    struct use *fresh = calloc(1, sizeof *fresh);
    lock_take();
    bool held = !driver->removing;
    if (held) {
        struct use **at = own_use(driver), *u = at ? *at : fresh;
        if (!at && u) {
            fresh = NULL;
            *u = (struct use){uses, driver, pthread_self(), fork_generation(), 0};
            uses = u;
        }
        if (u) u->count++;
        tally_up(&driver->uses);
    }
    lock_drop();
    free(fresh);
    return held;
}

void driver_release(struct driver *driver) {
    struct use *last = NULL;
    lock_take();
    tally_down(&driver->uses);
    struct use **at = own_use(driver);
    if (at && --(*at)->count == 0) {
        last = *at;
        *at = last->next;
    }
    lock_drop();
    free(last);
}

/* Under the lock: the first of a list that is not being removed. */
static struct driver *first_usable(struct driver *d) {
    while (d && d->removing) d = d->next;
    return d;
}

struct driver *driver_first(struct instance *in) {
    for (;;) {
        lock_take();
        struct driver *d = first_usable(in->drivers);
        lock_drop();
        if (!d || driver_hold(d)) return d;
    }
}

struct driver *driver_after(struct instance *in, struct driver *current) {
    (void)in;
    for (;;) {
        lock_take();
        struct driver *d = first_usable(current->next);
        lock_drop();
        if (d && !driver_hold(d)) continue;
        driver_release(current);
        return d;
    }
}

/* Uses of the driver by other threads. Under the lock. */
static uint32_t uses_by_others(const struct driver *driver) {
    struct use **own = own_use(driver);
    return tally_now(&driver->uses) - (own ? (*own)->count : 0);
}

bool driver_in_use(const struct driver *driver) {
    const struct device *dev = driver->instance->devices;
    while (dev && dev->driver != driver) dev = dev->next;
    return dev != NULL;
}

void driver_remove(struct driver *driver) {
    struct instance *in = driver->instance;
    lock_take();
    /* It stays in the list while others use it, so that they find the next one. */
    while (uses_by_others(driver)) {
        lock_drop();
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
        lock_take();
    }
    if (driver_in_use(driver)) { /* a device that was being made */
        driver->removing = false;
        lock_drop();
        return;
    }
    for (struct driver **at = &in->drivers; *at; at = &(*at)->next) {
        if (*at != driver) continue;
        *at = driver->next;
        break;
    }
    lock_drop();
    driver_destroy_objects(driver);
    PFN_vkDestroyInstance destroy = driver_fn(driver, vkDestroyInstance);
    const VkAllocationCallbacks *a = instance_allocator(in);
    bool complete =
        a && a->pfnAllocation && a->pfnReallocation && a->pfnFree && a->pfnInternalAllocation && a->pfnInternalFree;
    destroy(driver->handle, complete ? a : NULL); /* PHY-051 */
    driver_lib_drop(in, driver->lib);
    /* The record stays: an enumeration of another thread may be about to ask for a hold, and learns that it is gone. */
    lock_take();
    driver->next = in->gone;
    in->gone = driver;
    lock_drop();
}

void *driver_fn_raw(const struct driver *driver, unsigned slot) {
    void *p = driver->own_table.slot[slot];
    return is_missing(p) ? NULL : p;
}
