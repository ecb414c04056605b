/* variable.c: variables as they are now. */
#include <stdlib.h>

#include "process/process.h"

/* There is no secure_getenv (MAC-013). */
const char *env_read(struct variable v, char **block)
{
    *block = NULL;
    return v.secure && process_raised() ? NULL : getenv(v.name);
}
