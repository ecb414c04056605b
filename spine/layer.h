/* layer.h: the layer list of an instance, its active list, and the layers that were opened (the chain). Owner: layer.c.
 *
 * All of it is made once, in vkCreateInstance, and never changes before vkDestroyInstance (LAY-4): reading it needs
 * no lock. */
#ifndef VKL_LAYER_H
#define VKL_LAYER_H

#include "spine.h"

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
    uint32_t enabled_by; /* as in the wire's active record */
    bool app_named;
};

/* A layer whose library was opened: the chain, index 0 on top. */
struct layer_node {
    struct layer *layer;
    uint32_t enabled_by;
    void *handle;
    char *path; /* of the library really loaded */
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
};

/* Makes a list from a plan, whose bytes it takes over on success. */
VkResult layers_read(struct plan *plan, struct layer_list **out);
void layers_free(struct layer_list *list);
/* By name, NULL when the list has none; the first of several (LAY-108). */
struct layer *layer_find(const struct layer_list *list, const char *name);

/* Opens and negotiates the libraries of the active layers, bottom to top (LAY-277), and reports the ones that failed.
 */
VkResult layers_open(struct instance *instance);
/* Closes them in layer-list order (LAY-281). */
void layers_close(struct instance *instance);
/* LAY-423 to 427. */
void layers_log_stack(struct instance *instance, bool device);

#endif
