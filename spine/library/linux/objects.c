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

/* The argument and the result of relocated_word. */
struct word_search {
    const char *path;
    uintptr_t word;
};

/* A callback of dl_iterate_phdr, with struct word_search as data. It ends the walk at the object of the path. */
static int find_word(struct dl_phdr_info *info, size_t size, void *data)
{
    struct word_search *search = data;
    (void)size;
    if (!info->dlpi_name || strcmp(info->dlpi_name, search->path) != 0) return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
        const ElfW(Dyn) *e = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        while (e->d_tag != DT_NULL && e->d_tag != DT_STRTAB) e++;
        search->word = e->d_un.d_ptr;
    }
    return 1;
}

uintptr_t relocated_word(const char *path)
{
    struct word_search search = {.path = path};
    gate_walk(find_word, &search);
    return search.word;
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
