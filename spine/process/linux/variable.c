/* variable.c: variables as they are now. */
#include "process/process.h"

#include <stdlib.h>

const char *env_read(struct variable v, char **block)
{
    *block = NULL;
    return v.secure ? secure_getenv(v.name) : getenv(v.name);
}
