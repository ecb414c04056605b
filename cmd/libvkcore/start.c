/* start.c: the C side of the core: what the Go runtime gets from the C library, cut down to what a guest may use, and
 * the start of the runtime, which happens when the spine asks for it and not when the file is opened. Linked with
 * --wrap for every function named __wrap_ below (build.sh), so that the runtime's calls arrive here.
 *
 * It never calls into Go, and never changes a signal's disposition. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern const char vkcore_id_text[]; /* an object file that build.sh makes of the id */
int __real_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg);

/* ---- who is asking --------------------------------------------------------------------------------------------- */

#ifdef __x86_64__
#define PAGE 4096
#else
#define PAGE 65536
#endif

/* A page that is zero in every forked child: the runtime's threads are not there, so the child must not enter (G-4). */
static union {
    struct {
        _Atomic int here;
        pid_t pid; /* for kernels without MADV_WIPEONFORK */
    };
    char bytes[PAGE];
} birth __attribute__((aligned(PAGE)));

__attribute__((constructor)) static void remember_birth(void) {
    birth.pid = madvise(&birth, sizeof birth, MADV_WIPEONFORK) == 0 ? 0 : getpid();
    atomic_store(&birth.here, 1);
}

/* 1: this process was forked from the one that opened the file. */
EXPORT int vkcore_inherited(void) {
    return !atomic_load(&birth.here) || (birth.pid != 0 && birth.pid != getpid());
}

EXPORT const char *vkcore_id(void) { return vkcore_id_text; }

/* ---- threads --------------------------------------------------------------------------------------------------- */

/* All threads that the runtime will ever need are made at the start and parked: a program may forbid new threads
 * afterwards (seccomp, limits), and a runtime that cannot start one aborts the program (G-10). It takes two: the first,
 * and one that starts others; a collection needs up to four more. docs/guest-rules.md has the measurement. */
#define THREADS 8
#define STACK_BYTES ((size_t)256 * 1024)
/* What the runtime is told: the descriptor of the thread and the C library's frames are at the stack's top. */
#define STACK_TOLD (STACK_BYTES - 32 * 1024)

struct parked {
    pthread_t thread;
    sem_t ready, work;
    void *(*start)(void *);
    void *arg;
    bool used;
    bool leave;
};
static struct parked parked[THREADS];
static pthread_mutex_t parked_mutex = PTHREAD_MUTEX_INITIALIZER;
static unsigned parked_most; /* most ever in use at once */
static unsigned parked_short; /* threads made because none was parked */

/* The first thread that the runtime's constructor asked for, kept until vkcore_start. */
static void *(*first_start)(void *);
static void *first_arg;
static enum { NOT_STARTED, STARTED } state;
static pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;

/* Bounds of a parked thread's stack; the runtime must not ask the C library, which for the first thread of a program
 * opens /proc/self/maps. */
static __thread uintptr_t stack_top __attribute__((tls_model("initial-exec")));

static void wait_for(sem_t *sem) {
    while (sem_wait(sem) != 0) {
    }
}

static void *park(void *p) {
    struct parked *me = p;
    stack_top = (uintptr_t)__builtin_frame_address(0);
    sem_post(&me->ready);
    for (;;) {
        wait_for(&me->work);
        if (me->leave) return NULL;
        me->start(me->arg);
        pthread_mutex_lock(&parked_mutex);
        me->used = false;
        pthread_mutex_unlock(&parked_mutex);
    }
}

static size_t tls_bytes;
static int add_tls(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS) tls_bytes += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
    return 0;
}

/* Everything is blocked but what a thread does to itself; the C library never blocks 32 and 33, its own (G-2). */
static void guest_mask(sigset_t *set) {
    sigfillset(set);
    sigdelset(set, SIGILL);
    sigdelset(set, SIGTRAP);
    sigdelset(set, SIGBUS);
    sigdelset(set, SIGFPE);
    sigdelset(set, SIGSEGV);
    sigdelset(set, SIGSYS);
}

static int small_stack(pthread_attr_t *attr) {
    int err = pthread_attr_init(attr);
    if (err) return err;
    /* Static thread-local storage, which may be large in some programs, comes out of the stack. */
    tls_bytes = 0;
    dl_iterate_phdr(add_tls, NULL);
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    pthread_attr_setstacksize(attr, (STACK_BYTES + tls_bytes + page - 1) & ~(page - 1));
    return 0;
}

/* A thread that none was parked for. */
static int late_thread(pthread_t *thread, void *(*start)(void *), void *arg) {
    pthread_attr_t attr;
    sigset_t mask, old;
    int err = small_stack(&attr);
    if (err) return err;
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    guest_mask(&mask);
    pthread_sigmask(SIG_SETMASK, &mask, &old);
    err = __real_pthread_create(thread, &attr, start, arg);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    return err;
}

static void threads_stop(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        parked[i].leave = true;
        sem_post(&parked[i].work);
        pthread_join(parked[i].thread, NULL);
        sem_destroy(&parked[i].ready);
        sem_destroy(&parked[i].work);
        memset(&parked[i], 0, sizeof parked[i]);
    }
}

static int threads_make(void) {
    pthread_attr_t attr;
    sigset_t mask, old;
    unsigned made = 0;
    int err = small_stack(&attr);
    if (err) return err;
    guest_mask(&mask);
    pthread_sigmask(SIG_SETMASK, &mask, &old);
    for (; made < THREADS && !err; made += !err) {
        sem_init(&parked[made].ready, 0, 0);
        sem_init(&parked[made].work, 0, 0);
        err = __real_pthread_create(&parked[made].thread, &attr, park, &parked[made]);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_attr_destroy(&attr);
    if (err) {
        sem_destroy(&parked[made].ready);
        sem_destroy(&parked[made].work);
        threads_stop(made);
        return err;
    }
    /* Made is not yet running: under a limit of memory the first touch of a stack may fail. */
    for (unsigned i = 0; i < THREADS; i++) wait_for(&parked[i].ready);
    return 0;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *), void *arg) {
    (void)attr;
    if (state == NOT_STARTED && !first_start) {
        first_start = start;
        first_arg = arg;
        memset(thread, 0, sizeof *thread);
        return 0;
    }
    pthread_mutex_lock(&parked_mutex);
    unsigned used = 0, place = THREADS;
    for (unsigned i = 0; i < THREADS; i++) {
        if (parked[i].used)
            used++;
        else if (place == THREADS)
            place = i;
    }
    if (place < THREADS) {
        parked[place].used = true;
        parked[place].start = start;
        parked[place].arg = arg;
        *thread = parked[place].thread;
        if (used + 1 > parked_most) parked_most = used + 1;
        sem_post(&parked[place].work);
        pthread_mutex_unlock(&parked_mutex);
        return 0;
    }
    parked_short++;
    pthread_mutex_unlock(&parked_mutex);
    return late_thread(thread, start, arg);
}

/* For tests: how many threads the runtime has used at most, and how many were made in want of a parked one. */
EXPORT unsigned vkcore_threads(unsigned *made_later) {
    pthread_mutex_lock(&parked_mutex);
    unsigned most = parked_most;
    if (made_later) *made_later = parked_short;
    pthread_mutex_unlock(&parked_mutex);
    return most;
}

int __wrap_pthread_attr_getstacksize(const pthread_attr_t *attr, size_t *size) {
    (void)attr;
    *size = STACK_TOLD;
    return 0;
}

/* The runtime asks in two steps; the answer of the second is all that counts. A thread of the program enters on a stack
 * of the spine's, of which the C library knows nothing: no bounds then, and the runtime takes 32 kB below. */
int __wrap_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr) {
    (void)thread;
    (void)attr;
    return 0;
}

int __wrap_pthread_attr_getstack(const pthread_attr_t *attr, void **low, size_t *size) {
    (void)attr;
    *low = stack_top ? (void *)(stack_top - STACK_TOLD) : NULL;
    *size = stack_top ? STACK_TOLD : 0;
    return 0;
}

/* No thread of the program stays bound to the runtime, so that nothing of ours runs when it ends, and its mask and
 * alternate stack are its own after every call. */
int __wrap_pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    (void)key;
    (void)destructor;
    return EAGAIN;
}

/* One thread of the program inside at a time: a decision takes less than the scheduler's hand-overs would, and the
 * number of threads that the runtime needs stays the same however many of the program's come at once. */
static pthread_mutex_t entry = PTHREAD_MUTEX_INITIALIZER;
EXPORT void vkcore_lock(void) { pthread_mutex_lock(&entry); }
EXPORT void vkcore_unlock(void) { pthread_mutex_unlock(&entry); }

/* ---- memory ---------------------------------------------------------------------------------------------------- */

/* The C side of the runtime allocates one small block for every thread, which the thread gives back when it begins: its
 * only call of free, for which the C library would make the thread an arena of its own (128 MB of address space, and
 * the pages that are touched). */
#define SMALL_BYTES 64
static struct {
    _Alignas(16) char bytes[SMALL_BYTES];
    _Atomic bool used;
} small[16];

void *__real_malloc(size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size) {
    for (size_t i = 0; size <= SMALL_BYTES && i < sizeof small / sizeof *small; i++)
        if (!atomic_exchange(&small[i].used, true)) return small[i].bytes;
    return __real_malloc(size);
}

void __wrap_free(void *block) {
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        if (block != small[i].bytes) continue;
        atomic_store(&small[i].used, false);
        return;
    }
    __real_free(block);
}

/* ---- signals --------------------------------------------------------------------------------------------------- */

/* Looks only (G-2). Never EINVAL: the runtime would then go past the C library. */
int __wrap_sigaction(int sig, const struct sigaction *act, struct sigaction *old) {
    (void)act;
    if (old && __real_sigaction(sig, NULL, old) != 0) memset(old, 0, sizeof *old);
    return 0;
}

/* The core changes the environment of nobody. */
int __wrap_setenv(const char *name, const char *value, int replace) {
    (void)name;
    (void)value;
    (void)replace;
    return 0;
}
int __wrap_unsetenv(const char *name) {
    (void)name;
    return 0;
}

/* ---- start ----------------------------------------------------------------------------------------------------- */

/* What a stock runtime reserves, with room to spare; and what of it is writable memory at once. Measured, see
 * docs/guest-rules.md. */
#define RESERVE_BYTES ((size_t)1856 << 20)
#define WRITABLE_BYTES ((size_t)96 << 20)

static int memory_there(void) {
    void *p = mmap(NULL, RESERVE_BYTES - WRITABLE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    void *w = mmap(NULL, WRITABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool there = p != MAP_FAILED && w != MAP_FAILED;
    if (p != MAP_FAILED) munmap(p, RESERVE_BYTES - WRITABLE_BYTES);
    if (w != MAP_FAILED) munmap(w, WRITABLE_BYTES);
    return there ? 0 : ENOMEM;
}

/* Starts the runtime, once; 0, or an errno value and a text that says what is missing. May be asked again. Must not
 * have been inherited. */
EXPORT int vkcore_start(char *text, size_t room) {
    int err = 0;
    pthread_mutex_lock(&start_mutex);
    if (state == NOT_STARTED) {
        if (!first_start) {
            err = ENOSYS;
            snprintf(text, room, "its runtime did not announce itself");
        } else if ((err = threads_make()) != 0) {
            snprintf(text, room, "%d threads cannot be started: %s", THREADS, strerror(err));
        } else if ((err = memory_there()) != 0) {
            snprintf(text, room, "%zu MB of address space (%zu MB of them writable) cannot be reserved: %s",
                     RESERVE_BYTES >> 20, WRITABLE_BYTES >> 20, strerror(err));
            threads_stop(THREADS);
        } else {
            pthread_t thread;
            state = STARTED;
            err = __wrap_pthread_create(&thread, NULL, first_start, first_arg);
        }
    }
    pthread_mutex_unlock(&start_mutex);
    return err;
}
