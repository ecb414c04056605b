/* gate.c: what keeps fork, dlopen and threads apart: the one lock, the fork gate around every dl function of the spine,
 * and the number by which a forked child knows itself (G-4).
 *
 * A fork waits for either with a limit of time, and a forked child finds both free. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process/process.h"
#include "process/waiting.h"

/* How long a fork waits for another thread's dlopen: long enough for any library, short enough that a library whose
 * constructor waits for the forking thread only slows it down. */
#define FORK_WAIT_SECONDS_MAX 2

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uintptr_t gate_owner; /* pthread_self() of the thread inside, or 0 */
static unsigned gate_depth;
/* The forking threads that hold gate and lock between the handlers of a fork, or 0. */
static _Atomic uintptr_t gate_fork, lock_fork;
#ifdef CHECK_LOCK
static _Atomic uintptr_t lock_owner; /* pthread_self() of the thread that has taken the lock, or 0 */
#endif
static _Atomic uint64_t generation = 1;

uint64_t fork_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

uint64_t thread_now(void)
{
    return (uint64_t)pthread_self();
}

/* ---- fork ------------------------------------------------------------------------------------------------------- */

static bool wait_bounded(pthread_mutex_t *mutex)
{
    struct timespec end;
    if (pthread_mutex_trylock(mutex) == 0) return true;
    clock_gettime(WAITING_CLOCK, &end);
    end.tv_sec += FORK_WAIT_SECONDS_MAX;
    return mutex_lock_until(mutex, &end) == 0;
}

/* Nobody forks in the middle of a dlopen of ours: the child would find the dynamic linker's own lock held for ever. */
static void before_fork(void)
{
    uintptr_t me = (uintptr_t)pthread_self();
    /* The thread inside may fork itself, in a library's constructor; it waits for nobody. */
    if (atomic_load(&gate_owner) != me && wait_bounded(&gate)) atomic_store(&gate_fork, me);
    if (wait_bounded(&lock)) atomic_store(&lock_fork, me);
}

static void after_fork_in_parent(void)
{
    uintptr_t me = (uintptr_t)pthread_self();
    if (atomic_load(&lock_fork) == me) {
        atomic_store(&lock_fork, 0);
        pthread_mutex_unlock(&lock);
    }
    if (atomic_load(&gate_fork) == me) {
        atomic_store(&gate_fork, 0);
        pthread_mutex_unlock(&gate);
    }
}

/* One thread, and everything free, whoever had it before. */
static void after_fork_in_child(void)
{
    lock = gate = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    atomic_store(&gate_owner, 0);
    atomic_store(&gate_fork, 0);
    atomic_store(&lock_fork, 0);
#ifdef CHECK_LOCK
    atomic_store(&lock_owner, 0);
#endif
    gate_depth = 0;
    atomic_fetch_add(&generation, 1);
}

/* Handlers registered from here belong to this library: the C library drops them when it is unloaded. */
static void watch(void)
{
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

/* Called before anything is held: the constructor of another library may be earlier than ours. */
static void fork_watch(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch);
}

/* ---- the lock --------------------------------------------------------------------------------------------------- */

#ifdef CHECK_LOCK
void lock_wanted(bool taken)
{
    uintptr_t owner = atomic_load_explicit(&lock_owner, memory_order_relaxed);
    if ((owner == (uintptr_t)pthread_self()) != taken) abort();
}
#endif

void lock_take(void)
{
    fork_watch();
    lock_wanted(false);
    pthread_mutex_lock(&lock);
#ifdef CHECK_LOCK
    atomic_store_explicit(&lock_owner, (uintptr_t)pthread_self(), memory_order_relaxed);
#endif
}

void lock_drop(void)
{
    lock_wanted(true);
#ifdef CHECK_LOCK
    atomic_store_explicit(&lock_owner, 0, memory_order_relaxed);
#endif
    pthread_mutex_unlock(&lock);
}

/* ---- the gate --------------------------------------------------------------------------------------------------- */

void gate_enter(void)
{
    lock_wanted(false);
    fork_watch();
    if (atomic_load(&gate_owner) == (uintptr_t)pthread_self()) {
        gate_depth++;
        return;
    }
    pthread_mutex_lock(&gate);
    atomic_store(&gate_owner, (uintptr_t)pthread_self());
    gate_depth = 1;
}

void gate_leave(void)
{
    /* A child forked inside (by a library's constructor) comes back out of a gate that it never entered. */
    if (atomic_load(&gate_owner) != (uintptr_t)pthread_self() || gate_depth == 0) return;
    if (--gate_depth) return;
    atomic_store(&gate_owner, 0);
    pthread_mutex_unlock(&gate);
}

void *gate_dlopen(const char *path, char **text)
{
    if (path_has_directory(path) && file_is_special(path)) { /* the linker would wait for whoever writes into a pipe */
        if (text && asprintf(text, "%s: cannot open shared object file: Not a regular file", path) < 0) *text = NULL;
        return NULL;
    }
    gate_enter();
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!handle && text) {
        const char *why = dlerror();
        *text = why ? strdup(why) : NULL;
    }
    gate_leave();
    return handle;
}

void *gate_dlopen_mapped(const char *name)
{
    gate_enter();
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    gate_leave();
    return handle;
}

int gate_dlclose(void *handle)
{
    gate_enter();
    int result = dlclose(handle);
    gate_leave();
    return result;
}

void *gate_dlsym(void *handle, const char *name)
{
    gate_enter();
    void *p = dlsym(handle, name);
    gate_leave();
    return p;
}

char *gate_path_of(const void *function)
{
    Dl_info info;
    gate_enter(); /* the name is the linker's, as long as the library is there */
    bool found = function && dladdr(function, &info) && info.dli_fname;
    char *path = found ? realpath(info.dli_fname, NULL) : NULL;
    if (found && !path) path = strdup(info.dli_fname);
    gate_leave();
    return path;
}
