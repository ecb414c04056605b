/* system.c: opens the system's own libraries, by their paths in the system directory (WIN-007, WIN-008). While an
 * instance lives, an opened library stays open, because programs that interpose the library notice each load and
 * unload. Libraries are closed during API calls, never when the DLL is unloaded. */
#include <wchar.h>

#include "process/process.h"
#include "process/windows/wide.h"

#define LIBRARIES_MAX 4 /* gdi32, cfgmgr32, dxgi */

static struct system_module {
    const WCHAR *name; /* a constant of the caller, not copied */
    HMODULE module;
    unsigned users;
} modules[LIBRARIES_MAX];  /* under the lock */
static unsigned instances; /* under the lock */

/* Loads a library by its path in the system directory. By a bare name, the system would return a library of that name
 * that the program has loaded from elsewhere. The library's dependencies are searched for in its own directory instead
 * of the program's. */
static HMODULE load(const WCHAR *name)
{
    WCHAR path[MAX_PATH];
    UINT end = GetSystemDirectoryW(path, MAX_PATH);
    if (!end || end + wcslen(name) + 2 > MAX_PATH) return NULL;
    path[end] = L'\\';
    wcscpy(path + end + 1, name);
    return LoadLibraryExW(path, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
}

/* Returns the entry of a library, or a free entry if name is NULL. Call it with the lock. */
static struct system_module *entry_of(const WCHAR *name)
{
    for (unsigned i = 0; i < LIBRARIES_MAX; i++)
        if (name ? modules[i].module && wcscmp(modules[i].name, name) == 0 : !modules[i].module) return &modules[i];
    return NULL;
}

HMODULE system_library(const WCHAR *name)
{
    lock_take();
    struct system_module *at = entry_of(name);
    if (at) at->users++;
    HMODULE module = at ? at->module : NULL;
    lock_drop();
    if (module) return module;
    module = load(name);
    if (!module) return NULL;
    lock_take();
    at = entry_of(name); /* if another thread was first, the library has two references; one is dropped */
    HMODULE second = at ? module : NULL;
    if (!at && (at = entry_of(NULL))) *at = (struct system_module){name, module, 0};
    if (at) at->users++;
    lock_drop();
    if (second) FreeLibrary(second);
    return module;
}

/* Closes unused libraries, unless an instance lives. */
static void let_go(void)
{
    HMODULE gone[LIBRARIES_MAX];
    unsigned count = 0;
    lock_take();
    for (unsigned i = 0; i < LIBRARIES_MAX && !instances; i++) {
        if (!modules[i].module || modules[i].users) continue;
        gone[count++] = modules[i].module;
        modules[i] = (struct system_module){0};
    }
    lock_drop();
    while (count) FreeLibrary(gone[--count]);
}

void system_library_done(HMODULE module)
{
    if (!module) return;
    lock_take();
    for (unsigned i = 0; i < LIBRARIES_MAX; i++)
        if (modules[i].module == module) modules[i].users--;
    lock_drop();
    let_go();
}

/* Reports whether code lies in the system's library of this name. The names are compared first; a program's own copy
 * has the same name but is another module. */
bool system_code(const WCHAR *name, const void *code)
{
    HMODULE module, system;
    WCHAR path[MAX_PATH];
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            (const WCHAR *)code, &module))
        return false;
    DWORD length = GetModuleFileNameW(module, path, MAX_PATH);
    if (!length || length >= MAX_PATH) return false;
    const WCHAR *base = wcsrchr(path, L'\\');
    size_t stem = (size_t)(wcschr(name, L'.') - name);
    if (!base || _wcsnicmp(base + 1, name, stem) != 0) return false;
    system = system_library(name);
    system_library_done(system);
    return system == module;
}

void system_hold(void)
{
    lock_take();
    instances++;
    lock_drop();
}

void system_drop(void)
{
    lock_take();
    instances--;
    lock_drop();
    let_go();
}
