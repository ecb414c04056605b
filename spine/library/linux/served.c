/* served.c: opens a driver of the service: the mapped library if it is the same file, otherwise the service's files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/library.h"

struct library *library_served(struct service *service, const char *given, const struct serve_file *file,
                               uint32_t count, char **text)
{
    const struct serve_file *own = &file[count - 1];
    const char *why = NULL;
    struct file_identity identity;
    *text = NULL;
    int fd = service_file(service, own->number, own->size, &identity, &why);
    if (fd < 0) {
        *text = strdup(why);
        return NULL;
    }
    struct library *lib = library_use_served(given, &identity, text);
    struct objects_mark before = objects_mark();
    struct closure *closure = lib || *text ? NULL : closure_open(service, file, count, fd, text);
    close(fd);
    if (!closure) return lib;
    const char *loader = loader_named_of(closure_driver(closure));
    if (!loader) return library_add_served(given, &identity, closure, &before, text);
    *text = library_loader_text(given, loader);
    closure_drop(closure);
    return NULL;
}
