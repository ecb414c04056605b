/* wide.c: converts text between UTF-16 and UTF-8; opens files by long paths; reads the integrity level and the paths of
 * modules. */
#include "process/windows/wide.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "process/process.h"

#define PATH_MAX_WIDE 32768 /* characters of the system's longest path */

void *room_of(size_t size)
{
    void *block = malloc(size);
    if (!block) SetLastError(ERROR_NOT_ENOUGH_MEMORY);
    return block;
}

bool out_of_memory(void)
{
    DWORD error = GetLastError();
    return error == ERROR_NOT_ENOUGH_MEMORY || error == ERROR_OUTOFMEMORY || error == ERROR_NO_SYSTEM_RESOURCES ||
           error == ERROR_COMMITMENT_LIMIT;
}

WCHAR *wide_of(const char *text)
{
    int room = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, NULL, 0);
    WCHAR *wide = room > 0 ? room_of((size_t)room * sizeof *wide) : NULL;
    if (wide) MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, room);
    return wide;
}

char *utf8_of(const WCHAR *text)
{
    int room = WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, text, -1, NULL, 0, NULL, NULL);
    char *utf8 = room > 0 ? room_of((size_t)room) : NULL;
    if (utf8) WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, text, -1, utf8, room, NULL, NULL);
    return utf8;
}

char *utf8_with_length(const WCHAR *text, size_t length, uint32_t *bytes)
{
    int room = length ? WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, text, (int)length, NULL, 0, NULL, NULL) : 0;
    char *utf8 = room > 0 || !length ? room_of((size_t)room + 1) : NULL;
    *bytes = (uint32_t)room;
    if (utf8) {
        WideCharToMultiByte(CP_UTF8, WC_ERR_INVALID_CHARS, text, (int)length, utf8, room, NULL, NULL);
        utf8[room] = '\0';
    }
    return utf8;
}

WCHAR *wide_path(const char *path)
{
    WCHAR *wide = wide_of(path);
    for (WCHAR *c = wide; c && *c; c++)
        if (*c == L'/') *c = L'\\';
    return wide;
}

WCHAR *wide_join(const WCHAR *text, const WCHAR *after)
{
    WCHAR *out = array_grow(NULL, (uint64_t)wcslen(text) + wcslen(after) + 1, sizeof *out);
    return out ? wcscat(wcscpy(out, text), after) : NULL;
}

/* Returns a path with the prefix \\\\?\\, behind which the system expands no "." and "..", so the path is made absolute
 * first. */
WCHAR *long_path(const WCHAR *path)
{
    DWORD error = GetLastError();
    if (wcslen(path) < MAX_PATH || wcsncmp(path, L"\\\\?\\", 4) == 0) return NULL;
    DWORD room = GetFullPathNameW(path, 0, NULL, NULL);
    WCHAR *whole = room ? array_grow(NULL, room, sizeof *whole) : NULL, *longer = NULL;
    bool lacking = room && !whole;
    if (whole && GetFullPathNameW(path, room, whole, NULL) < room) {
        bool share = whole[0] == L'\\' && whole[1] == L'\\';
        longer = share ? wide_join(L"\\\\?\\UNC", whole + 1) : wide_join(L"\\\\?\\", whole);
        lacking = !longer;
    }
    free(whole);
    SetLastError(lacking ? ERROR_NOT_ENOUGH_MEMORY : error);
    return longer;
}

static HANDLE open_as_given(const WCHAR *path, DWORD rights, DWORD flags)
{
    return CreateFileW(path, rights, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING, flags,
                       NULL);
}

HANDLE open_file(const WCHAR *path, DWORD rights, DWORD flags)
{
    HANDLE file = open_as_given(path, rights, flags);
    WCHAR *longer = file == INVALID_HANDLE_VALUE ? long_path(path) : NULL;
    if (longer) file = open_as_given(longer, rights, flags);
    free(longer);
    return file;
}

DWORD path_attributes(const WCHAR *path)
{
    DWORD attributes = GetFileAttributesW(path);
    WCHAR *longer = attributes == INVALID_FILE_ATTRIBUTES ? long_path(path) : NULL;
    if (longer) attributes = GetFileAttributesW(longer);
    free(longer);
    return attributes;
}

HANDLE search_begin(const WCHAR *pattern, WIN32_FIND_DATAW *first)
{
    HANDLE search = FindFirstFileW(pattern, first);
    WCHAR *longer = search == INVALID_HANDLE_VALUE ? long_path(pattern) : NULL;
    if (longer) search = FindFirstFileW(longer, first);
    free(longer);
    return search;
}

char *module_path(HMODULE module)
{
    for (DWORD room = MAX_PATH; room <= PATH_MAX_WIDE; room *= 2) {
        WCHAR *wide = room_of(room * sizeof *wide);
        if (!wide) return NULL;
        DWORD length = GetModuleFileNameW(module, wide, room);
        char *path = length > 0 && length < room ? utf8_of(wide) : NULL;
        free(wide);
        if (path || length < room) return path;
    }
    return NULL;
}

BOOL process_level(DWORD *out)
{
    HANDLE token;
    DWORD size;
    BOOL known = FALSE;
    union {
        TOKEN_MANDATORY_LABEL label;
        char room[sizeof(TOKEN_MANDATORY_LABEL) + SECURITY_MAX_SID_SIZE];
    } level;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return FALSE;
    if (GetTokenInformation(token, TokenIntegrityLevel, &level, sizeof level, &size)) {
        UCHAR count = *GetSidSubAuthorityCount(level.label.Label.Sid);
        known = count > 0;
        if (known) *out = *GetSidSubAuthority(level.label.Label.Sid, count - 1u);
    }
    CloseHandle(token);
    return known;
}

bool process_elevated(void)
{
    DWORD level;
    return process_level(&level) && level >= SECURITY_MANDATORY_HIGH_RID;
}
