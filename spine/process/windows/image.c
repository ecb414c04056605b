/* image.c: is a file a Vulkan loader by its own name, and by which path has the system found a library? Of a file no
 * more is read than its headers and the name in its export directory, each within bounds, and nothing of it runs: what
 * the system refuses is left to it. */
#include "process/process.h"

#include <stdlib.h>
#include <string.h>

#include "process/windows/wide.h"

#define SECTIONS_MAX 96 /* as many as the system loads */

static bool read_at(HANDLE file, uint64_t at, void *to, DWORD size, DWORD least)
{
    LARGE_INTEGER place = {.QuadPart = (LONGLONG)at};
    DWORD got = 0;
    return at <= INT32_MAX && SetFilePointerEx(file, place, NULL, FILE_BEGIN) && ReadFile(file, to, size, &got, NULL) &&
           got >= least;
}

/* Where an address of the loaded file lies in it. */
static bool offset_in_file(HANDLE file, uint64_t sections, unsigned count, DWORD address, uint64_t *place)
{
    IMAGE_SECTION_HEADER part;
    for (unsigned i = 0; i < count && i < SECTIONS_MAX; i++) {
        if (!read_at(file, sections + i * sizeof part, &part, sizeof part, sizeof part)) return false;
        if (address < part.VirtualAddress || address - part.VirtualAddress >= part.SizeOfRawData) continue;
        *place = (uint64_t)part.PointerToRawData + (address - part.VirtualAddress);
        return true;
    }
    return false;
}

static bool name_read(HANDLE file, char *name, DWORD size)
{
    IMAGE_DOS_HEADER dos;
    IMAGE_NT_HEADERS head; /* of this word size: no other is loaded */
    IMAGE_EXPORT_DIRECTORY exports;
    uint64_t place;
    if (!read_at(file, 0, &dos, sizeof dos, sizeof dos) || dos.e_magic != IMAGE_DOS_SIGNATURE || dos.e_lfanew < 0)
        return false;
    uint64_t at = (uint64_t)dos.e_lfanew;
    if (!read_at(file, at, &head, sizeof head, sizeof head) || head.Signature != IMAGE_NT_SIGNATURE) return false;
    if (head.OptionalHeader.Magic != IMAGE_NT_OPTIONAL_HDR_MAGIC || !head.OptionalHeader.NumberOfRvaAndSizes)
        return false;
    uint64_t sections = at + offsetof(IMAGE_NT_HEADERS, OptionalHeader) + head.FileHeader.SizeOfOptionalHeader;
    unsigned count = head.FileHeader.NumberOfSections;
    DWORD address = head.OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress;
    if (!address || !offset_in_file(file, sections, count, address, &place)) return false;
    if (!read_at(file, place, &exports, sizeof exports, sizeof exports)) return false;
    if (!offset_in_file(file, sections, count, exports.Name, &place)) return false;
    memset(name, 0, size);
    return read_at(file, place, name, size - 1, 1);
}

const char *loader_named_in(const char *path)
{
    char name[32];
    WCHAR *wide = wide_path(path);
    if (!wide) return NULL;
    HANDLE file = open_file(wide, GENERIC_READ, FILE_ATTRIBUTE_NORMAL);
    free(wide);
    if (file == INVALID_HANDLE_VALUE) return NULL;
    bool named = GetFileType(file) == FILE_TYPE_DISK && name_read(file, name, sizeof name);
    CloseHandle(file);
    return named ? loader_name(name) : NULL;
}

const char *loader_named_at(const void *function)
{
    char *path = gate_path_of(function, NULL, NULL);
    const char *name = path ? loader_named_in(path) : NULL;
    free(path);
    return name;
}

char *image_name_of(const void *function)
{
    return gate_path_of(function, NULL, NULL);
}
