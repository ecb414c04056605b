/* variable.c: values of variables, from the C library. */
#include <stdlib.h>

#include "process/process.h"

const char *env_value(struct variable v)
{
    return v.secure ? secure_getenv(v.name) : getenv(v.name);
}
