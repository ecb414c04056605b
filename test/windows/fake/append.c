/* append.c: of the fakes for Windows. The file stays open until the library goes: below Wine every opening costs
 * several calls of another process. */
#include "../../fake/script.h"
#include <stdlib.h>
#include <windows.h>

static HANDLE file = INVALID_HANDLE_VALUE;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void append(const char *path, const char *text, size_t size)
{
    DWORD written;
    pthread_mutex_lock(&lock);
    if (file == INVALID_HANDLE_VALUE) {
        wchar_t *wide = posix_wide(path);
        file = CreateFileW(wide, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                           OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
        free(wide);
    }
    pthread_mutex_unlock(&lock);
    if (file != INVALID_HANDLE_VALUE && !WriteFile(file, text, (DWORD)size, &written, NULL)) abort();
}

__attribute__((destructor)) static void close_file(void)
{
    if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
}
