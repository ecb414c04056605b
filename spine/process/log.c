/* log.c: the log. It selects the messages for standard error (LOG-1 to LOG-14), formats them, and passes them to the
 * instance's messengers. A text from a file or a program is never used as a format (FUZ-025).
 *
 * It reads no variable but VK_LOADER_DEBUG, once, at load (GEN-2), and never holds the lock while it writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asm/tables.h"
#include "process/process.h"

#define TEXT_MAX 511 /* LOG-10: the body is cut after so many bytes */
#define TAG_WIDTH 32 /* LOG-9: the tag is padded with spaces to this width */

/* The log level of the process: set by VK_LOADER_DEBUG, or later by a settings file that a global command read (LOG-14,
 * SET-78). */
static _Atomic unsigned log_level;

/* LOG-1: the words of VK_LOADER_DEBUG, in the order in which LOG-4 tries prefixes. */
static const struct {
    char word[8];
    unsigned flags;
} words[] = {
    {"all", LOG_INFO | LOG_WARN | LOG_PERF | LOG_ERROR | LOG_DEBUG | LOG_LAYER | LOG_DRIVER | LOG_VALIDATION},
    {"warn", LOG_WARN},
    {"info", LOG_INFO},
    {"perf", LOG_PERF},
    {"error", LOG_ERROR},
    {"debug", LOG_DEBUG},
    {"layer", LOG_LAYER},
    {"driver", LOG_DRIVER},
    {"implem", LOG_DRIVER},
    {"icd", LOG_DRIVER},
};

static unsigned level_of(const char *list)
{
    unsigned level = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        for (size_t i = 0; length && i < sizeof words / sizeof *words; i++) {
            if (length > strlen(words[i].word) || strncmp(words[i].word, list, length) != 0) continue;
            level |= words[i].flags;
            break;
        }
        list += length;
        if (*list) list++;
    }
    return level;
}

void log_start(void)
{
    char *block;
    const char *list = env_read(VARIABLE_LOADER_DEBUG, &block);
    log_level = list ? level_of(list) : 0;
    free(block);
}

void log_set_level(struct instance *instance, unsigned level)
{
    if (instance)
        instance->log_level = level; /* SET-77: replaces VK_LOADER_DEBUG for this instance */
    else
        log_level = level;
}

void log_set_file(struct instance *instance, unsigned level, const char *path)
{
    if (process_elevated()) return;
    if (!logfile_append(path, "[Vulkan Loader] ", "an instance is created")) {
        log_line(instance, LOG_WARN, "The log file %s of the settings file cannot be written", path);
        return;
    }
    free(instance->log_file);
    instance->log_file = strdup(path);
    instance->file_level = level;
}

void log_forget(struct instance *instance)
{
    free(instance->log_file);
    instance->log_file = NULL;
}

/* Reports whether a line is written to the instance's file. */
static bool file_wants(const struct instance *instance, unsigned flags)
{
    return instance && instance->log_file && (flags & (instance->file_level | LOG_FATAL)) != 0;
}

static bool stderr_wants(const struct instance *instance, unsigned flags)
{
    if (flags & LOG_FATAL) return true; /* LOG-7: always written to standard error */
    unsigned level = instance && instance->log_level ? instance->log_level : log_level;
    return (flags & level) != 0;
}

/* Reports whether any sink wants a line with these flags. */
static bool sink_wants(const struct instance *instance, unsigned flags)
{
    return stderr_wants(instance, flags) || file_wants(instance, flags) ||
           (instance && messengers_heed(instance, flags));
}

bool log_heard(const struct instance *instance)
{
    return log_level || (instance && (instance->log_level || instance->log_file ||
                                      __atomic_load_n(&instance->heeded, __ATOMIC_RELAXED)));
}

/* Builds a line's tag from its severity and category. */
static void tag_of(unsigned flags, char tag[64])
{
    const char *severity = flags & LOG_ERROR   ? "ERROR"
                           : flags & LOG_WARN  ? "WARNING"
                           : flags & LOG_INFO  ? "INFO"
                           : flags & LOG_DEBUG ? "DEBUG"
                                               : "";
    const char *category = flags & LOG_PERF ? "PERF" : flags & LOG_DRIVER ? "DRIVER" : flags & LOG_LAYER ? "LAYER" : "";
    snprintf(tag, 64, "[Vulkan Loader] %s%s%s: ", severity, *severity && *category ? " | " : "", category);
}

/* Sends a text of at most TEXT_MAX bytes to all sinks. */
static void deliver(struct instance *instance, unsigned flags, const char *text)
{
    char tag[64], padded[64];
    if (instance) messengers_deliver(instance, flags, text); /* LOG-12: at every level */
    tag_of(flags, tag);
    snprintf(padded, sizeof padded, "%-*s", TAG_WIDTH, tag);
    if (stderr_wants(instance, flags)) stderr_write(padded, text);
    if (file_wants(instance, flags)) logfile_append(instance->log_file, tag, text);
}

void log_text(struct instance *instance, unsigned flags, const char *text)
{
    if (!sink_wants(instance, flags)) return;
    char cut[TEXT_MAX + 1];
    size_t length = strnlen(text, TEXT_MAX);
    memcpy(cut, text, length);
    cut[length] = 0;
    deliver(instance, flags, cut);
}

void log_line(struct instance *instance, unsigned flags, const char *format, ...)
{
    if (!sink_wants(instance, flags)) return;
    char text[TEXT_MAX + 1];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    deliver(instance, flags, text);
}

void log_abort(struct instance *instance, unsigned flags, const char *format, ...)
{
    char text[TEXT_MAX + 1];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    deliver(instance, flags | LOG_FATAL, text);
    stderr_end(); /* HND-003: the message is completely written first */
    abort();
}

void bad_handle(uint32_t command)
{
    const char *name = command < CMD_COUNT ? names_name(command) : "";
    const char *said = name;
    if (command == CMD_vkGetPhysicalDeviceSurfaceCapabilities2EXT) /* HND-017: reports another command's name */
        said = "vkGetPhysicalDeviceExternalImageFormatPropertiesNV";
    const char *param = command < CMD_COUNT ? names_param(names_commands[command].param) : "";
    log_abort(NULL, LOG_ERROR | LOG_VALIDATION, "%s: Invalid %s [VUID-%s-%s-parameter]", said, param, name, param);
}
