/* waiting.h: waiting for a mutex until a time, by the monotonic clock; by the realtime clock where the C library
 * (musl, or an old glibc) or the thread sanitizer lacks the other way. */
#ifndef VKL_WAITING_H
#define VKL_WAITING_H

#include <pthread.h>
#include <time.h>

#if defined __GLIBC__ && !defined __SANITIZE_THREAD__ && !defined VKL_PORTABLE
#define WAITING_CLOCK CLOCK_MONOTONIC
static inline int mutex_lock_until(pthread_mutex_t *mutex, const struct timespec *end)
{
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, end);
}
#else
#define WAITING_CLOCK CLOCK_REALTIME
static inline int mutex_lock_until(pthread_mutex_t *mutex, const struct timespec *end)
{
    return pthread_mutex_timedlock(mutex, end);
}
#endif

#endif
