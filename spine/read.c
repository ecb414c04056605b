/* read.c: gathers what the core asks for: variables, folders, files, the executable's path, whether a path exists.
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

#include "facts.h"
#include "spine.h"

#define EXE_MAX 1024 /* GEN-13 */

const char *env_read(struct variable v) { return v.secure ? secure_getenv(v.name) : getenv(v.name); }

void read_var(struct wire_writer *w, struct variable v) {
    const char *value = env_read(v);
    struct wire_var r = {WIRE_STR(name, v.name), .secure = v.secure, WIRE_STR(value, value)};
    wire_put_var(w, &r);
}

/* ---- folders ---------------------------------------------------------------------------------------------------- */

struct name_list {
    char **name;
    uint32_t count, room;
};

static bool name_add(struct name_list *list, const char *name) {
    if (list->count == list->room) {
        uint32_t room = list->room ? list->room * 2 : 16;
        char **grown = realloc(list->name, room * sizeof *grown);
        if (!grown) return false;
        list->name = grown;
        list->room = room;
    }
    char *copy = strdup(name);
    if (!copy) return false;
    list->name[list->count++] = copy;
    return true;
}

void read_folder(struct wire_writer *w, const char *path) {
    struct name_list list = {0};
    struct wire_folder r = {WIRE_STR(path, path)};
    errno = 0;
    DIR *dir = opendir(path);
    if (!dir) {
        if (errno == ENOMEM) w->failed = true;
        r.status = 1;
    } else {
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
    wire_put_folder(w, &r);
    for (uint32_t i = 0; i < list.count; i++) free(list.name[i]);
    free(list.name);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* The size of an open file, or -1. A stream that another library made has no descriptor; it can be measured all the
 * same. */
static long long stream_size(FILE *file, bool *folder) {
    struct stat st;
    if (fstat(fileno(file), &st) == 0) {
        if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) return -1;
        *folder = S_ISDIR(st.st_mode); /* opens, but cannot be read; its size may be 0 */
        return st.st_size;
    }
    if (fseek(file, 0, SEEK_END) != 0) return -1;
    long size = ftell(file);
    return size >= 0 && fseek(file, 0, SEEK_SET) == 0 ? size : -1;
}

void read_file(struct wire_writer *w, const char *path) {
    struct wire_file r = {WIRE_STR(path, path)};
    char *content = NULL;
    errno = 0;
    FILE *file = fopen(path, "rb");
    if (!file) {
        if (errno == ENOMEM) w->failed = true;
        r.status = 1; /* LAY-7 */
        wire_put_file(w, &r);
        return;
    }
    setvbuf(file, NULL, _IONBF, 0); /* all of it is read at once, into a block of its own */
    bool folder = false;
    long long size = stream_size(file, &folder);
    if (size < 0) {
        r.status = 3; /* LAY-8 */
    } else if (folder) {
        r.status = 2;
    } else if (size > 0xfffffff0ll || !(content = malloc((size_t)size + 1))) {
        w->failed = true;
    } else {
        size_t got = 0;
        while (got < (size_t)size) {
            size_t more = fread(content + got, 1, (size_t)size - got, file);
            if (more == 0) break;
            got += more;
        }
        if (got < (size_t)size) {
            r.status = 2;
        } else {
            r.content = content;
            r.content_len = (uint32_t)size;
        }
    }
    wire_put_file(w, &r);
    free(content);
    fclose(file);
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

void read_exe(struct wire_writer *w) {
    char path[EXE_MAX];
    struct wire_exe r = {0};
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    if (length > 0 && length < (ssize_t)sizeof path) {
        r.path = path;
        r.path_len = (uint32_t)length;
    }
    wire_put_exe(w, &r);
}

void read_exists(struct wire_writer *w, const char *path) {
    struct wire_exists r = {WIRE_STR(path, path), .yes = access(path, F_OK) == 0};
    wire_put_exists(w, &r);
}
