/* gate.c: what keeps fork, dlopen and threads apart: the one lock, the fork gate around every dl function of the spine,
 * and the page by which a forked child knows itself (G-4).
 *
 * It never waits without a bound on behalf of a fork, and it keeps nothing that a child would find held. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "spine.h"

/* How long a fork waits for another thread's dlopen: long enough for any library, short enough that a library whose
 * constructor waits for the forking thread only slows it down. */
#define FORK_WAIT_SECONDS 2

#ifdef __x86_64__
#define PAGE 4096 /* pages are never larger here; elsewhere up to 64 kB */
#else
#define PAGE 65536
#endif

/* A page of this library's own zeroed data that is zero again in every new child, whoever made it and however (fork,
 * raw clone; vfork shares the parent's memory and makes no child in this sense). Zeroed mutexes are free ones. */
static union {
    struct {
        _Atomic uint64_t generation; /* 0: nobody has asked in this process yet */
        pid_t pid;                   /* only where the kernel cannot wipe the page */
        pthread_mutex_t lock;
        pthread_mutex_t gate;
        _Atomic uintptr_t gate_owner; /* pthread_self() of the thread inside, or 0 */
        unsigned gate_depth;
        /* The forking threads that hold gate and lock between the handlers of a fork, or 0. */
        _Atomic uintptr_t gate_fork, lock_fork;
        _Atomic uintptr_t lock_owner; /* CHECK_LOCK: pthread_self() of the thread that has taken the lock, or 0 */
    };
    char bytes[PAGE];
} birth __attribute__((aligned(PAGE)));
static bool birth_wiped;
static _Atomic uint64_t generations; /* the highest number given out, in this process or before it was forked */
static pthread_once_t birth_once = PTHREAD_ONCE_INIT;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;

static void birth_prepare(void) {
    birth_wiped = madvise(&birth, sizeof birth, MADV_WIPEONFORK) == 0;
    birth.pid = getpid();
}

/* Called before every use: the constructor of another library may be earlier than ours. */
static void birth_check(void) {
    pthread_once(&birth_once, birth_prepare);
    if (birth_wiped || birth.pid == getpid()) return;
    memset(&birth, 0, sizeof birth);
    birth.pid = getpid();
}

uint64_t fork_generation(void) {
    birth_check();
    uint64_t now = atomic_load(&birth.generation);
    if (now) return now;
    /* Numbers are never given twice, so that a grandchild made in the middle of this gets a higher one. */
    uint64_t mine = atomic_fetch_add(&generations, 1) + 1;
    if (atomic_compare_exchange_strong(&birth.generation, &now, mine)) return mine;
    return now;
}

/* ---- the lock --------------------------------------------------------------------------------------------------- */

#ifdef CHECK_LOCK
void lock_wanted(bool taken) {
    uintptr_t owner = atomic_load_explicit(&birth.lock_owner, memory_order_relaxed);
    if ((owner == (uintptr_t)pthread_self()) != taken) abort();
}
#endif

void lock_take(void) {
    birth_check();
    lock_wanted(false);
    pthread_mutex_lock(&birth.lock);
#ifdef CHECK_LOCK
    atomic_store_explicit(&birth.lock_owner, (uintptr_t)pthread_self(), memory_order_relaxed);
#endif
}

void lock_drop(void) {
    lock_wanted(true);
#ifdef CHECK_LOCK
    atomic_store_explicit(&birth.lock_owner, 0, memory_order_relaxed);
#endif
    pthread_mutex_unlock(&birth.lock);
}

/* ---- fork ------------------------------------------------------------------------------------------------------- */

static bool wait_bounded(pthread_mutex_t *mutex) {
    struct timespec end;
    if (pthread_mutex_trylock(mutex) == 0) return true;
#ifdef __SANITIZE_THREAD__ /* which does not know the other function */
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += FORK_WAIT_SECONDS;
    return pthread_mutex_timedlock(mutex, &end) == 0;
#else
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += FORK_WAIT_SECONDS;
    return pthread_mutex_clocklock(mutex, CLOCK_MONOTONIC, &end) == 0;
#endif
}

/* Nobody forks in the middle of a dlopen of ours: the child would find the dynamic linker's own lock held for ever. */
static void before_fork(void) {
    uintptr_t me = (uintptr_t)pthread_self();
    (void)fork_generation();
    /* The thread inside may fork itself, in a library's constructor; it waits for nobody. */
    if (atomic_load(&birth.gate_owner) != me && wait_bounded(&birth.gate)) atomic_store(&birth.gate_fork, me);
    if (wait_bounded(&birth.lock)) atomic_store(&birth.lock_fork, me);
}

static void after_fork_in_parent(void) {
    uintptr_t me = (uintptr_t)pthread_self();
    if (atomic_load(&birth.lock_fork) == me) {
        atomic_store(&birth.lock_fork, 0);
        pthread_mutex_unlock(&birth.lock);
    }
    if (atomic_load(&birth.gate_fork) == me) {
        atomic_store(&birth.gate_fork, 0);
        pthread_mutex_unlock(&birth.gate);
    }
}

/* The page was wiped: a new number, and everything free. */
static void after_fork_in_child(void) { (void)fork_generation(); }

/* Handlers registered from here belong to this library: the C library drops them when it is unloaded. */
static void fork_watch(void) { pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child); }

/* ---- the gate --------------------------------------------------------------------------------------------------- */

void gate_enter(void) {
    lock_wanted(false);
    pthread_once(&fork_once, fork_watch);
    birth_check();
    if (atomic_load(&birth.gate_owner) == (uintptr_t)pthread_self()) {
        birth.gate_depth++;
        return;
    }
    pthread_mutex_lock(&birth.gate);
    atomic_store(&birth.gate_owner, (uintptr_t)pthread_self());
    birth.gate_depth = 1;
}

void gate_leave(void) {
    /* A child forked inside (by a library's constructor) comes back out of a gate that it never entered. */
    if (atomic_load(&birth.gate_owner) != (uintptr_t)pthread_self() || birth.gate_depth == 0) return;
    if (--birth.gate_depth) return;
    atomic_store(&birth.gate_owner, 0);
    pthread_mutex_unlock(&birth.gate);
}

void *gate_dlopen(const char *path, char **text) {
    gate_enter();
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!handle && text) {
        const char *why = dlerror();
        *text = why ? strdup(why) : NULL;
    }
    gate_leave();
    return handle;
}

int gate_dlclose(void *handle) {
    gate_enter();
    int result = dlclose(handle);
    gate_leave();
    return result;
}

void *gate_dlsym(void *handle, const char *name) {
    gate_enter();
    void *p = dlsym(handle, name);
    gate_leave();
    return p;
}

char *gate_path_of(const void *function) {
    Dl_info info;
    gate_enter(); /* the name is the linker's, as long as the library is there */
    bool found = function && dladdr(function, &info) && info.dli_fname;
    char *path = found ? realpath(info.dli_fname, NULL) : NULL;
    if (found && !path) path = strdup(info.dli_fname);
    gate_leave();
    return path;
}
