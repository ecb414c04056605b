/* gate.c: the one lock, and the gate around every function of the spine that opens, closes or looks into a library.
 * Nobody forks here: there is one generation. */
#include "process/process.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "process/windows/wake.h"
#include "process/windows/wide.h"

SRWLOCK lock_word = SRWLOCK_INIT;
static SRWLOCK gate = SRWLOCK_INIT;
static _Atomic DWORD gate_owner; /* the thread inside, or 0 */
static unsigned gate_depth;

uint64_t fork_generation(void)
{
    return 1;
}

uint64_t thread_now(void)
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

/* ---- the gate --------------------------------------------------------------------------------------------------- */

void gate_enter(void)
{
    if (atomic_load(&gate_owner) == GetCurrentThreadId()) {
        gate_depth++;
        return;
    }
    AcquireSRWLockExclusive(&gate);
    atomic_store(&gate_owner, GetCurrentThreadId());
    gate_depth = 1;
}

void gate_leave(void)
{
    if (--gate_depth) return;
    atomic_store(&gate_owner, 0);
    ReleaseSRWLockExclusive(&gate);
}

/* Is it a path from a drive's or a share's root? Only those may be searched for what they need beside them. */
static bool from_root(const WCHAR *path)
{
    return (path[0] == L'\\' && path[1] == L'\\') || (path[0] && path[1] == L':' && path[2] == L'\\');
}

/* WIN-073. */
static HMODULE open(const WCHAR *path, DWORD *error)
{
    HMODULE module = LoadLibraryW(path);
    *error = module ? 0 : GetLastError();
    if (*error != ERROR_MOD_NOT_FOUND || !from_root(path)) return module;
    module = LoadLibraryExW(path, NULL, LOAD_LIBRARY_SEARCH_DEFAULT_DIRS | LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR);
    if (module) *error = 0;
    return module;
}

/* What there is no memory for has no text (WIN-077). */
static char *text_of(const char *path, DWORD error)
{
    static const char format[] = "Failed to open dynamic library \"%s\" with error %lu";
    size_t size = sizeof format + strlen(path) + 16;
    char *text = error == ERROR_NOT_ENOUGH_MEMORY ? NULL : malloc(size);
    if (text) snprintf(text, size, format, path, error);
    return text;
}

void *gate_dlopen(const char *path, char **text)
{
    WCHAR *wide = wide_path(path);
    DWORD error = wide ? ERROR_SUCCESS : GetLastError(); /* no memory, or no text */
    gate_enter();
    HMODULE module = wide ? open(wide, &error) : NULL;
    gate_leave();
    free(wide);
    if (!module && text) *text = text_of(path, error);
    return module;
}

int gate_dlclose(void *handle)
{
    gate_enter();
    BOOL closed = FreeLibrary(handle);
    gate_leave();
    return closed ? 0 : -1;
}

void *gate_dlsym(void *handle, const char *name)
{
    gate_enter();
    void *p = (void *)(uintptr_t)GetProcAddress(handle, name);
    gate_leave();
    return p;
}

char *gate_path_of(const void *function)
{
    HMODULE module;
    gate_enter();
    bool found = function && GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                                    GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                                                (const WCHAR *)function, &module);
    char *path = found ? module_path(module) : NULL;
    gate_leave();
    return path;
}
