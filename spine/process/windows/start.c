/* start.c: DllMain, which does next to nothing (WIN-005, WIN-010), and the start at the first call, which reads the two
 * variables that are read once (GEN-2) and logs the first lines. */
#include "process/windows/start.h"

#include <stdlib.h>
#include <string.h>

#include "process/windows/wide.h"

static int unloading_mode;
static INIT_ONCE start_once = INIT_ONCE_STATIC_INIT;

/* Reads the variables that hold for the whole process, and logs the library's version. Runs once. */
static BOOL CALLBACK start(INIT_ONCE *once, void *argument, void **context)
{
    (void)once, (void)argument, (void)context;
    char *block;
    log_start();
    const char *mode = env_read(VARIABLE_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING, &block);
    if (mode && strcmp(mode, "1") == 0) unloading_mode = UNLOAD_NEVER;
    if (mode && strcmp(mode, "0") == 0) unloading_mode = UNLOAD_TO_THE_LETTER;
    free(block);
    /* LOG-15, INS-093: the version of the registry that the library was generated from */
    log_line(NULL, LOG_INFO, "Vulkan Loader Version %s", VKL_VERSION_STRING);
    if (log_heard(NULL)) { /* WIN-006: the library's own path */
        char *path = module_path((HMODULE)(uintptr_t)__ImageBase);
        if (path) log_line(NULL, LOG_INFO, "Vulkan Loader: %s", path);
        free(path);
    }
    /* ENV-110: a warning that libraries stay loaded */
    if (unloading_mode == UNLOAD_NEVER) log_line(NULL, LOG_WARN, "Vulkan Loader: library unloading is disabled");
    return TRUE;
}

void start_once_at_load(void)
{
    InitOnceExecuteOnce(&start_once, start, NULL, NULL);
}

int unloading(void)
{
    start_once_at_load();
    return unloading_mode;
}

/* reserved: NULL when the DLL is unloaded, not NULL when the process ends. */
BOOL WINAPI DllMain(HINSTANCE dll, DWORD reason, void *reserved);
BOOL WINAPI DllMain(HINSTANCE dll, DWORD reason, void *reserved)
{
    if (reason == DLL_PROCESS_ATTACH) DisableThreadLibraryCalls(dll);
    if (reason == DLL_PROCESS_DETACH && reserved) exit_note();
    return TRUE;
}
