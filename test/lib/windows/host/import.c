/* import.c: replaces functions of the system for cases that are about them: it logs the calls, and returns other
 * libraries and errors as the setup says. */
#include "import.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <windows.h>

/* ---- the log ---------------------------------------------------------------------------------------------------- */

static HANDLE call_log = INVALID_HANDLE_VALUE;

static __attribute__((noinline)) void write_call(const char *function, const wchar_t *argument, const char *more)
{
    char text[3 * 4096], line[3 * 4096 + 256];
    DWORD error = GetLastError(), written;
    if (!argument || !WideCharToMultiByte(CP_UTF8, 0, argument, -1, text, sizeof text, NULL, NULL)) text[0] = 0;
    text[strcspn(text, "\n")] = 0;
    int size = snprintf(line, sizeof line, "%s %s%s\n", function, text, more);
    WriteFile(call_log, line, (DWORD)size, &written, NULL);
    SetLastError(error);
}

/* Logs a call. It uses little stack, because callers may have little. */
static void note(const char *function, const wchar_t *argument, const char *more)
{
    if (call_log != INVALID_HANDLE_VALUE) write_call(function, argument, more);
}

/* ---- libraries -------------------------------------------------------------------------------------------------- */

static struct other {
    wchar_t *name, *path; /* path NULL: the load fails with the error */
    DWORD error;
} others[32];
static int other_count;

/* Finds a replacement by the last component of the path. */
static const struct other *other_of(const wchar_t *path)
{
    const wchar_t *name = wcsrchr(path, L'\\');
    for (int i = other_count; i-- > 0;) /* the last statement of a name counts */
        if (!_wcsicmp(others[i].name, name ? name + 1 : path)) return &others[i];
    return NULL;
}

static bool short_paths;

/* Reports whether Windows would open no file by this path. After the prefix of long paths Windows takes a path
 * literally, so that "." is a name. */
static bool too_long(const wchar_t *path)
{
    if (!short_paths) return false;
    if (wcsncmp(path, L"\\\\?\\", 4)) return wcslen(path) >= MAX_PATH;
    return wcschr(path, L'/') || wcsstr(path, L"\\.\\") || wcsstr(path, L"\\..\\");
}

HMODULE WINAPI import_load(const wchar_t *path)
{
    const struct other *other = other_of(path);
    note("LoadLibraryW", path, "");
    if (too_long(path)) {
        SetLastError(ERROR_MOD_NOT_FOUND);
        return NULL;
    }
    if (!other) return LoadLibraryW(path);
    if (other->path) return LoadLibraryW(other->path);
    SetLastError(other->error);
    return NULL;
}

HMODULE WINAPI import_load_by(const wchar_t *path, HANDLE file, DWORD flags)
{
    char more[32];
    const struct other *other = other_of(path);
    snprintf(more, sizeof more, " %#lx", (unsigned long)flags);
    note("LoadLibraryExW", path, more);
    if (too_long(path)) {
        SetLastError(ERROR_MOD_NOT_FOUND);
        return NULL;
    }
    if (!other) return LoadLibraryExW(path, file, flags);
    if (other->path) return LoadLibraryW(other->path);
    SetLastError(other->error);
    return NULL;
}

static __attribute__((noinline)) void note_module(const char *function, HMODULE module)
{
    wchar_t path[4096];
    if (GetModuleFileNameW(module, path, 4096)) write_call(function, path, "");
}

BOOL WINAPI import_let_go(HMODULE module)
{
    if (call_log != INVALID_HANDLE_VALUE) note_module("FreeLibrary", module);
    return FreeLibrary(module);
}

/* ---- app packages ----------------------------------------------------------------------------------------------- */

static struct package {
    wchar_t *family, *path;
} packages[8];
static int package_count;

static LONG WINAPI packages_of(const wchar_t *family, UINT32 *count, wchar_t **names, UINT32 *length, wchar_t *buffer)
{
    UINT32 found = 0;
    for (int i = 0; i < package_count; i++) found += !wcscmp(packages[i].family, family);
    bool fits = names && buffer && *count >= found && *length >= found * 2;
    *count = found;
    *length = found * 2;
    if (!found) return ERROR_SUCCESS;
    if (!fits) return ERROR_INSUFFICIENT_BUFFER;
    for (int i = 0, at = 0; i < package_count; i++) {
        if (wcscmp(packages[i].family, family)) continue;
        names[at] = buffer + 2 * at; /* the name of a package is its index */
        names[at][0] = (wchar_t)(L'0' + i);
        names[at++][1] = 0;
    }
    return ERROR_SUCCESS;
}

static LONG WINAPI path_of_package(const wchar_t *name, UINT32 *length, wchar_t *path)
{
    const wchar_t *is = packages[name[0] - L'0'].path;
    UINT32 needed = (UINT32)wcslen(is) + 1, room = *length;
    note("GetPackagePathByFullName", is, "");
    if (!wcscmp(is, L"unwritten")) return ERROR_SUCCESS;
    if (!wcscmp(is, L"unended")) {
        for (UINT32 i = 0; i < room; i++) path[i] = L'x';
        return ERROR_SUCCESS;
    }
    *length = needed;
    if (needed > room) return ERROR_INSUFFICIENT_BUFFER;
    wcscpy(path, is);
    return ERROR_SUCCESS;
}

FARPROC WINAPI import_function(HMODULE module, const char *name)
{
    if (package_count && (uintptr_t)name >> 16) {
        if (!strcmp(name, "GetPackagesByPackageFamily")) return (FARPROC)(void *)packages_of;
        if (!strcmp(name, "GetPackagePathByFullName")) return (FARPROC)(void *)path_of_package;
    }
    return GetProcAddress(module, name);
}

/* ---- files, variables, the registry, the debugger -----------------------------------------------------------------
 */

HANDLE WINAPI import_find(const wchar_t *pattern, WIN32_FIND_DATAW *found)
{
    note("FindFirstFileW", pattern, "");
    if (!too_long(pattern)) return FindFirstFileW(pattern, found);
    SetLastError(ERROR_PATH_NOT_FOUND);
    return INVALID_HANDLE_VALUE;
}

DWORD WINAPI import_attributes(const wchar_t *path)
{
    note("GetFileAttributesW", path, "");
    if (!too_long(path)) return GetFileAttributesW(path);
    SetLastError(ERROR_PATH_NOT_FOUND);
    return INVALID_FILE_ATTRIBUTES;
}

HANDLE WINAPI import_open_file(const wchar_t *path, DWORD rights, DWORD share, SECURITY_ATTRIBUTES *security, DWORD how,
                               DWORD flags, HANDLE like)
{
    note("CreateFileW", path, "");
    if (!too_long(path)) return CreateFileW(path, rights, share, security, how, flags, like);
    SetLastError(ERROR_PATH_NOT_FOUND);
    return INVALID_HANDLE_VALUE;
}

DWORD WINAPI import_variable(const wchar_t *name, wchar_t *value, DWORD room)
{
    note("GetEnvironmentVariableW", name, "");
    return GetEnvironmentVariableW(name, value, room);
}

LONG WINAPI import_open_key(HKEY above, const wchar_t *name, DWORD options, REGSAM rights, HKEY *key)
{
    note("RegOpenKeyExW", name, above == HKEY_LOCAL_MACHINE ? " of the machine" : " of the user");
    return RegOpenKeyExW(above, name, options, rights, key);
}

void WINAPI import_debugger(const wchar_t *text)
{
    note("OutputDebugStringW", text, "");
    OutputDebugStringW(text);
}

/* ---- the setup -------------------------------------------------------------------------------------------------- */

bool import_obey(const char *verb, const char *first, const char *second)
{
    if (!strcmp(verb, "short_paths")) return short_paths = true;
    if (!strcmp(verb, "calls")) {
        wchar_t *path = posix_wide(first);
        call_log = CreateFileW(path, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                               OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
        free(path);
        return true;
    }
    if (!strcmp(verb, "package")) {
        if (!second || package_count == 8) abort();
        packages[package_count++] = (struct package){posix_wide(first), posix_wide(second)};
        return true;
    }
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
