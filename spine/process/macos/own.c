/* own.c: which code is the loader's, and how the dynamic linker words a failure. */
#include <string.h>

#include "process/process.h"

bool code_is_own(const void *function)
{
    const void *const pair[] = {function, (const void *)code_is_own, NULL};
    return gate_same_object(pair);
}

bool text_of_wrong_class(const char *text)
{
    return text && (strstr(text, "incompatible architecture") || strstr(text, "wrong architecture"));
}
