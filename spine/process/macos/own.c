/* own.c: recognizes the loader's own code, and the dynamic linker's texts for failures. */
#include <string.h>

#include "process/process.h"

bool code_is_own(const void *function)
{
    const void *const pair[] = {function, (const void *)code_is_own, NULL};
    return gate_same_object(pair);
}

/* Texts of dyld since macOS 11, for files with one part and for universal ones. */
bool text_of_wrong_class(const char *text)
{
    static const char *const all[] = {"incompatible architecture", "wrong architecture", "missing compatible arch",
                                      "no matching architecture in universal wrapper"};
    for (size_t i = 0; text && i < sizeof all / sizeof *all; i++)
        if (strstr(text, all[i])) return true;
    return false;
}
