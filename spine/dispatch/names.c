/* names.c: vkGetInstanceProcAddr and vkGetDeviceProcAddr, trampolines and terminators, and the dispatch tables, which
 * are filled when an instance, a driver or a device is created. unknown.c has the names that are not in the registry.
 */
#include "dispatch/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "asm/tables.h"
#include "gen/zends.h"

_Static_assert(offsetof(struct instance, magic) == HANDLE_MAGIC && offsetof(struct instance, lower) == HANDLE_LOWER,
               "offsets.h");
_Static_assert(offsetof(struct physdev, magic) == HANDLE_MAGIC && offsetof(struct physdev, lower) == HANDLE_LOWER,
               "offsets.h");
_Static_assert(offsetof(struct physdev, driver) == PHYSDEV_DRIVER, "offsets.h");
_Static_assert(offsetof(struct driver, own_table) == 0 && offsetof(struct driver_table, slot) == DRIVER_SLOTS,
               "offsets.h");
_Static_assert(offsetof(struct driver_table, unknown) == DRIVER_SLOTS + POINTER_SIZE * ISLOT_COUNT, "offsets.h");
_Static_assert(offsetof(struct instance_table, slot) == INSTANCE_SLOTS, "offsets.h");
_Static_assert(offsetof(struct instance_table, unknown) == INSTANCE_SLOTS + POINTER_SIZE * ISLOT_COUNT, "offsets.h");
_Static_assert(offsetof(struct device_table, slot) == DEVICE_SLOTS, "offsets.h");
_Static_assert(offsetof(struct device_table, unknown) == DEVICE_SLOTS + POINTER_SIZE * DSLOT_COUNT, "offsets.h");
_Static_assert(EXT_COUNT <= 64, "they are bits of one word");

/* ---- the generated table --------------------------------------------------------------------------------------- */

const struct name_record *name_find(const char *name)
{
    uint32_t bucket = names_bucket(name);
    for (uint32_t i = names_starts[bucket]; i < names_starts[bucket + 1]; i++)
        if (strcmp(names_name(names_bucketed[i]), name) == 0) return &names_commands[names_bucketed[i]];
    return NULL;
}

int extension_bit(const char *name)
{
#define EXTENSION(extension)                                                                                           \
    if (strcmp(name, #extension) == 0) return EXT_##extension;
#include "gen/zgates.inc"
    return -1;
}

static bool is_enabled(const struct instance *in, const struct name_record *r)
{
    return r->ext == 0 || instance_has(in, r->ext - 1u);
}

/* Reports whether a command is one of the eight device commands of VK_EXT_debug_utils. They belong to an instance
 * extension and go down the instance's chain (GPA-087). */
static bool belongs_to_debug_utils(const struct name_record *r)
{
    return r->kind == COMMAND_DEVICE && r->ext == EXT_VK_EXT_debug_utils + 1;
}

/* ---- filling tables -------------------------------------------------------------------------------------------- */

void table_fill_missing(struct instance *in)
{
    for (uint32_t i = 0; i < ISLOT_COUNT; i++) in->own_table.slot[i] = (void *)missing_in_chain;
    for (uint32_t i = 0; i < UNKNOWN_MAX; i++) in->own_table.unknown[i] = (void *)missing_in_chain;
}

/* EXT-014: pairs of a core command and its alias. With the extension enabled, a call of either goes down the chain as
 * the alias. */
static const struct {
    uint16_t core, khr;
    uint8_t ext;
} aliases[] = {
#define COMMAND(...)
#define ALIAS(kind, alias, command, extension, ...) {ISLOT_##command, ISLOT_##alias, EXT_##extension},
#include "gen/zcommands.inc"
};

/* Returns the last layer's function of an instance's chain for a name in the registry. in: NULL if there was no handle.
 */
static PFN_vkVoidFunction term_instance_function(struct instance *in, const struct name_record *r, const char *name)
{
    if (r == &names_commands[CMD_vkGetInstanceProcAddr]) /* GPA-077: the terminator itself */
        return (PFN_vkVoidFunction)term_vkGetInstanceProcAddr;
    if (r->kind == COMMAND_GLOBAL || r == &names_commands[CMD_vkCreateDevice]) return names_function(r->term);
    if (!in) return NULL;                                          /* GPA-078: nothing else */
    if (r->kind != COMMAND_DEVICE) return names_function(r->term); /* GPA-079: the terminator */
    if (belongs_to_debug_utils(r))
        return is_enabled(in, r) ? names_function(r->term) : NULL; /* GPA-080: if it is enabled */
    /* LAY-337: the exported function, if a driver has the name */
    return any_driver_has(in, name) ? names_function(r->tramp) : NULL;
}

void table_fill_instance(struct instance *in, PFN_vkGetInstanceProcAddr top)
{
    void **slot = in->own_table.slot;
    bool layers = top != term_vkGetInstanceProcAddr; /* without layers, r is passed on and no name is looked up */
    /* LAY-401: the top layer is asked once for each name, with the handle that the chain's vkCreateInstance returned */
    for (uint32_t i = 0; i < ISLOT_COUNT; i++) {
        const struct name_record *r = &names_commands[NAMES_INSTANCE + i];
        const char *name = names_text + r->name;
        void *p = (void *)(layers ? top(in->lower, name) : term_instance_function(in, r, name));
        if (p) slot[i] = p;
    }
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++)
        if (instance_has(in, aliases[i].ext) && !is_missing(slot[aliases[i].khr]))
            slot[aliases[i].core] = slot[aliases[i].khr];
}

void table_fill_driver(struct driver *d)
{
    for (uint32_t i = 0; i < ISLOT_COUNT; i++) {
        /* GPA-089: looked up once, with the driver's handle of its instance */
        void *p = (void *)d->lib->gipa(d->handle, names_name(NAMES_INSTANCE + i));
        d->own_table.slot[i] = p;
    }
    for (uint32_t i = 0; i < UNKNOWN_MAX; i++) d->own_table.unknown[i] = NULL;
}

void table_fill_driver_slots(struct device *dev)
{
    lock_wanted(false);
    for (uint32_t i = 0; i < TERMINATED_SLOT_COUNT; i++)
        dev->driver_slot[i] = (void *)dev->driver_gdpa(dev->driver_handle, names_name(names_terminated[i]));
}

/* Returns the last layer's function of a device's chain for a name; r: its record, NULL for an unknown name. */
static PFN_vkVoidFunction term_device_function(const struct device *dev, const struct name_record *r, const char *name)
{
    if (!r || r->tslot == 0) return dev->driver_gdpa(dev->driver_handle, name);
    bool there;
    switch ((uint32_t)(r - names_commands)) {
    case CMD_vkCreateSwapchainKHR: there = dev->has_swapchain; break;
    case CMD_vkGetDeviceGroupSurfacePresentModesKHR: there = dev->has_swapchain || dev->has_device_group; break;
    case CMD_vkCreateSharedSwapchainsKHR: there = dev->has_display_swapchain; break;
    case CMD_vkDebugMarkerSetObjectTagEXT:
    case CMD_vkDebugMarkerSetObjectNameEXT: there = dev->has_debug_marker; break;
    default: /* debug-utils commands: if enabled; others: if the driver has them */
        there = r->ext ? is_enabled(dev->instance, r) : dev->driver_slot[r->tslot - 1] != NULL;
    }
    return there ? names_function(r->term) : NULL;
}

void table_fill_device(struct device *dev, PFN_vkGetInstanceProcAddr top_gipa, VkInstance top_instance)
{
    struct instance *in = dev->instance;
    /* without layers, r is passed on and no name is looked up */
    bool layers = dev->top_gdpa != term_vkGetDeviceProcAddr;
    /* LAY-403: every device-level name, with the handle that the top layer returned */
    for (uint32_t i = 0; i < DSLOT_COUNT; i++) {
        const struct name_record *r = &names_commands[NAMES_DEVICE + i];
        const char *name = names_text + r->name;
        void *p = NULL;
        dev->wanted = r;
        if (!belongs_to_debug_utils(r))
            p = layers ? (void *)dev->top_gdpa(dev->chain_handle, name) : (void *)term_device_function(dev, r, name);
        else if (is_enabled(in, r))
            p = (void *)top_gipa(top_instance, name); /* GPA-087: from the top of the instance's chain */
        dev->own_table.slot[i] = p ? p : names_function(r->missing);
    }
    unknown_fill_device(dev);
}

/* ---- vkGetInstanceProcAddr of programs -------------------------------------------------------------------------- */

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL tramp_vkGetInstanceProcAddr(VkInstance handle, const char *name)
{
    START_AT_FIRST_CALL();
    if (!name) return NULL; /* GPA-009: a NULL name is not found */
    const struct name_record *r = name_find(name);
    /* GPA-001: for every handle */
    if (r == &names_commands[CMD_vkGetInstanceProcAddr]) return names_function(r->tramp);
    const struct instance *in = instance_of(handle);
    bool valid = in && in->magic == INSTANCE_MAGIC;
    if (r && r->kind == COMMAND_GLOBAL) /* GPA-002 to 006: hidden from a valid instance of 1.3 or higher */
        return valid && version_reaches(in->api_version, 3) ? NULL : names_function(r->tramp);
    if (!in) return NULL;                              /* GPA-007: only the names above */
    if (!valid) bad_handle(CMD_vkGetInstanceProcAddr); /* GPA-008: ends the process */
    /* GPA-011 to 034: core, or of an enabled extension */
    if (r) return is_enabled(in, r) ? names_function(r->tramp) : NULL;
    return unknown_find(instance_of(handle), name, true);
}
EXPORT_COMMAND(vkGetInstanceProcAddr);

/* ---- vkGetInstanceProcAddr of the last layer -------------------------------------------------------------------- */

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL term_vkGetInstanceProcAddr(VkInstance handle, const char *name)
{
    if (!name) return NULL;
    const struct name_record *r = name_find(name);
    struct instance *in = instance_of(handle);
    if (r) return term_instance_function(in, r, name);
    if (strcmp(name, "vk_layerGetPhysicalDeviceProcAddr") == 0)
        return (PFN_vkVoidFunction)term_GetPhysicalDeviceProcAddr;
    if (!in) return NULL; /* GPA-078: nothing else */
    PFN_vkVoidFunction p = unknown_find(in, name, false);
    /* GPA-081: not found among the drivers */
    if (!p) log_line(in, LOG_DEBUG, "vkGetInstanceProcAddr terminator: unrecognized name %s", name);
    return p;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL term_GetPhysicalDeviceProcAddr(VkInstance handle, const char *name)
{
    struct instance *in = instance_of(handle);
    if (!in || !name) return NULL; /* GPA-084: a NULL instance finds nothing */
    const struct name_record *r = name_find(name);
    if (r && (r->kind == COMMAND_PHYSDEV || r->kind == COMMAND_INSTANCE)) return names_function(r->term);
    PFN_vkVoidFunction p = r ? NULL : unknown_physdev_find(in, name, false);
    if (!p) log_line(in, LOG_DEBUG, "vk_layerGetPhysicalDeviceProcAddr terminator: unrecognized name %s", name);
    return p;
}

/* ---- vkGetDeviceProcAddr --------------------------------------------------------------------------------------- */

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL tramp_vkGetDeviceProcAddr(VkDevice handle, const char *name)
{
    if (!name || name[0] != 'v' || name[1] != 'k') return NULL; /* GPA-043: every name begins with vk */
    const struct name_record *r = name_find(name);
    if (r == &names_commands[CMD_vkGetDeviceProcAddr] || r == &names_commands[CMD_vkDestroyDevice] ||
        r == &names_commands[CMD_vkGetDeviceQueue] || r == &names_commands[CMD_vkAllocateCommandBuffers])
        return names_function(r->tramp); /* GPA-044: for any device value */
    const struct device *dev = device_of(handle);
    if (!dev) return NULL; /* GPA-046: no other name without a device */
    /* GPA-054, GPA-055: other known names and unknown ones go to the top of the chain, each time */
    if (!r || r->kind != COMMAND_DEVICE) return dev->top_gdpa(handle, name);
    const struct instance *in = dev->instance;
    if (dev->hide_newer_core && r->minor != 255 && r->minor > 0 && !version_reaches(in->api_version, r->minor))
        return NULL; /* GPA-049; commands of 1.0 are never hidden */
    switch ((uint32_t)(r - names_commands)) {
    /* GPA-045: the exported function */
    case CMD_vkGetDeviceQueue2: return names_function(r->tramp);
    case CMD_vkSetDebugUtilsObjectNameEXT: /* GPA-056: if the instance enabled debug_utils */
    case CMD_vkSetDebugUtilsObjectTagEXT: return is_enabled(in, r) ? names_function(r->tramp) : NULL;
    case CMD_vkDebugMarkerSetObjectTagEXT: /* GPA-058: if the program enabled debug_marker */
    case CMD_vkDebugMarkerSetObjectNameEXT: return dev->app_debug_marker ? names_function(r->tramp) : NULL;
    case CMD_vkCreateExternalComputeQueueNV: { /* GPA-073: the new object's first word is set */
        return is_missing(dev->own_table.slot[DSLOT_vkCreateExternalComputeQueueNV]) ? NULL : names_function(r->tramp);
    }
    }
    /* GPA-047, GPA-052, GPA-057: the chain's function at creation */
    void *p = dev->own_table.slot[r - &names_commands[NAMES_DEVICE]];
    return is_missing(p) ? NULL : (PFN_vkVoidFunction)p;
}
EXPORT_COMMAND(vkGetDeviceProcAddr);

/* GPA-085, GPA-086: returns itself, the terminator of a command whose extension is enabled, or the driver's function.
 */
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL term_vkGetDeviceProcAddr(VkDevice handle, const char *name)
{
    struct device *dev = device_of(handle);
    if (!name) return NULL;
    /* Most layers pass on the pointer from table_fill_device, so the name's record is known without a lookup. */
    const struct name_record *r = dev ? dev->wanted : NULL;
    if (!r || names_text + r->name != name) r = name_find(name);
    if (r == &names_commands[CMD_vkGetDeviceProcAddr]) return (PFN_vkVoidFunction)term_vkGetDeviceProcAddr;
    return dev ? term_device_function(dev, r, name) : NULL;
}
