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
 *   library/   libraries (library.h): those in the process (mapped.c), objects that came with one (objects.c), of
 *              drivers (driver.c, negotiate.c) and of layers (layer.c); drivers that the application brings (direct.c)
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

/* the magic of the object that *pDevice points to while vkCreateDevice goes down the chain (HND-033) */
#define DEVICE_MAGIC 0x10ADED040410ADEDull

/* A word of 64 bits at offset 8 of a handle, also on machines with 32-bit pointers that align it to 4 bytes. */
#define HANDLE_WORD _Alignas(8) uint64_t

/* The dispatch table of an instance, to which the first word of the instance and of all its physical devices points
 * (DRV-079): the chain's functions for each instance-level and physical-device-level command. Slots are ISLOT_<command>
 * of asm/numbers.h. */
struct instance_table {
    uint64_t mark; /* 0, which no device's table has */
    void *slot[ISLOT_COUNT];
    void *unknown[UNKNOWN_MAX]; /* physical-device commands that the loader does not know */
};

/* The dispatch table of a device, to which the first word of the device, its queues and its command buffers points
 * (DRV-080). Slots are DSLOT_<command>. */
struct device_table {
    uint32_t mark; /* DEVICE_MARK; cleared when the device is gone */
    uint32_t unused;
    struct device *device;
    void *slot[DSLOT_COUNT];
    void *unknown[UNKNOWN_MAX];
};

/* The functions of one driver's instance, in the same slots as struct instance_table; NULL: the driver lacks the
 * command. */
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

/* DBG-033: in the order of their destruction */
enum object_kind { OBJECT_SURFACE, OBJECT_MESSENGER, OBJECT_REPORT, OBJECT_KINDS };

/* A driver's handles of the objects of one kind. Entry i belongs to the object with index i in the instance's
 * handle_list. DBG-036 says how it grows. */
struct handle_table {
    uint64_t *handle; /* 0: none */
    uint32_t room;
};

/* The surfaces, messengers or callbacks that vkCreate* has returned to the program. */
struct handle_list {
    void **object; /* NULL: free entry; the index is the same in every driver's handle_table */
    uint32_t room;
};

/* DEV-001, PHY-012: a driver that reports more extensions of one kind, or more devices or device groups, is not
 * believed. */
#define EXTENSIONS_MAX 65536u
#define DEVICES_MAX 4096u
/* The format of the message about such a driver. Its arguments: command, driver, count. */
#define UNTRUE(what, most)                                                                                             \
    "%s: ICD %s claims to have %u " what ", which cannot be true: more than " most ". It is left out."
#define EXTENSIONS_UNTRUE UNTRUE("extensions", "65536")
#define DEVICES_UNTRUE UNTRUE("devices", "4096")
#define GROUPS_UNTRUE UNTRUE("device groups", "4096")

/* A count of the threads of this process that use an object. A forked child does not have its parent's threads, so a
 * count of another generation is 0 (G-4). Guarded by the lock. */
struct tally {
    uint32_t count;
    uint64_t generation; /* fork_generation() when count was last changed */
};

/* Reports whether a version is at least 1.minor. The variant in the upper bits is ignored (ENV-80). */
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
    struct instance *next; /* in the list of all instances, under the lock */

    bool has_allocator;
    VkAllocationCallbacks allocator; /* a copy (ALC-011) */
    bool drivers_have_allocator;     /* layers passed an allocator down to vkCreateInstance: the next member */
    VkAllocationCallbacks drivers_given;

    uint32_t api_version; /* as the terminator received it; 0 is stored as 1.0 */
    uint64_t enabled;     /* EXT_* bits: extensions enabled on the instance, by the program or by a layer */
    bool sort;            /* its physical devices are sorted (PHY-025) */
    bool inside_dxgi;     /* created from within DXGI, which is implemented on Vulkan: do not call DXGI */

    char **app_layers; /* the program's ppEnabledLayerNames, own copy (DEV-023) */
    uint32_t app_layer_count;

    struct driver *drivers;   /* chain order: last discovered first (PHY-023) */
    struct driver_libs *libs; /* the libraries of this instance's drivers */

    struct layer_list *layers; /* the layer list, the active list, the chain (library/layer.c) */

    struct physdev *tramp_devs; /* records whose handles programs hold; under the lock */
    struct physdev *term_devs;  /* records whose handles layers hold; under the lock */

    struct device *devices; /* devices of drivers that are not destroyed yet; under the lock */

    struct messenger *messengers; /* most recent first, chained ones too (process/callback.c) */
    uint32_t heeded;              /* severities that any messenger wants; read without the lock */
    struct handle_list objects[OBJECT_KINDS];

    struct unknown_names unknown_physdev, unknown_device;
    struct configurations *configurations; /* physdev/configuration.c; NULL: none are active */
    unsigned log_level;                    /* 0: the process's level; otherwise a settings file's (SET-77) */
    unsigned file_level;                   /* of the lines for log_file */
    char *log_file;                        /* a file that receives lines, too; NULL: none (process/log.c) */
};

/* A driver's instance in an instance of the loader. */
struct driver {
    struct driver_table own_table; /* first, so that terminators reach it at offset 0 */
    struct driver *next;
    struct instance *instance;
    struct driver_lib *lib;
    VkInstance handle;
    uint32_t api_version; /* the manifest's, or 1.0 according to INS-064 */
    uint64_t enabled;     /* EXT_* bits passed to its vkCreateInstance */
    /* Under the lock; docs/concurrency.md, "Holding a driver". */
    uint32_t holds;       /* calls into the driver in progress */
    bool asked;           /* its physical devices were enumerated */
    bool reported_device; /* it has reported a device, so it and its library stay (PHY-048, INS-088) */
    struct handle_table objects[OBJECT_KINDS];
};

/* One usable driver library, or driver that the application provides as functions (a direct driver), in discovery
 * order. */
struct driver_lib {
    struct driver_lib *next;
    struct library *library; /* NULL: a direct driver */
    const void *inside;      /* a function in the library */
    const char *path;        /* the result of driver_path; NULL: not requested yet */
    uint32_t manifest_version;
    uint32_t interface_version;
    PFN_vkGetInstanceProcAddr gipa;
    PFN_vkCreateInstance create_instance;
    PFN_vkEnumerateInstanceExtensionProperties enumerate_extensions;
    PFN_vkGetInstanceProcAddr gpdpa; /* vk_icdGetPhysicalDeviceProcAddr, or NULL */
    void *enumerate_adapter;         /* vk_icdEnumerateAdapterPhysicalDevices, or NULL; Windows only */
    uint32_t ext_count;
    VkExtensionProperties *ext; /* its instance extensions */
};

/* Returns the real path of a driver's library for messages (DRV-025), or "(null)" for a direct driver (DRV-100). The
 * first call resolves links, so the caller must not hold the lock. In library/mapped.c. */
const char *driver_path(struct driver_lib *lib);

struct driver_libs {
    struct driver_lib *first;
    uint32_t count;
};

/* A physical device as programs or layers know it: the program's handles point to one kind of record, the handles of
 * the terminators to the other. Trampolines and terminators use the first four words. */
struct physdev {
    struct instance_table *table; /* +0 */
    HANDLE_WORD magic;            /* +8 */
    void *lower;                  /* +16: the handle below: the chain's or the driver's */
    struct driver *driver;        /* +24: the driver of lower; NULL: lower is the chain's */
    struct instance *instance;    /* +32 */
    struct physdev *next;         /* in the list of the same kind and instance */
    struct { /* terminator kind: the PCI address, which the sorting asks the driver for once; under the lock */
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

    struct device *next;        /* in the instance's list */
    struct device *next_of_all; /* in the list of all devices */
    struct instance *instance;
    struct driver *driver;
    VkDevice driver_handle; /* the driver's handle */
    VkDevice chain_handle;  /* the handle of the device chain */
    PFN_vkGetDeviceProcAddr driver_gdpa;
    PFN_vkGetDeviceProcAddr top_gdpa;
    const struct name_record *wanted; /* the command that table_fill_device is asking the chain for */
    /* enabled on the driver's device */
    bool has_swapchain, has_display_swapchain, has_device_group, has_debug_marker;
    bool app_debug_marker; /* the program listed VK_EXT_debug_marker (GPA-058) */
    bool hide_newer_core;  /* core commands newer than the instance give NULL (GPA-049) */
    struct tally uses;     /* threads that look names up through this device (dispatch/unknown.c) */
    bool linked;           /* it is in the instance's list */
    bool complete;         /* unknown_fill_device has begun: later unknown names must be added to the table */
    bool has_allocator;
    VkAllocationCallbacks allocator; /* of this record (ALC-012) */
    /* The driver's functions for the commands that have a terminator; NULL: the driver lacks the command. */
    void *driver_slot[TERMINATED_SLOT_COUNT]; /* TSLOT_<command> of asm/numbers.h */
    struct device_table own_table;
};

/* ---- functions of the records ------------------------------------------------------------------------------------ */

/* Returns the callbacks given to vkCreateInstance, or NULL. */
static inline const VkAllocationCallbacks *instance_allocator(const struct instance *i)
{
    return i->has_allocator ? &i->allocator : NULL;
}
/* Returns the allocator for destroying drivers' instances before vkDestroyInstance is called: the allocator of their
 * creation (PHY-051). */
static inline const VkAllocationCallbacks *drivers_allocator(const struct instance *i)
{
    return i->drivers_have_allocator ? &i->drivers_given : NULL;
}
/* instance_has reports whether the program or a layer enabled an extension on the instance, driver_has whether it is
 * enabled on the driver's instance. ext: EXT_* of asm/numbers.h. */
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
/* Returns the device whose table the handle's first word points to, or NULL. The handle is the driver's or the chain's.
 */
static inline struct device *device_of(const void *dispatchable)
{
    const struct device_table *table = dispatchable ? *(const struct device_table *const *)dispatchable : NULL;
    return table && table->mark == DEVICE_MARK ? table->device : NULL;
}
/* Returns the record of a handle that a terminator received. */
static inline struct physdev *term_physdev(VkPhysicalDevice h)
{
    return (struct physdev *)h;
}
static inline VkPhysicalDevice driver_physdev(const struct physdev *p)
{
    return (VkPhysicalDevice)p->lower;
}

/* INS-017, PHY-007, LAY-346: a driver or a layer that returns VK_INCOMPLETE has filled a part of the list. The loader
 * asks again, up to this many times, and then uses the last part. */
#define LIST_RETRIES_MAX 8
static inline bool is_list_result(VkResult result)
{
    return result == VK_SUCCESS || result == VK_INCOMPLETE;
}

#endif
