/* import.c: stands between the loader and some of the system's functions: writes down what they were called with (a
 * line each, "function argument", to the file that WORLD_ACCESS names), gives other libraries and errors as the setup
 * says. */
#include "import.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

void import_set(HMODULE module, const char *name, uintptr_t by)
{
    unsigned char *base = (void *)module;
    const IMAGE_NT_HEADERS *image = (const void *)(base + ((const IMAGE_DOS_HEADER *)(const void *)base)->e_lfanew);
    const IMAGE_DATA_DIRECTORY *where = &image->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
    const IMAGE_IMPORT_DESCRIPTOR *library = (const void *)(base + where->VirtualAddress);
    for (; where->Size && library->Name; library++) {
        const IMAGE_THUNK_DATA *names = (const void *)(base + library->OriginalFirstThunk);
        IMAGE_THUNK_DATA *functions = (void *)(base + library->FirstThunk);
        for (int i = 0; names[i].u1.AddressOfData; i++) {
            DWORD before;
            if (IMAGE_SNAP_BY_ORDINAL(names[i].u1.Ordinal)) continue;
            if (strcmp((const char *)(base + names[i].u1.AddressOfData + 2), name)) continue;
            VirtualProtect(&functions[i], sizeof functions[i], PAGE_READWRITE, &before);
            functions[i].u1.Function = by;
            VirtualProtect(&functions[i], sizeof functions[i], before, &before);
        }
    }
}

/* ---- the log ---------------------------------------------------------------------------------------------------- */

static HANDLE access_log = INVALID_HANDLE_VALUE;

static void note(const char *function, const wchar_t *argument, const char *more)
{
    char text[3 * 4096], line[3 * 4096 + 256];
    DWORD error = GetLastError(), written;
    if (access_log == INVALID_HANDLE_VALUE) return;
    if (!argument || !WideCharToMultiByte(CP_UTF8, 0, argument, -1, text, sizeof text, NULL, NULL)) text[0] = 0;
    text[strcspn(text, "\n")] = 0;
    int size = snprintf(line, sizeof line, "%s %s%s\n", function, text, more);
    WriteFile(access_log, line, (DWORD)size, &written, NULL);
    SetLastError(error);
}

/* ---- libraries -------------------------------------------------------------------------------------------------- */

static struct other {
    wchar_t *name, *path; /* NULL: none, and the error */
    DWORD error;
} others[32];
static int other_count;

/* By the last component of what is asked for. */
static const struct other *other_of(const wchar_t *path)
{
    const wchar_t *name = wcsrchr(path, L'\\');
    for (int i = other_count; i-- > 0;) /* what was said last counts */
        if (!_wcsicmp(others[i].name, name ? name + 1 : path)) return &others[i];
    return NULL;
}

static HMODULE WINAPI load(const wchar_t *path)
{
    const struct other *other = other_of(path);
    note("LoadLibraryW", path, "");
    if (!other) return LoadLibraryW(path);
    if (other->path) return LoadLibraryW(other->path);
    SetLastError(other->error);
    return NULL;
}

static HMODULE WINAPI load_by(const wchar_t *path, HANDLE file, DWORD flags)
{
    char more[32];
    const struct other *other = other_of(path);
    snprintf(more, sizeof more, " %#lx", (unsigned long)flags);
    note("LoadLibraryExW", path, more);
    if (!other) return LoadLibraryExW(path, file, flags);
    if (other->path) return LoadLibraryW(other->path);
    SetLastError(other->error);
    return NULL;
}

static BOOL WINAPI let_go(HMODULE module)
{
    wchar_t path[4096];
    if (GetModuleFileNameW(module, path, 4096)) note("FreeLibrary", path, "");
    return FreeLibrary(module);
}

/* ---- files, variables, the registry, the debugger -----------------------------------------------------------------
 */

static bool short_paths;

static HANDLE WINAPI open_file(const wchar_t *path, DWORD rights, DWORD share, SECURITY_ATTRIBUTES *security, DWORD how,
                               DWORD flags, HANDLE like)
{
    note("CreateFileW", path, "");
    if (!short_paths || wcslen(path) < MAX_PATH || !wcsncmp(path, L"\\\\?\\", 4))
        return CreateFileW(path, rights, share, security, how, flags, like);
    SetLastError(ERROR_PATH_NOT_FOUND);
    return INVALID_HANDLE_VALUE;
}

static DWORD WINAPI variable(const wchar_t *name, wchar_t *value, DWORD room)
{
    note("GetEnvironmentVariableW", name, "");
    return GetEnvironmentVariableW(name, value, room);
}

static LONG WINAPI open_key(HKEY above, const wchar_t *name, DWORD options, REGSAM rights, HKEY *key)
{
    note("RegOpenKeyExW", name, above == HKEY_LOCAL_MACHINE ? " of the machine" : " of the user");
    return RegOpenKeyExW(above, name, options, rights, key);
}

static void WINAPI debugger(const wchar_t *text)
{
    note("OutputDebugStringW", text, "");
    OutputDebugStringW(text);
}

/* ---- all of them ------------------------------------------------------------------------------------------------ */

bool import_obey(const char *verb, const char *first, const char *second)
{
    if (!strcmp(verb, "short_paths")) return short_paths = true;
    bool refused = !strcmp(verb, "refuse");
    if (!refused && strcmp(verb, "library")) return false;
    if (!second || other_count == 32) abort();
    struct other *other = &others[other_count++];
    other->name = posix_wide(first);
    if (refused)
        other->error = strtoul(second, NULL, 0);
    else
        other->path = posix_wide(second);
    return true;
}

void import_all(HMODULE module)
{
    wchar_t wide[4096];
    if (access_log == INVALID_HANDLE_VALUE && GetEnvironmentVariableW(L"WORLD_ACCESS", wide, 4096))
        access_log = CreateFileW(wide, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                                 OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
    import_set(module, "LoadLibraryW", (uintptr_t)load);
    import_set(module, "LoadLibraryExW", (uintptr_t)load_by);
    import_set(module, "FreeLibrary", (uintptr_t)let_go);
    import_set(module, "CreateFileW", (uintptr_t)open_file);
    import_set(module, "GetEnvironmentVariableW", (uintptr_t)variable);
    import_set(module, "RegOpenKeyExW", (uintptr_t)open_key);
    import_set(module, "OutputDebugStringW", (uintptr_t)debugger);
}
