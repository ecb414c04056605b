/* cycles.c: loads and unloads libraries many times, with a call of the API in between every tenth time. For each
 * library it prints the remaining handles and threads of the process, and the time of loading.
 *
 *   cycles CYCLES LIBRARY...
 */
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include <tlhelp32.h>

#include "gen/zvk.h"

static unsigned threads(void)
{
    unsigned count = 0;
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    for (BOOL more = Thread32First(all, &entry); more; more = Thread32Next(all, &entry))
        count += entry.th32OwnerProcessID == GetCurrentProcessId();
    CloseHandle(all);
    return count;
}

static DWORD handles(void)
{
    DWORD count = 0;
    GetProcessHandleCount(GetCurrentProcess(), &count);
    return count;
}

/* Returns the time of loading in nanoseconds. */
static double cycle(const char *path, int call)
{
    LARGE_INTEGER before, after, rate;
    uint32_t version = 0;
    QueryPerformanceFrequency(&rate);
    QueryPerformanceCounter(&before);
    HMODULE library = LoadLibraryA(path);
    QueryPerformanceCounter(&after);
    if (!library) exit(1);
    if (call) {
        PFN_vkEnumerateInstanceVersion ask =
            (PFN_vkEnumerateInstanceVersion)(void *)GetProcAddress(library, "vkEnumerateInstanceVersion");
        if (!ask || ask(&version) != VK_SUCCESS || version < VK_API_VERSION_1_4) exit(2);
    }
    FreeLibrary(library);
    if (GetModuleHandleA(path)) exit(3);
    return (double)(after.QuadPart - before.QuadPart) * 1e9 / (double)rate.QuadPart;
}

static void measure(const char *path, int cycles)
{
    double best = cycle(path, 1); /* the system's own libraries stay loaded */
    unsigned threads_before = threads();
    DWORD handles_before = handles();
    for (int i = 0; i < cycles; i++) {
        double took = cycle(path, i % 10 == 0);
        if (took < best) best = took;
    }
    printf("%d more handles, %d more threads, loaded in %.0f ns at best: %s\n", (int)(handles() - handles_before),
           (int)(threads() - threads_before), best, path);
}

int main(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) measure(argv[i], atoi(argv[1]));
    return argc < 3 ? 64 : 0;
}
