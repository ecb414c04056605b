/* served.c: opens a driver of the service: the mapped library if it is the same file, otherwise the service's files. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/library.h"

struct mapped_lib *library_served(struct service *service, const char *given, const struct serve_file *file,
                                  uint32_t count, char **text)
{
    const struct serve_file *own = &file[count - 1];
    const char *why = NULL;
    struct file_identity identity;
    struct mapped_lib *lib = NULL;
    *text = NULL;
    int fd = service_file(service, own->number, own->size, &identity, &why);
    if (fd < 0) {
        *text = strdup(why);
        return NULL;
    }
    lib = library_use_served(given, &identity);
    if (!lib && library_refused(given, &identity)) {
        *text = library_overwritten_text(given);
    } else if (!lib) {
        struct objects *before = objects_now();
        struct closure *closure = closure_open(service, file, count, fd, text);
        const char *loader = closure ? loader_named_of(closure_driver(closure), &identity.build) : NULL;
        if (loader) {
            *text = library_loader_text(given, loader);
            closure_drop(closure);
        }
        if (closure && !loader)
            lib = library_add_served(given, &identity, closure, before);
        else
            objects_drop(before);
    }
    close(fd);
    return lib;
}
