/* threads.c: libSystem's threads. Its objects are larger than glibc's or begin with a signature that static
 * initializers set, thread-local variables have descriptors, and constants differ. Sources: Apple's
 * pthread.h, sys/_pthread/_pthread_types.h, pthread/pthread_impl.h and mach-o/loader.h. */
#include "macho.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* ---- mutexes and conditions ---------------------------------------------------------------------------------------
 */

#define MUTEX_FRESH 0x32AAABA7
#define MUTEX_RECURSIVE 0x32AAABA2
#define COND_FRESH 0x3CB0B1BB
#define ONCE_FRESH 0x30B1BCBA
#define RWLOCK_FRESH 0x2DA8B3B4
#define READY 0x4d6163 /* signature of an object that contains glibc's object */

struct macos_mutex {
    long signature;
    union {
        char opaque[56];
        pthread_mutex_t mutex;
    };
};
_Static_assert(sizeof(struct macos_mutex) == 64, "pthread_mutex_t");

struct macos_cond { /* glibc's object does not fit in, so this has a pointer to it */
    long signature;
    pthread_cond_t *cond;
    char opaque[32];
};
_Static_assert(sizeof(struct macos_cond) == 48, "pthread_cond_t");

static pthread_mutex_t preparing = PTHREAD_MUTEX_INITIALIZER;

static void prepared_again(void)
{
    preparing = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, prepared_again);
}

static pthread_mutex_t *mutex_of(struct macos_mutex *m)
{
    if (__atomic_load_n(&m->signature, __ATOMIC_ACQUIRE) == READY) return &m->mutex;
    pthread_mutex_lock(&preparing);
    if (m->signature != READY) {
        m->mutex = m->signature == MUTEX_RECURSIVE ? (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP
                                                   : (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        __atomic_store_n(&m->signature, READY, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&preparing);
    return &m->mutex;
}

static int mutex_lock(struct macos_mutex *m)
{
    return error_to_macos(pthread_mutex_lock(mutex_of(m)));
}

static int mutex_trylock(struct macos_mutex *m)
{
    return error_to_macos(pthread_mutex_trylock(mutex_of(m)));
}

static int mutex_unlock(struct macos_mutex *m)
{
    return error_to_macos(pthread_mutex_unlock(mutex_of(m)));
}

static int mutex_init(struct macos_mutex *m, const void *attributes)
{
    if (attributes) abort(); /* no library of the tests uses attributes */
    m->signature = MUTEX_FRESH;
    return 0;
}

static int mutex_destroy(struct macos_mutex *m)
{
    return error_to_macos(pthread_mutex_destroy(mutex_of(m)));
}

static pthread_cond_t *cond_of(struct macos_cond *c)
{
    if (__atomic_load_n(&c->signature, __ATOMIC_ACQUIRE) == READY) return c->cond;
    pthread_mutex_lock(&preparing);
    if (c->signature != READY) {
        pthread_condattr_t monotonic;
        pthread_condattr_init(&monotonic);
        pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
        c->cond = malloc(sizeof *c->cond);
        pthread_cond_init(c->cond, &monotonic);
        __atomic_store_n(&c->signature, READY, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&preparing);
    return c->cond;
}

static int cond_wait(struct macos_cond *c, struct macos_mutex *m)
{
    return error_to_macos(pthread_cond_wait(cond_of(c), mutex_of(m)));
}

static int cond_wait_relative(struct macos_cond *c, struct macos_mutex *m, const struct timespec *limit)
{
    struct timespec end;
    clock_gettime(CLOCK_MONOTONIC, &end);
    end.tv_sec += limit->tv_sec;
    end.tv_nsec += limit->tv_nsec;
    if (end.tv_nsec >= 1000000000) {
        end.tv_nsec -= 1000000000;
        end.tv_sec++;
    }
    return error_to_macos(pthread_cond_timedwait(cond_of(c), mutex_of(m), &end));
}

static int cond_broadcast(struct macos_cond *c)
{
    return error_to_macos(pthread_cond_broadcast(cond_of(c)));
}

/* Ignores the attributes of a condition: the processes share none here, and there is one clock. */
static int cond_init(struct macos_cond *c, const void *attributes)
{
    if (attributes) abort();
    c->signature = 0; /* cond_of initializes it at its first use */
    return 0;
}

static int cond_destroy(struct macos_cond *c)
{
    if (c->signature != READY) return 0;
    int error = pthread_cond_destroy(c->cond);
    if (error) return error_to_macos(error);
    free(c->cond);
    c->signature = 0;
    return 0;
}

static int cond_signal(struct macos_cond *c)
{
    return error_to_macos(pthread_cond_signal(cond_of(c)));
}

struct macos_once {
    long signature;
    char opaque[8];
};

static int once(struct macos_once *o, void (*function)(void))
{
    static pthread_mutex_t all = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
    pthread_mutex_lock(&all);
    if (o->signature == ONCE_FRESH) {
        o->signature = READY;
        function();
    }
    pthread_mutex_unlock(&all);
    return 0;
}

/* ---- threads ------------------------------------------------------------------------------------------------------
 */

struct macos_attr { /* glibc's object does not fit in on arm64, so this has a pointer to it */
    long signature;
    pthread_attr_t *attr;
    char opaque[48];
};
_Static_assert(sizeof(struct macos_attr) == 64, "pthread_attr_t");

static int attr_init(struct macos_attr *a)
{
    a->attr = malloc(sizeof *a->attr);
    return error_to_macos(pthread_attr_init(a->attr));
}

static int attr_destroy(struct macos_attr *a)
{
    int result = pthread_attr_destroy(a->attr);
    free(a->attr);
    return error_to_macos(result);
}

static int attr_setstack(struct macos_attr *a, void *stack, size_t size)
{
    return error_to_macos(pthread_attr_setstack(a->attr, stack, size));
}

static int thread_create(void **thread, const struct macos_attr *attributes, void *(*function)(void *), void *argument)
{
    pthread_t t;
    int result = pthread_create(&t, attributes ? attributes->attr : NULL, function, argument);
    *thread = (void *)t;
    return error_to_macos(result);
}

static int thread_join(void *thread, void **value)
{
    return error_to_macos(pthread_join((pthread_t)thread, value));
}

static uint32_t thread_port(void *thread)
{
    return thread == (void *)pthread_self() ? (uint32_t)gettid() : 0;
}

static int key_create(unsigned long *key, void (*destructor)(void *))
{
    pthread_key_t k;
    int result = pthread_key_create(&k, destructor);
    *key = k;
    return error_to_macos(result);
}

static int key_delete(unsigned long key)
{
    return error_to_macos(pthread_key_delete((pthread_key_t)key));
}

static void *get_specific(unsigned long key)
{
    return pthread_getspecific((pthread_key_t)key);
}

static int set_specific(unsigned long key, const void *value)
{
    return error_to_macos(pthread_setspecific((pthread_key_t)key, value));
}

/* Sets the cancel state. PTHREAD_CANCEL_ENABLE is 1 on macOS, PTHREAD_CANCEL_DISABLE 0. */
static int set_cancel_state(int state, int *old)
{
    int before, result = pthread_setcancelstate(state == 1 ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, &before);
    if (old) *old = before == PTHREAD_CANCEL_ENABLE;
    return error_to_macos(result);
}

/* ---- the end of the process ---------------------------------------------------------------------------------------
 */

static struct exit_function {
    struct exit_function *next;
    void (*function)(void *);
    void *argument;
    const void *library; /* NULL: of no library */
} * exit_functions;
static pthread_mutex_t exit_lock = PTHREAD_MUTEX_INITIALIZER;

/* Calls registered functions, the last one first: those of an image when it is unloaded, all of them at exit. */
void exit_functions_run(const struct image *i)
{
    for (;;) {
        pthread_mutex_lock(&exit_lock);
        struct exit_function **p = &exit_functions, *f;
        while (*p && i && ((uintptr_t)(*p)->library < i->header || (uintptr_t)(*p)->library >= i->end)) p = &(*p)->next;
        f = *p;
        if (f) *p = f->next;
        pthread_mutex_unlock(&exit_lock);
        if (!f) return;
        f->function(f->argument);
        free(f);
    }
}

static void at_exit_all(void)
{
    exit_functions_run(NULL);
}

static int cxa_atexit(void (*function)(void *), void *argument, const void *library)
{
    static bool watched;
    struct exit_function *f = malloc(sizeof *f);
    pthread_mutex_lock(&exit_lock);
    *f = (struct exit_function){exit_functions, function, argument, library};
    exit_functions = f;
    bool first = !watched;
    watched = true;
    pthread_mutex_unlock(&exit_lock);
    return first ? atexit(at_exit_all) : 0;
}

static int macos_atexit(void (*function)(void))
{
    return cxa_atexit((void (*)(void *))(void *)function, NULL, (const void *)function);
}

/* ---- fork ---------------------------------------------------------------------------------------------------------
 */

/* The fork handlers of libraries. Those of an unloaded library are removed, which glibc does by the library's handle.
 */
static struct fork_handlers {
    struct fork_handlers *next;
    void (*before)(void), (*parent)(void), (*child)(void);
} * fork_handlers;

static bool lives(void (*function)(void))
{
    return function && image_of((const void *)function);
}

static void forked(int when)
{
    struct fork_handlers *list[64];
    unsigned count = 0;
    for (struct fork_handlers *h = fork_handlers; h && count < 64; h = h->next) list[count++] = h;
    for (unsigned k = 0; k < count; k++) {
        const struct fork_handlers *h = when == 0 ? list[k] : list[count - 1 - k];
        void (*f)(void) = when == 0 ? h->before : when == 1 ? h->parent : h->child;
        if (lives(f)) f();
    }
}

static void fork_before(void)
{
    forked(0);
}

static void fork_parent(void)
{
    forked(1);
}

static void fork_child(void)
{
    exit_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    forked(2);
}

static int atfork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    struct fork_handlers *h = malloc(sizeof *h);
    *h = (struct fork_handlers){fork_handlers, before, parent, child};
    bool first = !fork_handlers;
    __atomic_store_n(&fork_handlers, h, __ATOMIC_RELEASE);
    return first ? pthread_atfork(fork_before, fork_parent, fork_child) : 0;
}

/* ---- thread-local variables ---------------------------------------------------------------------------------------
 */

#define S_THREAD_LOCAL_REGULAR 0x11
#define S_THREAD_LOCAL_ZEROFILL 0x12
#define S_THREAD_LOCAL_VARIABLES 0x13

struct tlv_descriptor {
    void *(*thunk)(struct tlv_descriptor *);
    unsigned long key;
    unsigned long offset;
};

struct tlv {
    pthread_key_t key;
    const char *begin; /* initial values */
    size_t size;
};

__attribute__((used)) static void *tlv_address(struct tlv_descriptor *d)
{
    const struct tlv *t = (const struct tlv *)d->key;
    char *block = pthread_getspecific(t->key);
    if (!block) {
        block = malloc(t->size);
        memcpy(block, t->begin, t->size);
        pthread_setspecific(t->key, block);
    }
    return block + d->offset;
}

/* Called with the descriptor in the first argument's register. It preserves all registers except that register, the
 * result's, and arm64's x16, x17 and x30. */
void *tlv_thunk(struct tlv_descriptor *d);
#ifdef __aarch64__
__asm__(".text\n.type tlv_thunk, @function\n"
        "tlv_thunk:\n"
        "    hint #34\n    stp x29, x30, [sp, #-16]!\n    mov x29, sp\n    sub sp, sp, #640\n"
        "    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    str q\\n, [sp, #16 * \\n]\n    .endr\n"
        "    .irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
        "    str q\\n, [sp, #16 * \\n]\n    .endr\n"
        "    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    str x\\n, [sp, #512 + 8 * \\n]\n    .endr\n"
        "    bl tlv_address\n"
        "    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    ldr q\\n, [sp, #16 * \\n]\n    .endr\n"
        "    .irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n"
        "    ldr q\\n, [sp, #16 * \\n]\n    .endr\n"
        "    .irp n, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n"
        "    ldr x\\n, [sp, #512 + 8 * \\n]\n    .endr\n"
        "    mov sp, x29\n    ldp x29, x30, [sp], #16\n    ret\n"
        ".size tlv_thunk, . - tlv_thunk\n");
#else
__asm__(
    ".text\n.type tlv_thunk, @function\n"
    "tlv_thunk:\n"
    "    push %rbp\n    mov %rsp, %rbp\n"
    "    push %rcx\n    push %rdx\n    push %rsi\n    push %r8\n    push %r9\n    push %r10\n    push %r11\n"
    "    sub $264, %rsp\n    and $-16, %rsp\n"
    "    movups %xmm0, (%rsp)\n    movups %xmm1, 16(%rsp)\n    movups %xmm2, 32(%rsp)\n    movups %xmm3, 48(%rsp)\n"
    "    movups %xmm4, 64(%rsp)\n    movups %xmm5, 80(%rsp)\n    movups %xmm6, 96(%rsp)\n    movups %xmm7, 112(%rsp)\n"
    "    movups %xmm8, 128(%rsp)\n    movups %xmm9, 144(%rsp)\n    movups %xmm10, 160(%rsp)\n"
    "    movups %xmm11, 176(%rsp)\n    movups %xmm12, 192(%rsp)\n    movups %xmm13, 208(%rsp)\n"
    "    movups %xmm14, 224(%rsp)\n    movups %xmm15, 240(%rsp)\n"
    "    call tlv_address\n"
    "    movups (%rsp), %xmm0\n    movups 16(%rsp), %xmm1\n    movups 32(%rsp), %xmm2\n    movups 48(%rsp), %xmm3\n"
    "    movups 64(%rsp), %xmm4\n    movups 80(%rsp), %xmm5\n    movups 96(%rsp), %xmm6\n    movups 112(%rsp), %xmm7\n"
    "    movups 128(%rsp), %xmm8\n    movups 144(%rsp), %xmm9\n    movups 160(%rsp), %xmm10\n"
    "    movups 176(%rsp), %xmm11\n    movups 192(%rsp), %xmm12\n    movups 208(%rsp), %xmm13\n"
    "    movups 224(%rsp), %xmm14\n    movups 240(%rsp), %xmm15\n"
    "    lea -56(%rbp), %rsp\n"
    "    pop %r11\n    pop %r10\n    pop %r9\n    pop %r8\n    pop %rsi\n    pop %rdx\n    pop %rcx\n"
    "    pop %rbp\n    ret\n"
    ".size tlv_thunk, . - tlv_thunk\n");
#endif

bool tlv_prepare(struct image *i)
{
    struct tlv *t = NULL;
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned k = 0; k < i->sections; k++) {
        const struct section *s = &i->section[k];
        if (s->type != S_THREAD_LOCAL_REGULAR && s->type != S_THREAD_LOCAL_ZEROFILL) continue;
        if (s->address < first) first = s->address;
        if (s->address + s->size > last) last = s->address + s->size;
    }
    for (unsigned k = 0; k < i->sections; k++) {
        const struct section *s = &i->section[k];
        if (s->type != S_THREAD_LOCAL_VARIABLES) continue;
        if (!t) {
            t = calloc(1, sizeof *t);
            if (pthread_key_create(&t->key, free) != 0) return false;
            *t = (struct tlv){t->key, (const char *)i->base + first, last > first ? last - first : 0};
            i->tlv = t;
        }
        struct tlv_descriptor *d = (void *)(i->base + s->address);
        for (uint64_t n = 0; n < s->size / sizeof *d; n++, d++) {
            d->thunk = tlv_thunk;
            d->key = (unsigned long)t;
        }
    }
    return true;
}

void tlv_forget(struct image *i)
{
    struct tlv *t = i->tlv;
    if (t) {
        free(pthread_getspecific(t->key));
        pthread_key_delete(t->key);
    }
    free(t);
}

static void tlv_bootstrap(void)
{
    abort(); /* tlv_prepare has replaced it */
}

/* ---- mach ---------------------------------------------------------------------------------------------------------
 */

static uint32_t task = 1;

/* Copies memory that may be unreadable: the kernel's write to a pipe fails for such memory. */
static ssize_t read_by_pipe(uint64_t from, uint64_t size, uint64_t to)
{
    int ends[2];
    uint64_t done = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) return -1;
    while (done < size) {
        ssize_t n = write(ends[1], (const void *)(from + done), size - done < 4096 ? size - done : 4096);
        if (n <= 0 || read(ends[0], (void *)(to + done), (size_t)n) != n) break;
        done += (uint64_t)n;
    }
    close(ends[0]);
    close(ends[1]);
    return (ssize_t)done;
}

static int vm_read_overwrite(uint32_t of, uint64_t from, uint64_t size, uint64_t to, uint64_t *done)
{
    struct iovec local = {(void *)to, size}, remote = {(void *)from, size};
    int before = errno;
    ssize_t n = of == task ? process_vm_readv(getpid(), &local, 1, &remote, 1, 0) : -1;
    if (of == task && n < 0 && errno == ENOSYS) n = read_by_pipe(from, size, to); /* an emulator */
    errno = before;
    *done = n > 0 ? (uint64_t)n : 0;
    return n == (ssize_t)size ? 0 : 1; /* KERN_INVALID_ADDRESS: the kernel copies all bytes or none */
}

const struct system_function thread_functions[] = {
    {"_pthread_mutex_lock", mutex_lock},
    {"_pthread_mutex_trylock", mutex_trylock},
    {"_pthread_mutex_unlock", mutex_unlock},
    {"_pthread_mutex_init", mutex_init},
    {"_pthread_mutex_destroy", mutex_destroy},
    {"_pthread_cond_init", cond_init},
    {"_pthread_cond_destroy", cond_destroy},
    {"_pthread_cond_wait", cond_wait},
    {"_pthread_cond_timedwait_relative_np", cond_wait_relative},
    {"_pthread_cond_broadcast", cond_broadcast},
    {"_pthread_cond_signal", cond_signal},
    {"_pthread_once", once},
    {"_pthread_attr_init", attr_init},
    {"_pthread_attr_destroy", attr_destroy},
    {"_pthread_attr_setstack", attr_setstack},
    {"_pthread_create", thread_create},
    {"_pthread_join", thread_join},
    {"_pthread_self", pthread_self},
    {"_pthread_mach_thread_np", thread_port},
    {"_pthread_key_create", key_create},
    {"_pthread_key_delete", key_delete},
    {"_pthread_getspecific", get_specific},
    {"_pthread_setspecific", set_specific},
    {"_pthread_setcancelstate", set_cancel_state},
    {"_pthread_atfork", atfork},
    {"___cxa_atexit", cxa_atexit},
    {"_atexit", macos_atexit},
    {"__tlv_bootstrap", tlv_bootstrap},
    {"_mach_vm_read_overwrite", vm_read_overwrite},
    {"_mach_task_self_", &task},
    {NULL, NULL},
};
