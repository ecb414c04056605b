/* own.c: which code is the loader's, and how the dynamic linker words a failure. */
#include <mach-o/loader.h>
#include <stdint.h>
#include <string.h>

#include "process/file.h"

/* The header of this library; the linker's. */
extern const struct mach_header_64 own_header __asm__("___dso_handle") __attribute__((visibility("hidden")));

/* The header begins the segment __TEXT, which has all code. */
bool code_is_own(const void *function)
{
    const char *at = (const char *)(&own_header + 1);
    for (uint32_t i = 0; i < own_header.ncmds; i++, at += ((const struct load_command *)at)->cmdsize) {
        const struct segment_command_64 *s = (const void *)at;
        if (s->cmd == LC_SEGMENT_64 && strcmp(s->segname, SEG_TEXT) == 0)
            return (uintptr_t)function - (uintptr_t)&own_header < s->vmsize;
    }
    return false;
}

bool text_of_wrong_class(const char *text)
{
    return text && (strstr(text, "incompatible architecture") || strstr(text, "wrong architecture"));
}
