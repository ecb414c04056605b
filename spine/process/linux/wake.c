/* wake.c: waits for another thread, and wakes all waiting threads, with one futex. */
#include "process/posix/wake.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Copies of FUTEX_WAIT_PRIVATE and FUTEX_WAKE_PRIVATE, because some compilers do not find the kernel's headers. */
#define FUTEX_WAIT_HERE 128
#define FUTEX_WAKE_HERE 129

static uint32_t ended;    /* counts the wakes; the futex word */
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
    int before = errno;
    bool woken = syscall(SYS_futex, &ended, FUTEX_WAIT_HERE, seen, &limit, NULL, 0) == 0 || errno != ETIMEDOUT;
    if (woken && errno != EAGAIN && errno != EINTR) sched_yield(); /* a seccomp filter may refuse the futex call */
    errno = before;
    return woken;
}

void sleepers_wake(void)
{
    __atomic_add_fetch(&ended, 1, __ATOMIC_RELAXED);
    if (!sleepers) return;
    int before = errno;
    syscall(SYS_futex, &ended, FUTEX_WAKE_HERE, INT32_MAX, NULL, NULL, 0);
    errno = before;
}

void sleepers_forget(void)
{
    sleepers = 0;
}
