/* exit.c: is the process ending, or is the library merely unloaded? Destructors run in both cases, but at the end of
 * the process other threads may still be inside the loader or a driver: then everything stays where it is (G-11).
 */
#include "process/process.h"

#include <stdatomic.h>
#include <stdlib.h>

static bool begun;

/* exit() calls this before any destructor; unloading calls it after them, when it means nothing any more. */
static void note(void)
{
    __atomic_store_n(&begun, true, __ATOMIC_RELAXED);
}

/* Not with pthread_once: start.c says why. */
void exit_watch(void)
{
    static atomic_bool watched;
    lock_wanted(false);
    if (!atomic_load_explicit(&watched, memory_order_relaxed) && !atomic_exchange(&watched, true)) atexit(note);
}

bool exit_begun(void)
{
    return __atomic_load_n(&begun, __ATOMIC_RELAXED);
}
