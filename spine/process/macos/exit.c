/* exit.c: distinguishes the end of the process from the unloading of the library. Destructors run in both cases. At the
 * end of the process nothing is released: other threads may still be inside the loader or a driver (G-11).
 *
 * dlclose runs the exit functions of the library that it closes. A function that belongs to no library runs only at
 * exit. Such a function is time(), registered here with a word to which it writes the time. The word outlives the
 * library, so it is never freed. */
#include "process/process.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);

static time_t *_Atomic begun;

/* pthread_once is not used; posix/start.c says why. */
void exit_watch(void)
{
    static atomic_uint watched;
    lock_wanted(false);
    if (atomic_load_explicit(&watched, memory_order_relaxed) || atomic_exchange(&watched, true)) return;
    time_t *word = calloc(1, sizeof *word);
    if (!word) return;
    atomic_store(&begun, word);
    __cxa_atexit((void (*)(void *))(void *)time, word, NULL);
}

bool exit_begun(void)
{
    const time_t *word = atomic_load(&begun);
    return word && *(const volatile time_t *)word;
}
