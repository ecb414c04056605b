/* system.c: the system functions of the probe on Windows. */
#include "system.h"

#include <windows.h>

#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tlhelp32.h>

#include "probe.h"
#include "process/windows/wide.h"

#define EVENTS "events="

/* A function of msvcrt.dll, which mingw-w64's start code calls and no header declares. */
struct heap_mode {
    int new_mode;
};
__declspec(dllimport) int __cdecl __wgetmainargs(int *argc, WCHAR ***argv, WCHAR ***environment, int expand,
                                                 struct heap_mode *mode);

/* Converts the command line's arguments to UTF-8 in place. main gets them in the system's own code page, which lacks
 * most characters. */
static void arguments_in_utf8(int argc, char **argv)
{
    WCHAR **given, **environment;
    int count;
    struct heap_mode mode = {0};
    if (__wgetmainargs(&count, &given, &environment, 0, &mode) != 0) return;
    for (int i = 0; i < argc && i < count; i++) {
        char *text = utf8_of(given[i]);
        if (text) argv[i] = text;
    }
}

/* Events go to the handle in the last argument; to standard output when a person runs the probe. */
int system_begin(int argc, char **argv)
{
    /* A missing library or a crash shows no window that waits for a click. */
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    arguments_in_utf8(argc, argv);
    if (argc > 1 && !strncmp(argv[argc - 1], EVENTS, strlen(EVENTS))) {
        HANDLE handle = (HANDLE)(uintptr_t)strtoull(argv[argc - 1] + strlen(EVENTS), NULL, 10);
        SetHandleInformation(handle, HANDLE_FLAG_INHERIT, 0);
        int own = _open_osfhandle((intptr_t)handle, _O_WRONLY | _O_BINARY);
        if (own >= 0) events = _fdopen(own, "wb");
        argc--;
    }
    if (!events) events = stdout;
    return argc;
}

double system_now(void)
{
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceFrequency(&frequency);
    QueryPerformanceCounter(&ticks);
    return (double)ticks.QuadPart * 1e6 / (double)frequency.QuadPart;
}

/* ---- libraries -------------------------------------------------------------------------------------------------- */

PFN_vkVoidFunction system_symbol(void *library, const char *name)
{
    return (PFN_vkVoidFunction)(void *)GetProcAddress(library, name);
}

void *system_opened(const char *path)
{
    WCHAR *name = wide_path(path);
    HMODULE library = name ? GetModuleHandleW(name) : NULL;
    free(name);
    return library;
}

static HMODULE library_of(PFN_vkVoidFunction function)
{
    HMODULE library = NULL;
    GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                       (const WCHAR *)(void *)function, &library);
    return library;
}

bool system_owns(void *library, PFN_vkVoidFunction function)
{
    return function && library_of(function) == library;
}

char *system_file(PFN_vkVoidFunction function)
{
    WCHAR path[4096];
    HMODULE library = library_of(function);
    DWORD size = library ? GetModuleFileNameW(library, path, sizeof path / sizeof *path) : 0;
    return size > 0 && size < sizeof path / sizeof *path ? utf8_of(path) : NULL;
}

void system_libraries(void (*each)(const char *path))
{
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPMODULE, 0);
    MODULEENTRY32W module = {.dwSize = sizeof module};
    for (BOOL more = Module32FirstW(all, &module); more; more = Module32NextW(all, &module)) {
        char *path = utf8_of(module.szExePath);
        if (path) each(path);
        free(path);
    }
    CloseHandle(all);
}

/* There is no fork: a layer that crashes ends the probe, and the reader names the phase. */
const char *system_isolated(void (*function)(size_t, VkInstance, VkDevice), size_t index, VkInstance instance,
                            VkDevice device)
{
    function(index, instance, device);
    return NULL;
}
