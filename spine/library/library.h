/* library.h: the interface of library/: libraries mapped into the process, driver libraries and layer libraries. It
 * calls the negotiation and lookup functions of libraries, and no Vulkan command of an instance. */
#ifndef VKL_LIBRARY_H
#define VKL_LIBRARY_H

#include "core/core.h"

struct objects;

/* ---- mapped.c --------------------------------------------------------------------------------------------------- */

/* The loader interface functions that a driver's library exports; each is looked up once. */
enum driver_symbol { SYMBOL_NEGOTIATE, SYMBOL_GIPA, SYMBOL_OLD_GIPA, SYMBOL_GPDPA, SYMBOLS };
struct driver_symbols {
    bool known[SYMBOLS];
    void *at[SYMBOLS];
};

struct library; /* a record of the table */

/* One opening of a driver's library. */
struct mapped_lib {
    struct library *library;
    void *handle;
    struct closure *closure; /* NULL, except for a driver of the service */
    char *given;             /* as passed to dlopen */
    char *real;              /* real path of the loaded object if given does not lead to it; else == given */
    bool located;            /* the path where the linker found a bare name is known */
    bool as_given;           /* given, or the located path, leads to the object */
    bool reported;           /* the driver has reported a physical device (INS-088) */
    bool borrowed;           /* open for one call only, without a reference of the linker */
    struct driver_symbols symbols;
};

/* Closes the kept libraries whose files have changed. Call it before opening libraries. */
void library_look(void);
/* Opens a library. NULL: text says why (malloc, may be NULL when there is no memory). */
struct mapped_lib *library_open(const char *path, char **text);
/* Opens a library for one call. If the path is open already, that library is used. */
struct mapped_lib *library_borrow(const char *path, char **text);
/* Takes ownership of the path where the linker found a bare name; NULL: unknown. */
void library_found(struct mapped_lib *lib, char *path);
/* Records that the linker opened the library by the given path. */
void library_lies_as_given(struct mapped_lib *lib);
/* Records the objects that have come into the process since the last call. theirs: the libraries in use may have loaded
 * the new objects, so their files are added to each of these libraries. Otherwise they belong to no earlier library. */
void library_note_objects(bool theirs);
/* Ends an opening. The library is closed, or stays open by the rules of table.c. */
void library_close(struct mapped_lib *lib);
/* Keeps a library open until library_drop_preloaded (INS-087). */
void library_preload(struct mapped_lib *lib);
/* Ends the effect of library_preload, for all libraries or for the given path (PHY-050). */
void library_drop_preloaded(const char *given);
/* Uses the open library of a driver of the service if it is of exactly this file, and closes a kept library of another
 * file. NULL: not open, or no memory. */
struct mapped_lib *library_use_served(const char *given, const struct file_identity *identity);
/* Adds the library of a driver of the service. Takes ownership of closure and before. NULL: no memory. */
struct mapped_lib *library_add_served(const char *given, const struct file_identity *identity, struct closure *closure,
                                      struct objects *before);
/* Opens a library without a record, unless it is a loader (DRV-046) or was overwritten. *identity is set to that of
 * its file; only the build ID is set if the linker searches for it. NULL: text as for library_open. */
void *library_dlopen(const char *path, struct file_identity *identity, char **text);
/* Reports whether a file must not be opened because its mapped code was overwritten. now: all zero if unknown. */
bool library_refused(const char *path, const struct file_identity *now);
/* Closes a layer's library, or puts it into quarantine if its file was overwritten. given: as passed to dlopen. path:
 * the file that has the identity. */
void library_close_layer(void *handle, const char *given, const char *path, const struct file_identity *identity);
/* Reports whether VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING is exactly 1. */
bool library_never_closed(void);
/* Drops one reference of the linker to a library, unless libraries are never closed. */
void library_let_go(void *handle);
/* Messages about refused libraries, for free(); NULL without memory. */
char *library_overwritten_text(const char *name);
char *library_loader_text(const char *name, const char *loader);

/* ---- objects.c -------------------------------------------------------------------------------------------------- */

/* The objects of the process at one moment; reference-counted. */
struct objects;
/* Returns the present objects, held for the caller. NULL: unknown. */
struct objects *objects_now(void);
/* Returns the objects that were not in before, and their dependencies, without those of the program. NULL: unknown. */
struct objects *objects_since(const struct objects *before);
struct objects *objects_hold(struct objects *o);
void objects_drop(struct objects *o);
/* Drops the cached list and the set of lost libraries, for unloading. */
void objects_forget(void);
/* A listed object. at: its place in the process. */
struct objects_entry {
    const char *path;
    const void *at;
    struct build build;
};
/* Sets *out to an object of a list. Returns false behind the last one. */
bool objects_entry(const struct objects *o, unsigned i, struct objects_entry *out);
/* Reports whether an object is still in the process by this path. */
bool objects_have(const void *object, const char *path);

/* ---- search.c --------------------------------------------------------------------------------------------------- */

/* The inputs of the linker's search for a bare name. */
struct search;
/* Returns the present inputs, for free(). NULL: unknown. */
struct search *linker_search_begin(void);
/* Reports whether the linker would find a bare name at the path found again. */
bool linker_search_same(const struct search *s, const char *name, const char *found);

/* ---- served.c --------------------------------------------------------------------------------------------------- */

/* Opens a driver of the service from its files, in their order; the last is the driver's library. given: its name in
 * messages. NULL: text as for library_open. */
struct mapped_lib *library_served(struct service *service, const char *given, const struct serve_file *file,
                                  uint32_t count, char **text);

/* ---- negotiate.c ------------------------------------------------------------------------------------------------ */

#define DRIVER_INTERFACE_VERSION 7u /* DRV-047: versions 0 to 7 are accepted */

/* Agrees on the interface version and looks up the driver's commands (DRV-047 to 063). Returns false if the driver is
 * rejected, after its message. Messages about a rejected driver use the path given to the linker, not the real path
 * (DRV-025). */
bool driver_negotiate(struct instance *instance, struct driver_lib *lib);
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
    char *found;                   /* the path where the linker found a bare name; else NULL */
    char *path;                    /* of the loaded library; NULL: not looked up, because no message needed it */
    struct file_identity identity; /* of its file, taken before opening if the path is known; all zero: unknown */
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
    struct asked *asked;            /* the facts of vkCreateInstance, if layers are left out */
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
