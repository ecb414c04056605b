/* served.c: opens a driver of the service: what is mapped already when its file is the same, else from its files. */
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
    library_drop_replaced(given, &identity);
    const char *loader = loader_named_by(fd);
    if (loader || library_refused(given, &identity)) {
        *text = loader ? library_loader_text(given, loader) : library_overwritten_text(given);
        close(fd);
        return NULL;
    }
    struct closure *closure = library_find_served(given, &identity);
    if (!closure) closure = closure_open(service, file, count, fd, text);
    if (closure) {
        lib = calloc(1, sizeof *lib);
        if (!lib || !(lib->given = strdup(given))) {
            closure_drop(closure);
            free(lib);
            lib = NULL;
        } else {
            lib->real = lib->given;
            lib->closure = closure;
            lib->handle = closure_driver(closure);
            lib->identity = identity;
        }
    }
    close(fd);
    return lib;
}
