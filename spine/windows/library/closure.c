/* closure.c: there are no drivers of a service here. */
#include "library/library.h"

#include <string.h>

void closure_hold(struct closure *c)
{
    (void)c;
}

void closure_drop(struct closure *c)
{
    (void)c;
}

struct mapped_lib *library_served(struct service *service, const char *given, const struct serve_file *file,
                                  uint32_t count, char **text)
{
    (void)service, (void)given, (void)file, (void)count;
    *text = strdup("there is no driver service on Windows");
    return NULL;
}
