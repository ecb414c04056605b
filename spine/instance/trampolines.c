/* trampolines.c: vkCreateInstance and vkDestroyInstance as programs call them. vkCreateInstance asks the core, opens
 * the driver and layer libraries of its plan, and calls the chain. */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "gen/zends.h"
#include "gen/zwire.h"
#include "instance/instance.h"
#include "physdev/physdev.h"

/* HND-036, LAY-322: a layer may overwrite 128 bytes at the handle without damage to the loader's data. */
_Static_assert(offsetof(struct instance, own_table) >= 128, "HND-036");

/* ---- facts ----------------------------------------------------------------------------------------------------- */

/* Returns a copy of a list of names, each cut off at 257 bytes, so that no more is read than FUZ-044 allows. */
static const char **cut_names(const char *const *names, uint32_t count, char **store)
{
    *store = NULL;
    if (!names || count == 0) return NULL;
    const char **list = array_grow(NULL, count, sizeof *list);
    uint64_t size = 0; /* 64 bits, since the program may list one long name many times */
    for (uint32_t i = 0; list && i < count; i++)
        if (names[i]) size += strnlen(names[i], 257) + 1;
    char *at = list ? array_grow(NULL, size, 1) : NULL;
    if (!at) {
        free(list);
        return NULL;
    }
    *store = at;
    for (uint32_t i = 0; i < count; i++) {
        list[i] = names[i] ? at : NULL;
        if (!names[i]) continue;
        size_t length = strnlen(names[i], 257);
        memcpy(at, names[i], length);
        at[length] = 0;
        at += length + 1;
    }
    return list;
}

/* Writes what the program asks vkCreateInstance for. */
static VkResult put_app(struct facts *facts, const VkInstanceCreateInfo *info)
{
    static const VkApplicationInfo none;
    const VkApplicationInfo *app = info->pApplicationInfo ? info->pApplicationInfo : &none;
    const VkDirectDriverLoadingListLUNARG *direct =
        chain_find(info->pNext, VK_STRUCTURE_TYPE_DIRECT_DRIVER_LOADING_LIST_LUNARG);
    char *layer_store, *ext_store;
    const char **layers = cut_names(info->ppEnabledLayerNames, info->enabledLayerCount, &layer_store);
    const char **exts = cut_names(info->ppEnabledExtensionNames, info->enabledExtensionCount, &ext_store);
    bool fits = (layers || !info->ppEnabledLayerNames || !info->enabledLayerCount) &&
                (exts || !info->ppEnabledExtensionNames || !info->enabledExtensionCount);
    struct wire_writer *w = facts_writer(facts);
    if (fits)
        wire_put_app(w,
                     &(struct wire_app){
                         WIRE_STR(app_name, app->pApplicationName), .app_version = app->applicationVersion,
                         WIRE_STR(engine_name, app->pEngineName), .engine_version = app->engineVersion,
                         .api_version = app->apiVersion, .flags = info->flags, .layer_count = info->enabledLayerCount,
                         .layers_null = info->ppEnabledLayerNames == NULL,
                         WIRE_STRS(layers, layers, layers ? info->enabledLayerCount : 0),
                         .ext_count = info->enabledExtensionCount, .exts_null = info->ppEnabledExtensionNames == NULL,
                         WIRE_STRS(exts, exts, exts ? info->enabledExtensionCount : 0), .direct_list = direct != NULL,
                         .direct_mode = direct ? (uint32_t)direct->mode : 0, .direct_null = direct && !direct->pDrivers,
                         .direct_count = direct ? direct->driverCount : 0});
    free(layers);
    free(exts);
    free(layer_store);
    free(ext_store);
    return fits && !w->failed ? VK_SUCCESS : VK_ERROR_OUT_OF_HOST_MEMORY;
}

/* ---- the chain ------------------------------------------------------------------------------------------------- */

static VKAPI_ATTR VkResult VKAPI_CALL set_instance_data(VkInstance handle, void *object)
{ /* LAY-377: copies the instance's word to a layer's object */
    struct instance *in = instance_find(handle);
    if (!in || !object) return VK_ERROR_INITIALIZATION_FAILED;
    *(void **)object = in->table;
    return VK_SUCCESS;
}

static VkResult call_chain(struct instance *in, const VkInstanceCreateInfo *info,
                           const VkAllocationCallbacks *allocator)
{
    uint32_t count = in->layers->node_count;
    VkLayerInstanceLink *links = array_new(0, (uint64_t)count + 1, sizeof *links);
    if (!links) return VK_ERROR_OUT_OF_HOST_MEMORY;
    /* Links the layers from the bottom up: a layer's link has the functions that the layer calls next (LAY-312 to 314).
     */
    PFN_vkGetInstanceProcAddr gipa = (PFN_vkGetInstanceProcAddr)term_vkGetInstanceProcAddr;
    PFN_GetPhysicalDeviceProcAddr gpdpa = (PFN_GetPhysicalDeviceProcAddr)term_GetPhysicalDeviceProcAddr;
    for (uint32_t i = count; i-- > 0;) {
        const struct layer_node *n = &in->layers->node[i];
        links[i] = (VkLayerInstanceLink){i + 1 < count ? &links[i + 1] : NULL, gipa, gpdpa};
        gipa = n->gipa;
        if (n->interface_version >= 2 && n->gpdpa) gpdpa = n->gpdpa;
    }
    layers_log_stack(in, false);

    VkLayerInstanceCreateInfo link = {.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                      .pNext = info->pNext,
                                      .function = VK_LAYER_LINK_INFO,
                                      .u.pLayerInfo = links};
    VkLayerInstanceCreateInfo data = {.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                      .pNext = count ? &link : info->pNext,
                                      .function = VK_LOADER_DATA_CALLBACK,
                                      .u.pfnSetInstanceLoaderData = set_instance_data};
    VkLayerInstanceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                        .pNext = &data,
                                        .function = VK_LOADER_LAYER_CREATE_DEVICE_CALLBACK,
                                        .u.layerDevice = {layer_create_device, layer_destroy_device}};
    VkLayerInstanceCreateInfo features = {.sType = VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO,
                                          .pNext = &device,
                                          .function = VK_LOADER_FEATURES,
                                          .u.loaderFeatures = count ? sort_features(in) : 0};
    VkInstanceCreateInfo copy = *info;
    copy.pNext = &features; /* LAY-304: the loader's structures come before the program's chain */

    /* LAY-321: every layer finds the loader's handle in *pInstance */
    VkInstance handle = (VkInstance)in;
    /* LAY-319: asked of the top layer with the handle under construction, and called once */
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)gipa((VkInstance)in, "vkCreateInstance");
    VkResult result = VK_ERROR_INITIALIZATION_FAILED;
    if (!create) {
        log_text(in, LOG_ERROR, "loader_create_instance_chain: Failed to find 'vkCreateInstance'");
    } else {
        result = create(&copy, allocator, &handle);
        /* INS-057: from a layer, since the terminator never returns this */
        if (result == VK_ERROR_EXTENSION_NOT_PRESENT)
            log_text(
                in, LOG_WARN,
                "vkCreateInstance: Layer returning invalid extension error not triggered by ICD/Loader (Policy #LLP_LAYER_17).");
        if (result == VK_SUCCESS && !handle) {
            log_text(in, LOG_ERROR | LOG_LAYER, "vkCreateInstance: A layer returned VK_SUCCESS, but no instance");
            result = VK_ERROR_INITIALIZATION_FAILED;
        }
        if (result == VK_SUCCESS && !in->drivers) { /* the chain did not call the terminator */
            layers_log_idle(in, false, 0);
            result = VK_ERROR_INITIALIZATION_FAILED;
        }
    }
    if (result == VK_SUCCESS) { /* a positive result, too, means that there is no instance (INS-026) */
        in->lower = handle;
        table_fill_instance(in, gipa);
    }
    free(links);
    return result;
}

/* ---- creation -------------------------------------------------------------------------------------------------- */

static VkResult copy_app_layers(struct instance *in, const VkInstanceCreateInfo *info)
{
    if (!info->ppEnabledLayerNames || !info->enabledLayerCount) return VK_SUCCESS;
    in->app_layers = calloc(info->enabledLayerCount, sizeof *in->app_layers);
    if (!in->app_layers) return VK_ERROR_OUT_OF_HOST_MEMORY;
    for (uint32_t i = 0; i < info->enabledLayerCount; i++, in->app_layer_count++)
        if (!(in->app_layers[i] = strdup(info->ppEnabledLayerNames[i]))) return VK_ERROR_OUT_OF_HOST_MEMORY;
    return VK_SUCCESS;
}

/* Asks the core, and opens the driver and layer libraries of its plan. */
static VkResult decide_and_open(struct instance *in, const VkInstanceCreateInfo *info, struct facts *facts)
{
    struct plan plan = {0}, second = {0};
    VkResult result = core_decide(in, facts, WIRE_QUESTION_INSTANCE, NULL, false, &plan);
    if (result != VK_SUCCESS) return result;
    if (plan.result != VK_SUCCESS) {
        plan_log(in, &plan);
        result = plan.result;
        plan_free(&plan);
        return result;
    }
    result = drivers_open(in, &plan, info, facts_service(facts), &in->libs);
    if (result == VK_SUCCESS) result = configurations_read(in, &plan);
    if (result == VK_SUCCESS) result = layers_read(&plan, &in->layers);
    if (result == VK_SUCCESS && in->layers->unlisted && !(in->layers->asked = facts_keep(facts)))
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    plan_free(&plan);
    if (result == VK_SUCCESS) result = drivers_facts(in, in->libs, facts);
    if (result == VK_SUCCESS) result = core_decide(in, facts, WIRE_QUESTION_INSTANCE_DRIVERS, NULL, false, &second);
    if (result == VK_SUCCESS) {
        plan_log(in, &second);
        result = second.result;
        if (result == VK_SUCCESS) drivers_leave_out(in->libs, &second);
        plan_free(&second);
    }
    if (result == VK_SUCCESS) result = copy_app_layers(in, info);
    if (result == VK_SUCCESS) result = layers_open(in);
    return result;
}

/* Frees all that the instance owns, also of an instance whose creation has failed. */
static void instance_free(struct instance *in)
{
    instance_drop(in);
    instance_free_objects(in);
    physdevs_free(in);
    drivers_close(in, in->libs);
    if (in->layers) {
        layers_close(in);
        layers_free(in->layers);
    }
    configurations_free(in);
    for (uint32_t i = 0; i < in->app_layer_count; i++) free(in->app_layers[i]);
    free(in->app_layers);
    unknown_names_free(in);
    messengers_chained_free(in);
    log_forget(in);
    free(in);
    system_drop();
}

static VkResult create_instance(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocator,
                                VkInstance *out, bool inside_dxgi)
{
    if (!info) { /* INS-020: a NULL pCreateInfo is an error */
        log_text(NULL, LOG_FATAL | LOG_ERROR | LOG_VALIDATION,
                 "vkCreateInstance: 'pCreateInfo' is NULL (VUID-vkCreateInstance-pCreateInfo-parameter)");
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    if (!out) { /* INS-021: a NULL pInstance is an error */
        log_text(NULL, LOG_FATAL | LOG_ERROR | LOG_VALIDATION,
                 "vkCreateInstance 'pInstance' not valid (VUID-vkCreateInstance-pInstance-parameter)");
        return VK_ERROR_INITIALIZATION_FAILED;
    }
    struct instance *in = calloc(1, sizeof *in);
    if (!in) return VK_ERROR_OUT_OF_HOST_MEMORY;
    in->table = &in->own_table;
    in->magic = INSTANCE_MAGIC;
    in->lower = (VkInstance)in;
    in->has_allocator = allocator != NULL;
    if (allocator) in->allocator = *allocator; /* ALC-011: a copy, since the caller may free its structure */
    in->api_version = VK_API_VERSION_1_0;      /* until the terminator knows the version */
    in->inside_dxgi = inside_dxgi;
    table_fill_missing(in);
    instance_add(in);
    system_hold();

    struct facts *facts = NULL;
    int cancel = cancel_off(); /* files and a socket may be open meanwhile */
    /* DBG-006: chained callbacks are active before settings, layers and drivers are read */
    VkResult result = messengers_chained_start(in, info->pNext, allocator);
    if (result == VK_SUCCESS && !(facts = facts_new())) result = VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result == VK_SUCCESS) result = put_app(facts, info);
    /* names that are not all readable have failed before */
    if (result == VK_SUCCESS && info->ppEnabledExtensionNames)
        in->enabled = extension_bits(info->ppEnabledExtensionNames, info->enabledExtensionCount);
    if (result == VK_SUCCESS) result = decide_and_open(in, info, facts);
    facts_free(facts);
    cancel_on(cancel);
    if (result == VK_SUCCESS) result = call_chain(in, info, allocator);
    if (result != VK_SUCCESS) { /* INS-026, INS-078: a failed call leaves no driver instance behind */
        drivers_end(in, drivers_allocator(in));
        instance_free(in);
        return result;
    }
    messengers_chained_rest(in); /* DBG-008: they receive nothing until vkDestroyInstance */
    *out = (VkInstance)in;       /* LAY-325: the loader's handle, never a layer's */
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL tramp_vkCreateInstance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkInstance *out)
{
    struct inside inside;
    inside_begin(&inside, __builtin_return_address(0));
    VkResult result = create_instance(info, allocator, out, inside.dxgi);
    inside_end(&inside);
    return result;
}
EXPORT_COMMAND(vkCreateInstance);

/* ---- destruction ----------------------------------------------------------------------------------------------- */

VKAPI_ATTR void VKAPI_CALL tramp_vkDestroyInstance(VkInstance handle, const VkAllocationCallbacks *allocator)
{
    if (!handle) return; /* INS-081: NULL is allowed */
    struct instance *in = instance_of(handle);
    if (in->magic != INSTANCE_MAGIC) bad_handle(CMD_vkDestroyInstance);
    /* DBG-009, DBG-010: activates chained callbacks again, and drops the callbacks that the program has not destroyed
     */
    messengers_chained_wake(in);
    ((PFN_vkDestroyInstance)in->table->slot[ISLOT_vkDestroyInstance])(in->lower, allocator);
    /* INS-085: the driver instances that remain because a layer did not call the terminator */
    drivers_end(in, allocator);
    in->magic = 0;
    instance_free(in);
    library_drop_preloaded(NULL); /* INS-088: libraries that no live instance needs are closed */
}
EXPORT_COMMAND(vkDestroyInstance);
