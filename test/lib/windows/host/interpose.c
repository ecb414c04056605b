/* interpose.c: replaces functions that the loader under test imports from the system, right after it is loaded. They
 * log its file accesses to the file that WORLD_ACCESS names ("function argument", as the interposer of Linux does:
 * test/lib/shim), and make its allocations fail. They report medium integrity, which Wine does not have, or high
 * integrity if WORLD_ELEVATED is set. Opening a file or directory whose path contains the text of WORLD_NO_MEMORY fails
 * for lack of memory. import.c has replacements for single cases.
 */
#include "interpose.h"
#include "import.h"
#include "../../host/host.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opened files ----------------------------------------------------------------------------------------------- */

static void note(const char *function, const WCHAR *argument, const char *rest)
{
    static HANDLE file = INVALID_HANDLE_VALUE;
    static SRWLOCK lock = SRWLOCK_INIT;
    char path[4096], line[4200];
    DWORD error = GetLastError(), written;
    AcquireSRWLockExclusive(&lock);
    if (file == INVALID_HANDLE_VALUE && GetEnvironmentVariableA("WORLD_ACCESS", path, sizeof path))
        file = CreateFileA(path, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE, NULL, OPEN_ALWAYS, 0, NULL);
    if (file != INVALID_HANDLE_VALUE && WideCharToMultiByte(CP_UTF8, 0, argument, -1, path, sizeof path, NULL, NULL)) {
        with_slashes(path);
        int size = snprintf(line, sizeof line, "%s %s%s\n", function, path, rest);
        WriteFile(file, line, (DWORD)size, &written, NULL);
    }
    ReleaseSRWLockExclusive(&lock);
    SetLastError(error);
}

static HMODULE WINAPI load_library(const WCHAR *path)
{
    note("dlopen", path, " 1");
    return import_load(path);
}

static HMODULE WINAPI load_library_ex(const WCHAR *path, HANDLE file, DWORD flags)
{
    note("dlopen", path, " 1");
    return import_load_by(path, file, flags);
}

/* Reports whether opening this path fails for lack of memory. */
static bool no_memory(const WCHAR *path)
{
    char wanted[256], name[4096];
    DWORD error = GetLastError();
    bool refused = GetEnvironmentVariableA("WORLD_NO_MEMORY", wanted, sizeof wanted) &&
                   WideCharToMultiByte(CP_UTF8, 0, path, -1, name, sizeof name, NULL, NULL) && strstr(name, wanted);
    SetLastError(refused ? ERROR_NOT_ENOUGH_MEMORY : error);
    return refused;
}

static HANDLE WINAPI create_file(const WCHAR *path, DWORD access, DWORD share, SECURITY_ATTRIBUTES *security, DWORD how,
                                 DWORD flags, HANDLE template)
{
    if (access & GENERIC_READ) note("fopen", path, "");
    if (no_memory(path)) return INVALID_HANDLE_VALUE;
    return import_open_file(path, access, share, security, how, flags, template);
}

static HANDLE WINAPI find_first_file(const WCHAR *pattern, WIN32_FIND_DATAW *found)
{
    note("opendir", pattern, "");
    if (no_memory(pattern)) return INVALID_HANDLE_VALUE;
    return import_find(pattern, found);
}

static DWORD WINAPI get_variable(const WCHAR *name, WCHAR *value, DWORD size)
{
    note("getenv", name, "");
    return import_variable(name, value, size);
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static long asked, live, refuse_from = -1, refuse_to;
static int64_t live_bytes;

static bool refused(void)
{
    long call = __atomic_fetch_add(&asked, 1, __ATOMIC_SEQ_CST), from = __atomic_load_n(&refuse_from, __ATOMIC_SEQ_CST);
    return from >= 0 && call >= from && call < __atomic_load_n(&refuse_to, __ATOMIC_SEQ_CST);
}

static void *taken(void *block)
{
    if (!block) return NULL;
    __atomic_add_fetch(&live, 1, __ATOMIC_SEQ_CST);
    __atomic_add_fetch(&live_bytes, (int64_t)_msize(block), __ATOMIC_SEQ_CST);
    return block;
}

static void *loader_malloc(size_t size)
{
    return refused() ? NULL : taken(malloc(size));
}

static void *loader_calloc(size_t count, size_t size)
{
    return refused() ? NULL : taken(calloc(count, size));
}

static void *loader_realloc(void *block, size_t size)
{
    if (refused()) return NULL;
    if (!block) return taken(malloc(size));
    int64_t before = (int64_t)_msize(block);
    void *grown = realloc(block, size);
    if (grown) __atomic_add_fetch(&live_bytes, (int64_t)_msize(grown) - before, __ATOMIC_SEQ_CST);
    return grown;
}

static char *loader_strdup(const char *text)
{
    return refused() ? NULL : taken(_strdup(text));
}

static void loader_free(void *block)
{
    if (block) {
        __atomic_sub_fetch(&live, 1, __ATOMIC_SEQ_CST);
        __atomic_sub_fetch(&live_bytes, (int64_t)_msize(block), __ATOMIC_SEQ_CST);
    }
    free(block);
}

COMMAND(heap)
{
    (void)line;
    put_int("used", __atomic_load_n(&live_bytes, __ATOMIC_SEQ_CST));
}

COMMAND(malloc_fail)
{
    long once = (long)arg_int(line, "once", (uint64_t)-1), from = (long)arg_int(line, "from", (uint64_t)-1);
    put_int("calls", __atomic_exchange_n(&asked, 0, __ATOMIC_SEQ_CST));
    refuse_to = once < 0 ? LONG_MAX : once + 1;
    __atomic_store_n(&refuse_from, once < 0 ? from : once, __ATOMIC_SEQ_CST);
    put_int("live", live);
}

/* ---- the end of the process ------------------------------------------------------------------------------------- */

static volatile LONG attempts, aborts;

/* Ends the process, or in an attempt only the thread. */
static void loader_abort(void)
{
    if (!attempts) abort();
    InterlockedIncrement(&aborts);
    ExitThread(0);
}

struct attempt {
    struct object *script;
    struct answer answer;
    int times;
    bool good;
};

static DWORD WINAPI perform_attempt(void *data)
{
    struct attempt *a = data;
    a->good = perform_object(a->script, &a->answer, a->times);
    return 0;
}

/* Performs a command in a thread. An abort of the loader ends the thread alone, without undoing its effects. */
COMMAND(attempt)
{
    struct attempt a = {.script = object_find(arg_or(line, "script", "script")),
                        .times = (int)arg_int(line, "times", 1)};
    if (!a.script || a.script->kind != SCRIPT) return fail("no such script");
    aborts = 0;
    InterlockedIncrement(&attempts);
    HANDLE thread = CreateThread(NULL, 0, perform_attempt, &a, 0, NULL);
    if (!thread) abort();
    bool late = WaitForSingleObject(thread, (DWORD)arg_int(line, "timeout", 20000)) != WAIT_OBJECT_0;
    if (late) TerminateThread(thread, 1);
    CloseHandle(thread);
    InterlockedDecrement(&attempts);
    put_int("late", late);
    put_int("exit", aborts ? -1 : !a.good);
    put_int("signal", aborts ? 6 : 0);
    if (!aborts && !late) {
        put_key("answers");
        put_raw(a.answer.text);
    }
    answer_free(&a.answer);
}

/* ---- integrity -------------------------------------------------------------------------------------------------- */

static BOOL WINAPI integrity(HANDLE token, TOKEN_INFORMATION_CLASS what, void *out, DWORD size, DWORD *needed)
{
    BOOL known = GetTokenInformation(token, what, out, size, needed);
    if (!known || what != TokenIntegrityLevel) return known;
    SID *sid = ((TOKEN_MANDATORY_LABEL *)out)->Label.Sid;
    bool elevated = GetEnvironmentVariableA("WORLD_ELEVATED", NULL, 0) != 0;
    *GetSidSubAuthority(sid, *GetSidSubAuthorityCount(sid) - 1u) =
        elevated ? SECURITY_MANDATORY_HIGH_RID : SECURITY_MANDATORY_MEDIUM_RID;
    return TRUE;
}

/* ---- replacing -------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void *by;
} replaced[] = {
    {"LoadLibraryW", load_library},
    {"LoadLibraryExW", load_library_ex},
    {"FreeLibrary", import_let_go},
    {"GetProcAddress", import_function},
    {"CreateFileW", create_file},
    {"GetFileAttributesW", import_attributes},
    {"FindFirstFileW", find_first_file},
    {"GetEnvironmentVariableW", get_variable},
    {"RegOpenKeyExW", import_open_key},
    {"OutputDebugStringW", import_debugger},
    {"malloc", loader_malloc},
    {"calloc", loader_calloc},
    {"realloc", loader_realloc},
    {"_strdup", loader_strdup},
    {"strdup", loader_strdup},
    {"free", loader_free},
    {"abort", loader_abort},
    {"GetTokenInformation", integrity},
};

static void replace(IMAGE_THUNK_DATA *function, const char *name)
{
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++) {
        DWORD before;
        if (strcmp(replaced[i].name, name)) continue;
        VirtualProtect(function, sizeof *function, PAGE_READWRITE, &before);
        function->u1.Function = (uintptr_t)replaced[i].by;
        VirtualProtect(function, sizeof *function, before, &before);
    }
}

void interpose(void *module)
{
    unsigned char *base = module;
    const IMAGE_NT_HEADERS *image = (const void *)(base + ((const IMAGE_DOS_HEADER *)(const void *)base)->e_lfanew);
    const IMAGE_DATA_DIRECTORY *where = &image->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
    const IMAGE_IMPORT_DESCRIPTOR *library = (const void *)(base + where->VirtualAddress);
    asked = live = 0;
    live_bytes = 0;
    for (; where->Size && library->Name; library++) {
        const IMAGE_THUNK_DATA *names = (const void *)(base + library->OriginalFirstThunk);
        IMAGE_THUNK_DATA *functions = (void *)(base + library->FirstThunk);
        for (int i = 0; names[i].u1.AddressOfData; i++)
            if (!IMAGE_SNAP_BY_ORDINAL(names[i].u1.Ordinal))
                replace(&functions[i], (const char *)(base + names[i].u1.AddressOfData + 2));
    }
}
