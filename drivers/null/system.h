/* system.h: waits for a condition until a time of the monotonic clock, with different functions on Linux and macOS. */
#ifndef NULL_SYSTEM_H
#define NULL_SYSTEM_H

#include <pthread.h>
#include <time.h>

/* Initializes a condition for wait_before. */
static inline void condition_init(pthread_cond_t *condition)
{
#ifdef __APPLE__
    pthread_cond_init(condition, NULL);
#else
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
#endif
}

/* Waits for a condition until a time of CLOCK_MONOTONIC. Returns nonzero when the time is over. */
static inline int wait_before(pthread_cond_t *condition, pthread_mutex_t *lock, const struct timespec *end)
{
#ifdef __APPLE__
    struct timespec now, left;
    clock_gettime(CLOCK_MONOTONIC, &now);
    left.tv_sec = end->tv_sec - now.tv_sec;
    left.tv_nsec = end->tv_nsec - now.tv_nsec;
    if (left.tv_nsec < 0) {
        left.tv_nsec += 1000000000;
        left.tv_sec--;
    }
    if (left.tv_sec < 0) return -1;
    return pthread_cond_timedwait_relative_np(condition, lock, &left);
#else
    return pthread_cond_timedwait(condition, lock, end);
#endif
}

#endif
