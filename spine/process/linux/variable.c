/* variable.c: variables as they are now. */
#include "process/process.h"

#include <stdlib.h>

/* The ids are compared at each call: secure_getenv() answers for the start of the program alone (GEN-5). */
const char *env_read(struct variable v, char **block)
{
    *block = NULL;
    return v.secure && process_privileged() ? NULL : v.secure ? secure_getenv(v.name) : getenv(v.name);
}
