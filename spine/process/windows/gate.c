/* gate.c: the one lock, and the functions of the spine that open, close or examine a library. Windows has no fork, so
 * there is no gate and one generation. */
#include "process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/windows/wake.h"
#include "process/windows/wide.h"

SRWLOCK lock_word = SRWLOCK_INIT;

uint64_t fork_generation(void)
{
    return 1;
}

uint64_t thread_now(void)
{
    return GetCurrentThreadId();
}

uint64_t thread_known(void)
{
    return GetCurrentThreadId();
}

/* ---- the lock --------------------------------------------------------------------------------------------------- */

void lock_take(void)
{
    AcquireSRWLockExclusive(&lock_word);
}

void lock_drop(void)
{
    ReleaseSRWLockExclusive(&lock_word);
}

/* ---- libraries -------------------------------------------------------------------------------------------------- */

/* Reports whether a path begins at the root of a drive or a share. Only then may the library's directory be searched
 * for its dependencies. */
static bool from_root(const WCHAR *path)
{
    return (path[0] == L'\\' && path[1] == L'\\') || (path[0] && path[1] == L':' && path[2] == L'\\');
}

/* WIN-073: opens a module; if it is not found, tries again with its own directory in the search for its dependencies.
 */
static HMODULE open(const WCHAR *path, DWORD *error)
{
    HMODULE module = LoadLibraryW(path);
    *error = module ? 0 : GetLastError();
    if (*error != ERROR_MOD_NOT_FOUND || !from_root(path)) return module;
    module = LoadLibraryExW(path, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR);
    if (module) *error = 0;
    return module;
}

/* Returns the message for an error, for free(). NULL: no memory (WIN-077). */
static char *text_of(const char *path, DWORD error)
{
    static const char format[] = "Failed to open dynamic library \"%s\" with error %lu";
    size_t size = sizeof format + strlen(path) + 16;
    char *text = error == ERROR_NOT_ENOUGH_MEMORY ? NULL : malloc(size);
    if (text) snprintf(text, size, format, path, error);
    return text;
}

void *gate_dlopen(const char *path, const struct file_identity *seen, char **text)
{
    (void)seen;
    WCHAR *wide = wide_path(path);
    DWORD error = wide ? ERROR_SUCCESS : GetLastError(); /* path is not valid UTF-8, or there is no memory */
    HMODULE module = wide ? open(wide, &error) : NULL;
    WCHAR *longer = wide && !module && from_root(wide) ? long_path(wide) : NULL;
    if (longer) module = open(longer, &error); /* WIN-079: long paths are tried once more */
    free(longer);
    free(wide);
    if (!module && text) *text = text_of(path, error);
    return module;
}

int gate_dlclose(void *handle)
{
    return FreeLibrary(handle) ? 0 : -1;
}

void *gate_dlsym(void *handle, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress(handle, name);
}

static bool module_of(const void *function, HMODULE *module)
{
    return function &&
           GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                              (const WCHAR *)function, module);
}

bool gate_same_object(const void *const *functions)
{
    HMODULE first, other;
    if (!module_of(functions[0], &first)) return false;
    for (unsigned i = 1; functions[i]; i++)
        if (!module_of(functions[i], &other) || other != first) return false;
    return true;
}

char *gate_path_of(const void *function)
{
    HMODULE module;
    return module_of(function, &module) ? module_path(module) : NULL;
}
