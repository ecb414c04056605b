/* library.h: the interface of library/: libraries mapped into the process, driver libraries and layer libraries. It
 * calls the negotiation and lookup functions of libraries, and no Vulkan command of an instance. */
#ifndef VKL_LIBRARY_H
#define VKL_LIBRARY_H

#include "core/core.h"

/* The number of objects in the process, and of those that were unloaded before. */
struct objects_mark {
    unsigned count;
    unsigned long long unloaded;
};

/* ---- mapped.c --------------------------------------------------------------------------------------------------- */

/* The loader interface functions that a driver's library exports. */
enum driver_symbol { SYMBOL_NEGOTIATE, SYMBOL_GIPA, SYMBOL_OLD_GIPA, SYMBOL_GPDPA, SYMBOLS };

/* A driver's library in the process. */
struct library {
    /* under the lock */
    struct library *next;
    uint32_t users;   /* instances, and calls that list extensions */
    uint32_t holds;   /* walks over the table that are at this library */
    bool listed;      /* a list of extensions has opened it (INS-087) */
    bool closes;      /* it does not stay open after its last use */
    bool overwritten; /* its file was overwritten: it is neither called nor closed */
    /* atomic */
    _Atomic bool reported;         /* the driver has reported a physical device (INS-088) */
    void *_Atomic symbol[SYMBOLS]; /* NULL: not looked up, or not there */
    /* constant */
    bool known; /* the list of its files is complete */
    void *handle;
    char *given;                   /* as passed to dlopen */
    struct closure *closure;       /* NULL, except for a driver of the service */
    struct file_identity identity; /* of its file; all zero if the linker searched for it */
    struct library_file *files;
};

/* Compares the files of all libraries, and closes the unused ones if a file has changed. Call it before opening
 * libraries. */
void library_look(void);
/* Opens a library for an instance (INS-090). NULL: text says why (malloc, may be NULL when there is no memory). */
struct library *library_open(const char *path, char **text);
/* Opens a library for one call, without calling the linker if it is open already. */
struct library *library_borrow(const char *path, char **text);
/* Ends a use; l may be NULL. */
void library_close(struct library *l);
/* Keeps a library open until library_drop_preloaded (INS-087). */
void library_preload(struct library *l);
/* Ends the effect of library_preload, for one library or, with NULL, for all (PHY-050). */
void library_drop_preloaded(const struct library *only);
/* Uses the open library of a driver of the service if it is of exactly this file, and closes an unused one of another
 * file. NULL: text is the reason, or NULL if there is no such library. */
struct library *library_use_served(const char *given, const struct file_identity *identity, char **text);
/* Adds the library of a driver of the service. Takes ownership of closure. NULL: text as for library_open. */
struct library *library_add_served(const char *given, const struct file_identity *identity, struct closure *closure,
                                   const struct objects_mark *before, char **text);
/* Opens a library that the table does not contain, unless it is a loader (DRV-046). NULL: text as for library_open. */
void *library_dlopen(const char *path, char **text);
/* Reports whether VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING is exactly 1. */
bool library_never_closed(void);
/* Drops one reference of the linker to a library, unless libraries are never closed. */
void library_let_go(void *handle);
/* Returns the message about a library that is a loader, for free(); NULL without memory. */
char *library_loader_text(const char *name, const char *loader);

/* ---- objects.c -------------------------------------------------------------------------------------------------- */

/* Returns the state of the linker's list of objects. */
struct objects_mark objects_mark(void);
/* Returns the paths of the objects that have come into the process since then, without those of descriptors, for
 * free(). A NUL ends each path, an empty path the list. own: the path of the library that was opened. NULL: unknown. */
char *objects_since(const struct objects_mark *before, const char *own);
/* Contents of an object in memory; 0: unknown. */
struct object_trace {
    uint64_t head;  /* file_hash of the beginning of its file */
    uintptr_t word; /* of its data, which most linkers relocate at its start: cutting the file off resets it */
};
/* Returns those of the object of a path. Do not call it if the beginning of the file has changed. */
struct object_trace object_trace(const char *path);
/* Returns the files that decide whether the linker would find a bare name at this path again, in the same form: those
 * in earlier directories, which need not exist, and its cache. NULL: unknown. */
char *linker_search_paths(const char *name, const char *found);

/* ---- served.c --------------------------------------------------------------------------------------------------- */

/* Opens a driver of the service from its files, in their order; the last is the driver's library. given: its name in
 * messages. NULL: text as for library_open. */
struct library *library_served(struct service *service, const char *given, const struct serve_file *file,
                               uint32_t count, char **text);

/* ---- negotiate.c ------------------------------------------------------------------------------------------------ */

#define DRIVER_INTERFACE_VERSION 7u /* DRV-047: versions 0 to 7 are accepted */

/* Agrees on the interface version and looks up the driver's commands (DRV-047 to 063). Returns false if the driver is
 * rejected, after its message. Messages about a rejected driver use given, the path passed to the linker, not the real
 * path (DRV-025). */
bool driver_negotiate(struct instance *instance, struct driver_lib *lib, const char *given);
/* Looks up a driver's enumerate_adapter, after negotiation (WIN-062). */
void adapter_function_find(struct driver_lib *lib);

/* ---- direct.c --------------------------------------------------------------------------------------------------- */

/* The name of an application's direct driver in messages (DRV-100). */
extern const char driver_direct_path[];

/* Creates a driver from one entry of the application's list. NULL: skipped, after its message, or no memory (then
 * *result says so). */
struct driver_lib *driver_direct(struct instance *instance, const VkDirectDriverLoadingInfoLUNARG *info, uint32_t index,
                                 VkResult *result);

/* ---- driver.c -------------------------------------------------------------------------------------------------- */

/* Carries out the open_driver, serve_driver and direct steps of a plan, and prints its log steps in their place. Ends
 * the connection to the driver service. */
VkResult drivers_open(struct instance *instance, const struct plan *plan, const VkInstanceCreateInfo *info,
                      struct service *service, struct driver_libs **libs);
/* Appends the extensions of the libraries to the facts, as driver and driver_ext records. */
VkResult drivers_facts(struct instance *instance, const struct driver_libs *libs, struct facts *facts);
/* Closes the drivers that the core drops once it has these facts (INS-017). */
void drivers_leave_out(struct driver_libs *libs, const struct plan *plan);
void drivers_close(struct instance *instance, struct driver_libs *libs);
/* Closes the library of a lost driver. */
void driver_lib_drop(struct driver_libs *libs, struct driver_lib *lib);

/* ---- layer.c --------------------------------------------------------------------------------------------------- */

/* The layer list of an instance, its active list, and its chain of opened layers. All are made in vkCreateInstance and
 * do not change before vkDestroyInstance (LAY-4), so they are read without the lock. The plan may leave out explicit
 * layers that are not requested; layer_named then builds the full list from the facts of vkCreateInstance. */

struct layer {
    const char *name, *description, *manifest;
    const char *library; /* as passed to dlopen; NULL: a meta-layer */
    uint32_t spec_version, impl_version;
    bool implicit, meta;
    bool unchained;                               /* active, but another layer of its name is in the chain (SET-44) */
    const char *fn_negotiate, *fn_gipa, *fn_gdpa; /* symbols after renaming (LAY-68) */
    const char *disable_env, *enable_env, *enable_value; /* NULL when not declared */
    uint32_t device_ext_count;
    VkExtensionProperties *device_ext;
    uint32_t entrypoint_count; /* of all device extensions (LAY-83) */
    const char **entrypoint;
};

/* One entry of the active list: index 0 is closest to the application, meta-layers are included (LAY-252). */
struct layer_active {
    struct layer *layer;
    uint32_t enabled_by; /* an enum wire_enabled_by */
    bool app_named;
};

/* A layer whose library was opened: the chain, index 0 on top. */
struct layer_node {
    struct layer *layer;
    uint32_t enabled_by;
    void *handle;
    char *path; /* of the loaded library; NULL: not looked up, because no message needed it */
    uint32_t interface_version;
    PFN_vkGetInstanceProcAddr gipa;
    PFN_vkGetDeviceProcAddr gdpa;        /* NULL: not in device chains (LAY-294) */
    PFN_GetPhysicalDeviceProcAddr gpdpa; /* NULL: none */
};

struct layer_list {
    struct plan plan; /* owns the strings */
    struct layer *layer;
    uint32_t count;
    struct layer_active *active;
    uint32_t active_count;
    struct layer_node *node;
    uint32_t node_count;
    bool unlisted;                  /* the explicit layers are left out */
    struct saved_facts *asked;      /* the facts of vkCreateInstance, if layers are left out */
    struct layer_list *_Atomic all; /* the full list, built on demand */
};

/* Builds a list from a plan. Takes ownership of the plan on success. */
VkResult layers_read(struct plan *plan, struct layer_list **out);
void layers_free(struct layer_list *list);
/* Finds a layer of an instance by name, the last of several (LAY-260). *layer is NULL if there is none. */
VkResult layer_named(struct layer_list *list, const char *name, const struct layer **layer);

/* Opens and negotiates the libraries of the active layers, from bottom to top (LAY-277), and reports the failed ones.
 */
VkResult layers_open(struct instance *instance);
/* Closes the layers in layer-list order (LAY-281). */
void layers_close(struct instance *instance);
/* Returns the path of the loaded library, for free(); NULL without memory. */
char *layer_node_path(const struct layer_node *n);
/* Logs the layers of the chain as a call stack (LAY-423 to 427). */
void layers_log_stack(struct instance *instance, bool device);
/* Logs that a layer at or after index from returned VK_SUCCESS without calling down (LAY-361). */
void layers_log_idle(struct instance *instance, bool device, uint32_t from);

#endif
