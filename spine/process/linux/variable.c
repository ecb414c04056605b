/* variable.c: values of variables, from the C library. */
#include <stdlib.h>

#include "process/process.h"

const char *env_value(struct variable v)
{
<<<<<<< HEAD
    *block = NULL;
    return v.secure && process_privileged() ? NULL : v.secure ? secure_getenv(v.name) : getenv(v.name);
=======
    return v.secure ? secure_getenv(v.name) : getenv(v.name);
>>>>>>> main
}
