/* start.c: the start of the library: the two variables that are read at load (GEN-2) are read, and the
 * log gets its first lines. The constructor of another library may call us before ours has run. */
#include <stdatomic.h>
#include <string.h>

#include "process/process.h"

static atomic_int unloading_mode;

static void start(void)
{
    log_start();
    char *block; /* no copy here */
    const char *mode = env_read(VARIABLE_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING, &block);
    if (mode && strcmp(mode, "1") == 0) unloading_mode = UNLOAD_NEVER;
    if (mode && strcmp(mode, "0") == 0) unloading_mode = UNLOAD_TO_THE_LETTER;
    /* LOG-15, INS-093: the version of the registry that the library was generated from */
    log_line(NULL, LOG_INFO, "Vulkan Loader Version %s", VKL_VERSION_STRING);
    /* ENV-110: a warning that libraries stay loaded */
    if (unloading_mode == UNLOAD_NEVER) log_line(NULL, LOG_WARN, "Vulkan Loader: library unloading is disabled");
}

/* A thread that comes while another one starts does not wait: that thread may be this one, in a getenv that is the
 * program's, or one that a forked child does not have. Nor does it use pthread_once, which ends the process where a
 * filter of system calls refuses futex. */
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
