/* open.c: opens a library for the probe with the DLL's own function, so that a trial finds what programs find. */
#include "system.h"

#include <stdlib.h>
#include <string.h>

#include "process/process.h"

static char *refusal;

void *system_open(const char *path)
{
    free(refusal);
    refusal = NULL;
    return gate_dlopen(path, NULL, &refusal);
}

/* Returns the end of the DLL's message, "error N": callers name the path themselves. */
const char *system_error(void)
{
    const char *end = refusal ? strrchr(refusal, '"') : NULL;
    return end ? end + strlen("\" with ") : "no memory";
}
