/* start.c: reads the two variables that are read at load (GEN-2) and logs the first lines. The constructor of another
 * library may call the loader before the constructor here has run. */
#include <stdatomic.h>
#include <string.h>

#include "process/process.h"

static atomic_int unloading_mode;

static void start(void)
{
    log_start();
    char *block; /* env_read makes no copy on this system */
    const char *mode = env_read(VARIABLE_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING, &block);
    if (mode && strcmp(mode, "1") == 0) unloading_mode = UNLOAD_NEVER;
    if (mode && strcmp(mode, "0") == 0) unloading_mode = UNLOAD_TO_THE_LETTER;
    /* LOG-15, INS-093: the version of the registry that the library was generated from */
    log_line(NULL, LOG_INFO, "Vulkan Loader Version %s", VKL_VERSION_STRING);
    /* ENV-110: a warning that libraries stay loaded */
    if (unloading_mode == UNLOAD_NEVER) log_line(NULL, LOG_WARN, "Vulkan Loader: library unloading is disabled");
}

/* Runs start() once. A thread that calls while another one runs start() does not wait: that other thread may wait for
 * it in the program's getenv, or may not exist in a forked child. pthread_once is not used, because it ends the process
 * where a seccomp filter refuses futex. */
void start_once_at_load(void)
{
    static atomic_uint begun;
    if (!atomic_load_explicit(&begun, memory_order_acquire) && !atomic_exchange(&begun, true)) start();
}

__attribute__((constructor)) static void start_at_load(void)
{
    fork_watch();
    start_once_at_load();
}

int unloading(void)
{
    start_once_at_load();
    return unloading_mode;
}
