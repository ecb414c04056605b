/* variable.c: reads the current values of variables, and converts names and values between UTF-8 and the system's
 * UTF-16 (WIN-012). */
#include "process/process.h"

#include <stdlib.h>

#include "process/windows/wide.h"

#define VALUE_TRIES_MAX 4 /* another thread may make the value longer between two calls */

/* Returns NULL for an unset variable and without memory. The caller frees the value. */
static WCHAR *value_of(const WCHAR *name)
{
    WCHAR *value = NULL;
    DWORD room = 0;
    for (unsigned i = 0; i < VALUE_TRIES_MAX; i++) {
        SetLastError(ERROR_SUCCESS);
        DWORD size = GetEnvironmentVariableW(name, value, room);
        if (size == 0 && GetLastError() != ERROR_SUCCESS) break; /* the variable is not set */
        if (value && size < room) return value;
        free(value);
        room = size + 1;
        value = room_of(room * sizeof *value);
        if (!value) return NULL;
    }
    free(value);
    return NULL;
}

const char *env_read(struct variable v, char **block)
{
    *block = NULL;
    /* WIN-057: an elevated process ignores this variable */
    if (v.secure && process_elevated()) return NULL;
    WCHAR *name = wide_of(v.name);
    WCHAR *value = name ? value_of(name) : NULL;
    if (value) *block = utf8_of(value);
    free(name);
    free(value);
    return *block;
}
