/* waiting.c: waits for a mutex with a time limit. macOS lacks a function for that, so the mutex is tried every
 * millisecond. Only a fork waits here, while another thread has the lock. */
#include "process/posix/waiting.h"

#include <time.h>
#include <unistd.h>

bool mutex_lock_for(pthread_mutex_t *mutex, unsigned seconds)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    for (unsigned tries = seconds * 1000; pthread_mutex_trylock(mutex) != 0; tries--) {
        if (!tries) return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

/* Returns the process id, which differs in a forked child. macOS has no CPU-time clock of a thread to tell it by. */
uint64_t thread_self(void)
{
    return (uint64_t)getpid();
}
