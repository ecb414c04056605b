/* wake.c: threads that wait for what another one does, and are woken: one futex. */
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "process/process.h"

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
