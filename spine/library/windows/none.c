/* none.c: there is no driver service on Windows to open drivers of. */
#include "library/library.h"

#include <string.h>

struct mapped_lib *library_served(struct service *service, const char *given, const struct serve_file *file,
                                  uint32_t count, char **text)
{
    (void)service, (void)given, (void)file, (void)count;
    *text = strdup("there is no driver service on Windows");
    return NULL;
}
