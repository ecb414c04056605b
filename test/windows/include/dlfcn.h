/* dlfcn.h: for test programs that are built for Windows: what they use of the C library's functions that open
 * libraries, by the system's own. */
#ifndef TEST_DLFCN_H
#define TEST_DLFCN_H

#include <stdint.h>
#include <stdio.h>
#include <windows.h>

#define RTLD_NOW 0
#define RTLD_LAZY 0
#define RTLD_LOCAL 0

static inline void *dlopen(const char *path, int mode)
{
    (void)mode;
    return (void *)LoadLibraryA(path);
}

static inline void *dlsym(void *library, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress((HMODULE)library, name);
}

static inline int dlclose(void *library)
{
    return FreeLibrary((HMODULE)library) ? 0 : -1;
}

static inline const char *dlerror(void)
{
    static char text[32];
    snprintf(text, sizeof text, "error %lu", GetLastError());
    return text;
}

#endif
