/* gate.c: the one lock, the fork gate around every dl function that the spine calls, and fork_generation, which tells a
 * forked child from its parent (G-4).
 *
 * A fork waits until no other thread is inside the gate, and other threads wait at the gate until the fork is over,
 * both with a time limit. Otherwise the gate makes no thread wait: constructors of libraries use Vulkan while they hold
 * the dynamic linker's lock, and waiting for another thread there would deadlock. The forking thread itself never waits
 * at the gate, because other fork handlers may use Vulkan before and after the handlers here. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "process/process.h"
#include "process/posix/waiting.h"
#include "process/posix/wake.h"

/* How long a fork waits for another thread's dlopen: enough for any library to load, and short enough that a library
 * whose constructor waits for the forking thread only delays it. Other threads wait as long for a fork, because one of
 * its handlers may wait for them. */
#define FORK_WAIT_SECONDS_MAX 2
#define SECOND 1000000000ll

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#ifdef CHECK_LOCK
static _Atomic uintptr_t lock_owner; /* pthread_self() of the thread that has taken the lock, or 0 */
#endif
static _Atomic uintptr_t generation = 1;

/* A thread that is inside the gate, or that runs between the handlers of its own fork. This and the variables below are
 * guarded by the lock. */
static struct visitor {
    uint64_t thread;
    uint32_t inside; /* nesting depth: a constructor may enter the gate again */
    bool forking;
    uint64_t self; /* thread_self() of the forking thread; in the child it differs */
} visitors[64];
static size_t visited; /* entries up to here have been used; those behind are free */
static uint32_t crowd; /* threads inside without an entry, because the table was full */
/* threads between their fork handlers; those of them that no longer wait for others */
static uint32_t forks, forks_ready;
static int64_t forks_until; /* when other threads stop waiting for forks; 0: none waits yet */
static bool child_known;    /* the child was detected before its fork handler has run */

uint64_t fork_generation(void)
{
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

/* ---- the mutex -------------------------------------------------------------------------------------------------- */

static void set_owner(bool mine)
{
#ifdef CHECK_LOCK
    atomic_store_explicit(&lock_owner, mine ? (uintptr_t)pthread_self() : 0, memory_order_relaxed);
#else
    (void)mine;
#endif
}

static void mutex_take(void)
{
    pthread_mutex_lock(&lock);
    set_owner(true);
}

static void mutex_drop(void)
{
    set_owner(false);
    pthread_mutex_unlock(&lock);
}

/* Takes the mutex within FORK_WAIT_SECONDS_MAX, because a signal handler may fork while its thread has the lock. */
static bool mutex_take_bounded(void)
{
    if (pthread_mutex_trylock(&lock) != 0 && !mutex_lock_for(&lock, FORK_WAIT_SECONDS_MAX)) return false;
    set_owner(true);
    return true;
}

/* Sleeps without the lock until another thread wakes it. Returns false if the time is over. */
static bool sleep_before(int64_t end)
{
    int64_t left = end - now();
    if (left <= 0) return false;
    uint32_t seen = sleep_begin();
    mutex_drop();
    sleep_for(seen, left);
    mutex_take();
    sleep_end();
    return true;
}

/* ---- fork ------------------------------------------------------------------------------------------------------- */

static struct visitor *visitor_of(uint64_t thread)
{
    for (size_t i = 0; i < visited; i++)
        if ((visitors[i].inside || visitors[i].forking) && visitors[i].thread == thread) return &visitors[i];
    return NULL;
}

/* Returns the entry of a thread, or a free one for it. NULL: the table is full. */
static struct visitor *visitor_place(uint64_t thread)
{
    struct visitor *v = visitor_of(thread);
    for (size_t i = 0; i < sizeof visitors / sizeof *visitors && !v; i++)
        if (!visitors[i].inside && !visitors[i].forking) v = &visitors[i];
    if (v) v->thread = thread;
    if (v && v >= visitors + visited) visited = (size_t)(v - visitors) + 1;
    return v;
}

static bool has_others_inside(uint64_t thread)
{
    bool any = crowd > 0;
    for (size_t i = 0; i < sizeof visitors / sizeof *visitors; i++)
        any |= visitors[i].inside && visitors[i].thread != thread;
    return any;
}

/* Resets the state in a forked child, which has one thread, and begins a new generation. */
static void child_begins(void)
{
    memset(visitors, 0, sizeof visitors);
    crowd = forks = forks_ready = 0;
    sleepers_forget();
    atomic_fetch_add(&generation, 1);
}

/* Reports whether this thread runs between the handlers of its own fork, where other libraries' handlers may call the
 * loader. In the child, such a call may come before the handler here; then the child's state is reset now. */
static bool is_forking(void)
{
    const struct visitor *v = visitor_of(thread_known());
    if (!v || !v->forking) return false;
    if (v->self != thread_self()) {
        child_begins();
        child_known = true;
    }
    return true;
}

/* Waits while other threads fork. The lock is released meanwhile. */
static void wait_for_forks(const uint32_t *some)
{
    if (is_forking()) return;
    while (*some) {
        if (!forks_until) forks_until = now() + FORK_WAIT_SECONDS_MAX * SECOND;
        if (!sleep_before(forks_until)) return;
    }
}

/* Waits until no other thread is inside the gate. A fork during a dlopen would leave the child with the dynamic
 * linker's lock held forever. */
static void fork_begin(void)
{
    uint64_t me = thread_now();
    if (!mutex_take_bounded()) return;
    struct visitor *v = visitor_place(me);
    if (v && !v->forking) {
        v->forking = true;
        v->self = thread_self();
        if (!forks++) forks_until = 0;
        int64_t end = 0;
        while (has_others_inside(me)) {
            if (!end) end = now() + FORK_WAIT_SECONDS_MAX * SECOND;
            if (!sleep_before(end)) break;
        }
        if (!forks_ready++) forks_until = 0;
    }
    mutex_drop();
}

static void fork_end_in_parent(void)
{
    if (!mutex_take_bounded()) return;
    struct visitor *v = visitor_of(thread_known());
    if (v && v->forking) {
        v->forking = false;
        forks--;
        forks_ready--;
        sleepers_wake();
    }
    mutex_drop();
}

/* Resets the lock and the state, which any thread of the parent may have had. */
static void fork_end_in_child(void)
{
    const struct visitor *v = visitor_of(thread_known());
    bool known = child_known && !(v && v->forking);
    child_known = false;
    if (known) return;
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    set_owner(false);
    child_begins();
}

/* Registers the fork handlers, which the C library removes when this library is unloaded. Called when the library is
 * loaded, or by an earlier call, before any lock is held. If another thread is just registering them, this thread does
 * not wait. */
void fork_watch(void)
{
    static atomic_uint begun;
    if (atomic_load_explicit(&begun, memory_order_relaxed) || atomic_exchange(&begun, true)) return;
    pthread_atfork(fork_begin, fork_end_in_parent, fork_end_in_child);
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
    mutex_take();
    if (forks_ready) wait_for_forks(&forks_ready);
}

void lock_drop(void)
{
    lock_wanted(true);
    mutex_drop();
}

bool lock_wait(void)
{
    uint32_t seen = sleep_begin();
    lock_drop();
    bool woken = sleep_for(seen, SECOND / 10);
    lock_take();
    sleep_end();
    return woken;
}

void lock_wake(void)
{
    lock_wanted(true);
    sleepers_wake();
}

/* ---- the gate --------------------------------------------------------------------------------------------------- */

uint64_t gate_enter(void)
{
    uint64_t me = thread_now();
    lock_take();
    if (forks && !visitor_of(me)) wait_for_forks(&forks);
    struct visitor *v = visitor_place(me);
    if (v)
        v->inside++;
    else
        crowd++;
    lock_drop();
    return me;
}

/* Leaves the gate. The child of a fork inside the gate (by a library's constructor) leaves a gate that it never
 * entered. */
void gate_leave(uint64_t me)
{
    lock_take();
    struct visitor *v = visitor_of(me);
    if (v && v->inside)
        v->inside--;
    else if (crowd)
        crowd--;
    if (forks) sleepers_wake();
    lock_drop();
}

void *gate_dlopen(const char *path, const struct file_identity *seen, char **text)
{
    /* A pipe would make the linker wait for a writer. */
    if (path_has_directory(path) && (seen ? seen->special : file_is_special(path))) {
        if (text && asprintf(text, "%s: cannot open shared object file: Not a regular file", path) < 0) *text = NULL;
        return NULL;
    }
    uint64_t me = gate_enter();
    void *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!handle && text) {
        const char *why = dlerror();
        *text = why ? strdup(why) : NULL;
    }
    gate_leave(me);
    return handle;
}

void *gate_dlopen_mapped(const char *name)
{
    uint64_t me = gate_enter();
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
    gate_leave(me);
    return handle;
}

int gate_dlclose(void *handle)
{
    uint64_t me = gate_enter();
    int result = dlclose(handle);
    gate_leave(me);
    return result;
}

void *gate_dlsym(void *handle, const char *name)
{
    uint64_t me = gate_enter();
    void *p = dlsym(handle, name);
    gate_leave(me);
    return p;
}

char *image_name_of(const void *function)
{
    Dl_info info;
    uint64_t me = gate_enter(); /* the name belongs to the linker, and is valid while the library is open */
    bool found = function && dladdr(function, &info) && info.dli_fname;
    char *name = found ? strdup(info.dli_fname) : NULL;
    gate_leave(me);
    return name;
}

char *gate_path_of(const void *function)
{
    char *name = image_name_of(function);
    char *real = name ? realpath(name, NULL) : NULL;
    if (!real) return name;
    free(name);
    return real;
}
