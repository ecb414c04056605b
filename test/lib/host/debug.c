/* debug.c: messengers, report callbacks, submitted messages and object names. What callbacks receive goes into the
 * answer of the command during which it arrived. */
#include "host.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct event {
    struct event *next;
    char sink[64];
    bool report;
    uint64_t severity, types;
    int64_t number, object_type;
    char *id, *text;
    uint64_t object;
    uint32_t objects;
    long thread;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct event *first, **last = &first;

static void keep(struct event *event)
{
    event->thread = syscall(SYS_gettid);
    pthread_mutex_lock(&lock);
    *last = event;
    last = &event->next;
    pthread_mutex_unlock(&lock);
}

static __thread int
    inside; /* callbacks that are performing lines: what arrives belongs to the outer command's answer */

static void reenter(const struct sink *sink)
{
    if (!sink->script[0]) return;
    struct answer answer = {0};
    inside++;
    perform_script(sink->script, &answer, 0);
    inside--;
    answer_free(&answer);
}

static VkBool32 VKAPI_PTR on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                     VkDebugUtilsMessageTypeFlagsEXT types,
                                     const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
    const struct sink *sink = user;
    struct event *event = calloc(1, sizeof *event);
    if (!event) abort();
    snprintf(event->sink, sizeof event->sink, "%s", sink->name);
    event->severity = (uint64_t)severity;
    event->types = types;
    event->number = data->messageIdNumber;
    event->id = data->pMessageIdName ? strdup(data->pMessageIdName) : NULL;
    event->text = data->pMessage ? strdup(data->pMessage) : NULL;
    event->objects = data->objectCount;
    if (data->objectCount) {
        event->object = data->pObjects[0].objectHandle;
        event->object_type = data->pObjects[0].objectType;
    }
    keep(event);
    reenter(sink);
    return sink->returns;
}

static VkBool32 VKAPI_PTR on_report(VkDebugReportFlagsEXT flags, VkDebugReportObjectTypeEXT type, uint64_t object,
                                    size_t location, int32_t code, const char *prefix, const char *text, void *user)
{
    const struct sink *sink = user;
    struct event *event = calloc(1, sizeof *event);
    if (!event) abort();
    (void)location;
    snprintf(event->sink, sizeof event->sink, "%s", sink->name);
    event->report = true;
    event->severity = flags;
    event->object_type = type;
    event->object = object;
    event->number = code;
    event->id = prefix ? strdup(prefix) : NULL;
    event->text = text ? strdup(text) : NULL;
    keep(event);
    reenter(sink);
    return sink->returns;
}

bool have_events(void)
{
    return first != NULL;
}

void put_events(void)
{
    if (inside) return;
    pthread_mutex_lock(&lock);
    struct event *event = first;
    first = NULL;
    last = &first;
    pthread_mutex_unlock(&lock);
    if (!event) return;
    put_open("messages", '[');
    while (event) {
        struct event *next = event->next;
        put_open(NULL, '{');
        put_text("to", event->sink);
        put_int("severity", (int64_t)event->severity);
        if (!event->report) put_int("types", (int64_t)event->types);
        put_int("number", event->number);
        put_text("id", event->id);
        put_text("text", event->text);
        if (!event->report) put_int("objects", event->objects);
        put_int("object_type", event->object_type);
        put_pointer("object", (const void *)(uintptr_t)event->object);
        put_int("thread", event->thread);
        put_close('}');
        free(event->id);
        free(event->text);
        free(event);
        event = next;
    }
    put_close(']');
}

/* A sink lives as long as the process: a messenger may outlive its name. */
static struct sink *sink_new(const struct line *line, const char *name, const char *script)
{
    static struct sink *_Atomic sinks;
    struct sink *sink = calloc(1, sizeof *sink);
    if (!sink) abort();
    sink->before = atomic_exchange(&sinks, sink);
    snprintf(sink->name, sizeof sink->name, "%s", name);
    snprintf(sink->script, sizeof sink->script, "%s", script ? script : "");
    sink->returns = (VkBool32)arg_int(line, "returns", VK_FALSE);
    return sink;
}

/* messenger=NAME:SEVERITY:TYPES and report=NAME:FLAGS, in the order given. */
const void *chained_messengers(const struct line *line, struct arena *arena, const void *rest)
{
    const void *head = rest;
    for (int i = line->count - 1; i >= 0; i--) {
        char name[64] = "";
        char severity[32] = "0x1111", types[32] = "7";
        bool messenger = !strcmp(line->key[i], "messenger");
        if (!messenger && strcmp(line->key[i], "report")) continue;
        sscanf(line->value[i], "%63[^:]:%31[^:]:%31[^:]", name, severity, types);
        if (messenger) {
            VkDebugUtilsMessengerCreateInfoEXT *info = take(arena, sizeof *info);
            info->sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
            info->pNext = head;
            info->messageSeverity = (VkDebugUtilsMessageSeverityFlagsEXT)number(severity);
            info->messageType = (VkDebugUtilsMessageTypeFlagsEXT)number(types);
            info->pfnUserCallback = on_message;
            info->pUserData = sink_new(line, name, arg(line, "callback_script"));
            head = info;
        } else {
            VkDebugReportCallbackCreateInfoEXT *info = take(arena, sizeof *info);
            info->sType = VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT;
            info->pNext = head;
            info->flags = strchr(line->value[i], ':') ? (VkDebugReportFlagsEXT)number(severity) : 0x1f;
            info->pfnCallback = on_report;
            info->pUserData = sink_new(line, name, arg(line, "callback_script"));
            head = info;
        }
    }
    return head;
}

static uint64_t the_instance(const struct line *line)
{
    return arg(line, "instance") ? arg_ref(line, "instance", 0) : resolve("i");
}

COMMAND(create_messenger)
{
    uint64_t instance = the_instance(line);
    const char *name = arg_or(line, "as", "m");
    PFN_vkCreateDebugUtilsMessengerEXT create =
        (PFN_vkCreateDebugUtilsMessengerEXT)command(line, "vkCreateDebugUtilsMessengerEXT", instance, 0);
    if (now->failed) return;
    VkDebugUtilsMessengerCreateInfoEXT info = {
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .pNext = (const void *)(uintptr_t)arg_ref(line, "next", 0),
        .messageSeverity = (VkDebugUtilsMessageSeverityFlagsEXT)arg_int(line, "severity", 0x1111),
        .messageType = (VkDebugUtilsMessageTypeFlagsEXT)arg_int(line, "types", 7),
        .pfnUserCallback = on_message,
        .pUserData = sink_new(line, name, arg(line, "script"))};
    VkDebugUtilsMessengerEXT messenger = VK_NULL_HANDLE;
    VkResult result = create((VkInstance)(uintptr_t)instance, &info, arg_allocator(line), &messenger);
    put_int("result", result);
    put_pointer("messenger", (const void *)(uintptr_t)messenger);
    if (result == VK_SUCCESS) object_add(name, MESSENGER, (uint64_t)messenger, instance, NULL, 0);
}

COMMAND(destroy_messenger)
{
    uint64_t instance = the_instance(line);
    const char *name = arg_or(line, "name", "m");
    uint64_t messenger = resolve(name);
    PFN_vkDestroyDebugUtilsMessengerEXT destroy =
        (PFN_vkDestroyDebugUtilsMessengerEXT)command(line, "vkDestroyDebugUtilsMessengerEXT", instance, 0);
    if (now->failed) return;
    destroy((VkInstance)(uintptr_t)instance, (VkDebugUtilsMessengerEXT)messenger, arg_allocator(line));
    object_drop(name);
}

COMMAND(create_report)
{
    uint64_t instance = the_instance(line);
    const char *name = arg_or(line, "as", "r");
    PFN_vkCreateDebugReportCallbackEXT create =
        (PFN_vkCreateDebugReportCallbackEXT)command(line, "vkCreateDebugReportCallbackEXT", instance, 0);
    if (now->failed) return;
    VkDebugReportCallbackCreateInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT,
                                               .flags = (VkDebugReportFlagsEXT)arg_int(line, "flags", 0x1f),
                                               .pfnCallback = on_report,
                                               .pUserData = sink_new(line, name, arg(line, "script"))};
    VkDebugReportCallbackEXT report = VK_NULL_HANDLE;
    VkResult result = create((VkInstance)(uintptr_t)instance, &info, arg_allocator(line), &report);
    put_int("result", result);
    put_pointer("report", (const void *)(uintptr_t)report);
    if (result == VK_SUCCESS) object_add(name, REPORT, (uint64_t)report, instance, NULL, 0);
}

COMMAND(destroy_report)
{
    uint64_t instance = the_instance(line);
    const char *name = arg_or(line, "name", "r");
    uint64_t report = resolve(name);
    PFN_vkDestroyDebugReportCallbackEXT destroy =
        (PFN_vkDestroyDebugReportCallbackEXT)command(line, "vkDestroyDebugReportCallbackEXT", instance, 0);
    if (now->failed) return;
    destroy((VkInstance)(uintptr_t)instance, (VkDebugReportCallbackEXT)report, arg_allocator(line));
    object_drop(name);
}

COMMAND(submit_message)
{
    uint64_t instance = the_instance(line);
    PFN_vkSubmitDebugUtilsMessageEXT submit =
        (PFN_vkSubmitDebugUtilsMessageEXT)command(line, "vkSubmitDebugUtilsMessageEXT", instance, 0);
    if (now->failed) return;
    VkDebugUtilsObjectNameInfoEXT object = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                            .objectType = (VkObjectType)arg_int(line, "object_type", 0),
                                            .objectHandle = arg_ref(line, "object", 0)};
    VkDebugUtilsMessengerCallbackDataEXT data = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT,
                                                 .pMessageIdName = arg(line, "id"),
                                                 .messageIdNumber = (int32_t)arg_int(line, "number", 0),
                                                 .pMessage = arg_or(line, "text", ""),
                                                 .objectCount = arg(line, "object") ? 1 : 0,
                                                 .pObjects = &object};
    submit((VkInstance)(uintptr_t)instance, (VkDebugUtilsMessageSeverityFlagBitsEXT)arg_int(line, "severity", 0x1000),
           (VkDebugUtilsMessageTypeFlagsEXT)arg_int(line, "types", 1), &data);
}

COMMAND(set_name)
{
    uint64_t device = arg(line, "device") ? arg_ref(line, "device", 0) : resolve("d");
    uint64_t instance = arg_ref(line, "instance", 0);
    PFN_vkSetDebugUtilsObjectNameEXT set =
        (PFN_vkSetDebugUtilsObjectNameEXT)command(line, "vkSetDebugUtilsObjectNameEXT", instance, device);
    if (now->failed) return;
    VkDebugUtilsObjectNameInfoEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT,
                                          .objectType = (VkObjectType)arg_int(line, "type", 0),
                                          .objectHandle = arg_ref(line, "handle", 0),
                                          .pObjectName = arg_or(line, "name", "")};
    VkDebugUtilsObjectNameInfoEXT before = info;
    put_int("result", set((VkDevice)(uintptr_t)device, &info));
    put_int("unchanged", !memcmp(&before, &info, sizeof info));
}
