/* own.c: recognizes the loader's own code, and the dynamic linker's texts for failures. */
#include <string.h>

#include "process/file.h"

/* Symbols that the linker defines at the beginning and the end of this library. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

bool code_is_own(const void *function)
{
    return (uintptr_t)function >= (uintptr_t)__ehdr_start && (uintptr_t)function < (uintptr_t)_end;
}

bool text_of_wrong_class(const char *text)
{
    return text && strstr(text, "wrong ELF class:");
}
