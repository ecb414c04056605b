/* read.c: gathers the facts that the core asks for: variables, directories, files, the executable's path, whether a
 * path exists. Paths are UTF-8 in the core and UTF-16 in calls of the system.
 *
 * It decides nothing and remembers nothing between calls. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "core/facts.h"
#include "process/process.h"
#include "process/windows/wide.h"

#define EXE_MAX 1024 /* GEN-13: a path of this many bytes or more counts as unknown */

void read_var(struct wire_writer *w, struct variable v, bool elevated)
{
    (void)elevated;
    char *block; /* the core ignores secure variables in an elevated process (WIN-057) */
    const char *value = env_read((struct variable){v.name, false}, &block);
    if (!value && out_of_memory()) w->failed = true;
    struct wire_var r = {WIRE_STR(name, v.name), .secure = v.secure, WIRE_STR(value, value)};
    wire_put_var(w, &r);
    free(block);
}

/* ---- directories ------------------------------------------------------------------------------------------------ */

/* Adds the name of a manifest; returns false without memory. */
static bool add_entry(struct wire_strs *list, struct wire_writer *packed, const WCHAR *entry)
{
    size_t length = wcslen(entry);
    /* WIN-047: only names that end in .json, in lower case */
    if (length < 5 || wcscmp(entry + length - 5, L".json") != 0) return true;
    char *name = utf8_of(entry);
    if (!name) return !out_of_memory();
    strs_add(list, packed, name, WIRE_CSTR);
    free(name);
    return !packed->failed;
}

void read_directory(struct wire_writer *w, struct read_budget *budget, const char *path)
{
    (void)budget;
    struct wire_writer names = {0};
    struct wire_directory r = {WIRE_STR(path, path)};
    WIN32_FIND_DATAW found;
    WCHAR *wide = wide_path(path);
    WCHAR *all = wide ? wide_join(wide, L"\\*") : NULL;
    HANDLE search = all ? search_begin(all, &found) : INVALID_HANDLE_VALUE;
    if (wide && !all) w->failed = true;
    if ((all || !wide) && search == INVALID_HANDLE_VALUE && out_of_memory()) w->failed = true;
    r.status = search == INVALID_HANDLE_VALUE ? WIRE_DIRECTORY_NOT_OPENED : WIRE_DIRECTORY_LISTED;
    if (search != INVALID_HANDLE_VALUE) {
        do { /* the order is the file system's */
            w->failed |= !add_entry(&r.names, &names, found.cFileName);
        } while (!w->failed && FindNextFileW(search, &found));
        FindClose(search);
    }
    wire_put_directory(w, &r);
    free(names.bytes);
    free(wide);
    free(all);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* Reports whether this call has read the file too often already, under any name. */
static bool is_over_budget(struct read_budget *budget, HANDLE file, uint64_t size)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (size <= READ_SMALL || !GetFileInformationByHandle(file, &info)) return false;
    const struct file_identity is = {.device = info.dwVolumeSerialNumber,
                                     .inode = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow};
    return is.inode && !read_count(budget, &is, size);
}

/* Sets the status of an open file, and its content if that is WIRE_FILE_READ. Returns false without memory. */
static bool content_of(HANDLE file, struct read_budget *budget, uint32_t *status, char **content, uint32_t *length)
{
    LARGE_INTEGER size;
    DWORD got = 0, more;
    *status = WIRE_FILE_NOT_REGULAR;
    if (GetFileType(file) != FILE_TYPE_DISK) return true;
    *status = WIRE_FILE_NO_SIZE; /* LAY-8: if its size cannot be determined */
    if (!GetFileSizeEx(file, &size)) return true;
    *status = WIRE_FILE_TOO_LARGE;
    if (size.QuadPart > FILE_SIZE_MAX) return true;
    *status = WIRE_FILE_TOO_OFTEN;
    if (is_over_budget(budget, file, (uint64_t)size.QuadPart)) return true;
    *content = malloc((size_t)size.QuadPart + 1);
    if (!*content) return false;
    while (got < (DWORD)size.QuadPart && ReadFile(file, *content + got, (DWORD)size.QuadPart - got, &more, NULL) &&
           more)
        got += more;
    *status = got < (DWORD)size.QuadPart ? WIRE_FILE_NOT_READ : WIRE_FILE_READ;
    *length = got;
    return true;
}

void read_file(struct wire_writer *w, struct read_budget *budget, const char *path)
{
    /* LAY-7: a file that cannot be opened is skipped */
    struct wire_file r = {WIRE_STR(path, path), .status = WIRE_FILE_NOT_OPENED};
    char *content = NULL;
    uint32_t length = 0;
    WCHAR *wide = wide_path(path);
    HANDLE file = wide ? open_file(wide, GENERIC_READ, FILE_ATTRIBUTE_NORMAL) : INVALID_HANDLE_VALUE;
    if (file != INVALID_HANDLE_VALUE) {
        if (!content_of(file, budget, &r.status, &content, &length)) w->failed = true;
        CloseHandle(file);
    } else if (out_of_memory()) {
        w->failed = true;
    } else if (wide) {
        DWORD attributes = path_attributes(wide);
        if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY))
            r.status = WIRE_FILE_NOT_READ;
    }
    if (r.status == WIRE_FILE_READ) {
        r.content = content;
        r.content_len = length;
    }
    wire_put_file(w, &r);
    free(content);
    free(wide);
}

/* ---- the rest --------------------------------------------------------------------------------------------------- */

/* Only the Linux kernel lists graphics devices in this way. */
void read_graphics(struct wire_writer *w)
{
    wire_put_graphics(w, &(struct wire_graphics){.status = WIRE_GRAPHICS_NONE});
}

void read_exe(struct wire_writer *w)
{
    struct wire_exe r = {0};
    char *path = module_path(NULL);
    if (!path && out_of_memory()) w->failed = true;
    if (path && strlen(path) < EXE_MAX) {
        r.path = path;
        r.path_len = (uint32_t)strlen(path);
    }
    wire_put_exe(w, &r);
    free(path);
}

void read_exists(struct wire_writer *w, const char *path)
{
    WCHAR *wide = wide_path(path);
    if (!wide && out_of_memory()) w->failed = true;
    struct wire_exists r = {WIRE_STR(path, path), .yes = wide && path_attributes(wide) != INVALID_FILE_ATTRIBUTES};
    if (wide && !r.yes && out_of_memory()) w->failed = true;
    wire_put_exists(w, &r);
    free(wide);
}

/* Reports whether a library's header (IMAGE_FILE_HEADER) names another machine than the program's. */
static bool is_foreign(const WCHAR *path)
{
    const uint8_t *program = (const uint8_t *)GetModuleHandleW(NULL);
    const IMAGE_NT_HEADERS *own = (const IMAGE_NT_HEADERS *)(program + ((const IMAGE_DOS_HEADER *)program)->e_lfanew);
    uint8_t head[4096];
    DWORD length = 0;
    HANDLE file = CreateFileW(path, GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                              OPEN_EXISTING, 0, NULL);
    if (file == INVALID_HANDLE_VALUE) return false;
    bool got = ReadFile(file, head, sizeof head, &length, NULL);
    CloseHandle(file);
    if (!got || length < 64 || head[0] != 'M' || head[1] != 'Z') return false;
    uint32_t at;
    memcpy(&at, head + 60, sizeof at);
    uint16_t machine;
    if (at > length - 6 || memcmp(head + at, "PE\0\0", 4) != 0) return false;
    memcpy(&machine, head + at + 4, sizeof machine);
    return machine != own->FileHeader.Machine;
}

void read_foreign(struct wire_writer *w, const char *path)
{
    WCHAR *wide = wide_path(path);
    if (!wide && out_of_memory()) w->failed = true;
    wire_put_foreign(w, &(struct wire_foreign){WIRE_STR(path, path), .yes = wide && is_foreign(wide)});
    free(wide);
}
