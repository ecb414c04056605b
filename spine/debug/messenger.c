/* messenger.c: messengers and report callbacks: those chained to VkInstanceCreateInfo, those that programs and layers
 * create, delivery of the loader's own and of submitted messages, and the conversion between the two kinds.
 *
 * No lock is held while a callback, a driver or an allocator runs: a record in use stays in the list until its last
 * user leaves it, so that a callback may create and destroy messengers (THR-012).
 */
#include "state/objects.h"

/* A callback. */
struct messenger {
    struct messenger *next;
    uint32_t uses; /* deliveries that are inside this callback */
    bool gone;     /* destroyed meanwhile: the last user frees it */
    bool chained, resting; /* DBG-004, DBG-008 */
    bool report;
    bool has_allocator; /* that this block came from (ERRATA 12) */
    VkAllocationCallbacks allocator;
    VkDebugUtilsMessageSeverityFlagsEXT severities;
    VkDebugUtilsMessageTypeFlagsEXT types;
    PFN_vkDebugUtilsMessengerCallbackEXT messenger;
    VkDebugReportFlagsEXT flags;
    PFN_vkDebugReportCallbackEXT callback;
    void *user;
};

/* What the handle is: a place in the lists, of the instance's own memory (DBG-035). */
struct debug_object {
    struct object object;
    struct messenger *record; /* NULL: dropped at the start of vkDestroyInstance (DBG-010) */
};

/* ---- records --------------------------------------------------------------------------------------------------- */

static struct messenger *record_new(const VkAllocationCallbacks *allocator)
{
    struct messenger *m = mem_new(allocator, sizeof *m, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (m && allocator) {
        m->has_allocator = true;
        m->allocator = *allocator;
    }
    return m;
}

static void record_free(struct messenger *m)
{
    if (!m)
        return;
    VkAllocationCallbacks allocator = m->allocator; /* the block holds what frees it */
    mem_free(m->has_allocator ? &allocator : NULL, m);
}

static void record_fill_messenger(struct messenger *m, const VkDebugUtilsMessengerCreateInfoEXT *info)
{
    m->severities = info->messageSeverity;
    m->types = info->messageType;
    m->messenger = info->pfnUserCallback;
    m->user = info->pUserData;
}

static void record_fill_report(struct messenger *m, const VkDebugReportCallbackCreateInfoEXT *info)
{
    m->report = true;
    m->flags = info->flags;
    m->callback = info->pfnCallback;
    m->user = info->pUserData;
}

/* Severities of all that may be called; called whenever the list or a record in it has changed. */
static void heed(struct instance *instance)
{
    uint32_t all = 0;
    for (const struct messenger *m = instance->messengers; m; m = m->next)
        if (!m->gone && !m->resting)
            all |= m->report ? UINT32_MAX : m->severities;
    __atomic_store_n(&instance->heeded, all, __ATOMIC_RELAXED);
}

/* DBG-018: the most recent first. With the lock, once other threads may know the instance. */
static void record_add(struct instance *instance, struct messenger *m)
{
    lock_wanted(!m->chained);
    m->next = instance->messengers;
    instance->messengers = m;
    heed(instance);
}

/* Takes out the records that are gone and used by nobody; with the lock. The caller frees them without it. */
static struct messenger *records_sweep(struct instance *instance)
{
    lock_wanted(true);
    struct messenger *out = NULL;
    for (struct messenger **at = &instance->messengers; *at;) {
        struct messenger *m = *at;
        if (m->gone && !m->uses) {
            *at = m->next;
            m->next = out;
            out = m;
        } else {
            at = &m->next;
        }
    }
    return out;
}

static void records_free(struct messenger *first)
{
    while (first) {
        struct messenger *next = first->next;
        record_free(first);
        first = next;
    }
}

/* From now on the callback is not called any more. */
static void record_drop(struct instance *instance, struct messenger *m)
{
    lock_take();
    m->gone = true;
    heed(instance);
    struct messenger *out = records_sweep(instance);
    lock_drop();
    records_free(out);
}

/* ---- conversion ------------------------------------------------------------------------------------------------ */

/* DBG-046: types that exist in both; up to the command pool they have the same numbers. */
static const struct {
    VkDebugReportObjectTypeEXT report;
    VkObjectType object;
} other_types[] = {
    {VK_DEBUG_REPORT_OBJECT_TYPE_SURFACE_KHR_EXT, VK_OBJECT_TYPE_SURFACE_KHR},
    {VK_DEBUG_REPORT_OBJECT_TYPE_SWAPCHAIN_KHR_EXT, VK_OBJECT_TYPE_SWAPCHAIN_KHR},
    {VK_DEBUG_REPORT_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT_EXT, VK_OBJECT_TYPE_DEBUG_REPORT_CALLBACK_EXT},
    {VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_KHR_EXT, VK_OBJECT_TYPE_DISPLAY_KHR},
    {VK_DEBUG_REPORT_OBJECT_TYPE_DISPLAY_MODE_KHR_EXT, VK_OBJECT_TYPE_DISPLAY_MODE_KHR},
    {VK_DEBUG_REPORT_OBJECT_TYPE_VALIDATION_CACHE_EXT_EXT, VK_OBJECT_TYPE_VALIDATION_CACHE_EXT},
    {VK_DEBUG_REPORT_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION_EXT, VK_OBJECT_TYPE_SAMPLER_YCBCR_CONVERSION},
    {VK_DEBUG_REPORT_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE_EXT, VK_OBJECT_TYPE_DESCRIPTOR_UPDATE_TEMPLATE},
    {VK_DEBUG_REPORT_OBJECT_TYPE_CU_MODULE_NVX_EXT, VK_OBJECT_TYPE_CU_MODULE_NVX},
    {VK_DEBUG_REPORT_OBJECT_TYPE_CU_FUNCTION_NVX_EXT, VK_OBJECT_TYPE_CU_FUNCTION_NVX},
    {VK_DEBUG_REPORT_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR_EXT, VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_KHR},
    {VK_DEBUG_REPORT_OBJECT_TYPE_ACCELERATION_STRUCTURE_NV_EXT, VK_OBJECT_TYPE_ACCELERATION_STRUCTURE_NV},
    {VK_DEBUG_REPORT_OBJECT_TYPE_CUDA_MODULE_NV_EXT, VK_OBJECT_TYPE_CUDA_MODULE_NV},
    {VK_DEBUG_REPORT_OBJECT_TYPE_CUDA_FUNCTION_NV_EXT, VK_OBJECT_TYPE_CUDA_FUNCTION_NV},
    {VK_DEBUG_REPORT_OBJECT_TYPE_BUFFER_COLLECTION_FUCHSIA_EXT, VK_OBJECT_TYPE_BUFFER_COLLECTION_FUCHSIA},
};

static VkObjectType type_to_object(VkDebugReportObjectTypeEXT type)
{
    if ((uint32_t)type <= VK_DEBUG_REPORT_OBJECT_TYPE_COMMAND_POOL_EXT)
        return (VkObjectType)type;
    for (size_t i = 0; i < sizeof other_types / sizeof *other_types; i++)
        if (other_types[i].report == type)
            return other_types[i].object;
    return VK_OBJECT_TYPE_UNKNOWN;
}

static VkDebugReportObjectTypeEXT type_to_report(VkObjectType type)
{
    if ((uint32_t)type <= VK_OBJECT_TYPE_COMMAND_POOL)
        return (VkDebugReportObjectTypeEXT)type;
    for (size_t i = 0; i < sizeof other_types / sizeof *other_types; i++)
        if (other_types[i].object == type)
            return other_types[i].report;
    return VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT;
}

/* DBG-017. */
static VkDebugReportFlagsEXT flags_of(VkDebugUtilsMessageSeverityFlagsEXT severity,
                                      VkDebugUtilsMessageTypeFlagsEXT types)
{
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT)
        return VK_DEBUG_REPORT_ERROR_BIT_EXT;
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
        return types & VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT ? VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT
                                                                       : VK_DEBUG_REPORT_WARNING_BIT_EXT;
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT)
        return VK_DEBUG_REPORT_INFORMATION_BIT_EXT;
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT)
        return VK_DEBUG_REPORT_DEBUG_BIT_EXT;
    return 0;
}

/* DBG-044. */
static void severity_of(VkDebugReportFlagsEXT flags, VkDebugUtilsMessageSeverityFlagBitsEXT *severity,
                        VkDebugUtilsMessageTypeFlagsEXT *types)
{
    *severity = 0;
    *types = 0;
    if (flags & VK_DEBUG_REPORT_INFORMATION_BIT_EXT) {
        *severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
        *types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    } else if (flags & (VK_DEBUG_REPORT_WARNING_BIT_EXT | VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT)) {
        *severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT;
    } else if (flags & VK_DEBUG_REPORT_ERROR_BIT_EXT) {
        *severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
    } else if (flags & VK_DEBUG_REPORT_DEBUG_BIT_EXT) {
        *severity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT;
        *types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
    }
    if (flags & VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT)
        *types |= VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
    else if (!*types)
        *types = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
}

/* ---- delivery -------------------------------------------------------------------------------------------------- */

/* One message in both forms. */
struct message {
    VkDebugUtilsMessageSeverityFlagBitsEXT severity;
    VkDebugUtilsMessageTypeFlagsEXT types;
    const VkDebugUtilsMessengerCallbackDataEXT *data;
    VkDebugReportFlagsEXT flags;
    VkDebugReportObjectTypeEXT type;
    uint64_t object;
    size_t location;
    int32_t code;
    const char *prefix, *text;
};

static bool wants(const struct messenger *m, const struct message *message)
{
    if (m->gone || m->resting)
        return false;
    if (m->report)
        return m->callback && (m->flags & message->flags);
    return m->messenger && (m->severities & message->severity) && (m->types & message->types);
}

static void call(const struct messenger *m, const struct message *message)
{
    lock_wanted(false);
    if (m->report) /* DBG-019: the answer means nothing */
        m->callback(message->flags, message->type, message->object, message->location, message->code, message->prefix,
                    message->text, m->user);
    else
        m->messenger(message->severity, message->types, message->data, m->user);
}

static void deliver(struct instance *instance, const struct message *message)
{
    lock_take();
    for (struct messenger *m = instance->messengers; m; m = m->next) {
        if (!wants(m, message))
            continue;
        m->uses++;
        lock_drop();
        call(m, message);
        lock_take();
        m->uses--;
    }
    struct messenger *out = records_sweep(instance); /* one that was destroyed while it was called */
    lock_drop();
    records_free(out);
}

/* DBG-014; what always reaches standard error is an error here, too. */
static VkDebugUtilsMessageSeverityFlagBitsEXT loader_severity(unsigned flags)
{
    return flags & (LOG_ERROR | LOG_FATAL) ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT
           : flags & LOG_WARN              ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT
           : flags & LOG_INFO              ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT
           : flags & LOG_DEBUG             ? VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT
                                           : VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT;
}

bool messengers_heed(const struct instance *instance, unsigned flags)
{
    return __atomic_load_n(&instance->heeded, __ATOMIC_RELAXED) & loader_severity(flags);
}

void messengers_deliver(struct instance *instance, unsigned flags, const char *text)
{
    VkDebugUtilsObjectNameInfoEXT object = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = VK_OBJECT_TYPE_INSTANCE,
        .objectHandle = (uint64_t)(uintptr_t)instance,
    };
    VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
        .pMessageIdName = "Loader Message",
        .pMessage = text,
        .objectCount = 1,
        .pObjects = &object,
    };
    struct message message = {
        .severity = loader_severity(flags),
        .types = flags & LOG_PERF ? VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT
                 : flags & LOG_VALIDATION
                     ? VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT
                     : VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT,
        .data = &data,
        .type = VK_DEBUG_REPORT_OBJECT_TYPE_INSTANCE_EXT,
        .object = object.objectHandle,
        .prefix = "Loader Message",
        .text = text,
    };
    message.flags = flags_of(message.severity, message.types);
    deliver(instance, &message);
}

VKAPI_ATTR void VKAPI_CALL term_vkSubmitDebugUtilsMessageEXT(VkInstance instance,
                                                             VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                             VkDebugUtilsMessageTypeFlagsEXT types,
                                                             const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    if (!data)
        return; /* DBG-042 */
    const VkDebugUtilsObjectNameInfoEXT *first = data->objectCount && data->pObjects ? data->pObjects : NULL;
    deliver(instance_of(instance), &(struct message){
                                       .severity = severity,
                                       .types = types,
                                       .data = data,
                                       .flags = flags_of(severity, types),
                                       .type = first ? type_to_report(first->objectType)
                                                     : VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT,
                                       .object = first ? first->objectHandle : 0,
                                       .code = data->messageIdNumber,
                                       .prefix = data->pMessageIdName,
                                       .text = data->pMessage,
                                   });
}

VKAPI_ATTR void VKAPI_CALL term_vkDebugReportMessageEXT(VkInstance handle, VkDebugReportFlagsEXT flags,
                                                        VkDebugReportObjectTypeEXT type, uint64_t object,
                                                        size_t location, int32_t code, const char *prefix,
                                                        const char *text)
{
    struct instance *instance = instance_of(handle);
    struct held_drivers held;
    if (drivers_take(instance, &held)) { /* DBG-043 */
        for (uint32_t i = 0; i < held.count; i++) {
            PFN_vkDebugReportMessageEXT send = driver_fn(held.driver[i], vkDebugReportMessageEXT);
            if (send)
                send(held.driver[i]->handle, flags, type, object, location, code, prefix, text);
        }
        drivers_drop(&held);
    }
    VkDebugUtilsObjectNameInfoEXT name = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
        .objectType = type_to_object(type),
        .objectHandle = object,
    };
    VkDebugUtilsMessengerCallbackDataEXT data = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
        .pMessageIdName = prefix,
        .messageIdNumber = code,
        .pMessage = text,
        .objectCount = 1,
        .pObjects = &name,
    };
    struct message message = {
        .data = &data, .flags = flags, .type = type, .object = object, .location = location,
        .code = code,  .prefix = prefix, .text = text,
    };
    severity_of(flags, &message.severity, &message.types);
    deliver(instance, &message);
}

/* ---- creation and destruction ---------------------------------------------------------------------------------- */

/* Calls the driver's create function; VK_SUCCESS with 0 when it has none (DBG-028). */
static VkResult create_in_driver(struct driver *driver, enum object_kind kind, const void *info,
                                 const VkAllocationCallbacks *allocator, uint64_t *made)
{
    *made = 0;
    if (kind == OBJECT_MESSENGER) {
        PFN_vkCreateDebugUtilsMessengerEXT create = driver_fn(driver, vkCreateDebugUtilsMessengerEXT);
        VkDebugUtilsMessengerEXT own = VK_NULL_HANDLE;
        VkResult result = create ? create(driver->handle, info, allocator, &own) : VK_SUCCESS;
        *made = (uint64_t)own;
        return result;
    }
    PFN_vkCreateDebugReportCallbackEXT create = driver_fn(driver, vkCreateDebugReportCallbackEXT);
    VkDebugReportCallbackEXT own = VK_NULL_HANDLE;
    VkResult result = create ? create(driver->handle, info, allocator, &own) : VK_SUCCESS;
    *made = (uint64_t)own;
    return result;
}

/* Makes a place, and each driver's object (DBG-027 to 029, DBG-036). An error leaves nothing behind. */
static VkResult create_objects(struct instance *instance, enum object_kind kind, struct debug_object *object,
                               const void *info, const VkAllocationCallbacks *allocator)
{
    struct held_drivers held;
    if (!drivers_take(instance, &held))
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = object_place(instance, kind, &object->object, allocator, &held);
    bool placed = result == VK_SUCCESS;
    for (uint32_t i = 0; i < held.count && result == VK_SUCCESS; i++) {
        uint64_t made;
        result = create_in_driver(held.driver[i], kind, info, allocator, &made);
        if (result == VK_SUCCESS)
            object_store(held.driver[i], kind, object->object.index, made);
    }
    drivers_drop(&held);
    if (placed && result != VK_SUCCESS) /* ALC-047 */
        object_destroy(instance, kind, &object->object, allocator);
    return result;
}

static VkResult create_debug_object(struct instance *instance, enum object_kind kind, const void *info,
                                    const VkAllocationCallbacks *allocator, struct debug_object **out)
{
    const VkAllocationCallbacks *own = instance_allocator(instance);
    struct debug_object *object = mem_new(own, sizeof *object, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    struct messenger *record = object ? record_new(allocator ? allocator : own) : NULL; /* DBG-035 */
    VkResult result = record ? create_objects(instance, kind, object, info, allocator) : VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS) {
        record_free(record);
        mem_free(own, object);
        return result;
    }
    if (kind == OBJECT_MESSENGER)
        record_fill_messenger(record, info);
    else
        record_fill_report(record, info);
    lock_take();
    object->record = record;
    record_add(instance, record);
    lock_drop();
    *out = object;
    return VK_SUCCESS;
}

static void destroy_debug_object(struct instance *instance, enum object_kind kind, struct debug_object *object,
                                 const VkAllocationCallbacks *allocator)
{
    if (!object)
        return; /* DBG-031 */
    object_destroy(instance, kind, &object->object, allocator);
    debug_object_free(instance, &object->object);
}

void debug_object_free(struct instance *instance, struct object *place)
{
    struct debug_object *object = (struct debug_object *)((char *)place - offsetof(struct debug_object, object));
    if (object->record)
        record_drop(instance, object->record);
    mem_free(instance_allocator(instance), object);
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateDebugUtilsMessengerEXT(VkInstance instance,
                                                                   const VkDebugUtilsMessengerCreateInfoEXT *info,
                                                                   const VkAllocationCallbacks *allocator,
                                                                   VkDebugUtilsMessengerEXT *out)
{
    struct debug_object *object;
    VkResult result = create_debug_object(instance_of(instance), OBJECT_MESSENGER, info, allocator, &object);
    if (result == VK_SUCCESS)
        *out = (VkDebugUtilsMessengerEXT)(uintptr_t)object;
    return result;
}

VKAPI_ATTR void VKAPI_CALL term_vkDestroyDebugUtilsMessengerEXT(VkInstance instance, VkDebugUtilsMessengerEXT handle,
                                                                const VkAllocationCallbacks *allocator)
{
    destroy_debug_object(instance_of(instance), OBJECT_MESSENGER, (struct debug_object *)(uintptr_t)handle, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL term_vkCreateDebugReportCallbackEXT(VkInstance instance,
                                                                   const VkDebugReportCallbackCreateInfoEXT *info,
                                                                   const VkAllocationCallbacks *allocator,
                                                                   VkDebugReportCallbackEXT *out)
{
    struct debug_object *object;
    VkResult result = create_debug_object(instance_of(instance), OBJECT_REPORT, info, allocator, &object);
    if (result == VK_SUCCESS)
        *out = (VkDebugReportCallbackEXT)(uintptr_t)object;
    return result;
}

VKAPI_ATTR void VKAPI_CALL term_vkDestroyDebugReportCallbackEXT(VkInstance instance, VkDebugReportCallbackEXT handle,
                                                                const VkAllocationCallbacks *allocator)
{
    destroy_debug_object(instance_of(instance), OBJECT_REPORT, (struct debug_object *)(uintptr_t)handle, allocator);
}

/* ---- chained to VkInstanceCreateInfo --------------------------------------------------------------------------- */

/* Registers the structures of one kind, in chain order (DBG-018), while no other thread knows the instance. */
static bool chained_add(struct instance *instance, const void *next, VkStructureType type,
                        const VkAllocationCallbacks *allocator)
{
    for (const VkBaseInStructure *in = next; in; in = in->pNext) {
        if (in->sType != type)
            continue;
        struct messenger *m = record_new(allocator);
        if (!m)
            return false;
        if (type == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT)
            record_fill_messenger(m, (const VkDebugUtilsMessengerCreateInfoEXT *)in);
        else
            record_fill_report(m, (const VkDebugReportCallbackCreateInfoEXT *)in);
        m->chained = true;
        record_add(instance, m);
    }
    return true;
}

VkResult messengers_chained_start(struct instance *instance, const void *next, const VkAllocationCallbacks *allocator)
{
    if (chained_add(instance, next, VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT, allocator) &&
        chained_add(instance, next, VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT, allocator))
        return VK_SUCCESS;
    return VK_ERROR_OUT_OF_HOST_MEMORY; /* DBG-011; what was registered goes with the instance */
}

void messengers_chained_rest(struct instance *instance)
{
    lock_take();
    for (struct messenger *m = instance->messengers; m; m = m->next)
        if (m->chained)
            m->resting = true;
    heed(instance);
    lock_drop();
}

void messengers_chained_wake(struct instance *instance)
{
    lock_take();
    for (enum object_kind kind = OBJECT_MESSENGER; kind < OBJECT_KINDS; kind++) {
        const struct handle_list *list = &instance->objects[kind];
        for (uint32_t i = 0; i < list->room; i++)
            if (list->object[i])
                ((struct debug_object *)list->object[i])->record = NULL;
    }
    for (struct messenger *m = instance->messengers; m; m = m->next) {
        m->gone |= !m->chained; /* DBG-010 */
        m->resting = false;
    }
    heed(instance);
    struct messenger *out = records_sweep(instance);
    lock_drop();
    records_free(out);
}

void messengers_chained_free(struct instance *instance)
{
    lock_take();
    for (struct messenger *m = instance->messengers; m; m = m->next)
        m->gone |= m->chained;
    heed(instance);
    struct messenger *out = records_sweep(instance);
    lock_drop();
    records_free(out);
}
