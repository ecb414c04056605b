/* claim.h: waiting for what another thread does while it calls out: the one way in which the spine waits for anything but
 * its two mutexes. Owner: claim.c. docs/concurrency.md says who waits for what. */
#ifndef VKL_CLAIM_H
#define VKL_CLAIM_H

#include <stdbool.h>
#include <stdint.h>

/* All functions are called with the lock; waiting gives it up meanwhile. */

/* Waits until another thread has said that something ended. The caller looks again then: it may be something else. */
void lock_wait(void);
void lock_wake(void);

/* What one thread is busy with while it calls out. Lives on the stack of its thread. */
struct claim {
    struct claim *next;
    const void *what, *whose;
    uint64_t thread;
};
/* Waits until no other thread has claimed the pair. False when this very thread has: a driver, an allocator or another
 * library called back into the loader, and waiting would never end. */
bool claim_wait(const void *what, const void *whose);
/* The same, and makes it one's own. */
bool claim_take(struct claim *claim, const void *what, const void *whose);
void claim_drop(struct claim *claim);

#endif
