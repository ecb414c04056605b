/* none.c: Windows and macOS have no driver service, and the loader knows no objects there. */
#include "library/library.h"

#include <string.h>

struct library *library_served(struct service *service, const char *given, const struct serve_file *file,
                               uint32_t count, char **text)
{
    (void)service, (void)given, (void)file, (void)count;
    *text = strdup("there is no driver service on this system");
    return NULL;
}

struct objects_mark objects_mark(void)
{
    return (struct objects_mark){0};
}

/* The library alone. */
char *objects_since(const struct objects_mark *before, const char *own)
{
    size_t length = strlen(own);
    char *list = array_new(length + 2, 0, 1);
    (void)before;
    return list ? memcpy(list, own, length) : NULL;
}

struct object_trace object_trace(const char *path)
{
    (void)path;
    return (struct object_trace){0};
}

char *linker_search_paths(const char *name, const char *found)
{
    (void)name, (void)found;
    return NULL;
}
