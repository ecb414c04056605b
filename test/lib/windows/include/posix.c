/* posix.c: functions of Linux's C library that the test programs use, written with Windows' functions. */
#include "posix.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <windows.h>

/* ---- text ------------------------------------------------------------------------------------------------------- */

wchar_t *posix_wide(const char *text)
{
    int room = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *wide = malloc((size_t)room * sizeof *wide);
    if (!wide) abort();
    MultiByteToWideChar(CP_UTF8, 0, text, -1, wide, room);
    return wide;
}

/* Converts a path to UTF-16 with backslashes. */
static wchar_t *wide_path(const char *path)
{
    wchar_t *wide = posix_wide(path);
    for (wchar_t *c = wide; *c; c++)
        if (*c == L'/') *c = L'\\';
    return wide;
}

static void narrow_path(const wchar_t *wide, char *path, size_t room)
{
    if (!WideCharToMultiByte(CP_UTF8, 0, wide, -1, path, (int)room, NULL, NULL)) path[0] = 0;
    for (char *c = path; *c; c++)
        if (*c == '\\') *c = '/';
}

ssize_t getline(char **text, size_t *room, FILE *file)
{
    size_t size = 0;
    for (;;) {
        if (*room - size < 2) {
            *room = *room ? *room * 2 : 4096;
            *text = realloc(*text, *room);
            if (!*text) abort();
        }
        if (!fgets(*text + size, (int)(*room - size), file)) return size ? (ssize_t)size : -1;
        size += strlen(*text + size);
        if (size && (*text)[size - 1] == '\n') return (ssize_t)size;
    }
}

/* ---- the process ------------------------------------------------------------------------------------------------ */

int setenv(const char *name, const char *value, int replace)
{
    (void)replace;
    wchar_t *wide_name = posix_wide(name), *wide_value = value ? posix_wide(value) : NULL;
    BOOL done = SetEnvironmentVariableW(wide_name, wide_value);
    free(wide_name);
    free(wide_value);
    return done ? 0 : -1;
}

int unsetenv(const char *name)
{
    return setenv(name, NULL, 1);
}

int chdir(const char *path)
{
    wchar_t *wide = wide_path(path);
    BOOL done = SetCurrentDirectoryW(wide);
    free(wide);
    errno = ENOENT;
    return done ? 0 : -1;
}

long syscall(long number)
{
    (void)number;
    const DWORD *first = dlsym(RTLD_DEFAULT, "world_first");
    DWORD here = GetCurrentThreadId();
    return (long)(first && *first == here ? GetCurrentProcessId() : here);
}

int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until)
{
    struct timespec now;
    for (;;) {
        HANDLE handle = pthread_gethandle(thread);
        if (WaitForSingleObject(handle, 5) == WAIT_OBJECT_0) return pthread_join(thread, value);
        clock_gettime(CLOCK_REALTIME, &now);
        if (now.tv_sec > until->tv_sec || (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec))
            return ETIMEDOUT;
    }
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

long sysconf(int what)
{
    SYSTEM_INFO info;
    (void)what;
    GetSystemInfo(&info);
    return (long)info.dwPageSize;
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    (void)alignment;
    *memory = malloc(size);
    return *memory ? 0 : ENOMEM;
}

static DWORD protection(int rights)
{
    return rights & PROT_WRITE ? PAGE_READWRITE : rights & PROT_READ ? PAGE_READONLY : PAGE_NOACCESS;
}

void *mmap(void *at, size_t size, int rights, int kind, int file, long offset)
{
    (void)kind, (void)file, (void)offset;
    void *memory = VirtualAlloc(at, size, MEM_RESERVE | MEM_COMMIT, protection(rights));
    return memory ? memory : MAP_FAILED;
}

int mprotect(void *at, size_t size, int rights)
{
    DWORD before;
    return VirtualProtect(at, size, protection(rights), &before) ? 0 : -1;
}

int munmap(void *at, size_t size)
{
    (void)size;
    return VirtualFree(at, 0, MEM_RELEASE) ? 0 : -1;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

int pipe(int ends[2])
{
    return _pipe(ends, 65536, O_BINARY | O_NOINHERIT);
}

#define SHARED (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

int posix_open(const char *path, int mode, ...)
{
    wchar_t *wide = wide_path(path);
    HANDLE file = CreateFileW(wide, mode & O_APPEND ? FILE_APPEND_DATA : GENERIC_READ, SHARED, NULL,
                              mode & O_CREAT ? OPEN_ALWAYS : OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, NULL);
    free(wide);
    errno = ENOENT;
    return file == INVALID_HANDLE_VALUE ? -1 : _open_osfhandle((intptr_t)file, O_BINARY | O_NOINHERIT);
}

int posix_stat(const char *path, struct posix_stat *is)
{
    BY_HANDLE_FILE_INFORMATION info;
    wchar_t *wide = wide_path(path);
    HANDLE file =
        CreateFileW(wide, FILE_READ_ATTRIBUTES, SHARED, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    free(wide);
    if (file == INVALID_HANDLE_VALUE) return -1;
    BOOL known = GetFileInformationByHandle(file, &info);
    CloseHandle(file);
    if (!known) return -1;
    uint64_t written = (uint64_t)info.ftLastWriteTime.dwHighDateTime << 32 | info.ftLastWriteTime.dwLowDateTime;
    *is = (struct posix_stat){(uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
                              (int64_t)((uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow),
                              {(time_t)(written / 10000000), (long)(written % 10000000) * 100}};
    return 0;
}

int posix_rename(const char *from, const char *to)
{
    wchar_t *wide_from = wide_path(from), *wide_to = wide_path(to), aside[4096];
    swprintf(aside, 4096, L"%ls.before", wide_to);
    MoveFileExW(wide_to, aside, MOVEFILE_REPLACE_EXISTING);
    BOOL done = MoveFileExW(wide_from, wide_to, 0);
    free(wide_from);
    free(wide_to);
    return done ? 0 : -1;
}

char *realpath(const char *path, char *real)
{
    wchar_t *wide = wide_path(path), whole[4096];
    DWORD size = GetFullPathNameW(wide, 4096, whole, NULL);
    free(wide);
    if (!size || size >= 4096) return NULL;
    narrow_path(whole, real, 4096);
    return real;
}

#undef abort
void posix_abort(void)
{
    wchar_t path[4096];
    DWORD length = GetEnvironmentVariableW(L"WORLD_SETUP", path, 4000);
    if (length && length < 4000) {
        wcscat(path, L".aborted");
        CloseHandle(CreateFileW(path, GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_ALWAYS, 0, NULL));
    }
    abort();
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

struct limited {
    size_t left;
    void *(*function)(void *);
    void *data;
};

#define GUARD (5 * 4096) /* pages at the end of the stack that the thread cannot use */

static void *run_limited(void *data)
{
    struct limited l = *(struct limited *)data;
    MEMORY_BASIC_INFORMATION stack;
    volatile char *here = __builtin_frame_address(0);
    free(data);
    if (!VirtualQuery((void *)(uintptr_t)here, &stack, sizeof stack)) abort();
    volatile char *used = __builtin_alloca((size_t)(here - (char *)stack.AllocationBase) - GUARD - l.left);
    used[0] = 0;
    void *result = l.function(l.data);
    return used[0] ? NULL : result;
}

#undef pthread_create
int posix_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *data)
{
    size_t left = 0;
    if (attributes) pthread_attr_getstacksize(attributes, &left);
    if (!left) return pthread_create(thread, attributes, function, data);
    struct limited *l = malloc(sizeof *l);
    if (!l) abort();
    *l = (struct limited){left, function, data};
    return pthread_create(thread, NULL, run_limited, l);
}

/* ---- libraries -------------------------------------------------------------------------------------------------- */

void *dlopen(const char *path, int mode)
{
    wchar_t *wide = wide_path(path);
    HMODULE module = NULL;
    if (!(mode & RTLD_NOLOAD))
        module = LoadLibraryW(wide);
    else if (!GetModuleHandleExW(0, wide, &module))
        module = NULL;
    free(wide);
    return (void *)module;
}

void *dlsym(void *library, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress(library ? (HMODULE)library : GetModuleHandleW(NULL), name);
}

int dlclose(void *library)
{
    return FreeLibrary((HMODULE)library) ? 0 : -1;
}

char *dlerror(void)
{
    static char text[32];
    snprintf(text, sizeof text, "error %lu", (unsigned long)GetLastError());
    return text;
}

/* Returns the name by which a module exports an address. */
static const char *name_of(const unsigned char *base, const void *address)
{
    const IMAGE_NT_HEADERS *image = (const void *)(base + ((const IMAGE_DOS_HEADER *)(const void *)base)->e_lfanew);
    const IMAGE_DATA_DIRECTORY *where = &image->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_EXPORT];
    if (!where->Size) return NULL;
    const IMAGE_EXPORT_DIRECTORY *exports = (const void *)(base + where->VirtualAddress);
    const DWORD *functions = (const void *)(base + exports->AddressOfFunctions),
                *names = (const void *)(base + exports->AddressOfNames);
    const WORD *ordinals = (const void *)(base + exports->AddressOfNameOrdinals);
    for (DWORD i = 0; i < exports->NumberOfNames; i++)
        if (base + functions[ordinals[i]] == (const unsigned char *)address) return (const char *)(base + names[i]);
    return NULL;
}

int dladdr(const void *address, Dl_info *info)
{
    static __thread char path[4096];
    wchar_t wide[4096];
    HMODULE module;
    memset(info, 0, sizeof *info);
    if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                            (const wchar_t *)address, &module) ||
        !GetModuleFileNameW(module, wide, 4096))
        return 0;
    narrow_path(wide, path, sizeof path);
    info->dli_fname = path;
    info->dli_fbase = (void *)module;
    info->dli_sname = name_of((const unsigned char *)module, address);
    info->dli_saddr = info->dli_sname ? (void *)(uintptr_t)address : NULL;
    return 1;
}
