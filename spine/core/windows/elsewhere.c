/* elsewhere.c: facts that only Windows has: registry keys, app packages, the privileges of the process. adapters.c and
 * devices.c read the display adapters and the device tree. It decides nothing. */
#include "core/windows/elsewhere.h"

#include <stdlib.h>
#include <string.h>

#include "process/process.h"

/* ---- the registry ----------------------------------------------------------------------------------------------- */

static void put_value(struct wire_writer *w, const WCHAR *name, DWORD type, const BYTE *data, DWORD size)
{
    uint32_t length = 0;
    char *text = utf8_of(name);
    char *bytes = text ? value_data(type, data, size, &length) : NULL;
    if (bytes) {
        struct wire_registry_value v = {WIRE_STR(name, text), .type = type, .data = bytes, .data_len = length};
        wire_put_registry_value(w, &v);
    } else if (out_of_memory()) {
        w->failed = true;
    }
    free(text);
    free(bytes);
}

#define NAME_MAX_WIDE 16384 /* characters of the longest value name, with its NUL */

/* Writes all values of a registry key. */
static void put_values(struct wire_writer *w, HKEY key)
{
    DWORD room = 1024;
    WCHAR *name = array_grow(NULL, NAME_MAX_WIDE, sizeof *name);
    BYTE *data = malloc(room);
    for (DWORD i = 0; name && data && !w->failed;) {
        DWORD length = NAME_MAX_WIDE, size = room, type;
        LONG result = RegEnumValueW(key, i, name, &length, NULL, &type, data, &size);
        if (result == ERROR_MORE_DATA && size > room) {
            free(data);
            room = size;
            data = malloc(room);
            continue;
        }
        if (result == ERROR_NO_MORE_ITEMS) break;
        if (result == ERROR_SUCCESS) put_value(w, name, type, data, size);
        i++;
    }
    if (!name || !data) w->failed = true;
    free(name);
    free(data);
}

/* Writes whether the key could be opened, and its values. */
static void read_registry(struct wire_writer *w, uint32_t hive, const char *name)
{
    HKEY key;
    WCHAR *wide = wide_of(name);
    bool opened = wide && RegOpenKeyExW(hive == WIRE_LOCAL_MACHINE ? HKEY_LOCAL_MACHINE : HKEY_CURRENT_USER, wide, 0,
                                        KEY_QUERY_VALUE, &key) == ERROR_SUCCESS;
    if (!wide && out_of_memory()) w->failed = true;
    struct wire_registry r = {
        .hive = hive, WIRE_STR(key, name), .status = opened ? WIRE_REGISTRY_ENUMERATED : WIRE_REGISTRY_NOT_OPENED};
    wire_put_registry(w, &r);
    if (opened) {
        put_values(w, key);
        RegCloseKey(key);
    }
    free(wide);
}

/* ---- app packages ----------------------------------------------------------------------------------------------- */

typedef LONG(WINAPI *packages_of)(const WCHAR *family, UINT32 *count, WCHAR **names, UINT32 *length, WCHAR *buffer);
typedef LONG(WINAPI *path_of_package)(const WCHAR *name, UINT32 *length, WCHAR *path);

/* The paths of the packages of a family, with their packed form. */
struct paths {
    struct wire_strs list;
    struct wire_writer packed;
};

static void add_package(struct wire_writer *w, struct paths *paths, path_of_package path_of, const WCHAR *name)
{
    WCHAR path[MAX_PATH] = {0}; /* WIN-046: longer paths are ignored */
    UINT32 length = MAX_PATH;
    if (path_of(name, &length, path) != ERROR_SUCCESS || length > MAX_PATH || path[MAX_PATH - 1]) return;
    char *text = utf8_of(path);
    if (text) strs_add(&paths->list, &paths->packed, text, WIRE_CSTR);
    w->failed |= !text || paths->packed.failed;
    free(text);
}

/* Adds the paths of a package family. Systems before Windows 8 lack these functions (WIN-046). */
static void add_packages(struct wire_writer *w, struct paths *paths, const WCHAR *family)
{
    HMODULE kernel = GetModuleHandleW(L"kernel32.dll");
    packages_of list_of = (packages_of)(void *)GetProcAddress(kernel, "GetPackagesByPackageFamily");
    path_of_package path_of = (path_of_package)(void *)GetProcAddress(kernel, "GetPackagePathByFullName");
    UINT32 count = 0, length = 0;
    if (!list_of || !path_of || list_of(family, &count, NULL, &length, NULL) != ERROR_INSUFFICIENT_BUFFER) return;
    WCHAR **names = array_grow(NULL, count, sizeof *names), *buffer = array_grow(NULL, length, sizeof *buffer);
    if (!names || !buffer)
        w->failed = true;
    else if (list_of(family, &count, names, &length, buffer) == ERROR_SUCCESS)
        for (UINT32 i = 0; i < count; i++) add_package(w, paths, path_of, names[i]);
    free(names);
    free(buffer);
}

static void read_packages(struct wire_writer *w, const char *family)
{
    struct paths paths = {0};
    WCHAR *wide = wide_of(family);
    if (wide) add_packages(w, &paths, wide);
    if (!wide && out_of_memory()) w->failed = true;
    wire_put_packages(w, &(struct wire_packages){WIRE_STR(family, family), .paths = paths.list});
    free(paths.packed.bytes);
    free(wide);
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

static void read_process(struct wire_writer *w)
{
    DWORD level = 0;
    BOOL wow64 = FALSE;
    struct wire_process r = {.status = process_level(&level) ? WIRE_PROCESS_LEVEL_KNOWN : WIRE_PROCESS_LEVEL_UNKNOWN};
    r.level = level;
    r.wow64 = IsWow64Process(GetCurrentProcess(), &wow64) && wow64;
    wire_put_process(w, &r);
}

bool read_elsewhere(struct wire_writer *w, const struct wire_record *record)
{
    struct wire_need_registry registry;
    struct wire_need_adapters adapters;
    struct wire_need_devices devices;
    struct wire_need_packages packages;
    if (wire_get_need_registry(record, &registry))
        read_registry(w, registry.hive, registry.key);
    else if (wire_get_need_adapters(record, &adapters))
        read_adapters(w, adapters.name);
    else if (wire_get_need_devices(record, &devices))
        read_devices(w, devices.name);
    else if (wire_get_need_packages(record, &packages))
        read_packages(w, packages.family);
    else if (record->id == WIRE_NEED_DXGI)
        read_dxgi(w);
    else if (record->id == WIRE_NEED_PROCESS)
        read_process(w);
    else
        return false;
    return true;
}
