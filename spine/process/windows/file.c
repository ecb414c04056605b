/* file.c: the identity of the file at a path, the form of paths, and the loader's own code. */
#include "process/process.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "process/windows/wide.h"

static int64_t wide_number(DWORD high, DWORD low)
{
    return (int64_t)((uint64_t)high << 32 | low);
}

bool file_identify(const char *path, struct file_identity *out)
{
    BY_HANDLE_FILE_INFORMATION info;
    WCHAR *wide = wide_path(path);
    *out = (struct file_identity){0};
    if (!wide) return false;
    HANDLE file = open_file(wide, FILE_READ_ATTRIBUTES, FILE_FLAG_BACKUP_SEMANTICS);
    free(wide);
    if (file == INVALID_HANDLE_VALUE) return false;
    bool read = GetFileInformationByHandle(file, &info);
    CloseHandle(file);
    if (!read) return false;
    *out = (struct file_identity){
        .device = info.dwVolumeSerialNumber,
        .inode = (uint64_t)wide_number(info.nFileIndexHigh, info.nFileIndexLow),
        .size = (uint64_t)wide_number(info.nFileSizeHigh, info.nFileSizeLow),
        .modified = {wide_number(info.ftLastWriteTime.dwHighDateTime, info.ftLastWriteTime.dwLowDateTime)},
    };
    return true;
}

bool file_overwritten(const char *path, const struct file_identity *now, const struct file_identity *then)
{
    (void)path;
    return file_same_inode(now, then) && !file_same(now, then);
}

bool path_has_directory(const char *path)
{
    return strpbrk(path, "\\/:") != NULL;
}

/* WIN-078: the full path that was asked for, when the file loaded is another; a warning names both. */
char *path_other_than(const char *path, const char *real)
{
    WCHAR *wide = wide_path(path), *loaded = wide_path(real);
    WCHAR *other = loaded; /* it may begin with the prefix \\\\?\\ of long paths */
    if (other && wcsncmp(other, L"\\\\?\\UNC\\", 8) == 0)
        *(other += 6) = L'\\';
    else if (other && wcsncmp(other, L"\\\\?\\", 4) == 0)
        other += 4;
    DWORD room = wide && other ? GetFullPathNameW(wide, 0, NULL, NULL) : 0;
    WCHAR *whole = room ? array_grow(NULL, room, sizeof *whole) : NULL;
    char *wanted = NULL;
    if (whole && GetFullPathNameW(wide, room, whole, NULL) < room &&
        CompareStringOrdinal(whole, -1, other, -1, TRUE) != CSTR_EQUAL)
        wanted = utf8_of(whole);
    free(wide);
    free(loaded);
    free(whole);
    return wanted;
}

bool code_is_own(const void *function)
{
    const IMAGE_DOS_HEADER *dos = (const IMAGE_DOS_HEADER *)__ImageBase;
    const IMAGE_NT_HEADERS *image = (const IMAGE_NT_HEADERS *)(__ImageBase + dos->e_lfanew);
    return (uintptr_t)function - (uintptr_t)__ImageBase < image->OptionalHeader.SizeOfImage;
}

/* WIN-076: reports whether a text ends with the number of ERROR_BAD_EXE_FORMAT. */
bool text_of_wrong_class(const char *text)
{
    static const char end[] = " with error 193";
    size_t length = text ? strlen(text) : 0;
    return length >= sizeof end - 1 && strcmp(text + length - (sizeof end - 1), end) == 0;
}
