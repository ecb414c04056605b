/* wake.h: sleeping until another thread wakes, for gate.c. */
#ifndef VKL_WAKE_H
#define VKL_WAKE_H

#include <stdbool.h>
#include <stdint.h>

/* Before and after, with the lock. */
uint32_t sleep_begin(void);
void sleep_end(void);
/* Between them, without the lock: sleeps at most so many nanoseconds. Returns false on timeout. */
bool sleep_for(uint32_t seen, int64_t nanoseconds);
void sleepers_wake(void);   /* with the lock */
void sleepers_forget(void); /* in a forked child, which has none */

#endif
