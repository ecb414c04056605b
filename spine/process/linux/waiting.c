/* waiting.c: waits for a mutex with a time limit, by the monotonic clock. Where the C library (musl, an old glibc) or
 * the thread sanitizer lacks the function for that, it uses the realtime clock. */
#include "process/posix/waiting.h"

#include <time.h>

#if defined __GLIBC__ && !defined __SANITIZE_THREAD__ && !defined VKL_PORTABLE
#define WAITING_CLOCK CLOCK_MONOTONIC
#define LOCK_UNTIL(mutex, end) pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, end)
#else
#define WAITING_CLOCK CLOCK_REALTIME
#define LOCK_UNTIL(mutex, end) pthread_mutex_timedlock(mutex, end)
#endif

bool mutex_lock_for(pthread_mutex_t *mutex, unsigned seconds)
{
    struct timespec end;
    clock_gettime(WAITING_CLOCK, &end);
    end.tv_sec += (time_t)seconds;
    return LOCK_UNTIL(mutex, &end) == 0;
}

/* Returns the id of the thread's CPU-time clock, which needs no system call. */
uint64_t thread_self(void)
{
    clockid_t clock;
    return pthread_getcpuclockid(pthread_self(), &clock) == 0 ? (uint64_t)clock : 0;
}
