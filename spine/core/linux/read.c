/* read.c: gathers what the core asks for: variables, directories, files, the executable's path, whether a path exists,
 * the graphics devices.
 * Everything goes through the C library's dynamic symbols (GEN-12, LAY-2, SYS-001), at the time of the call (G-5).
 *
 * It decides nothing and remembers nothing between calls. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/linux/known.h"
#include "process/process.h"

#define EXE_MAX 1024 /* GEN-13: a path of this many bytes or more counts as unknown */

void read_var(struct wire_writer *w, struct variable v)
{
    char *block;
    const char *value = env_read(v, &block);
    struct wire_var r = {WIRE_STR(name, v.name), .secure = v.secure, WIRE_STR(value, value)};
    wire_put_var(w, &r);
    free(block);
}

/* ---- directories ------------------------------------------------------------------------------------------------ */

void read_directory(struct wire_writer *w, struct looks *looks, const char *path)
{
    struct reading reading;
    if (reading_begin(&reading, w, looks, WIRE_DIRECTORY, path)) return;
    struct name_list list = {0};
    struct wire_directory r = {WIRE_STR(path, path)};
    errno = 0;
    DIR *dir = opendir(path);
    if (!dir) {
        if (errno == ENOMEM) w->failed = true;
        r.status = WIRE_DIRECTORY_NOT_OPENED;
        reading_of_nothing(&reading);
    } else {
        reading_of(&reading, dirfd(dir));
        for (struct dirent *entry; (entry = readdir(dir));) { /* LAY-1, SYS-010: the order is readdir's */
            size_t length = strlen(entry->d_name);
            if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0) continue;
            if (!name_add(&list, entry->d_name)) {
                w->failed = true;
                break;
            }
        }
        closedir(dir);
    }
    r.names.count = list.count;
    r.names.list = (const char *const *)list.name;
    wire_put_directory(w, &r);
    reading_end(&reading, w);
    names_free(&list);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* The size of an open file, or -1 with the status that says why. A stream that another library made has no descriptor;
 * it can be measured all the same. */
static long long stream_size(FILE *file, uint32_t *status)
{
    struct stat st;
    *status = WIRE_FILE_NO_SIZE; /* LAY-8: if its size cannot be determined */
    if (fstat(fileno(file), &st) == 0) {
        if (S_ISREG(st.st_mode)) return st.st_size;
        *status = S_ISDIR(st.st_mode) ? WIRE_FILE_NOT_READ /* it opens, but cannot be read */ : WIRE_FILE_NOT_REGULAR;
        return -1;
    }
    if (fseek(file, 0, SEEK_END) != 0) return -1;
    long size = ftell(file);
    return size >= 0 && fseek(file, 0, SEEK_SET) == 0 ? size : -1;
}

void read_file(struct wire_writer *w, struct looks *looks, const char *path)
{
    struct reading reading;
    if (reading_begin(&reading, w, looks, WIRE_FILE, path)) return;
    struct wire_file r = {WIRE_STR(path, path)};
    char *content = NULL;
    errno = 0;
    /* LAY-7: a file that cannot be opened is skipped */
    r.status = file_is_special(path) ? WIRE_FILE_NOT_REGULAR : WIRE_FILE_NOT_OPENED;
    FILE *file = r.status == WIRE_FILE_NOT_OPENED ? fopen(path, "rbe") : NULL;
    if (!file) {
        if (errno == ENOMEM) w->failed = true;
        reading_of_nothing(&reading);
        wire_put_file(w, &r);
        reading_end(&reading, w);
        return;
    }
    reading_of(&reading, fileno(file));
    setvbuf(file, NULL, _IONBF, 0); /* all of it is read at once, into a block of its own */
    long long size = stream_size(file, &r.status);
    if (size > FILE_SIZE_MAX) {
        r.status = WIRE_FILE_TOO_LARGE;
    } else if (size >= 0 && !(content = malloc((size_t)size + 1))) {
        w->failed = true;
    } else if (size >= 0) {
        size_t got = 0;
        while (got < (size_t)size) {
            size_t more = fread(content + got, 1, (size_t)size - got, file);
            if (more == 0) break;
            got += more;
        }
        r.status = got < (size_t)size ? WIRE_FILE_NOT_READ : WIRE_FILE_READ;
        if (r.status == WIRE_FILE_READ) {
            r.content = content;
            r.content_len = (uint32_t)size;
        }
    }
    wire_put_file(w, &r);
    if (r.status == WIRE_FILE_NOT_READ) reading.stamped = false; /* it may be read another time */
    reading_end(&reading, w);
    free(content);
    fclose(file);
}

/* ---- graphics devices ------------------------------------------------------------------------------------------- */

#define CLASS "/sys/class/drm"
#define SHORT 512 /* what the kernel says of a device is shorter; programs call on small stacks */

/* Adds the start of a file of a render node, an empty text when it cannot be read. */
static bool add_short_file(struct name_list *list, const char *node, const char *file)
{
    char text[SHORT];
    size_t length = 0;
    snprintf(text, sizeof text, CLASS "/%s/device/%s", node, file);
    FILE *f = fopen(text, "rbe");
    if (f) {
        setvbuf(f, NULL, _IONBF, 0);
        length = fread(text, 1, sizeof text - 1, f);
        fclose(f);
    }
    text[length] = '\0';
    return name_add(list, text);
}

void read_graphics(struct wire_writer *w)
{
    struct name_list devices = {0}, power = {0};
    struct wire_graphics r = {0};
    errno = 0;
    DIR *dir = opendir(CLASS);
    if (!dir && errno == ENOMEM) w->failed = true;
    r.status = dir ? WIRE_GRAPHICS_LISTED : WIRE_GRAPHICS_NONE;
    if (dir) {
        for (struct dirent *entry; !w->failed && (entry = readdir(dir));) {
            if (strncmp(entry->d_name, "renderD", 7) != 0) continue;
            w->failed = !add_short_file(&devices, entry->d_name, "uevent") ||
                        !add_short_file(&power, entry->d_name, "power/runtime_status");
        }
        closedir(dir);
    }
    for (uint32_t i = 0; i < power.count; i++) power.name[i][strcspn(power.name[i], "\n")] = '\0';
    r.devices.count = devices.count;
    r.devices.list = (const char *const *)devices.name;
    r.power.count = power.count;
    r.power.list = (const char *const *)power.name;
    wire_put_graphics(w, &r);
    names_free(&devices);
    names_free(&power);
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

void read_exe(struct wire_writer *w)
{
    char path[EXE_MAX];
    struct wire_exe r = {0};
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length > 0 && length < (ssize_t)sizeof path) {
        r.path = path;
        r.path_len = (uint32_t)length;
    }
    wire_put_exe(w, &r);
}

void read_exists(struct wire_writer *w, struct looks *looks, const char *path)
{
    struct reading reading;
    if (reading_begin(&reading, w, looks, WIRE_EXISTS, path)) return;
    struct wire_exists r = {WIRE_STR(path, path), .yes = access(path, F_OK) == 0};
    if (!r.yes) reading_of_nothing(&reading);
    wire_put_exists(w, &r);
    reading_end(&reading, w);
}
