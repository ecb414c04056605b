/* none.c: functions without a task on Windows, which cancels no thread, tells DllMain whether the process ends, and
 * lets nobody write into a loaded library. */
#include "process/process.h"

int cancel_off(void)
{
    return 0;
}

void cancel_on(int before)
{
    (void)before;
}

void exit_watch(void) {}

char *gate_path_by_handle(void *handle)
{
    (void)handle;
    return NULL;
}

uint64_t file_head(const char *path)
{
    (void)path;
    return 0;
}
