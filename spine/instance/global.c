/* global.c: the global commands (those without an instance), and the pre-instance functions of implicit layers that are
 * called around them.
 *
 * Each call reads variables, directories and files again (LAY-3). Driver libraries stay open between calls, until the
 * next vkDestroyInstance (INS-087). */
#include <stdlib.h>
#include <string.h>

#include "gen/zends.h"
#include "gen/zwire.h"
#include "library/library.h"

/* INS-012, LAY-234 to 236: sets *count to the number of entries to write, and returns the result. */
static VkResult entries(uint32_t available, uint32_t *count, bool fill)
{
    if (fill && *count < available) return VK_INCOMPLETE;
    *count = available;
    return VK_SUCCESS;
}

/* ---- pre-instance functions (LAY-217 to 232) ------------------------------------------------------------------- */

/* The argument of a pre-instance function: the next function and its argument. It is allocated with malloc, because
 * hundreds of them would not fit on a small stack (G-12). */
union pre_link {
    struct any_link {
        VkChainHeader header;
        void *function;
        const union pre_link *next;
    } any; /* the three other members differ only in the type of the function */
    VkEnumerateInstanceVersionChain version;
    VkEnumerateInstanceLayerPropertiesChain layers;
    VkEnumerateInstanceExtensionPropertiesChain extensions;
};

struct pre_layer {
    void *handle;
    void *function;
    union pre_link link; /* its function is this layer's */
};

_Static_assert(sizeof(union pre_link) == sizeof(struct any_link), "all links have one size");
_Static_assert(offsetof(struct any_link, function) == offsetof(VkEnumerateInstanceVersionChain, pfnNextLayer) &&
                   offsetof(struct any_link, next) == offsetof(VkEnumerateInstanceVersionChain, pNextLink),
               "and one layout");

/* Defines the loader's own function at the end of a chain, which calls the terminator. */
#define LAST(name, Command, parameters, ...)                                                                           \
    static VKAPI_ATTR VkResult VKAPI_CALL name parameters                                                              \
    {                                                                                                                  \
        (void)chain;                                                                                                   \
        return term_vkEnumerateInstance##Command(__VA_ARGS__);                                                         \
    }
LAST(version_last, Version, (const VkEnumerateInstanceVersionChain *chain, uint32_t *version), version)
LAST(layers_last, LayerProperties,
     (const VkEnumerateInstanceLayerPropertiesChain *chain, uint32_t *count, VkLayerProperties *list), count, list)
LAST(extensions_last, ExtensionProperties,
     (const VkEnumerateInstanceExtensionPropertiesChain *chain, const char *layer, uint32_t *count,
      VkExtensionProperties *list),
     layer, count, list)

struct pre_chain {
    const union pre_link *top; /* its function is called first */
    uint32_t count;
    union pre_link last; /* its function is the loader's */
    struct pre_layer layer[];
};

/* Links the arguments: the last layer in list order is called first (LAY-224), and the loader's own function last
 * (LAY-222). */
static void pre_connect(struct pre_chain *chain, uint32_t type, void *last)
{
    const VkChainHeader header = {type, VK_CURRENT_CHAIN_VERSION, sizeof(struct any_link)};
    chain->last.any = (struct any_link){header, last, NULL};
    chain->top = &chain->last;
    for (uint32_t i = 0; i < chain->count; i++) {
        union pre_link *link = &chain->layer[i].link;
        link->any = (struct any_link){header, chain->layer[i].function, chain->top};
        chain->top = link;
    }
}

/* Opens the layers of a plan that have a function for the call. Returns NULL if there are none, or if *result is an
 * error. */
static struct pre_chain *pre_open(const struct plan *plan, const char *call, uint32_t type, void *last,
                                  VkResult *result)
{
    if (*result != VK_SUCCESS) return NULL;
    struct wire_reader reader;
    struct wire_record record;
    struct wire_pre_layer pre;
    uint32_t count = 0;
    wire_open(&reader, plan->bytes, plan->size);
    while (wire_next(&reader, &record)) count += record.id == WIRE_PRE_LAYER;
    if (count == 0) return NULL;
    struct pre_chain *chain = array_new(sizeof *chain, count, sizeof chain->layer[0]);
    if (!chain) {
        *result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return NULL;
    }
    library_look();
    wire_open(&reader, plan->bytes, plan->size);
    while (wire_next(&reader, &record)) {
        if (!wire_get_pre_layer(&record, &pre)) continue;
        char *text;
        void *handle = library_dlopen(pre.library, &text);
        if (!handle) { /* LAY-228: only this layer is left out */
            log_text(NULL, text_of_wrong_class(text) ? LOG_INFO : LOG_ERROR, text ? text : "out of memory");
            free(text);
            continue;
        }
        void *function = gate_dlsym(handle, pre.symbol);
        if (!function || code_is_own(function)) { /* LAY-229, DRV-046: not exported, or the loader itself */
            unsigned flags =
                strcmp(call, "vkEnumerateInstanceExtensionProperties") == 0 ? LOG_WARN | LOG_LAYER : LOG_WARN;
            log_line(NULL, flags, "%s: Unable to resolve symbol \"%s\" in implicit layer library \"%s\"", call,
                     pre.symbol, pre.library);
            library_let_go(handle);
            continue;
        }
        chain->layer[chain->count++] = (struct pre_layer){.handle = handle, .function = function};
    }
    pre_connect(chain, type, last);
    return chain;
}

static void pre_close(struct pre_chain *chain)
{
    /* LAY-227: closed before each call returns */
    for (uint32_t i = 0; chain && i < chain->count; i++) library_let_go(chain->layer[i].handle);
    free(chain);
}

/* ---- a question ------------------------------------------------------------------------------------------------ */

/* The resources of one global command. */
struct global_call {
    struct plan plan;
    struct facts *facts;
    int cancel; /* the state to pass to cancel_on; files and a socket may be open meanwhile */
};

/* Asks the core one question. Returns the plan's own result, or an error. terminator: asked below the pre-instance
 * functions. */
static VkResult ask(struct global_call *a, uint32_t question, const char *layer_name, bool terminator)
{
    *a = (struct global_call){.cancel = cancel_off()};
    a->facts = facts_new();
    if (!a->facts) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = core_decide(NULL, a->facts, question, layer_name, terminator, &a->plan);
    return result == VK_SUCCESS ? a->plan.result : result;
}

/* Reports whether count is not NULL, or logs an error, as INS-003 requires for the version. */
static bool has_count(const uint32_t *count, const char *command)
{
    if (!count)
        log_line(NULL, LOG_FATAL | LOG_ERROR | LOG_VALIDATION,
                 "%s: 'pPropertyCount' must not be NULL (VUID-%s-pPropertyCount-parameter)", command, command);
    return count != NULL;
}

static VkResult ask_end(struct global_call *a, VkResult result)
{
    plan_free(&a->plan);
    facts_free(a->facts);
    cancel_on(a->cancel);
    return result;
}

/* ---- version --------------------------------------------------------------------------------------------------- */

VKAPI_ATTR VkResult VKAPI_CALL term_vkEnumerateInstanceVersion(uint32_t *version)
{
    *version = VKL_API_VERSION; /* INS-001: the version of the registry, with any drivers */
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL tramp_vkEnumerateInstanceVersion(uint32_t *version)
{
    if (!version) { /* INS-003: a NULL argument is an error */
        log_text(
            NULL, LOG_FATAL | LOG_ERROR | LOG_VALIDATION,
            "vkEnumerateInstanceVersion: 'pApiVersion' must not be NULL (VUID-vkEnumerateInstanceVersion-pApiVersion-parameter");
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    struct global_call a;
    VkResult result = ask(&a, WIRE_QUESTION_VERSION, NULL, false);
    plan_log(NULL, &a.plan);
    struct pre_chain *pre = pre_open(&a.plan, "vkEnumerateInstanceVersion", VK_CHAIN_TYPE_ENUMERATE_INSTANCE_VERSION,
                                     (void *)version_last, &result);
    if (pre)
        result = pre->top->version.pfnNextLayer(pre->top->version.pNextLink, version);
    else if (result == VK_SUCCESS)
        result = term_vkEnumerateInstanceVersion(version);
    pre_close(pre);
    return ask_end(&a, result);
}
EXPORT_COMMAND(vkEnumerateInstanceVersion);

/* ---- layers ---------------------------------------------------------------------------------------------------- */

/* Copies a text to a field that is all zero, cut off before the field's last byte. */
static void text_copy(char *field, size_t room, const char *text)
{
    size_t size = strlen(text);
    memcpy(field, text, size < room ? size : room - 1);
}

/* Defines the function that returns a list made from the records of a plan: Kind and get of the records, the type of
 * the list's elements, and the statements that fill element p from record r. */
#define ANSWER(name, get, Kind, Element, ...)                                                                          \
    static VkResult name(const struct plan *plan, uint32_t *count, Element *properties)                                \
    {                                                                                                                  \
        struct wire_reader reader;                                                                                     \
        struct wire_record record;                                                                                     \
        struct wire_##get r;                                                                                           \
        uint32_t available = 0, at = 0;                                                                                \
        wire_open(&reader, plan->bytes, plan->size);                                                                   \
        while (wire_next(&reader, &record)) available += record.id == Kind;                                            \
        VkResult result = entries(available, count, properties != NULL);                                               \
        if (!properties) return result;                                                                                \
        wire_open(&reader, plan->bytes, plan->size);                                                                   \
        while (at < *count && wire_next(&reader, &record)) {                                                           \
            if (!wire_get_##get(&record, &r)) continue;                                                                \
            Element *p = &properties[at++];                                                                            \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
        return result;                                                                                                 \
    }

ANSWER(layers_answer, layer, WIRE_LAYER, VkLayerProperties,
       *p = (VkLayerProperties){.specVersion = r.spec_version, .implementationVersion = r.impl_version};
       text_copy(p->layerName, sizeof p->layerName, r.name);
       text_copy(p->description, sizeof p->description, r.description);)
ANSWER(extensions_answer, ext, WIRE_EXT, VkExtensionProperties,
       *p = (VkExtensionProperties){.specVersion = r.spec_version};
       text_copy(p->extensionName, sizeof p->extensionName, r.name);)

VKAPI_ATTR VkResult VKAPI_CALL term_vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
    struct global_call a;
    VkResult result = ask(&a, WIRE_QUESTION_LAYERS, NULL, true);
    plan_log(NULL, &a.plan);
    return ask_end(&a, result == VK_SUCCESS ? layers_answer(&a.plan, count, properties) : result);
}

VKAPI_ATTR VkResult VKAPI_CALL tramp_vkEnumerateInstanceLayerProperties(uint32_t *count, VkLayerProperties *properties)
{
    if (!has_count(count, "vkEnumerateInstanceLayerProperties")) return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct global_call a;
    VkResult result = ask(&a, WIRE_QUESTION_LAYERS, NULL, false);
    plan_log(NULL, &a.plan);
    struct pre_chain *pre = pre_open(&a.plan, "vkEnumerateInstanceLayerProperties",
                                     VK_CHAIN_TYPE_ENUMERATE_INSTANCE_LAYER_PROPERTIES, (void *)layers_last, &result);
    if (pre) /* this plan only names layers to call, and does not contain the list */
        result = pre->top->layers.pfnNextLayer(pre->top->layers.pNextLink, count, properties);
    else if (result == VK_SUCCESS)
        result = layers_answer(&a.plan, count, properties);
    pre_close(pre);
    return ask_end(&a, result);
}
EXPORT_COMMAND(vkEnumerateInstanceLayerProperties);

/* ---- extensions ------------------------------------------------------------------------------------------------ */

/* Completes the call after the first plan: opens the drivers that it names, then asks again with their extensions. */
static VkResult extensions_finish(struct global_call *a, VkResult result, const char *layer_name, uint32_t *count,
                                  VkExtensionProperties *properties)
{
    if (result != VK_SUCCESS || (layer_name && *layer_name)) {
        plan_log(NULL, &a->plan);
        return result == VK_SUCCESS ? extensions_answer(&a->plan, count, properties) : result;
    }
    struct driver_libs *libs = NULL;
    result = drivers_open(NULL, &a->plan, NULL, facts_service(a->facts), &libs);
    if (result != VK_SUCCESS) return result;
    result = drivers_facts(NULL, libs, a->facts);
    struct plan second = {0};
    if (result == VK_SUCCESS)
        result = core_decide(NULL, a->facts, WIRE_QUESTION_EXTENSIONS_DRIVERS, layer_name, true, &second);
    if (result == VK_SUCCESS) {
        plan_log(NULL, &second);
        result = second.result;
    }
    if (result == VK_SUCCESS) {
        drivers_leave_out(libs, &second);
        result = extensions_answer(&second, count, properties);
    }
    plan_free(&second);
    /* INS-087: the libraries stay open for the next call */
    for (const struct driver_lib *d = libs->first; d; d = d->next)
        if (d->library) library_preload(d->library);
    drivers_close(NULL, libs);
    return result;
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkEnumerateInstanceExtensionProperties(const char *layer_name, uint32_t *count,
                                                                           VkExtensionProperties *properties)
{
    struct global_call a;
    VkResult result = ask(&a, WIRE_QUESTION_EXTENSIONS, layer_name, true);
    return ask_end(&a, extensions_finish(&a, result, layer_name, count, properties));
}

VKAPI_ATTR VkResult VKAPI_CALL tramp_vkEnumerateInstanceExtensionProperties(const char *layer_name, uint32_t *count,
                                                                            VkExtensionProperties *properties)
{
    if (!has_count(count, "vkEnumerateInstanceExtensionProperties")) return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct global_call a;
    struct inside inside;
    inside_begin(&inside, __builtin_return_address(0));
    VkResult result = ask(&a, WIRE_QUESTION_EXTENSIONS, layer_name, false);
    struct pre_chain *pre =
        pre_open(&a.plan, "vkEnumerateInstanceExtensionProperties",
                 VK_CHAIN_TYPE_ENUMERATE_INSTANCE_EXTENSION_PROPERTIES, (void *)extensions_last, &result);
    if (pre)
        result = pre->top->extensions.pfnNextLayer(pre->top->extensions.pNextLink, layer_name, count, properties);
    else
        result = extensions_finish(&a, result, layer_name, count, properties);
    pre_close(pre);
    inside_end(&inside);
    return ask_end(&a, result);
}
EXPORT_COMMAND(vkEnumerateInstanceExtensionProperties);
