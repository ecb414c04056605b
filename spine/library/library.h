/* library.h: what library/ offers: libraries that are mapped into the process, those of drivers, those of
 * layers. It calls the functions by which libraries are found and understood, and no Vulkan command of an instance. */
#ifndef VKL_LIBRARY_H
#define VKL_LIBRARY_H

#include "core/core.h"

struct objects;

/* ---- mapped.c --------------------------------------------------------------------------------------------------- */

/* What a driver's library exports, asked of the linker once. */
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
    struct closure *closure; /* NULL, but of a driver of the service */
    char *given;             /* as passed to dlopen */
    char *real;              /* real path of the object loaded where given does not lead to it; else == given */
    bool located;            /* the path by which the linker found a bare name is known */
    bool as_given;           /* given, or that path, leads to the object */
    bool reported;           /* its driver has reported a physical device (ERRATA 1) */
    bool borrowed;           /* for a call: without a reference of the linker */
    struct driver_symbols symbols;
};

/* Compares the files of the libraries that stay open, and closes what changed. Call it before opening libraries. */
void library_look(void);
/* Opens a library. NULL: text says why (malloc, may be NULL when there is no memory). */
struct mapped_lib *library_open(const char *path, char **text);
/* The same for the time of one call: a library that is open by this path is used as it is. */
struct mapped_lib *library_borrow(const char *path, char **text);
/* Takes over the path by which the linker found a bare name; NULL: it is unknown. */
void library_found(struct mapped_lib *lib, char *path);
/* Notes that the linker has the library by the path that was given. */
void library_lies_as_given(struct mapped_lib *lib);
/* Attributes new objects of the process to the drivers in use (theirs), or to nobody. */
void library_note_objects(bool theirs);
/* Ends an opening: the library is closed, or stays open by the rule of mapped.c. */
void library_close(struct mapped_lib *lib);
/* Keeps a library open until library_drop_preloaded (INS-087). */
void library_preload(struct mapped_lib *lib);
/* Ends that for all libraries, or for the one whose path was given (PHY-050). */
void library_drop_preloaded(const char *given);
/* The open library of a driver of the service, if it is of exactly this file; one of another file is closed. */
struct mapped_lib *library_use_served(const char *given, const struct file_identity *identity);
/* Takes a closure and a list of objects over. NULL: no memory. */
struct mapped_lib *library_add_served(const char *given, const struct file_identity *identity, struct closure *closure,
                                      struct objects *before);
/* Opens a library without a record, unless it is a loader (ERRATA 29) or was overwritten. identity: of its file, all
 * zero if the linker searches for it. NULL: text as of library_open. */
void *library_dlopen(const char *path, struct file_identity *identity, char **text);
/* Reports whether a file must not be opened, because its code in memory was overwritten. now: all zero if unknown. */
bool library_refused(const struct file_identity *now);
/* Lets a layer's library go, or puts it into quarantine if its file was overwritten. given: as passed to dlopen. path:
 * whose file has the identity. */
void library_close_layer(void *handle, const char *given, const char *path, const struct file_identity *identity);
/* VK_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING is exactly 1. */
bool library_never_closed(void);
/* Gives back a reference to a library, unless they are never closed. */
void library_let_go(void *handle);

/* ---- objects.c -------------------------------------------------------------------------------------------------- */

/* Objects of the process at one moment; counted. */
struct objects;
/* The objects that there are, held for the caller. NULL: unknown. */
struct objects *objects_now(void);
/* The objects that have come since, and their dependencies, except the program's own. NULL: unknown. */
struct objects *objects_since(const struct objects *before);
struct objects *objects_hold(struct objects *o);
void objects_drop(struct objects *o);
/* Forgets the last list, for unloading. */
void objects_forget(void);
unsigned objects_count(const struct objects *o);
const char *objects_path(const struct objects *o, unsigned i);
const void *objects_at(const struct objects *o, unsigned i);
/* Reports whether an object is still in the process by this path. */
bool objects_have(const void *object, const char *path);

/* ---- search.c --------------------------------------------------------------------------------------------------- */

/* What decides a search for a bare name. */
struct search;
/* The state of the search now, for free(). NULL: unknown. */
struct search *linker_search_begin(void);
/* Reports whether the linker would find a bare name at the same path again. */
bool linker_search_same(const struct search *s, const char *name, const char *found);

/* ---- refusal.c -------------------------------------------------------------------------------------------------- */

/* What is said of what may not be opened; by malloc, NULL without memory. */
char *library_overwritten_text(const char *name);
char *library_loader_text(const char *name, const char *loader);

/* ---- served.c --------------------------------------------------------------------------------------------------- */

/* Opens a driver of the service: its files in their order, the driver's own last. given: its name for messages. NULL as
 * of library_open. */
struct mapped_lib *library_served(struct service *service, const char *given, const struct serve_file *file,
                                  uint32_t count, char **text);

/* ---- adapter.c -------------------------------------------------------------------------------------------------- */

/* Looks for a driver's enumerate_adapter, once it has been negotiated with. */
void adapter_function_find(struct driver_lib *lib);

/* ---- negotiate.c ------------------------------------------------------------------------------------------------ */

#define DRIVER_INTERFACE_VERSION 7u /* DRV-047: versions 0 to 7 are accepted */

/* Agrees on the interface version and takes the driver's commands (DRV-047 to 063). False: rejected, after its message.
 * One that is rejected is named as it was given to the linker: its real path is for those that are loaded (DRV-025). */
bool driver_negotiate(struct instance *instance, struct driver_lib *lib);

/* ---- direct.c --------------------------------------------------------------------------------------------------- */

/* DRV-100: what messages call the library of a driver that the application listed */
extern const char driver_direct_path[];

/* One entry of the application's list. NULL: skipped, after its message, or no memory (then *result says so). */
struct driver_lib *driver_direct(struct instance *instance, const VkDirectDriverLoadingInfoLUNARG *info, uint32_t index,
                                 VkResult *result);

/* ---- driver.c -------------------------------------------------------------------------------------------------- */

/* Carries out the open_driver, serve_driver and direct steps of a plan, printing its log steps in their place. The
 * connection to the driver service is ended then. */
VkResult drivers_open(struct instance *instance, const struct plan *plan, const VkInstanceCreateInfo *info,
                      struct service *service, struct driver_libs **libs);
/* Adds what the libraries answer about themselves to the facts: driver and driver_ext records. */
VkResult drivers_facts(struct instance *instance, const struct driver_libs *libs, struct facts *facts);
/* Closes the drivers that the core leaves out after it has seen those facts (ERRATA 20). */
void drivers_leave_out(struct driver_libs *libs, const struct plan *plan);
/* Leaves the libraries open until library_drop_preloaded. */
void drivers_preload(const struct driver_libs *libs);
void drivers_close(struct instance *instance, struct driver_libs *libs);
/* Closes the library of a driver that is gone. */
void driver_lib_drop(struct driver_libs *libs, struct driver_lib *lib);
/* Does the library list this instance extension? */
bool driver_lib_has_ext(const struct driver_lib *lib, const char *name);

/* ---- layer.c --------------------------------------------------------------------------------------------------- */

/* The layer list of an instance, its active list, and the layers that were opened (the chain). All of it is made once,
 * in vkCreateInstance, and never changes before vkDestroyInstance (LAY-4): reading it needs no lock. Explicit layers
 * that nobody asks for may be left out; when one is named, the list with them is made of what was read then. */

struct layer {
    const char *name, *description, *manifest;
    const char *library; /* as given to dlopen; NULL: a meta-layer */
    uint32_t spec_version, impl_version;
    bool implicit, meta;
    bool unchained;                                      /* active, but another of its name is in the chain (SET-44) */
    const char *fn_negotiate, *fn_gipa, *fn_gdpa;        /* symbols after renaming (LAY-68) */
    const char *disable_env, *enable_env, *enable_value; /* NULL when not declared */
    uint32_t device_ext_count;
    VkExtensionProperties *device_ext;
    uint32_t entrypoint_count; /* of all its device extensions (LAY-83) */
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
    char *found;                   /* the path of a library that the linker has searched for; else NULL */
    char *path;                    /* of the library really loaded; NULL: nobody heard of it when it was loaded */
    struct file_identity identity; /* of its file, before it was opened where its path is known; all zero: unknown */
    uint32_t interface_version;
    PFN_vkGetInstanceProcAddr gipa;
    PFN_vkGetDeviceProcAddr gdpa;        /* NULL: not in device chains (LAY-294) */
    PFN_GetPhysicalDeviceProcAddr gpdpa; /* NULL: none */
};

struct layer_list {
    struct plan plan; /* which the strings point into */
    struct layer *layer;
    uint32_t count;
    struct layer_active *active;
    uint32_t active_count;
    struct layer_node *node;
    uint32_t node_count;
    bool unlisted;                  /* it lacks the explicit layers */
    struct asked *asked;            /* what was read of them, then */
    struct layer_list *_Atomic all; /* with them, once somebody has asked for one */
};

/* Makes a list from a plan, whose bytes it takes over on success. */
VkResult layers_read(struct plan *plan, struct layer_list **out);
void layers_free(struct layer_list *list);
/* Finds a layer of an instance by its name, the last of several (LAY-260); NULL when there is none. */
VkResult layer_named(struct layer_list *list, const char *name, const struct layer **layer);

/* Opens and negotiates the libraries of the active layers, bottom to top (LAY-277), and reports the ones that failed.
 */
VkResult layers_open(struct instance *instance);
/* Closes them in layer-list order (LAY-281). */
void layers_close(struct instance *instance);
/* The path of the library really loaded, for free(); NULL without memory. */
char *layer_node_path(const struct layer_node *n);
/* Logs the call stack that the chain makes (LAY-423 to 427). */
void layers_log_stack(struct instance *instance, bool device);
/* That a layer of the chain, of those from index from on, said VK_SUCCESS and has called nobody (ERRATA 32). */
void layers_log_idle(struct instance *instance, bool device, uint32_t from);

#endif
