/* messenger.c: the commands of VK_EXT_debug_utils and VK_EXT_debug_report: creating and destroying messengers and
 * report callbacks, with a counterpart in each driver, submitting messages, and converting between the two extensions.
 * process/callback.c calls the callbacks.
 *
 * No lock is held while a callback, a driver or an allocator runs. */
#include "gen/zends.h"
#include "state/state.h"

/* The object behind a handle: an entry in the instance's list. It is allocated with the instance's callbacks (DBG-035).
 */
struct debug_object {
    struct object object;
    struct messenger *record; /* NULL: dropped at the start of vkDestroyInstance (DBG-010) */
};

/* ---- conversion ------------------------------------------------------------------------------------------------ */

/* DBG-046: types that exist in both extensions with different numbers. Up to the command pool the numbers are equal. */
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
    if ((uint32_t)type <= VK_DEBUG_REPORT_OBJECT_TYPE_COMMAND_POOL_EXT) return (VkObjectType)type;
    for (size_t i = 0; i < sizeof other_types / sizeof *other_types; i++)
        if (other_types[i].report == type) return other_types[i].object;
    return VK_OBJECT_TYPE_UNKNOWN;
}

static VkDebugReportObjectTypeEXT type_to_report(VkObjectType type)
{
    if ((uint32_t)type <= VK_OBJECT_TYPE_COMMAND_POOL) return (VkDebugReportObjectTypeEXT)type;
    for (size_t i = 0; i < sizeof other_types / sizeof *other_types; i++)
        if (other_types[i].object == type) return other_types[i].report;
    return VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT;
}

/* DBG-044: converts the flags of a report to severity and types. The first of its flags, in the order tested here,
 * decides. */
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

VKAPI_ATTR void VKAPI_CALL term_vkSubmitDebugUtilsMessageEXT(VkInstance instance,
                                                             VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                             VkDebugUtilsMessageTypeFlagsEXT types,
                                                             const VkDebugUtilsMessengerCallbackDataEXT *data)
{
    if (!data) return; /* DBG-042: NULL data reaches no callback */
    const VkDebugUtilsObjectNameInfoEXT *first = data->objectCount && data->pObjects ? data->pObjects : NULL;
    messengers_send(instance_of(instance),
                    &(struct message){
                        .severity = severity,
                        .types = types,
                        .data = data,
                        .flags = messenger_flags(severity, types),
                        .type = first ? type_to_report(first->objectType) : VK_DEBUG_REPORT_OBJECT_TYPE_UNKNOWN_EXT,
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
    if (drivers_take(instance, &held)) { /* DBG-043: first to each driver that has the command */
        for (uint32_t i = 0; i < held.count; i++) {
            PFN_vkDebugReportMessageEXT send = driver_fn(held.driver[i], vkDebugReportMessageEXT);
            if (send) send(held.driver[i]->handle, flags, type, object, location, code, prefix, text);
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
        .data = &data,
        .flags = flags,
        .type = type,
        .object = object,
        .location = location,
        .code = code,
        .prefix = prefix,
        .text = text,
    };
    severity_of(flags, &message.severity, &message.types);
    messengers_send(instance, &message);
}

/* ---- creation and destruction ---------------------------------------------------------------------------------- */

/* Calls the driver's create function. Returns VK_SUCCESS and the handle 0 if the driver has none (DBG-028). */
static VkResult create_in_driver(struct driver *driver, enum object_kind kind, const void *info,
                                 const VkAllocationCallbacks *allocator, uint64_t *made)
{
    VkResult result = VK_SUCCESS;
    *made = 0;
#define CREATE(Type)                                                                                                   \
    PFN_vkCreate##Type create = driver_fn(driver, vkCreate##Type);                                                     \
    Vk##Type own = VK_NULL_HANDLE;                                                                                     \
    if (create) result = create(driver->handle, info, allocator, &own);                                                \
    *made = (uint64_t)own
    if (kind == OBJECT_MESSENGER) {
        CREATE(DebugUtilsMessengerEXT);
    } else {
        CREATE(DebugReportCallbackEXT);
    }
    return result;
}

/* Gives the object an entry and creates its counterpart in each driver (DBG-027 to 029, DBG-036). An error leaves
 * nothing behind. */
static VkResult create_objects(struct instance *instance, enum object_kind kind, struct debug_object *object,
                               const void *info, const VkAllocationCallbacks *allocator)
{
    struct held_drivers held;
    if (!drivers_take(instance, &held)) return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = object_place(instance, kind, &object->object, allocator, &held);
    bool placed = result == VK_SUCCESS;
    for (uint32_t i = 0; i < held.count && result == VK_SUCCESS; i++) {
        uint64_t made;
        result = create_in_driver(held.driver[i], kind, info, allocator, &made);
        if (result == VK_SUCCESS) object_store(held.driver[i], kind, object->object.index, made);
    }
    drivers_drop(&held);
    if (placed && result != VK_SUCCESS) /* ALC-047: in the drivers that have created one */
        object_destroy(instance, kind, &object->object, allocator);
    return result;
}

static void debug_object_free(struct instance *instance, struct object *place)
{
    struct debug_object *object = (struct debug_object *)((char *)place - offsetof(struct debug_object, object));
    if (object->record) messenger_drop(instance, object->record);
    mem_free(instance_allocator(instance), object);
}

static VkResult create_debug_object(struct instance *instance, enum object_kind kind, const void *info,
                                    const VkAllocationCallbacks *allocator, struct debug_object **out)
{
    const VkAllocationCallbacks *own = instance_allocator(instance);
    struct debug_object *object = mem_new(own, sizeof *object, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (object) object->object.drop = debug_object_free;
    /* DBG-035: the record is allocated with pAllocator or, without it, with the instance's callbacks */
    struct messenger *record = object ? messenger_new(allocator ? allocator : own) : NULL;
    VkResult result = record ? create_objects(instance, kind, object, info, allocator) : VK_ERROR_OUT_OF_HOST_MEMORY;
    if (result != VK_SUCCESS) {
        messenger_free(record);
        mem_free(own, object);
        return result;
    }
    if (kind == OBJECT_MESSENGER)
        messenger_fill(record, info);
    else
        messenger_fill_report(record, info);
    lock_take();
    messenger_add(instance, record, &object->record);
    lock_drop();
    *out = object;
    return VK_SUCCESS;
}

static void destroy_debug_object(struct instance *instance, enum object_kind kind, struct debug_object *object,
                                 const VkAllocationCallbacks *allocator)
{
    if (!object) return; /* DBG-031: NULL is allowed */
    object_destroy(instance, kind, &object->object, allocator);
    debug_object_free(instance, &object->object);
}

#define DEBUG_OBJECT(Kind, Type)                                                                                       \
    VKAPI_ATTR VkResult VKAPI_CALL term_vkCreate##Type(VkInstance instance, const Vk##Kind##CreateInfoEXT *info,       \
                                                       const VkAllocationCallbacks *allocator, Vk##Type *out)          \
    {                                                                                                                  \
        struct debug_object *object;                                                                                   \
        VkResult result = create_debug_object(instance_of(instance), OBJECT_##Type, info, allocator, &object);         \
        if (result == VK_SUCCESS) *out = (Vk##Type)(uintptr_t)object;                                                  \
        return result;                                                                                                 \
    }                                                                                                                  \
    VKAPI_ATTR void VKAPI_CALL term_vkDestroy##Type(VkInstance instance, Vk##Type handle,                              \
                                                    const VkAllocationCallbacks *allocator)                            \
    {                                                                                                                  \
        destroy_debug_object(instance_of(instance), OBJECT_##Type, (struct debug_object *)(uintptr_t)handle,           \
                             allocator);                                                                               \
    }
#define OBJECT_DebugUtilsMessengerEXT OBJECT_MESSENGER
#define OBJECT_DebugReportCallbackEXT OBJECT_REPORT
DEBUG_OBJECT(DebugUtilsMessenger, DebugUtilsMessengerEXT)
DEBUG_OBJECT(DebugReportCallback, DebugReportCallbackEXT)
