/* path.c: looks up the real path of a driver's library for messages.
 *
 * The path is looked up when a message first needs it, as most programs get no message. It opens no library. */
#include "library/library.h"

#include <stdlib.h>
#include <string.h>

const char *driver_path(struct driver_lib *lib)
{
    const char *path = __atomic_load_n(&lib->path, __ATOMIC_ACQUIRE), *none = NULL;
    if (path) return path;
    const struct mapped_lib *mapped = lib->mapped;
    bool known = mapped->closure || mapped->real != mapped->given;
    char *real = known ? NULL : gate_path_of(lib->inside, NULL, NULL);
    if (!real) real = strdup(mapped->real);
    if (!real) return mapped->real;
    if (__atomic_compare_exchange_n(&lib->path, &none, real, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return real;
    free(real); /* another thread was faster */
    return none;
}
