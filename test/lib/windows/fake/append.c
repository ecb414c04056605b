/* append.c: appends lines to the log of the fakes on Windows. The file stays open until the library is unloaded,
 * because opening a file costs Wine several calls to its server. The host's lock keeps lines of two threads whole. */
#include "../../fake/script.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <windows.h>

static HANDLE file = INVALID_HANDLE_VALUE;
static SRWLOCK own = SRWLOCK_INIT;

void append(const char *path, const char *text, size_t size)
{
    SRWLOCK *of_host = dlsym(RTLD_DEFAULT, "world_log"), *lock = of_host ? of_host : &own;
    DWORD written;
    AcquireSRWLockExclusive(lock);
    if (file == INVALID_HANDLE_VALUE) {
        wchar_t *wide = posix_wide(path);
        file = CreateFileW(wide, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                           OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
        free(wide);
    }
    if (file != INVALID_HANDLE_VALUE && !WriteFile(file, text, (DWORD)size, &written, NULL)) abort();
    ReleaseSRWLockExclusive(lock);
}

__attribute__((destructor)) static void close_file(void)
{
    if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
}
