/* none.c: on macOS the loader cannot ask the dynamic linker for the path of a handle. */
#include "process/process.h"

char *gate_path_by_handle(void *handle)
{
    (void)handle;
    return NULL;
}
