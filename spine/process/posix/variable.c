/* variable.c: the current values of variables. */
#include "process/process.h"

/* The ids are compared at each call: secure_getenv() answers for the start of the program alone (GEN-5). */
const char *env_read(struct variable v, char **block)
{
    *block = NULL;
    const char *value = env_value(v);
    return value && v.secure && process_privileged() ? NULL : value;
}
