/* callback.c: the callbacks that programs and layers registered for messages (VkDebugUtilsMessengerEXT and
 * VkDebugReportCallbackEXT), and the delivery of messages to them. It uses no driver: debug/messenger.c passes
 * messengers on to drivers.
 *
 * No lock is held while a callback or an allocator runs. A record in use stays in the list until its last user is done
 * with it, so a callback may create and destroy messengers (THR-012). */
#include "process/process.h"

/* ---- records --------------------------------------------------------------------------------------------------- */

struct messenger *messenger_new(const VkAllocationCallbacks *allocator)
{
    struct messenger *m = mem_new(allocator, sizeof *m, VK_SYSTEM_ALLOCATION_SCOPE_OBJECT);
    if (m && allocator) {
        m->has_allocator = true;
        m->allocator = *allocator;
    }
    return m;
}

void messenger_free(struct messenger *m)
{
    if (!m) return;
    VkAllocationCallbacks allocator = m->allocator; /* a copy, since the block that is freed contains the callbacks */
    mem_free(m->has_allocator ? &allocator : NULL, m);
}

void messenger_fill(struct messenger *m, const VkDebugUtilsMessengerCreateInfoEXT *info)
{
    m->severities = info->messageSeverity;
    m->types = info->messageType;
    m->messenger = info->pfnUserCallback;
    m->user = info->pUserData;
}

void messenger_fill_report(struct messenger *m, const VkDebugReportCallbackCreateInfoEXT *info)
{
    m->report = true;
    m->flags = info->flags;
    m->callback = info->pfnCallback;
    m->user = info->pUserData;
}

/* Updates the severities that any active messenger wants. Call it after each change of the list or of a record in it.
 */
static void update_heeded(struct instance *instance)
{
    uint32_t all = 0;
    for (const struct messenger *m = instance->messengers; m; m = m->next)
        if (!m->gone && !m->resting) all |= m->report ? UINT32_MAX : m->severities;
    __atomic_store_n(&instance->heeded, all, __ATOMIC_RELAXED);
}

void messenger_add(struct instance *instance, struct messenger *m, struct messenger **owner)
{
    lock_wanted(!m->chained);
    m->owner = owner;
    if (owner) *owner = m;
    m->next = instance->messengers;
    instance->messengers = m;
    update_heeded(instance);
}

/* Frees the destroyed records that no thread uses, and drops the lock. Call it after a change of the list. */
static void drop_and_free(struct instance *instance)
{
    lock_wanted(true);
    struct messenger *out = NULL;
    for (struct messenger **at = &instance->messengers, *m; (m = *at);) {
        if (!m->gone || m->uses) {
            at = &m->next;
            continue;
        }
        *at = m->next;
        m->next = out;
        out = m;
    }
    update_heeded(instance);
    lock_drop();
    for (struct messenger *next; out; out = next) {
        next = out->next;
        messenger_free(out);
    }
}

void messenger_drop(struct instance *instance, struct messenger *m)
{
    lock_take();
    m->gone = true;
    drop_and_free(instance);
}

/* ---- delivery -------------------------------------------------------------------------------------------------- */

VkDebugReportFlagsEXT messenger_flags(VkDebugUtilsMessageSeverityFlagsEXT severity,
                                      VkDebugUtilsMessageTypeFlagsEXT types)
{
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) return VK_DEBUG_REPORT_ERROR_BIT_EXT;
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
        return types & VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT ? VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT
                                                                       : VK_DEBUG_REPORT_WARNING_BIT_EXT;
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_INFO_BIT_EXT) return VK_DEBUG_REPORT_INFORMATION_BIT_EXT;
    if (severity & VK_DEBUG_UTILS_MESSAGE_SEVERITY_VERBOSE_BIT_EXT) return VK_DEBUG_REPORT_DEBUG_BIT_EXT;
    return 0;
}

static bool wants(const struct messenger *m, const struct message *message)
{
    if (m->gone || m->resting) return false;
    if (m->report) return m->callback && (m->flags & message->flags);
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

void messengers_send(struct instance *instance, const struct message *message)
{
    lock_take();
    for (struct messenger *m = instance->messengers; m; m = m->next) {
        if (!wants(m, message)) continue;
        m->uses++;
        lock_drop();
        call(m, message);
        lock_take();
        m->uses--;
    }
    drop_and_free(instance); /* a messenger that was destroyed during its call */
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
    message.flags = messenger_flags(message.severity, message.types);
    messengers_send(instance, &message);
}

/* ---- chained to VkInstanceCreateInfo --------------------------------------------------------------------------- */

/* Registers the structures of one kind, in chain order (DBG-018), while no other thread knows the instance. */
static bool chained_add(struct instance *instance, const void *next, VkStructureType type,
                        const VkAllocationCallbacks *allocator)
{
    for (const VkBaseInStructure *in = next; in; in = in->pNext) {
        if (in->sType != type) continue;
        struct messenger *m = messenger_new(allocator);
        if (!m) return false;
        if (type == VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT)
            messenger_fill(m, (const VkDebugUtilsMessengerCreateInfoEXT *)in);
        else
            messenger_fill_report(m, (const VkDebugReportCallbackCreateInfoEXT *)in);
        m->chained = true;
        messenger_add(instance, m, NULL);
    }
    return true;
}

VkResult messengers_chained_start(struct instance *instance, const void *next, const VkAllocationCallbacks *allocator)
{
    if (chained_add(instance, next, VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT, allocator) &&
        chained_add(instance, next, VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT, allocator))
        return VK_SUCCESS;
    return VK_ERROR_OUT_OF_HOST_MEMORY; /* DBG-011; registered messengers end with the instance */
}

void messengers_chained_rest(struct instance *instance)
{
    lock_take();
    for (struct messenger *m = instance->messengers; m; m = m->next)
        if (m->chained) m->resting = true;
    update_heeded(instance);
    lock_drop();
}

void messengers_chained_wake(struct instance *instance)
{
    lock_take();
    for (struct messenger *m = instance->messengers; m; m = m->next) {
        if (!m->chained && m->owner) *m->owner = NULL;
        /* DBG-010: those that the program created later and left behind */
        m->gone |= !m->chained;
        m->resting = false;
    }
    drop_and_free(instance);
}

void messengers_chained_free(struct instance *instance)
{
    lock_take();
    for (struct messenger *m = instance->messengers; m; m = m->next) m->gone |= m->chained;
    drop_and_free(instance);
}
