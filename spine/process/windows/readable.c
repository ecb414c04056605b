/* readable.c: copies memory of unknown length. */
#include "process/process.h"

#include <windows.h>

#define PAGE 4096u

size_t memory_read(void *to, const void *from, size_t size)
{
    size_t done = 0;
    while (done < size) {
        const char *at = (const char *)from + done;
        size_t part = PAGE - (uintptr_t)at % PAGE;
        SIZE_T got = 0;
        if (part > size - done) part = size - done;
        if (!ReadProcessMemory(GetCurrentProcess(), at, (char *)to + done, part, &got) || got != part) break;
        done += part;
    }
    return done;
}
