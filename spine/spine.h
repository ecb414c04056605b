/* spine.h: the records that the whole spine shares, and no function that acts. Each directory has a header of its own
 * name, which declares what other directories may use. This is the map; a test compares it with the files. Files below
 * linux/, windows/ or macos/ belong to that system, those below posix/ to Linux and macOS, those below plain/ to
 * Windows and macOS. All other files are part of the library on all systems. A function that has nothing to do on a
 * system is in none.c there. From the ground up; a directory uses only those above it in this list:
 *
 *   asm/       trampolines, terminators and stubs (trampolines.c, stubs.h), the machines' argument registers (lists.h,
 *              registers.h), the table of names (tables.S, tables.inc, tables.h), numbers (numbers.h, numbers.inc,
 *              offsets.h), the systems' lines of generated lists (lines.h) and forms of symbols (system.h)
 *   gen/       files generated from the registry and from wire.def; interface.h, next to this file, has the
 *              structures of the interfaces to drivers and layers
 *   process/   functions of the system (process.h): the lock and the fork gate (gate.c),
 *              waiting (claim.c, wake.h, waiting.h), the end of the process (exit.c, start.h), memory
 *              (memory.c), the log and the callbacks that receive it (log.c, callback.c), variables and names
 *              (variable.c, text.c, wide.h), files and their types (file.c, file.h, image.c), threads (thread.c), the
 *              floating-point control word (control.h), older C libraries (portable.h), the parts of Mach-O files
 *              (slice.h)
 *   service/   the client of the driver service (service.h): the connection (client.c), drivers with the libraries that
 *              they need (closure.c), the devices that these drivers open through it (namespace.c)
 *   core/      the link to the core (core.h): questions (ask.c), facts (facts.h, read.c; of Windows
 *              elsewhere.h and dxgi.h), the read limit of one call (read_budget.c), the core's answers by their
 *              messages (answer_cache.c, answer_cache.h), plans (plan.c)
 *   library/   libraries (library.h): opening them (mapped.c), their records (table.c, table.h), objects of the process
 *              (objects.c), the linker's search (search.c), those of drivers (driver.c, negotiate.c) and of
 *              layers (layer.c); drivers that the application brings (direct.c)
 *   state/     drivers and their holders (state.h, driver.c), objects (objects.c), records of physical
 *              devices (physdev.c), handles (handles.c)
 *   dispatch/  vkGet*ProcAddr and the dispatch tables (dispatch.h, names.c), commands that the registry does
 *              not know (unknown.c), messages about missing functions (missing.c)
 *   physdev/   physical devices (physdev.h, list.h; of Windows adapter.h): lists, groups, order, filters, queries,
 *              extensions, displays
 *   wsi/       surfaces, their queries, swapchains (wsi.h, surface.h)
 *   debug/     messengers and report callbacks, names, tags and labels
 *   device/    vkCreateDevice and vkDestroyDevice (device.h), device groups in their chains (group.h), queues, command
 *              buffers
 *   instance/  the global commands, vkCreateInstance and vkDestroyInstance (instance.h)
 *
 * A trampoline is what programs call: tramp_vkX of command X, of which the exported vkX is an alias. A terminator,
 * term_vkX, is the function that the last layer calls. missing_vkX is the stub in a dispatch table where a driver or a
 * layer has no function. trampolines.c makes most of them; zends.h lists those that
 * are written by hand.
 */
#ifndef VKL_SPINE_H
#define VKL_SPINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdarg.h>

#include "gen/zvk.h"
#include "interface.h"
#include "gen/zversion.h"
#include "asm/numbers.h"
#include "gen/zvariables.h"
#include "asm/offsets.h" /* the magics and marks that trampolines compare with */
#include "asm/stubs.h"

/* ---- dispatch -------------------------------------------------------------------------------------------------- */

#define DEVICE_MAGIC 0x10ADED040410ADEDull /* what *pDevice points to on its way down (HND-033) */

/* 64 bits at +8 of a handle, also where the word before has 32 and the machine would not align them. */
#define HANDLE_WORD _Alignas(8) uint64_t

/* First word of an instance and of all its physical devices (DRV-079): the chain's functions for each
 * instance-level and physical-device-level command. Slots are ISLOT_<command> of asm/numbers.h. */
struct instance_table {
    uint64_t mark; /* 0: never taken for a device's table */
    void *slot[ISLOT_COUNT];
    void *unknown[UNKNOWN_MAX]; /* physical-device commands that the loader does not know */
};

/* First word of a device and of its queues and command buffers (DRV-080). Slots are DSLOT_<command>. */
struct device_table {
    uint32_t mark; /* DEVICE_MARK; cleared when the device is gone */
    uint32_t unused;
    struct device *device;
    void *slot[DSLOT_COUNT];
    void *unknown[UNKNOWN_MAX];
};

/* Commands of one driver instance, in the same slots; NULL where it has none. */
struct driver_table {
    void *slot[ISLOT_COUNT];
    void *unknown[UNKNOWN_MAX];
};

/* ---- instances ------------------------------------------------------------------------------------------------- */

struct driver;
struct physdev;
struct device;
struct name_record; /* asm/tables.h */
struct messenger;
struct layer_node;

enum object_kind { OBJECT_SURFACE, OBJECT_MESSENGER, OBJECT_REPORT, OBJECT_KINDS }; /* in the order of DBG-033 */

/* A table of handles that grows in steps as DBG-036 says; entry i belongs to index i of the instance. */
struct handle_table {
    uint64_t *handle; /* 0: none */
    uint32_t room;
};

/* What vkCreate* of a surface, messenger or callback hands out. */
struct handle_list {
    void **object; /* NULL: free place; the index is used in every driver's handle_table */
    uint32_t room;
};

/* More than these a driver cannot truly have (DEV-001, PHY-012): extensions of one kind; devices, or groups of them. */
#define EXTENSIONS_MAX 65536u
#define DEVICES_MAX 4096u
/* The message then: command, driver, count. */
#define UNTRUE(what, most)                                                                                             \
    "%s: ICD %s claims to have %u " what ", which cannot be true: more than " most ". It is left out."
#define EXTENSIONS_UNTRUE UNTRUE("extensions", "65536")
#define DEVICES_UNTRUE UNTRUE("devices", "4096")
#define GROUPS_UNTRUE UNTRUE("device groups", "4096")

/* How many threads of this process are inside something. Those of the process it was forked from do not count: they are
 * not there (G-4). Under the lock. */
struct tally {
    uint32_t count;
    uint64_t generation; /* fork_generation() of the count */
};

/* Whether a version is at least 1.minor. Versions count whole, the variant left aside (ENV-80). */
static inline bool version_reaches(uint32_t version, uint32_t minor)
{
    return (version & 0x1fffffffu) >= ((1u << 22) | (minor << 12));
}

/* Returns the first structure of a type in a chain, or NULL. */
static inline const void *chain_find(const void *first, VkStructureType type)
{
    const VkBaseInStructure *p = (const VkBaseInStructure *)first;
    while (p && p->sType != type) p = p->pNext;
    return p;
}

struct unknown_names {
    char *name[UNKNOWN_MAX];
    bool ready[UNKNOWN_MAX]; /* device commands: every device has its destination */
    uint32_t count;
};

struct instance {
    struct instance_table *table; /* +0, == &own_table */
    HANDLE_WORD magic;            /* +8, INSTANCE_MAGIC */
    VkInstance lower;             /* +16, the chain's handle; the instance itself without layers */
    char spare[232];              /* writable and unused: a layer that overwrites the handle is detected (HND-036) */

    struct instance_table own_table;
    struct instance *next; /* of all there are, under the lock */

    bool has_allocator;
    VkAllocationCallbacks allocator; /* a copy (ALC-011) */
    bool drivers_have_allocator;     /* what layers passed down to vkCreateInstance */
    VkAllocationCallbacks drivers_given;

    uint32_t api_version; /* as it reached the terminator, 0 read as 1.0 */
    uint64_t enabled;     /* EXT_* bits: extensions enabled on the instance, by the program or by a layer */
    bool sort;            /* its physical devices are sorted (PHY-025) */
    bool inside_dxgi;     /* made by a DXGI that is made of Vulkan, and is not asked for it */

    char **app_layers; /* the program's ppEnabledLayerNames, own copy (DEV-023) */
    uint32_t app_layer_count;

    struct driver *drivers;   /* chain order: last discovered first (PHY-023) */
    struct driver_libs *libs; /* the libraries of this instance's drivers */

    struct layer_list *layers; /* the layer list, the active list, the chain (library/layer.c) */

    struct physdev *tramp_devs; /* records whose handles programs hold; under the lock */
    struct physdev *term_devs;  /* records whose handles layers hold; under the lock */

    struct device *devices; /* made by drivers and not yet ended; under the lock */

    struct messenger *messengers; /* most recent first, chained ones too (process/callback.c) */
    uint32_t heeded;              /* severities that any of them wants; read without the lock */
    struct handle_list objects[OBJECT_KINDS];

    struct unknown_names unknown_physdev, unknown_device;
    struct configurations *configurations; /* of physdev/configuration.c; NULL: none are active */
    unsigned log_level;                    /* 0: the process's; else a settings file's (SET-77) */
    unsigned file_level;                   /* of the lines for log_file */
    char *log_file;                        /* where lines go, too; NULL: nowhere (process/log.c) */
};

/* A driver of an instance. */
struct driver {
    struct driver_table own_table; /* first, so that terminators reach it at offset 0 */
    struct driver *next;
    struct instance *instance;
    struct driver_lib *lib;
    VkInstance handle;
    uint32_t api_version; /* its manifest's, or 1.0 where INS-064 says so */
    uint64_t enabled;     /* EXT_* bits passed to its vkCreateInstance */
    /* Under the lock; docs/concurrency.md, "Holding a driver". */
    uint32_t holds;       /* calls into it that are under way */
    bool asked;           /* for its physical devices */
    bool reported_device; /* it had some once: it stays, and its library stays mapped (PHY-048, INS-088) */
    struct handle_table objects[OBJECT_KINDS];
};

/* One usable driver library (or directly supplied driver), in discovery order. */
struct driver_lib {
    struct driver_lib *next;
    struct mapped_lib *mapped; /* NULL: directly supplied */
    const void *inside;        /* a function of it */
    const char *path;          /* as of driver_path; NULL: not requested yet */
    uint32_t manifest_version;
    uint32_t interface_version;
    PFN_vkGetInstanceProcAddr gipa;
    PFN_vkCreateInstance create_instance;
    PFN_vkEnumerateInstanceExtensionProperties enumerate_extensions;
    PFN_vkGetInstanceProcAddr gpdpa; /* vk_icdGetPhysicalDeviceProcAddr or NULL */
    void *enumerate_adapter;         /* vk_icdEnumerateAdapterPhysicalDevices or NULL; on Windows alone */
    uint32_t ext_count;
    VkExtensionProperties *ext; /* its instance extensions */
};

/* The real path of its library (DRV-025), for messages; "(null)" for direct drivers (DRV-100). The first call follows
 * the links of the path, so the caller must not have the lock. In library/mapped.c. */
const char *driver_path(struct driver_lib *lib);

struct driver_libs {
    struct driver_lib *first;
    uint32_t count;
};

/* A physical device as programs or layers know it. Trampolines and terminators use the first four words. */
struct physdev {
    struct instance_table *table; /* +0 */
    HANDLE_WORD magic;            /* +8 */
    void *lower;                  /* +16: the handle one step down: the chain's, or the driver's */
    struct driver *driver;        /* +24: the driver whose handle lower is; NULL: it is the chain's */
    struct instance *instance;    /* +32 */
    struct physdev *next;         /* of the same kind and instance */
    struct { /* terminator kind: its PCI address, which never changes; sorting asks the driver once. Under the lock */
        bool asked, has;
        uint32_t address[4];
    } pci;
};

/* ---- devices --------------------------------------------------------------------------------------------------- */

struct device {
    struct device_table *table; /* +0: NULL until the driver's device exists */
    HANDLE_WORD magic;          /* +8: DEVICE_MAGIC */
    void *unused;               /* +16 */
    char spare[232];            /* as in struct instance */

    struct device *next;        /* of the instance */
    struct device *next_of_all; /* of all there are */
    struct instance *instance;
    struct driver *driver;
    VkDevice driver_handle; /* the driver's handle */
    VkDevice chain_handle;  /* the handle of the device chain */
    PFN_vkGetDeviceProcAddr driver_gdpa;
    PFN_vkGetDeviceProcAddr top_gdpa;
    const struct name_record *wanted; /* whose name the chain was asked for last, to fill the table */
    bool has_swapchain, has_display_swapchain, has_device_group, has_debug_marker; /* enabled on the driver's device */
    bool app_debug_marker; /* the program listed VK_EXT_debug_marker (GPA-058) */
    bool hide_newer_core;  /* core commands newer than the instance give NULL (GPA-049) */
    struct tally uses;     /* look-ups under way by other threads (dispatch/unknown.c) */
    bool linked;           /* in the instance's list */
    bool complete;         /* its table is being filled or filled: new unknown names must be added to it */
    bool has_allocator;
    VkAllocationCallbacks allocator; /* the allocator of the record itself (ALC-012) */
    /* The driver's own functions for commands that have a terminator; NULL when it has none. */
    void *driver_slot[TERMINATED_SLOT_COUNT]; /* TSLOT_<command> of asm/numbers.h */
    struct device_table own_table;
};

/* ---- functions of the records ------------------------------------------------------------------------------------ */

/* The instance's own callbacks, or NULL. */
static inline const VkAllocationCallbacks *instance_allocator(const struct instance *i)
{
    return i->has_allocator ? &i->allocator : NULL;
}
/* Returns the allocator for the end of a driver's instance before vkDestroyInstance: that of its creation (PHY-051). */
static inline const VkAllocationCallbacks *drivers_allocator(const struct instance *i)
{
    return i->drivers_have_allocator ? &i->drivers_given : NULL;
}
/* Is the extension enabled on the instance (program or layers) / on the driver? EXT_* of asm/numbers.h. */
static inline bool instance_has(const struct instance *i, unsigned ext)
{
    return (i->enabled >> ext) & 1;
}
static inline bool driver_has(const struct driver *d, unsigned ext)
{
    return (d->enabled >> ext) & 1;
}
static inline struct instance *instance_of(VkInstance h)
{
    return (struct instance *)h;
}
/* The device whose driver's or chain's handle this is, by its table; NULL when it is none. */
static inline struct device *device_of(const void *dispatchable)
{
    const struct device_table *table = dispatchable ? *(const struct device_table *const *)dispatchable : NULL;
    return table && table->mark == DEVICE_MARK ? table->device : NULL;
}
/* Of a handle that reached a terminator. */
static inline struct physdev *term_physdev(VkPhysicalDevice h)
{
    return (struct physdev *)h;
}
static inline VkPhysicalDevice driver_physdev(const struct physdev *p)
{
    return (VkPhysicalDevice)p->lower;
}

/* INS-017, PHY-007, LAY-346: a driver or a layer that fills a list with VK_INCOMPLETE has given something; the whole is
 * asked for again, and the entries after the last time count. */
#define LIST_RETRIES_MAX 8
static inline bool list_given(VkResult result)
{
    return result == VK_SUCCESS || result == VK_INCOMPLETE;
}

#endif
