/* objects.c: the paths of the objects that a dlopen has brought into the process, and the inputs of the dynamic
 * linker's search. It opens no file. */
#include "library/library.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

/* A callback of dl_iterate_phdr, with struct objects_mark as data. */
static int count_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct objects_mark *mark = data;
    (void)size;
    mark->count++;
    mark->unloaded = info->dlpi_subs;
    return 0;
}

struct objects_mark objects_mark(void)
{
    struct objects_mark mark = {0};
    gate_walk(count_object, &mark);
    return mark;
}

/* A list of paths under construction. */
struct path_list {
    struct objects_mark before;
    unsigned index;    /* of the object in the linker's list */
    size_t used, room; /* bytes; used > room: the list is cut off */
    char *text;
};

/* A callback of dl_iterate_phdr, with struct path_list as data. New objects are at the end of the linker's list. */
static int copy_path(struct dl_phdr_info *info, size_t size, void *data)
{
    struct path_list *list = data;
    const char *name = info->dlpi_name ? info->dlpi_name : "";
    size_t length = strlen(name) + 1;
    (void)size;
    bool old = list->index++ + (info->dlpi_subs - list->before.unloaded) < list->before.count;
    if (old || name[0] != '/' || strncmp(name, "/proc/", 6) == 0) return 0;
    if (list->used + length < list->room) memcpy(list->text + list->used, name, length);
    list->used += length;
    return 0;
}

char *objects_since(const struct objects_mark *before, const char *own)
{
    struct path_list list = {.used = 1024};
    (void)own;
    while (list.used >= list.room) {
        free(list.text);
        list = (struct path_list){.before = *before, .room = list.used + 1024};
        list.text = malloc(list.room);
        if (!list.text) return NULL;
        gate_walk(copy_path, &list);
    }
    list.text[list.used] = '\0';
    return list.text;
}

/* The argument and the result of object_trace. */
struct trace_search {
    const char *path;
    struct object_trace trace;
};

/* A callback of dl_iterate_phdr, with struct trace_search as data. It ends the walk at the object of the path. */
static int find_trace(struct dl_phdr_info *info, size_t size, void *data)
{
    struct trace_search *search = data;
    (void)size;
    if (!info->dlpi_name || strcmp(info->dlpi_name, search->path) != 0) return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const void *at = (const void *)(info->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_LOAD && !part->p_offset && (part->p_flags & PF_R) && part->p_filesz >= FILE_HEAD)
            search->trace.head = file_hash(at, FILE_HEAD);
        if (part->p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *e = at;
        while (e->d_tag != DT_NULL && e->d_tag != DT_STRTAB) e++;
        search->trace.word = e->d_un.d_ptr;
    }
    return 1;
}

struct object_trace object_trace(const char *path)
{
    struct trace_search search = {.path = path};
    gate_walk(find_trace, &search);
    return search.trace;
}

char *linker_search_paths(const char *name, const char *found)
{
    static const char cache[] = "/etc/ld.so.cache";
    const char *variable = getenv("LD_LIBRARY_PATH"), *end = variable ? variable + strlen(variable) : variable;
    size_t room = sizeof cache + 1, own = strlen(name) + 1;
    for (const char *at = variable; at < end; at += strcspn(at, ":;") + 1) room += strcspn(at, ":;") + 1 + own;
    char *list = malloc(room), *to = list;
    for (const char *at = variable; list && at < end; at += strcspn(at, ":;") + 1) {
        size_t length = strcspn(at, ":;");
        if (*at != '/' || memchr(at, '$', length)) { /* a directory that only the linker knows */
            free(list);
            return NULL;
        }
        memcpy(to, at, length);
        to[length] = '/';
        memcpy(to + length + 1, name, own);
        if (strcmp(to, found) == 0) break;
        to += length + 1 + own;
    }
    if (list) memcpy(to, cache, sizeof cache);
    if (list) to[sizeof cache] = '\0';
    return list;
}
