/* terminators.c: the terminators of vkCreateInstance and vkDestroyInstance. They create an instance of every driver,
 * with the arguments that this driver may get, and destroy it. */
#include <stdlib.h>
#include <string.h>

#include "gen/zends.h"
#include "instance/instance.h"

uint64_t extension_bits(const char *const *names, uint32_t count)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; names && i < count; i++) {
        int bit = names[i] ? extension_bit(names[i]) : -1;
        if (bit >= 0) bits |= 1ull << bit;
    }
    return bits;
}

/* HND-031, HND-032: a layer must pass down the handle it was given. */
static struct instance *check_handle(const VkInstance *handle)
{
    if (!*handle)
        log_abort(
            NULL, LOG_ERROR,
            "terminator_CreateInstance: Loader instance pointer null encountered.  Possibly set by active layer. (Policy #LLP_LAYER_21)");
    struct instance *in = instance_of(*handle);
    if (in->magic != INSTANCE_MAGIC)
        log_abort(
            NULL, LOG_ERROR,
            "terminator_CreateInstance: Instance pointer (%s) has invalid MAGIC value 0x%08llx. Instance value possibly corrupted by active layer (Policy #LLP_LAYER_21).  ",
            pointer_text((char[POINTER_TEXT]){0}, in), (unsigned long long)in->magic);
    return in;
}

/* Reports whether a version is exactly 1.0. A version that is no number, in a manifest, is lower (ENV-80). */
static bool is_1_0(uint32_t version)
{
    return VK_API_VERSION_MAJOR(version) == 1 && VK_API_VERSION_MINOR(version) == 0;
}

/* INS-064 to 070: returns the version that the loader assumes for the driver; 1.0.x for 1.0 drivers. */
static uint32_t driver_version(struct instance *in, struct driver_lib *lib)
{
    uint32_t declared = lib->manifest_version;
    if (!version_reaches(declared, 1)) return VK_API_VERSION_1_0;
    PFN_vkEnumerateInstanceVersion ask = (PFN_vkEnumerateInstanceVersion)lib->gipa(NULL, "vkEnumerateInstanceVersion");
    uint32_t version = VK_API_VERSION_1_0;
    if (!ask) {
        log_line(
            in, LOG_WARN | LOG_DRIVER,
            "terminator_CreateInstance: Manifest ICD for \"%s\" contained a 1.1 or greater API version, but does not support vkEnumerateInstanceVersion, treating as a 1.0 ICD",
            driver_path(lib));
        return VK_API_VERSION_1_0;
    }
    if (ask(&version) != VK_SUCCESS) {
        log_line(
            in, LOG_DEBUG | LOG_DRIVER,
            "terminator_CreateInstance: ICD \"%s\" vkEnumerateInstanceVersion returned error. The ICD will be treated as a 1.0 ICD",
            driver_path(lib));
        return VK_API_VERSION_1_0;
    }
    if (!version_reaches(version, 1)) {
        log_line(
            in, LOG_WARN | LOG_DRIVER,
            "terminator_CreateInstance: Manifest ICD for \"%s\" contained a 1.1 or greater API version, but vkEnumerateInstanceVersion returned 1.0, treating as a 1.0 ICD",
            driver_path(lib));
        /* INS-065: the driver's own version, 1.0.0 or the 1.0.x that it reported */
        return is_1_0(version) ? VK_API_VERSION_1_0 | VK_API_VERSION_PATCH(version) : VK_API_VERSION_1_0;
    }
    return declared;
}

/* DRV-064, WSI-018: warns of surface commands in a driver whose interface version is too low for its own surfaces. */
static void warn_surfaces(struct instance *in, const struct driver *d)
{
    static const uint16_t slots[] = {
        ISLOT_vkDestroySurfaceKHR,
#define SLOT_NONE(command)
#define SLOT_WRITTEN(command)
#define SLOT_DEVICE_WRITTEN(command)
#define SLOT_PHYSDEV_TERMINATOR(command)
#define SLOT_SURFACE(command) ISLOT_##command,
#define COMMAND(kind, name, trampoline, terminator, ...) SLOT_##terminator(name)
#define ALIAS(...)
#include "gen/zcommands.inc"
    };
    if (d->lib->interface_version >= 3) return;
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        if (!driver_fn_raw(d, slots[i])) continue;
        log_line(
            in, LOG_WARN,
            "terminator_CreateInstance: Driver %s supports interface version %u but still exposes VkSurfaceKHR create/destroy entrypoints (Policy #LDP_DRIVER_8)",
            driver_path(d->lib), d->lib->interface_version);
        return;
    }
}

/* DRV-073, DRV-074: checks the functions that every driver must have. */
static bool complete(struct instance *in, const struct driver *d)
{
    static const struct {
        uint16_t slot;
        const char *name;
    } required[] = {
#define REQUIRED(command) {ISLOT_##command, #command}
        REQUIRED(vkDestroyInstance),
        REQUIRED(vkEnumeratePhysicalDevices),
        REQUIRED(vkGetPhysicalDeviceFeatures),
        REQUIRED(vkGetPhysicalDeviceFormatProperties),
        REQUIRED(vkGetPhysicalDeviceImageFormatProperties),
        REQUIRED(vkGetPhysicalDeviceProperties),
        REQUIRED(vkGetPhysicalDeviceQueueFamilyProperties),
        REQUIRED(vkGetPhysicalDeviceMemoryProperties),
        REQUIRED(vkGetDeviceProcAddr),
        REQUIRED(vkCreateDevice),
        REQUIRED(vkEnumerateDeviceExtensionProperties),
        REQUIRED(vkGetPhysicalDeviceSparseImageFormatProperties),
#undef REQUIRED
    };
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++) {
        if (driver_fn_raw(d, required[i].slot)) continue;
        log_line(in, LOG_WARN, "Unable to load %s from ICD %s", required[i].name, driver_path(d->lib));
        log_line(in, LOG_WARN,
                 "terminator_CreateInstance: Failed to find required entrypoints in ICD %s. Skipping this driver.",
                 driver_path(d->lib));
        return false;
    }
    return true;
}

/* Creates one driver's instance. *out is NULL if the driver is skipped, or if the result is lack of memory. */
static VkResult create_one(struct instance *in, struct driver_lib *lib, const VkInstanceCreateInfo *info,
                           const VkAllocationCallbacks *allocator, struct driver **out)
{
    *out = NULL;
    struct driver *d = calloc(1, sizeof *d);
    const char **names = array_grow(NULL, (uint64_t)info->enabledExtensionCount + 1, sizeof *names);
    if (!d || !names) {
        free(d);
        free(names);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    d->instance = in;
    d->lib = lib;
    d->api_version = driver_version(in, lib);

    uint32_t count = 0; /* INS-060: only extensions that this driver lists, in order */
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        if (info->ppEnabledExtensionNames[i] &&
            extension_listed(lib->ext, lib->ext_count, info->ppEnabledExtensionNames[i]))
            names[count++] = info->ppEnabledExtensionNames[i];
    d->enabled = extension_bits(names, count);
    /* INS-061, INS-062: added for a driver that lists it, if the instance or the driver's manifest is of version 1.0 */
    const char *props2 = "VK_KHR_get_physical_device_properties2";
    if ((is_1_0(in->api_version) || is_1_0(lib->manifest_version)) &&
        extension_listed(lib->ext, lib->ext_count, props2)) {
        if (!name_listed(names, count, props2)) names[count++] = props2;
        in->sort = true; /* PHY-025: this extension enables the sorting */
    }

    VkInstanceCreateInfo own = *info;
    own.enabledLayerCount = 0; /* INS-059: no driver sees layers */
    own.ppEnabledLayerNames = NULL;
    own.enabledExtensionCount = count;
    own.ppEnabledExtensionNames = names;
    if (!driver_has(d, EXT_VK_KHR_portability_enumeration)) /* INS-044: only for drivers that list the extension */
        own.flags &= ~(VkFlags)VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
    /* INS-065 to 067: a 1.0 driver receives its own version, unless the program asked for version 0 */
    VkApplicationInfo app = {0};
    if (is_1_0(d->api_version) && (!info->pApplicationInfo || info->pApplicationInfo->apiVersion != 0)) {
        if (info->pApplicationInfo) app = *info->pApplicationInfo;
        app.apiVersion = d->api_version;
        own.pApplicationInfo = &app;
    }

    VkResult result = lib->create_instance(&own, allocator, &d->handle);
    free(names);
    if (result != VK_SUCCESS) {
        free(d);
        /* INS-074: lack of memory ends the whole call */
        if (result == VK_ERROR_OUT_OF_HOST_MEMORY) return result;
        log_line(
            in, LOG_WARN,
            "terminator_CreateInstance: Received return code %d from call to vkCreateInstance in ICD %s. Skipping this driver.",
            (int)result, driver_path(lib));
        return result;
    }
    if (!d->handle) {
        log_line(
            in, LOG_WARN,
            "terminator_CreateInstance: ICD %s returned VK_SUCCESS from vkCreateInstance, but no instance. Skipping this driver.",
            driver_path(lib));
        free(d);
        return VK_SUCCESS;
    }
    table_fill_driver(d);
    if (!complete(in, d)) {
        PFN_vkDestroyInstance destroy = driver_fn(d, vkDestroyInstance);
        if (destroy) destroy(d->handle, allocator);
        free(d);
        return VK_SUCCESS;
    }
    warn_surfaces(in, d);
    *out = d;
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateInstance(const VkInstanceCreateInfo *info,
                                                     const VkAllocationCallbacks *allocator, VkInstance *handle)
{
    struct instance *in = check_handle(handle);
    /* INS-072, GPA-035: the version and extensions that reached the terminator, after changes by layers. */
    uint32_t asked = info->pApplicationInfo ? info->pApplicationInfo->apiVersion : 0;
    in->api_version = asked ? asked : VK_API_VERSION_1_0;
    in->enabled |=
        extension_bits(info->ppEnabledExtensionNames, info->ppEnabledExtensionNames ? info->enabledExtensionCount : 0);
    in->sort = version_reaches(in->api_version, 1) || instance_has(in, EXT_VK_KHR_get_physical_device_properties2);

    in->drivers_have_allocator = allocator != NULL;
    if (allocator) in->drivers_given = *allocator;

    VkResult positive = VK_SUCCESS;
    VkInstanceCreateInfo safe = *info;
    if (!safe.ppEnabledExtensionNames) safe.enabledExtensionCount = 0;
    /* INS-058: in discovery order */
    for (struct driver_lib *lib = in->libs->first; lib; lib = lib->next) {
        struct driver *d;
        VkResult result = create_one(in, lib, &safe, allocator, &d);
        /* the trampoline destroys the driver instances created so far */
        if (result == VK_ERROR_OUT_OF_HOST_MEMORY) return result;
        if (result > 0) positive = result;
        if (!d) continue;
        d->next = in->drivers;
        in->drivers = d;
    }
    if (!in->drivers) { /* INS-076: no driver is left */
        log_text(in, LOG_ERROR | LOG_DRIVER, "terminator_CreateInstance: Found no drivers!");
        /* INS-076: a positive result of a driver is passed on as it is */
        return positive ? positive : VK_ERROR_INCOMPATIBLE_DRIVER;
    }
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL term_vkDestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    drivers_end(instance_of(handle), allocator); /* ALC-012: with the allocator that the layers passed down */
}
