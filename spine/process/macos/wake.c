/* wake.c: waits for another thread, and wakes all waiting threads, with one condition variable, whose wait has a
 * relative time limit. */
#include "process/posix/wake.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static uint32_t ended;    /* counts the wakes */
static uint32_t sleepers; /* under the lock */

uint32_t sleep_begin(void)
{
    sleepers++;
    return __atomic_load_n(&ended, __ATOMIC_RELAXED);
}

void sleep_end(void)
{
    if (sleepers) sleepers--; /* in a forked child, sleep_begin may have run in the parent */
}

bool sleep_for(uint32_t seen, int64_t nanoseconds)
{
    const struct timespec limit = {.tv_sec = (time_t)(nanoseconds / 1000000000),
                                   .tv_nsec = (long)(nanoseconds % 1000000000)};
    int error = 0, cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    pthread_mutex_lock(&own);
    if (seen == __atomic_load_n(&ended, __ATOMIC_RELAXED))
        error = pthread_cond_timedwait_relative_np(&changed, &own, &limit);
    pthread_mutex_unlock(&own);
    pthread_setcancelstate(cancel, NULL);
    return error != ETIMEDOUT;
}

void sleepers_wake(void)
{
    if (!sleepers) {
        __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
        return;
    }
    pthread_mutex_lock(&own);
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&own);
}

void sleepers_forget(void)
{
    sleepers = 0;
    own = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
}
