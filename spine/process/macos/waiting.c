/* waiting.c: waiting for a mutex with a time limit, which macOS lacks: the mutex is tried every millisecond. Only a
 * fork waits here, and only while another thread has the lock. */
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

/* A child is another process; threads have no clock of their own. */
uint64_t thread_self(void)
{
    return (uint64_t)getpid();
}
