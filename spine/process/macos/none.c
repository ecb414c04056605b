/* none.c: on macOS the loader cannot ask the dynamic linker for the path of a handle or the state of its data. */
#include "process/process.h"

char *gate_path_by_handle(void *handle)
{
    (void)handle;
    return NULL;
}

bool build_damaged(const struct build *build)
{
    (void)build;
    return false;
}
