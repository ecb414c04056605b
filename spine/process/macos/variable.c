/* variable.c: values of variables, from the C library. There is no secure_getenv (MAC-013). */
#include <stdlib.h>

#include "process/process.h"

const char *env_value(struct variable v)
{
    return getenv(v.name);
}
