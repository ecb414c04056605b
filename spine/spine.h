/* spine.h: the records that the C files of the spine share, and which file owns what.
 *
 *   core.c          asks the core: messages, rounds, the plan
 *   memo.c          remembers its answers
 *   read.c          gathers facts: variables, folders, files, the executable
 *   gate.c          the fork gate around dl functions, the one lock, the wipe-on-fork page; claim.c waits for other
 *                   threads
 *   exit.c          tells the end of the process from the unloading of the library
 *   log.c           one logger for everything
 *   memory.c        the application's allocator or malloc; text.c names and lists of them
 *   library.c       libraries in the process: real paths, what stays mapped
 *   driver.c        driver libraries: negotiation, extension lists, holds
 *   layer.c         layer libraries: opening, negotiation, the active list
 *   global.c        the global functions
 *   instance.c      vkCreateInstance and vkDestroyInstance, upper end; instance_end.c the lower end
 *   physdev.c       physical devices; group.c groups of them; sort.c their order; filter.c the id filters;
 *                   configuration.c the settings file's device configurations
 *   query.c         the "...2" queries and their emulation; display.c displays
 *   device.c        vkCreateDevice, queues, command buffers, upper end; device_end.c the lower end
 *   objects.c       what surfaces and messengers share: places, drivers' handles
 *   surface.c       surfaces; surface_query.c their queries; swapchain.c swapchains
 *   messenger.c     debug utils and debug report; naming.c names, tags and labels
 *   names.c         vkGetInstanceProcAddr and vkGetDeviceProcAddr, tables; unknown.c commands that nobody knows;
 *                   missing.c what is said where a function is missing
 *
 * Naming: tramp_vkX is the upper end of command X (what programs call; exported X is an alias of it where X is
 * exported), term_vkX its lower end (what the last layer calls), missing_vkX the stub that stands in a table where a
 * driver or a layer has nothing. Generated lists say which of them the assembler makes and which are written in C.
 */
#ifndef VKL_SPINE_H
#define VKL_SPINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdarg.h>

#include "gen/zvk.h"
#include "gen/zslots.h"
#include "gen/zvariables.h"

/* ---- dispatch -------------------------------------------------------------------------------------------------- */

#include "asm/offsets.h" /* the magics and marks that the assembler compares with */
#define DEVICE_MAGIC 0x10ADED040410ADEDull       /* what *pDevice points to on its way down (HND-033) */

#define UNKNOWN_MAX 250 /* UNK-019 */

/* First word of an instance and of all its physical devices (DRV-079): what the top of the chain gave for each
 * instance-level and physical-device-level command. Slots are ISLOT_<command> of gen/zslots.h. */
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

/* Commands of one driver instance, in the same slots; a stub missing_vkX (or missing_unknown) where it has none. */
struct driver_table {
    void *slot[ISLOT_COUNT];
    void *unknown[UNKNOWN_MAX];
};

/* ---- instances ------------------------------------------------------------------------------------------------- */

struct driver;
struct physdev;
struct device;
struct messenger;
struct layer_node;

enum object_kind { OBJECT_SURFACE, OBJECT_MESSENGER, OBJECT_REPORT, OBJECT_KINDS }; /* in the order of DBG-033 */

/* A table of handles that grows in steps as DBG-036 says; entry i belongs to index i of the instance. */
struct handle_table {
    uint64_t *handle; /* 0: none */
    uint32_t room;
};

/* What vkCreate* of a surface, messenger or callback hands out (surface.c, messenger.c). */
struct handle_list {
    void **object; /* NULL: free place; the index is used in every driver's handle_table */
    uint32_t room;
};

/* How many threads of this process are inside something. Those of the process it was forked from do not count: they are
 * not there (G-4). Under the lock. */
struct tally {
    uint32_t count;
    uint64_t generation; /* fork_generation() of the count */
};

/* Whether a version is at least 1.minor. Versions count whole, the variant left aside (ERRATA 24). */
static inline bool version_reaches(uint32_t version, uint32_t minor) {
    return (version & 0x1fffffffu) >= ((1u << 22) | (minor << 12));
}

struct unknown_names {
    char *name[UNKNOWN_MAX];
    bool ready[UNKNOWN_MAX]; /* device commands: every device has its destination */
    uint32_t count;
};

struct instance {
    struct instance_table *table; /* +0, == &own_table */
    uint64_t magic;               /* +8, INSTANCE_MAGIC */
    VkInstance lower;             /* +16, what the top of the chain returned; the instance itself without layers */
    char room[232];               /* writable and unused: a layer that overwrites the handle is detected (HND-036) */

    struct instance_table own_table;
    struct instance *next;        /* all live instances, under the lock */

    bool has_allocator;
    VkAllocationCallbacks allocator; /* a copy (ALC-011) */
    bool drivers_have_allocator;  /* what layers passed down to vkCreateInstance */
    VkAllocationCallbacks drivers_given;

    uint32_t api_version;         /* as it reached the lower end, 0 read as 1.0 */
    uint64_t enabled;             /* GATE_* bits: extensions enabled on the instance, by the program or by a layer */
    bool sort;                    /* PHY-025 */

    char **app_layers;            /* the program's ppEnabledLayerNames, own copy (DEV-023) */
    uint32_t app_layer_count;

    struct driver *drivers;       /* chain order: last discovered first (PHY-023) */
    struct driver_scan *scan;     /* the libraries of this instance's drivers */

    struct layer_list *layers;    /* layer.c: the layer list, the active list, the chain */

    struct physdev *upper;        /* physdev.c: handles that programs hold; under the lock */
    struct physdev *lower_devs;   /* physdev.c: handles of the lower end; under the lock */

    struct device *devices;       /* live devices, under the lock */

    struct messenger *messengers; /* most recent first, chained ones too; messenger.c */
    struct handle_list objects[OBJECT_KINDS];

    struct unknown_names unknown_physdev, unknown_device;
    struct configurations *configurations; /* configuration.c; NULL: none are active */
    unsigned log_level;           /* 0: the process's; else a settings file's (SET-77) */
};

/* A driver of an instance. */
struct driver {
    struct driver_table own_table; /* first, so that the assembler reaches it at offset 0 */
    struct driver *next;
    struct instance *instance;
    struct driver_lib *lib;
    VkInstance handle;
    uint32_t api_version;          /* its manifest's, or 1.0 where INS-064 says so */
    uint64_t enabled;              /* GATE_* bits passed to its vkCreateInstance */
    /* Under the lock; docs/concurrency.md, "Holding a driver". */
    uint32_t holds;                /* calls into it that are under way */
    bool asked;                    /* for its physical devices */
    bool reported_device;          /* it had some once: it stays, and its library stays mapped (ERRATA 1, ERRATA 18) */
    struct handle_table objects[OBJECT_KINDS];
};

/* One usable driver library (or directly supplied driver) of one scan, in discovery order. */
struct driver_lib {
    struct driver_lib *next;
    struct mapped_lib *mapped;     /* NULL: directly supplied */
    const char *path;              /* real path for messages, own copy; "(null)" for direct drivers (DRV-100) */
    uint32_t manifest_version;
    uint32_t interface_version;
    PFN_vkGetInstanceProcAddr gipa;
    PFN_vkCreateInstance create_instance;
    PFN_vkEnumerateInstanceExtensionProperties enumerate_extensions;
    PFN_vkGetInstanceProcAddr gpdpa; /* vk_icdGetPhysicalDeviceProcAddr or NULL */
    uint32_t ext_count;
    VkExtensionProperties *ext;    /* its instance extensions */
};

struct driver_scan {
    struct driver_lib *first;
    uint32_t count;
};

/* Both kinds of physical device. The first three words are what the assembler uses. */
struct physdev {
    struct instance_table *table;  /* +0 */
    uint64_t magic;                /* +8 */
    void *lower;                   /* +16: upper kind: the chain's handle; lower kind: the driver's */
    struct driver *driver;         /* +24: lower kind: &driver->own_table; upper kind: NULL */
    struct instance *instance;     /* +32 */
    struct physdev *next;          /* of the same kind and instance */
};

/* ---- devices --------------------------------------------------------------------------------------------------- */

struct device {
    struct device_table *table;    /* +0: NULL until the driver's device exists */
    uint64_t magic;                /* +8: DEVICE_MAGIC */
    void *unused;                  /* +16 */
    char room[232];                /* as in struct instance */

    struct device *next;           /* of the instance */
    struct device *next_known;     /* of all there are */
    struct instance *instance;
    struct driver *driver;
    VkDevice driver_handle;        /* what the driver returned */
    VkDevice chain_handle;         /* what the top of the device chain returned */
    PFN_vkGetDeviceProcAddr driver_gdpa;
    PFN_vkGetDeviceProcAddr top_gdpa;
    bool has_swapchain, has_display_swapchain, has_device_group, has_debug_marker; /* enabled on the driver's device */
    bool app_debug_marker;         /* the program listed VK_EXT_debug_marker (GPA-058) */
    bool hide_newer_core;          /* GPA-049 */
    struct tally uses;             /* look-ups under way by other threads (unknown.c) */
    bool linked;                   /* in the instance's list */
    bool complete;                 /* its table is being filled or filled: new unknown names must be added to it */
    bool has_allocator;
    VkAllocationCallbacks allocator; /* what the record itself came from (ERRATA 12) */
    /* The driver's own functions for commands that end in the loader's lower end; NULL when it has none. */
    void *lower_slot[LOWER_DEVICE_COUNT]; /* LSLOT_<command> of gen/zslots.h */
    struct device_table own_table;
};

/* ---- gate.c ---------------------------------------------------------------------------------------------------- */

/* The one lock: short, never held while calling out (drivers, layers, callbacks, allocators, dl functions, core). A
 * forked child finds it free. Not recursive. */
void lock_take(void);
void lock_drop(void);
/* In what is done with the lock (taken), or calls out (not): the builds with sanitizers end when it is not so. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define CHECK_LOCK
void lock_wanted(bool taken);
/* Nor in what takes locks of the C library's own, or waits for a file system. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define malloc(...) (lock_wanted(false), malloc(__VA_ARGS__))
#define calloc(...) (lock_wanted(false), calloc(__VA_ARGS__))
#define realloc(...) (lock_wanted(false), realloc(__VA_ARGS__))
#define free(...) (lock_wanted(false), free(__VA_ARGS__))
#define strdup(...) (lock_wanted(false), strdup(__VA_ARGS__))
#define realpath(...) (lock_wanted(false), realpath(__VA_ARGS__))
#define stat(...) (lock_wanted(false), stat(__VA_ARGS__))
#define fopen(...) (lock_wanted(false), fopen(__VA_ARGS__))
#define access(...) (lock_wanted(false), access(__VA_ARGS__))
#else
#define lock_wanted(taken) ((void)0)
#endif
/* The fork gate: every dlopen, dlclose and dlsym of the spine happens inside (G-4). Recursive by thread. */
void gate_enter(void);
void gate_leave(void);
/* Of what is opened lazily and for the loader alone (DRV-024, LAY-277). On failure, *text (unless text is NULL) is a
 * copy of what the dynamic linker says, for free(); NULL without memory. */
void *gate_dlopen(const char *path, char **text);
int gate_dlclose(void *handle);
void *gate_dlsym(void *handle, const char *name);
/* Real path of the object that contains a function (DRV-025), for free(); NULL: none is found, or no memory. */
char *gate_path_of(const void *function);
/* Number of the process in its line of forks as this library sees it: changes in every forked child. */
uint64_t fork_generation(void);
static inline uint32_t tally_now(const struct tally *t) { return t->generation == fork_generation() ? t->count : 0; }
static inline void tally_up(struct tally *t) {
    lock_wanted(true);
    *t = (struct tally){tally_now(t) + 1, fork_generation()};
}
static inline void tally_down(struct tally *t) {
    lock_wanted(true);
    uint32_t now = tally_now(t);
    if (now) t->count = now - 1; /* a use that began before the fork was never counted here */
}

/* exit.c: watch is called before anything is made that a destructor takes away; begun tells destructors that the
 * process ends, so that they leave all of it where it is. */
void exit_watch(void);
bool exit_begun(void);

/* ---- log.c ----------------------------------------------------------------------------------------------------- */

enum {
    LOG_INFO = 1, LOG_WARN = 2, LOG_PERF = 4, LOG_ERROR = 8, LOG_DEBUG = 16, LOG_LAYER = 32, LOG_DRIVER = 64,
    LOG_VALIDATION = 128, /* about invalid use of the API */
    LOG_FATAL = 256       /* always reaches standard error */
};
/* instance may be NULL (message concerns none). One line; cut at 511 bytes; standard error and messengers. */
void log_line(struct instance *instance, unsigned flags, const char *format, ...) __attribute__((format(printf, 3, 4)));
void log_text(struct instance *instance, unsigned flags, const char *text);
/* Writes always (ERRATA 13), flushes, aborts. */
void log_abort(struct instance *instance, unsigned flags, const char *format, ...)
    __attribute__((format(printf, 3, 4), noreturn));
/* Called from the assembler's cold labels with the generated command number; never returns. */
void bad_handle(uint32_t command) __attribute__((noreturn));
/* Reads VK_LOADER_DEBUG; called by the constructor alone. */
void log_start(void);
/* A settings file's level takes the place of the instance's or, with NULL, of the process's. */
/* Does anybody hear what is not always written? Asked where making lines costs more than writing them. */
bool log_heard(const struct instance *instance);
void log_set_level(struct instance *instance, unsigned level);

/* ---- memory.c -------------------------------------------------------------------------------------------------- */

/* allocator NULL: malloc. Sizes in bytes; NULL when there is none. Blocks are zeroed by mem_new only. */
void *mem_new(const VkAllocationCallbacks *allocator, size_t size, VkSystemAllocationScope scope);
/* The added part is zeroed. */
void *mem_grow(const VkAllocationCallbacks *allocator, void *block, size_t old_size, size_t size,
               VkSystemAllocationScope scope);
void mem_free(const VkAllocationCallbacks *allocator, void *block);
/* The instance's own callbacks, or NULL. */
static inline const VkAllocationCallbacks *instance_allocator(const struct instance *i)
{
    return i->has_allocator ? &i->allocator : NULL;
}
/* What a driver's instance is destroyed with before vkDestroyInstance: what it was created with (ERRATA 21). */
static inline const VkAllocationCallbacks *drivers_allocator(const struct instance *i)
{
    return i->drivers_have_allocator ? &i->drivers_given : NULL;
}

/* ---- core.c, read.c -------------------------------------------------------------------------------------------- */

struct wire_writer; /* gen/zwire.h */
struct round;       /* memo.h */
struct plan {
    const unsigned char *bytes; /* of the round */
    size_t size;
    VkResult result; /* of the answer record */
    struct round *round;
};
/* Facts of one API call; grows while the core asks for more. */
struct facts;
struct facts *facts_new(void);
void facts_free(struct facts *facts);
struct wire_writer *facts_writer(struct facts *facts);
/* Asks until the answer is decided, reading what the core wants. VK_SUCCESS with a plan (its own result may still be
 * an error), else an error after its message. question: kind of the question record; layer_name may be NULL. */
VkResult core_decide(struct instance *instance, struct facts *facts, uint32_t question, const char *layer_name,
                     bool terminator, struct plan *plan);
void plan_free(struct plan *plan);
/* Gives back everything that is kept from one call to the next. */
void core_forget(void);

/* ---- start.c ---------------------------------------------------------------------------------------------------- */

/* Reads the two variables that are read at load, unless that has been done; called by what may come before the
 * library's own constructor. */
void start_once_at_load(void);
/* VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING as it was at load (GEN-2, ENV-110, ERRATA 1). */
enum { UNLOAD_USUAL = 0, UNLOAD_NEVER /* "1" */, UNLOAD_TO_THE_LETTER /* "0" */ };
int unloading(void);
/* A variable as it is now, NULL when it is not set or counts as unset (G-5, GEN-5). */
const char *env_read(struct variable v);

/* ---- driver.c -------------------------------------------------------------------------------------------------- */

/* Carries out the open_driver and direct steps of a plan, printing its log steps in their place. */
VkResult drivers_open(struct instance *instance, const struct plan *plan, const VkInstanceCreateInfo *info,
                      struct driver_scan **scan);
/* Adds driver and driver_ext facts of a scan. */
VkResult drivers_facts(struct instance *instance, const struct driver_scan *scan, struct facts *facts);
/* Closes the drivers that the core leaves out after it has seen the facts of the scan (ERRATA 20). */
void drivers_leave_out(struct driver_scan *scan, const struct plan *plan);
void drivers_close(struct instance *instance, struct driver_scan *scan);
/* Libraries that vkEnumerateInstanceExtensionProperties left open (INS-087) are let go (INS-088). */
void drivers_drop_preloaded(void);
/* A driver that was found in its instance's list is held before it is called, and released after (docs/concurrency.md).
 * Who has a physical device or a device of it need not: such a driver stays. With the lock. */
void driver_hold(struct driver *driver);
/* Without the lock, like all that follows. */
void driver_release(struct driver *driver);
/* Drivers of an instance one after the other, each held while it is the current one. To stop early, release it. */
struct driver *driver_first(struct instance *instance);
struct driver *driver_after(struct driver *current);
/* All of them at once, in chain order. */
#define HELD_FEW 32
struct held_drivers {
    uint32_t count;
    struct driver **driver;
    struct driver *few[HELD_FEW];
};
bool drivers_take(struct instance *instance, struct held_drivers *held); /* false: no memory */
void drivers_drop(struct held_drivers *held);
/* Takes a driver out of the instance's list that was asked for its physical devices, never had one, and is held by
 * nobody; NULL when there is none. driver_end ends it: its objects, its instance, its library (PHY-049). */
struct driver *driver_unlink_useless(struct instance *instance);
void driver_end(struct driver *driver);
/* Does the library list this instance extension? */
bool driver_lib_has_ext(const struct driver_lib *lib, const char *name);

/* The driver's function for a slot, or NULL. */
void *driver_fn_raw(const struct driver *driver, unsigned slot);
#define driver_fn(driver, command) ((PFN_##command)driver_fn_raw((driver), ISLOT_##command))
/* Is p one of the stubs missing_vkX? */
bool is_missing(const void *p);

/* ---- instance.c, physdev.c, device.c --------------------------------------------------------------------------- */

/* Is the extension enabled on the instance (program or layers) / on the driver? GATE_* of gen/zslots.h. */
static inline bool instance_gate(const struct instance *i, unsigned gate) { return (i->enabled >> gate) & 1; }
static inline bool driver_gate(const struct driver *d, unsigned gate) { return (d->enabled >> gate) & 1; }
static inline struct instance *instance_of(VkInstance h) { return (struct instance *)h; }
/* Lower-end physical device of a handle that reached the lower end. */
static inline struct physdev *lower_physdev(VkPhysicalDevice h) { return (struct physdev *)h; }
static inline VkPhysicalDevice driver_physdev(const struct physdev *p) { return (VkPhysicalDevice)p->lower; }

/* ERRATA 19: a driver or a layer that fills a list with VK_INCOMPLETE has given something; the whole is asked for again,
 * and what there is after the last time counts. */
#define LIST_RETRIES 8
static inline bool list_given(VkResult result) { return result == VK_SUCCESS || result == VK_INCOMPLETE; }

/* INS-046. */
bool name_well_formed(const char *name);
/* Is the name one of a list of names without NULL? */
bool name_listed(const char *const *names, uint32_t count, const char *name);
/* Is it one of a list of extensions? */
bool extension_listed(const VkExtensionProperties *list, uint32_t count, const char *name);
/* physdev.c: called once per instance by instance.c. */
void physdevs_free(struct instance *instance);
/* Finds the upper or lower physical device record of a handle (naming.c, device.c); NULL when it is none. */
struct physdev *physdev_upper_find(struct instance *instance, VkPhysicalDevice handle);
/* device.c: the device whose driver's or chain's handle this is, by its table; NULL when it is none. */
struct device *device_of(const void *dispatchable);

/* configuration.c: takes the device configurations out of the plan, before layers_read takes its bytes. */
VkResult configurations_read(struct instance *instance, const struct plan *plan);
void configurations_free(struct instance *instance);

/* ---- surface.c, messenger.c ------------------------------------------------------------------------------------ */

/* WSI-013: the surface to pass to a driver. */
VkResult surface_for_driver(struct driver *driver, VkSurfaceKHR surface, VkSurfaceKHR *out);
/* The driver's objects of everything the program left alive: surfaces, messengers, reports (DBG-033). */
void driver_destroy_objects(struct driver *driver);
/* Frees what the program left alive in the instance itself; after all drivers are gone. */
void instance_free_objects(struct instance *instance);
/* Chained messengers (DBG-004): copied and active at the start of vkCreateInstance, put to rest at its end, active
 * again in vkDestroyInstance, freed at its end. */
VkResult messengers_chained_start(struct instance *instance, const void *next, const VkAllocationCallbacks *allocator);
void messengers_chained_rest(struct instance *instance);
void messengers_chained_wake(struct instance *instance); /* drops the others first (DBG-010) */
void messengers_chained_free(struct instance *instance);
/* Delivers a loader message (DBG-014 to 018). Called by log.c without the lock. */
void messengers_deliver(struct instance *instance, unsigned flags, const char *text);

/* ---- names.c --------------------------------------------------------------------------------------------------- */

enum { COMMAND_GLOBAL = 1, COMMAND_INSTANCE, COMMAND_PHYSDEV, COMMAND_DEVICE /* device, queue, command buffer */ };
/* The lower-end vkGetInstanceProcAddr and its physical-device twin, given to the last layer. */
PFN_vkVoidFunction term_vkGetInstanceProcAddr(VkInstance instance, const char *name);
PFN_vkVoidFunction term_GetPhysicalDeviceProcAddr(VkInstance instance, const char *name);
PFN_vkVoidFunction term_vkGetDeviceProcAddr(VkDevice device, const char *name);
/* Fills tables in one pass. */
void table_fill_instance(struct instance *instance, PFN_vkGetInstanceProcAddr top);
void table_fill_driver(struct driver *driver);
void table_fill_lower(struct device *device); /* lower_slot */
void table_fill_device(struct device *device, PFN_vkGetInstanceProcAddr top_gipa, VkInstance top_instance);

#define EXPORT __attribute__((visibility("default")))
/* Makes the exported symbol of a command whose upper end is written in C. */
#define EXPORT_COMMAND(command) \
    extern EXPORT __typeof__(tramp_##command) command __attribute__((alias("tramp_" #command)))

#endif
