/* variable.c: the current values of variables. */
#include "process/process.h"

/* Reads a variable. The process's ids are compared at each call, because secure_getenv() knows those at the program's
 * start only (GEN-5). */
const char *env_read(struct variable v, char **block)
{
    *block = NULL;
    const char *value = env_value(v);
    return value && v.secure && process_elevated() ? NULL : value;
}
