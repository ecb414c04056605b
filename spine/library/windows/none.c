/* none.c: there is no driver service on Windows to open drivers of, and what layers need is unmapped with them. */
#include "library/library.h"

#include <string.h>

struct mapped_lib *library_served(struct service *service, const char *given, const struct serve_file *file,
                                  uint32_t count, char **text)
{
    (void)service, (void)given, (void)file, (void)count;
    *text = strdup("there is no driver service on Windows");
    return NULL;
}

void brought_look(void) {}

void brought_refused(struct layer_place *place)
{
    (void)place;
}

const char *brought_overwritten(const char *given)
{
    (void)given;
    return NULL;
}

void *brought_open(const char *given, const struct file_identity *seen, struct layer_place **place, char **text)
{
    (void)place;
    return gate_dlopen(given, seen, text);
}

void brought_closed(const char *given, const char *path, const struct file_identity *identity,
                    struct layer_place *place)
{
    (void)given, (void)path, (void)identity, (void)place;
}
