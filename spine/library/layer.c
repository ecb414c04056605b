/* layer.c: the layer list of an instance as the core decided it, and the layer libraries: opening, negotiation of
 * interface versions 0 to 2, failure rules, closing, and the call-stack log.
 *
 * It decides nothing about which layers are active and calls no Vulkan command of a layer.
 */
#include "library/library.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/zwire.h"

/* ---- the list -------------------------------------------------------------------------------------------------- */

void layers_free(struct layer_list *list)
{
    if (!list) return;
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->layer[i].device_ext);
        free(list->layer[i].entrypoint);
    }
    for (uint32_t i = 0; i < list->node_count; i++) free(list->node[i].path);
    free(list->layer);
    free(list->active);
    free(list->node);
    plan_free(&list->plan);
    saved_facts_free(list->asked);
    layers_free(atomic_load(&list->all));
    free(list);
}

/* Makes room for one more element in a list of count elements. Returns false without memory. */
static bool grow(void *list, uint32_t count, size_t size)
{
    /* grows at 0, 1, 2, 4, 8, ... */
    return count & (count - 1) || array_more(list, count, count ? count : 1, size);
}

static bool add_ext(struct layer *layer, const struct wire_layer_ext *e)
{
    if (!grow(&layer->device_ext, layer->device_ext_count, sizeof *layer->device_ext)) return false;
    VkExtensionProperties *p = &layer->device_ext[layer->device_ext_count++];
    *p = (VkExtensionProperties){.specVersion = e->spec_version};
    strncpy(p->extensionName, e->name, sizeof p->extensionName - 1);
    struct wire_strs names = e->entrypoints;
    const char *name;
    uint32_t length;
    while (wire_strs_next(&names, &name, &length)) {
        if (!grow(&layer->entrypoint, layer->entrypoint_count, sizeof *layer->entrypoint)) return false;
        layer->entrypoint[layer->entrypoint_count++] = name;
    }
    return true;
}

/* Returns false without memory. */
static bool add_record(struct layer_list *list, const struct wire_record *record)
{
    struct wire_layer l;
    struct wire_layer_ext e;
    if (wire_get_layer(record, &l)) {
        if (!grow(&list->layer, list->count, sizeof *list->layer)) return false;
        list->layer[list->count++] = (struct layer){.name = l.name,
                                                    .description = l.description,
                                                    .manifest = l.manifest,
                                                    .library = l.library,
                                                    .spec_version = l.spec_version,
                                                    .impl_version = l.impl_version,
                                                    .implicit = (l.flags & WIRE_LAYER_IMPLICIT) != 0,
                                                    .unchained = (l.flags & WIRE_LAYER_UNCHAINED) != 0,
                                                    .meta = (l.flags & WIRE_LAYER_META) != 0,
                                                    .fn_negotiate = l.fn_negotiate,
                                                    .fn_gipa = l.fn_gipa,
                                                    .fn_gdpa = l.fn_gdpa,
                                                    .disable_env = l.disable_env,
                                                    .enable_env = l.enable_env,
                                                    .enable_value = l.enable_value};
    } else if (wire_get_layer_ext(record, &e) && e.layer < list->count && e.name) {
        return add_ext(&list->layer[e.layer], &e);
    } else if (record->id == WIRE_UNLISTED) {
        list->unlisted = true;
    }
    return true;
}

static bool add_active(struct layer_list *list, const struct wire_record *record)
{
    struct wire_active a;
    if (!wire_get_active(record, &a) || a.layer >= list->count) return true;
    if (!grow(&list->active, list->active_count, sizeof *list->active)) return false;
    list->active[list->active_count++] = (struct layer_active){&list->layer[a.layer], a.enabled_by, a.app_named != 0};
    return true;
}

VkResult layers_read(struct plan *plan, struct layer_list **out)
{
    struct layer_list *list = calloc(1, sizeof *list);
    if (!list) return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct wire_reader reader;
    struct wire_record record;
    bool fits = true;
    wire_open(&reader, plan->bytes, plan->size);
    while (fits && wire_next(&reader, &record)) fits = add_record(list, &record);
    /* Active entries point to layers, so they are added once the layers no longer move. */
    wire_open(&reader, plan->bytes, plan->size);
    while (fits && wire_next(&reader, &record)) fits = add_active(list, &record);
    if (!fits) {
        layers_free(list);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    list->plan = *plan;
    *plan = (struct plan){0};
    *out = list;
    return VK_SUCCESS;
}

/* Returns the last layer with a name (LAY-260), or NULL. */
static const struct layer *find(const struct layer_list *list, const char *name)
{
    for (uint32_t i = list->count; i > 0; i--)
        if (strcmp(list->layer[i - 1].name, name) == 0) return &list->layer[i - 1];
    return NULL;
}

/* Builds the list with all explicit layers. If two threads build it at once, the first one's list is used. */
static VkResult list_all(struct layer_list *list, struct layer_list **out)
{
    struct plan plan;
    struct layer_list *made = NULL;
    VkResult result = core_decide_whole(list->asked, &plan);
    if (result == VK_SUCCESS) result = layers_read(&plan, &made);
    plan_free(&plan);
    *out = NULL;
    if (result == VK_SUCCESS && !atomic_compare_exchange_strong(&list->all, out, made))
        layers_free(made);
    else
        *out = made;
    return result;
}

VkResult layer_named(struct layer_list *list, const char *name, const struct layer **layer)
{
    struct layer_list *all = list->asked ? atomic_load(&list->all) : list;
    VkResult result = all ? VK_SUCCESS : list_all(list, &all);
    *layer = all ? find(all, name) : NULL;
    return result;
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

enum state { NOT_TRIED, WRONG_CLASS, FAILED, UNUSABLE, NO_MEMORY, OPENED };

/* Reports whether the layer's functions are not the loader's own, or logs that they are: as with drivers (INS-018). */
static bool is_foreign(struct instance *in, const struct layer_node *n)
{
    if (!code_is_own((void *)n->gipa)) return true;
    log_line(
        in, LOG_ERROR | LOG_LAYER,
        "loader_create_instance_chain: Layer library \"%s\" is this loader itself or leads back to it, which would never end",
        n->layer->library);
    return false;
}

/* Negotiates the interface version and looks up the layer's functions (LAY-284 to 294). Returns false if there is no
 * usable vkGetInstanceProcAddr, after its message. */
static bool negotiate(struct instance *in, struct layer_node *n)
{
    const struct layer *l = n->layer;
    PFN_vkNegotiateLoaderLayerInterfaceVersion ask = gate_dlsym(n->handle, l->fn_negotiate);
    VkNegotiateLayerInterface offer = {.sType = LAYER_NEGOTIATE_INTERFACE_STRUCT, .loaderLayerInterfaceVersion = 2};
    if (ask && ask(&offer) == VK_SUCCESS && offer.loaderLayerInterfaceVersion >= 2) {
        n->interface_version = offer.loaderLayerInterfaceVersion;
        n->gipa = offer.pfnGetInstanceProcAddr;
        n->gdpa = offer.pfnGetDeviceProcAddr;
        n->gpdpa = offer.pfnGetPhysicalDeviceProcAddr;
    }
    if (n->gipa) return is_foreign(in, n);
    /* LAY-288, 289, 291: at version 1, after a failed negotiation, or with no GIPA given, the export is used */
    n->gipa = gate_dlsym(n->handle, l->fn_gipa);
    if (!n->gipa) {
        log_line(in, LOG_ERROR | LOG_LAYER, "loader_create_instance_chain: Failed to find '%s' in layer \"%s\"",
                 l->fn_gipa, l->library);
        return false;
    }
    if (n->interface_version < 2) n->gdpa = gate_dlsym(n->handle, l->fn_gdpa);
    return is_foreign(in, n);
}

/* Loads a layer's library and negotiates the interface version with it. */
static enum state open_one(struct instance *in, struct layer_node *n)
{
    const struct layer *l = n->layer;
    char *text = NULL;
    n->handle = library_dlopen(l->library, &text);
    if (!n->handle && !text) return NO_MEMORY;
    if (!n->handle) { /* LAY-296: the dynamic linker's text is an error, but for a wrong ELF class */
        bool wrong = text_of_wrong_class(text);
        log_text(in, wrong ? LOG_INFO : LOG_ERROR, text);
        free(text);
        return wrong ? WRONG_CLASS : FAILED;
    }
    log_line(in, LOG_DEBUG | LOG_LAYER, "Loading layer library %s", l->library);
    if (!negotiate(in, n)) return UNUSABLE;
    if (!log_heard(in)) return OPENED; /* only messages need the path */
    if (!(n->path = layer_node_path(n))) return NO_MEMORY;
    /* LAY-283: a warning if the loaded file is not the manifest's */
    if (path_has_directory(l->library)) {
        char *wanted = path_other_than(l->library, n->path);
        if (wanted)
            log_line(in, LOG_WARN | LOG_LAYER, "Path to given binary %s was found to differ from OS loaded path %s",
                     wanted, n->path);
        free(wanted);
    }
    /* LAY-282: each layer in the chain, with the path of the loaded library */
    log_line(in, LOG_INFO | LOG_LAYER, "Insert instance layer \"%s\" (%s)", l->name, n->path);
    return OPENED;
}

static void close_one(struct instance *in, struct layer_node *n)
{
    if (!n->handle) return;
    if (!library_never_closed()) log_line(in, LOG_DEBUG | LOG_LAYER, "Unloading layer library %s", n->layer->library);
    library_let_go(n->handle);
    n->handle = NULL;
}

/* Logs that an active layer is missing (LAY-297 to 301). It is an error if the application named the layer. */
static void report(struct instance *in, const struct layer_active *a, enum state state)
{
    unsigned flags = (a->app_named ? LOG_ERROR : LOG_INFO) | LOG_LAYER;
    char end = a->app_named ? '!' : '.';
    switch (state) {
    case NOT_TRIED: log_line(in, flags, "Requested layer \"%s\" was not loaded%c", a->layer->name, end); break;
    case WRONG_CLASS: log_line(in, flags, "Requested layer \"%s\" was wrong bit-type%c", a->layer->name, end); break;
    case FAILED: log_line(in, flags, "Requested layer \"%s\" failed to load%c", a->layer->name, end); break;
    case UNUSABLE:
        log_line(
            in, flags,
            "Shouldn't reach this. A valid version of requested layer %s was loaded but was not found in the list of activated layers%c",
            a->layer->name, end);
        break;
    case OPENED:
    case NO_MEMORY: break;
    }
}

VkResult layers_open(struct instance *in)
{
    struct layer_list *list = in->layers;
    if (list->active_count == 0) return VK_SUCCESS;
    enum state *state = calloc(list->active_count, sizeof *state);
    struct layer_node *node = calloc(list->active_count, sizeof *node);
    if (!state || !node) {
        free(state);
        free(node);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    for (uint32_t i = list->active_count; i-- > 0;) {
        const struct layer_active *a = &list->active[i];
        if (a->layer->meta || a->layer->unchained) continue;
        node[i].layer = a->layer;
        node[i].enabled_by = a->enabled_by;
        state[i] = open_one(in, &node[i]);
    }
    VkResult result = VK_SUCCESS;
    for (uint32_t i = 0; i < list->active_count; i++) /* ALC-030: a lack of memory never skips a layer silently */
        if (state[i] == NO_MEMORY) result = VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < list->active_count && result == VK_SUCCESS; i++) {
        const struct layer_active *a = &list->active[i];
        if (a->layer->meta || a->layer->unchained || state[i] == OPENED) continue;
        report(in, a, state[i]);
        if (a->app_named) result = VK_ERROR_LAYER_NOT_PRESENT;
    }
    for (uint32_t i = 0; i < list->active_count; i++) {
        if (state[i] == OPENED) {
            node[list->node_count++] = node[i];
        } else {
            close_one(in, &node[i]);
            free(node[i].path);
        }
    }
    free(state);
    list->node = node;
    return result;
}

void layers_close(struct instance *in)
{
    struct layer_list *list = in->layers;
    for (const struct layer *l = list->layer, *end = l + list->count; l != end; l++)
        for (uint32_t i = 0; i < list->node_count; i++)
            if (list->node[i].layer == l) close_one(in, &list->node[i]);
}

/* ---- the call stack in the log --------------------------------------------------------------------------------- */

static const char *enabled_by(uint32_t by)
{
    switch (by) { /* LAY-425: the words of "Enabled By:" */
    case WIRE_BY_IMPLICIT: return "Implicit Layer";
    case WIRE_BY_VARIABLE: return "Environment Variable VK_INSTANCE_LAYERS";
    case WIRE_BY_ENABLE: return "Environment Variable VK_LOADER_LAYERS_ENABLE";
    case WIRE_BY_APPLICATION: return "By the Application";
    case WIRE_BY_META: return "Meta Layer (Vulkan Configurator)";
    default: return "Loader Settings File (Vulkan Configurator)";
    }
}

char *layer_node_path(const struct layer_node *n)
{
    char *path = n->path ? strdup(n->path) : gate_path_of((void *)n->gipa);
    return path ? path : strdup(n->layer->library);
}

void layers_log_stack(struct instance *in, bool device)
{
    if (!log_heard(in)) return;
    unsigned frame = device ? LOG_LAYER | LOG_DRIVER : LOG_LAYER; /* LAY-427: at vkCreateDevice both categories */
    log_line(in, frame, "%s layer callstack setup to:", device ? "vkCreateDevice" : "vkCreateInstance");
    log_text(in, frame, "   <Application>");
    log_text(in, frame, "     ||");
    log_text(in, frame, "   <Loader>");
    log_text(in, frame, "     ||");
    for (uint32_t i = 0; i < in->layers->node_count; i++) {
        const struct layer_node *n = &in->layers->node[i];
        const struct layer *l = n->layer;
        if (device && !n->gdpa) continue;
        log_line(in, LOG_LAYER, "   %s", l->name);
        log_line(in, LOG_LAYER, "           Type: %s", l->implicit ? "Implicit" : "Explicit");
        log_line(in, LOG_LAYER, "           Enabled By: %s",
                 enabled_by(l->implicit && n->enabled_by == WIRE_BY_META ? WIRE_BY_IMPLICIT : n->enabled_by));
        if (l->implicit && l->disable_env) { /* LAY-426: implicit layers name their variables */
            log_line(in, LOG_LAYER, "               Disable Env Var:  %s", l->disable_env);
            if (!device && l->enable_env)
                log_line(in, LOG_LAYER, "               This layer was enabled because Env Var %s was set to Value %s",
                         l->enable_env, l->enable_value ? l->enable_value : "");
        }
        log_line(in, LOG_LAYER, "           Manifest: %s", l->manifest);
        char *path = layer_node_path(n);
        log_line(in, LOG_LAYER, "           Library:  %s", path ? path : l->library);
        free(path);
        log_text(in, LOG_LAYER, "     ||");
    }
    log_text(in, frame, device ? "   <Device>" : "   <Drivers>");
}

void layers_log_idle(struct instance *in, bool device, uint32_t from)
{
    char names[384] = "";
    size_t length = 0;
    for (uint32_t i = from; i < in->layers->node_count && length < sizeof names; i++) {
        const struct layer_node *n = &in->layers->node[i];
        if (device && !n->gdpa) continue;
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", n->layer->name);
    }
    log_line(in, LOG_ERROR | LOG_LAYER,
             "%s: a layer returned VK_SUCCESS without calling the next one; the layers between: %s",
             device ? "vkCreateDevice" : "vkCreateInstance", names);
}
