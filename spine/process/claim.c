/* claim.c: threads that wait for what another one does without the lock being held: one futex, and the list of what is
 * claimed. A forked child has none of its parent's threads, and so none of their claims.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/process.h"

/* ---- waiting ---------------------------------------------------------------------------------------------------- */

/* Of the kernel's interface, whose headers not every C library's compiler finds; between threads of one process. */
#define FUTEX_WAIT_HERE 128
#define FUTEX_WAKE_HERE 129

static uint32_t ended;    /* counts; waited on */
static uint32_t sleepers; /* under the lock; may be too high in a forked child, which wakes nobody then */

/* The time limit is for nothing but a lost wake-up of a foreign kernel; correctness does not need it, and the builds
 * with sanitizers do without. */
void lock_wait(void)
{
#ifdef CHECK_LOCK
    const struct timespec *limit = NULL;
#else
    const struct timespec *limit = &(struct timespec){.tv_nsec = 100 * 1000 * 1000};
#endif
    uint32_t seen = __atomic_load_n(&ended, __ATOMIC_RELAXED);
    int before = errno;
    sleepers++;
    lock_drop();
    syscall(SYS_futex, &ended, FUTEX_WAIT_HERE, seen, limit, NULL, 0);
    lock_take();
    sleepers--;
    errno = before;
}

void lock_wake(void)
{
    lock_wanted(true);
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
    if (!sleepers) return;
    int before = errno;
    syscall(SYS_futex, &ended, FUTEX_WAKE_HERE, INT32_MAX, NULL, NULL, 0);
    errno = before;
}

/* ---- claims ----------------------------------------------------------------------------------------------------- */

static struct claim *claims;       /* under the lock */
static uint64_t claims_generation; /* of the process */

static struct claim *find(const void *what, const void *whose)
{
    lock_wanted(true);
    if (claims_generation != fork_generation()) {
        claims_generation = fork_generation();
        claims = NULL;
    }
    for (struct claim *c = claims; c; c = c->next)
        if (c->what == what && c->whose == whose) return c;
    return NULL;
}

bool claim_wait(const void *what, const void *whose)
{
    struct claim *other;
    while ((other = find(what, whose))) {
        if (other->thread == (uint64_t)pthread_self()) return false;
        lock_wait();
    }
    return true;
}

bool claim_take(struct claim *claim, const void *what, const void *whose)
{
    if (!claim_wait(what, whose)) return false;
    *claim = (struct claim){claims, what, whose, (uint64_t)pthread_self()};
    claims = claim;
    return true;
}

void claim_drop(struct claim *claim)
{
    lock_wanted(true);
    if (claims_generation == fork_generation()) {
        struct claim **at = &claims;
        while (*at && *at != claim) at = &(*at)->next;
        if (*at) *at = claim->next;
    }
    lock_wake();
}
