/* logfile.c: appends lines of the log to a file of the user's, for programs without a visible standard error. The file
 * is opened and closed for every line, so no handle stays open and the file may be removed.
 *
 * Many programs write to the file, and other users may be able to write to its directory. So the file is checked
 * through its handle after it was opened: it must be a regular file of the process's user, with one name, at the given
 * path and not behind a link. Its size is limited. */
#include <aclapi.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "process/process.h"
#include "process/windows/wide.h"

#define SHARED (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)
#define OWN_RIGHTS (FILE_GENERIC_READ | FILE_GENERIC_WRITE | DELETE)
#define SECONDS_TO_1970 11644473600u /* between the epochs of FILETIME (1601) and Unix */

/* A user in the process's token: the process's own user, or the owner of new files. */
union user {
    TOKEN_USER process;
    TOKEN_OWNER files;
    char room[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
};

static bool user_of(TOKEN_INFORMATION_CLASS which, union user *out)
{
    HANDLE token;
    DWORD size;
    if (!OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &token)) return false;
    bool known = GetTokenInformation(token, which, out, sizeof *out, &size);
    CloseHandle(token);
    return known;
}

static HANDLE open_own(const WCHAR *path, SECURITY_ATTRIBUTES *security, DWORD how)
{
    return CreateFileW(path, FILE_APPEND_DATA | FILE_READ_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE, SHARED, security,
                       how, FILE_FLAG_OPEN_REPARSE_POINT, NULL);
}

/* Opens the file, or creates one to which only its owner has access. */
static HANDLE open_or_make(const WCHAR *path, const union user *process)
{
    SECURITY_DESCRIPTOR descriptor;
    SECURITY_ATTRIBUTES security = {sizeof security, &descriptor, FALSE};
    union {
        ACL list;
        char room[sizeof(ACL) + sizeof(ACCESS_ALLOWED_ACE) + SECURITY_MAX_SID_SIZE];
    } rights;
    if (!InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION) ||
        !InitializeAcl(&rights.list, sizeof rights, ACL_REVISION) ||
        !AddAccessAllowedAce(&rights.list, ACL_REVISION, OWN_RIGHTS, process->process.User.Sid) ||
        !SetSecurityDescriptorDacl(&descriptor, TRUE, &rights.list, FALSE) ||
        !SetSecurityDescriptorControl(&descriptor, SE_DACL_PROTECTED, SE_DACL_PROTECTED))
        return INVALID_HANDLE_VALUE;
    HANDLE file = open_own(path, NULL, OPEN_EXISTING);
    if (file == INVALID_HANDLE_VALUE) file = open_own(path, &security, CREATE_NEW); /* CREATE_NEW follows no link */
    /* another process has just created it */
    if (file == INVALID_HANDLE_VALUE && GetLastError() == ERROR_FILE_EXISTS) file = open_own(path, NULL, OPEN_EXISTING);
    return file;
}

/* Reports whether the file of a handle belongs to the process's user. */
static bool is_own(HANDLE file, const union user *process)
{
    union user files;
    union {
        SECURITY_DESCRIPTOR descriptor;
        char room[sizeof(SECURITY_DESCRIPTOR) + SECURITY_MAX_SID_SIZE];
    } of;
    PSID owner;
    BOOL defaulted;
    DWORD size;
    return GetKernelObjectSecurity(file, OWNER_SECURITY_INFORMATION, &of.descriptor, sizeof of, &size) &&
           GetSecurityDescriptorOwner(&of.descriptor, &owner, &defaulted) && owner &&
           (EqualSid(owner, process->process.User.Sid) ||
            (user_of(TokenOwner, &files) && EqualSid(owner, files.files.Owner)));
}

/* Reports whether the file of a handle is at this path itself, and not behind a link. */
static bool is_at(HANDLE file, const WCHAR *path)
{
    DWORD room = GetFinalPathNameByHandleW(file, NULL, 0, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
    WCHAR *whole = room ? array_grow(NULL, room, sizeof *whole) : NULL;
    DWORD length = whole ? GetFinalPathNameByHandleW(file, whole, room, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS) : 0;
    bool same = length > 4 && length < room && wcsncmp(whole, L"\\\\?\\", 4) == 0 &&
                CompareStringOrdinal(whole + 4, -1, path, -1, TRUE) == CSTR_EQUAL;
    free(whole);
    return same;
}

/* Opens the file's directory; while it is open, it cannot be replaced. Returns INVALID_HANDLE_VALUE on failure, or if
 * the path has a link. */
static HANDLE directory_of(WCHAR *path)
{
    WCHAR *end = wcsrchr(path, L'\\');
    if (end == path + 2) end++; /* the root of the drive */
    WCHAR first = *end;
    *end = 0;
    HANDLE directory = CreateFileW(path, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_EXISTING,
                                   FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    if (directory != INVALID_HANDLE_VALUE && !is_at(directory, path)) {
        CloseHandle(directory);
        directory = INVALID_HANDLE_VALUE;
    }
    *end = first;
    return directory;
}

/* Opens the file for appending. Returns INVALID_HANDLE_VALUE on failure, or if it is not a regular file of the user's.
 */
static HANDLE file_at(const WCHAR *path, uint64_t *size)
{
    union user process;
    BY_HANDLE_FILE_INFORMATION info;
    if (!user_of(TokenUser, &process)) return INVALID_HANDLE_VALUE;
    HANDLE file = open_or_make(path, &process);
    if (file == INVALID_HANDLE_VALUE) return file;
    if (GetFileType(file) != FILE_TYPE_DISK || !GetFileInformationByHandle(file, &info) ||
        (info.dwFileAttributes & (FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT)) ||
        info.nNumberOfLinks != 1 || !is_at(file, path) || !is_own(file, &process)) {
        CloseHandle(file);
        return INVALID_HANDLE_VALUE;
    }
    *size = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow;
    return file;
}

/* Renames a full file and opens a new one. */
static HANDLE next_file(const WCHAR *path, HANDLE full, uint64_t *size)
{
    WCHAR *before = wide_join(path, L".1");
    CloseHandle(full);
    bool moved = before && MoveFileExW(path, before, MOVEFILE_REPLACE_EXISTING);
    free(before);
    return moved ? file_at(path, size) : INVALID_HANDLE_VALUE;
}

/* Returns the seconds since 1970. */
static unsigned long long seconds_now(void)
{
    FILETIME now;
    GetSystemTimeAsFileTime(&now);
    return ((uint64_t)now.dwHighDateTime << 32 | now.dwLowDateTime) / 10000000 - SECONDS_TO_1970;
}

/* Converts a path if it begins with a drive and names no alternate data stream; otherwise returns NULL. */
static WCHAR *drive_path(const char *path)
{
    WCHAR *wide = strlen(path) > 3 && path[1] == ':' && !strchr(path + 2, ':') ? wide_path(path) : NULL;
    if (wide && wide[2] == L'\\') return wide;
    free(wide);
    return NULL;
}

bool logfile_append(const char *path, const char *tag, const char *text)
{
    char line[LOGFILE_LINE_MAX];
    uint64_t size = 0;
    DWORD error = GetLastError(), done = 0;
    int length = logfile_line(line, seconds_now(), (long)GetCurrentProcessId(), tag, text);
    WCHAR *wide = length < 0 ? NULL : drive_path(path);
    HANDLE directory = wide ? directory_of(wide) : INVALID_HANDLE_VALUE;
    HANDLE file = directory != INVALID_HANDLE_VALUE ? file_at(wide, &size) : INVALID_HANDLE_VALUE;
    if (file != INVALID_HANDLE_VALUE && size + (unsigned)length > LOGFILE_SIZE_MAX) file = next_file(wide, file, &size);
    bool written = false;
    if (file != INVALID_HANDLE_VALUE) {
        written = WriteFile(file, line, (DWORD)length, &done, NULL) && done == (DWORD)length;
        CloseHandle(file);
    }
    if (directory != INVALID_HANDLE_VALUE) CloseHandle(directory);
    free(wide);
    SetLastError(error);
    return written;
}
