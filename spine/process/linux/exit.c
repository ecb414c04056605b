/* exit.c: distinguishes the end of the process from the unloading of the library. Destructors run in both cases. At the
 * end of the process nothing is released: other threads may still be inside the loader or a driver (G-11).
 */
#include "process/process.h"

#include <stdatomic.h>

/* Used instead of atexit, which a program's sanitizer may interpose: that function would not know which library
 * registers. */
extern void *__dso_handle;
extern int(__cxa_atexit)(void (*function)(void *), void *argument, void *library);

static bool begun;

/* Records that the process ends. exit() calls it before the destructors. Unloading calls it after them, when nothing
 * reads the record. */
static void note(void *unused)
{
    (void)unused;
    __atomic_store_n(&begun, true, __ATOMIC_RELAXED);
}

/* pthread_once is not used; posix/start.c says why. */
void exit_watch(void)
{
    static atomic_uint watched;
    lock_wanted(false);
    if (!atomic_load_explicit(&watched, memory_order_relaxed) && !atomic_exchange(&watched, true))
        __cxa_atexit(note, NULL, __dso_handle);
}

bool exit_begun(void)
{
    return __atomic_load_n(&begun, __ATOMIC_RELAXED);
}
