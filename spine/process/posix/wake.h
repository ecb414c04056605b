/* wake.h: sleeping until another thread wakes, for gate.c. */
#ifndef VKL_WAKE_H
#define VKL_WAKE_H

#include <stdbool.h>
#include <stdint.h>

/* Call sleep_begin before a sleep and sleep_end after it, with the lock. */
uint32_t sleep_begin(void);
void sleep_end(void);
/* Sleeps at most so many nanoseconds, without the lock. seen: the result of sleep_begin. Returns false on timeout. */
bool sleep_for(uint32_t seen, int64_t nanoseconds);
void sleepers_wake(void);   /* with the lock */
void sleepers_forget(void); /* in a forked child, which has no sleeping thread */

#endif
