/* kernel.c: the system's facts about the host's process on Windows, which has no fork. */
#include "../../host/host.h"
#include "interpose.h"
#include <stdio.h>
#include <string.h>
#include <tlhelp32.h>

COMMAND(fork)
{
    (void)line;
    fail("no process forks on Windows");
}

COMMAND(child)
{
    do_fork(line);
}

COMMAND(set_ids)
{
    (void)line;
    fail("processes on Windows have no user and group numbers");
}

COMMAND(state)
{
    (void)line;
    int threads = 0;
    DWORD handles = 0;
    THREADENTRY32 entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    for (BOOL more = Thread32First(all, &entry); more; more = Thread32Next(all, &entry))
        threads += entry.th32OwnerProcessID == GetCurrentProcessId();
    CloseHandle(all);
    GetProcessHandleCount(GetCurrentProcess(), &handles);
    put_int("pid", GetCurrentProcessId());
    put_int("threads", threads);
    put_int("descriptors", (int64_t)handles);
}

void with_slashes(char *path)
{
    for (; *path; path++)
        if (*path == '\\') *path = '/';
}

COMMAND(maps)
{
    char path[4096], match[4096];
    snprintf(match, sizeof match, "%s", arg_or(line, "match", ".so"));
    with_slashes(match);
    MODULEENTRY32W entry = {.dwSize = sizeof entry};
    HANDLE all = CreateToolhelp32Snapshot(TH32CS_SNAPMODULE, 0);
    put_open("maps", '[');
    for (BOOL more = Module32FirstW(all, &entry); more; more = Module32NextW(all, &entry)) {
        if (!WideCharToMultiByte(CP_UTF8, 0, entry.szExePath, -1, path, sizeof path, NULL, NULL)) continue;
        with_slashes(path);
        if (strstr(path, match)) put_text(NULL, path);
    }
    put_close(']');
    CloseHandle(all);
}

bool loader_code(uintptr_t *from, uintptr_t *to)
{
    const unsigned char *base = (const void *)GetModuleHandleW(L"vulkan-1.dll");
    *from = *to = 0;
    if (!base) return false;
    const IMAGE_NT_HEADERS *image = (const void *)(base + ((const IMAGE_DOS_HEADER *)(const void *)base)->e_lfanew);
    *from = (uintptr_t)base + image->OptionalHeader.BaseOfCode;
    *to = *from + image->OptionalHeader.SizeOfCode;
    return true;
}
