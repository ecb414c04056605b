/* core.c: opens the core, enters it, and asks it. Every entry blocks the thread's asynchronous signals, runs on a stack
 * of the spine's own, and puts back mask and alternate stack (G-3, G-12). A forked child opens a core of its own (G-4).
 *
 * It decides nothing; a pointer never crosses with a meaning (G-7). Nothing here runs at load but the constructor. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi.h"
#include "facts.h"
#include "memo.h"
#include "spine.h"

#ifndef VKCORE_ID
#error "VKCORE_ID is given by the Makefile"
#endif
#define CORE_FILE "libvkcore-" VKCORE_ID ".so"

#define ROUNDS 64 /* questions about one call; three or four are usual */

/* ---- the stack of an entry -------------------------------------------------------------------------------------- */

/* A thread's own stack may be 16 kB, or a fiber's, or the first thread's, whose bounds the C library reads from
 * /proc/self/maps. So every entry runs on one of these: enough for the dynamic linker and for Go's system stack. */
#define STACK_BYTES ((size_t)256 * 1024)
#define STACK_KEPT 4

void stack_run(void (*function)(void *), void *argument, void *top); /* asm */

static _Atomic(void *) stack_kept[STACK_KEPT];

static void *stack_get(void) {
    for (unsigned i = 0; i < STACK_KEPT; i++) {
        void *stack = atomic_exchange(&stack_kept[i], NULL);
        if (stack) return stack;
    }
    size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, STACK_BYTES + guard, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (mprotect(p, guard, PROT_NONE) != 0) {
        munmap(p, STACK_BYTES + guard);
        return NULL;
    }
    return p;
}

static void stack_drop(void *stack) { munmap(stack, STACK_BYTES + (size_t)sysconf(_SC_PAGESIZE)); }

static void stack_put(void *stack) {
    for (unsigned i = 0; i < STACK_KEPT; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&stack_kept[i], &none, stack)) return;
    }
    stack_drop(stack);
}

/* What a thread does to itself stays open: blocked, the kernel kills without asking the program's handler. The C
 * library leaves 32 and 33, its own, out of every mask. */
static void guest_mask(sigset_t *set) {
    sigfillset(set);
    sigdelset(set, SIGILL);
    sigdelset(set, SIGTRAP);
    sigdelset(set, SIGBUS);
    sigdelset(set, SIGFPE);
    sigdelset(set, SIGSEGV);
    sigdelset(set, SIGSYS);
}

/* The one way in. A handler of the program's, installed without SA_ONSTACK, would run on a goroutine's few kB; a
 * cancelled thread would leave the core in the middle; a program that unmasks floating-point exceptions did not mean
 * Go's arithmetic. False: no memory for a stack. */
static bool enter(void (*function)(void *), void *argument) {
    void *stack = stack_get();
    if (!stack) return false;
    int cancel, error = errno;
    sigset_t mask, old;
    stack_t alternate, now;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    guest_mask(&mask);
    pthread_sigmask(SIG_SETMASK, &mask, &old);
    sigaltstack(NULL, &alternate);
#ifdef __x86_64__
    unsigned control = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(0x1f80);
#endif
    stack_run(function, argument, (char *)stack + STACK_BYTES + (size_t)sysconf(_SC_PAGESIZE) - 64);
#ifdef __x86_64__
    __builtin_ia32_ldmxcsr(control);
#endif
    sigaltstack(NULL, &now);
    if (!(alternate.ss_flags & SS_ONSTACK) && (now.ss_sp != alternate.ss_sp || now.ss_flags != alternate.ss_flags))
        sigaltstack(&alternate, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    pthread_setcancelstate(cancel, NULL);
    errno = error;
    stack_put(stack);
    return true;
}

/* ---- where the core is ------------------------------------------------------------------------------------------ */

static char *own_real; /* real path of the spine's file, and the name it was loaded by, absolute (G-13) */
static char *own_named;
static int unloading_mode;
static pthread_once_t start_once = PTHREAD_ONCE_INIT;

static void remember_paths(void) {
    Dl_info info;
    if (!dladdr(&own_real, &info) || !info.dli_fname) return;
    own_real = realpath(info.dli_fname, NULL);
    if (info.dli_fname[0] == '/') {
        own_named = strdup(info.dli_fname);
        return;
    }
    char *folder = realpath(".", NULL);
    if (folder && asprintf(&own_named, "%s/%s", folder, info.dli_fname) < 0) own_named = NULL;
    free(folder);
}

static void start(void) {
    log_start();
    const char *mode = env_read(VARIABLE_LOADER_DISABLE_DYNAMIC_LIBRARY_UNLOADING);
    if (mode && strcmp(mode, "1") == 0) unloading_mode = UNLOAD_NEVER;
    if (mode && strcmp(mode, "0") == 0) unloading_mode = UNLOAD_TO_THE_LETTER;
    remember_paths();
    log_line(NULL, LOG_INFO, "Vulkan Loader Version %s", VKL_VERSION_STRING); /* LOG-15, INS-093 */
    /* ENV-110 */
    if (unloading_mode == UNLOAD_NEVER) log_line(NULL, LOG_WARN, "Vulkan Loader: library unloading is disabled");
}

/* Reads the two variables that are read at load (GEN-2), and remembers where the file is. Nothing else. The constructor
 * of another library may call us before ours has run. */
__attribute__((constructor)) static void start_at_load(void) { pthread_once(&start_once, start); }

int unloading(void) {
    pthread_once(&start_once, start);
    return unloading_mode;
}

/* Path of the core beside a file; NULL without memory or file. */
static char *core_beside(const char *file) {
    const char *slash = file ? strrchr(file, '/') : NULL;
    char *path;
    if (!slash || asprintf(&path, "%.*s/" CORE_FILE, (int)(slash - file), file) < 0) return NULL;
    return path;
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

typedef const char *(*vkcore_id_fn)(void);
typedef int (*vkcore_inherited_fn)(void);
typedef int (*vkcore_start_fn)(char *text, size_t room);
typedef void (*vkcore_lock_fn)(void);

struct core {
    void *handle;
    vkcore_inherited_fn inherited;
    vkcore_start_fn start;
    vkcore_lock_fn lock, unlock;
    vkcore_abi_fn abi;
    vkcore_attach_fn attach;
    vkcore_detach_fn detach;
    vkcore_decide_fn decide;
    uint64_t context;
};
/* Written inside the gate; valid while core_generation is the process's own number. */
static struct core core;
static _Atomic uint64_t core_generation;

struct opening {
    struct instance *instance;
    VkResult result;
    char path[2][PATH_MAX]; /* where it was looked for */
    char text[512];        /* what is wrong */
};

static bool core_symbols(struct core *c) {
    vkcore_id_fn id = (vkcore_id_fn)dlsym(c->handle, VKCORE_SYM_ID);
    c->inherited = (vkcore_inherited_fn)dlsym(c->handle, VKCORE_SYM_INHERITED);
    c->start = (vkcore_start_fn)dlsym(c->handle, VKCORE_SYM_START);
    c->lock = (vkcore_lock_fn)dlsym(c->handle, VKCORE_SYM_LOCK);
    c->unlock = (vkcore_lock_fn)dlsym(c->handle, VKCORE_SYM_UNLOCK);
    c->abi = (vkcore_abi_fn)dlsym(c->handle, VKCORE_SYM_ABI);
    c->attach = (vkcore_attach_fn)dlsym(c->handle, VKCORE_SYM_ATTACH);
    c->detach = (vkcore_detach_fn)dlsym(c->handle, VKCORE_SYM_DETACH);
    c->decide = (vkcore_decide_fn)dlsym(c->handle, VKCORE_SYM_DECIDE);
    return id && strcmp(id(), VKCORE_ID) == 0 && c->inherited && c->start && c->lock && c->unlock && c->abi &&
           c->attach && c->detach && c->decide;
}

/* A copy of the file in memory, for a process that has inherited the open one: the same path, or the same file, would
 * give that one again. Descriptor, or -1 with the text set. */
static int core_copy(struct opening *o, const char *path) {
    int in = open(path, O_RDONLY | O_CLOEXEC);
    if (in < 0) {
        snprintf(o->text, sizeof o->text, "%s", strerror(errno));
        return -1;
    }
    struct stat st;
    /* MFD_EXEC, where the kernel knows it; some systems forbid executable memory files otherwise. */
    int out = memfd_create(CORE_FILE, MFD_CLOEXEC | 0x10u);
    if (out < 0 && errno == EINVAL) out = memfd_create(CORE_FILE, MFD_CLOEXEC);
    bool good = out >= 0 && fstat(in, &st) == 0;
    for (off_t left = good ? st.st_size : 0; good && left > 0;) {
        ssize_t n = sendfile(out, in, NULL, (size_t)left);
        good = n > 0;
        if (good) left -= n;
    }
    if (!good) {
        snprintf(o->text, sizeof o->text, "it cannot be copied for a forked process: %s", strerror(errno));
        if (out >= 0) close(out);
        out = -1;
    }
    close(in);
    return out;
}

/* glibc compares names first, so the name must be new in this line of processes: it carries the process's number, and
 * where the same number has come round, another descriptor. */
static void *core_open_copy(struct opening *o, const char *path) {
    int fd[4], count = 0;
    void *handle = NULL;
    char self[32], name[64];
    ssize_t length = readlink("/proc/self", self, sizeof self - 1);
    if (length <= 0) {
        snprintf(o->text, sizeof o->text, "a forked process opens it by way of /proc, which is not there");
        return NULL;
    }
    self[length] = 0;
    for (fd[0] = core_copy(o, path); count < 4 && fd[count] >= 0; count++) {
        snprintf(name, sizeof name, "/proc/%s/fd/%d", self, fd[count]);
        handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!handle) {
            const char *error = dlerror();
            snprintf(o->text, sizeof o->text, "%s", error ? error : name);
            count++;
            break;
        }
        vkcore_inherited_fn inherited = (vkcore_inherited_fn)dlsym(handle, VKCORE_SYM_INHERITED);
        if (inherited && !inherited()) {
            count++;
            break;
        }
        dlclose(handle);
        handle = NULL;
        if (count < 3) fd[count + 1] = fcntl(fd[count], F_DUPFD_CLOEXEC, 3);
    }
    while (count > 0) close(fd[--count]);
    return handle;
}

/* Opens one file; the text says why it was not possible. */
static bool core_open_file(struct opening *o, const char *path, struct core *c) {
    c->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!c->handle) {
        const char *error = dlerror();
        snprintf(o->text, sizeof o->text, "%s", error ? error : path);
        return false;
    }
    if (!core_symbols(c)) {
        snprintf(o->text, sizeof o->text, "%s is of another version than this library", path);
        dlclose(c->handle);
        return false;
    }
    if (c->inherited()) {
        dlclose(c->handle);
        c->handle = core_open_copy(o, path);
        if (!c->handle) return false;
        if (!core_symbols(c)) {
            snprintf(o->text, sizeof o->text, "%s has been replaced by another version", path);
            dlclose(c->handle);
            return false;
        }
    }
    return true;
}

static void core_open_on_stack(void *argument) {
    struct opening *o = argument;
    struct core c = {0};
    bool open = false;
    o->result = VK_ERROR_INITIALIZATION_FAILED;
    for (int i = 0; i < 2 && !open; i++) {
        char *path = core_beside(i == 0 ? own_real : own_named);
        if (path) snprintf(o->path[i], sizeof o->path[i], "%s", path);
        free(path);
        if (i == 1 && strcmp(o->path[0], o->path[1]) == 0) o->path[1][0] = 0;
        if (o->path[i][0] == 0) continue;
        if (access(o->path[i], F_OK) == 0) open = core_open_file(o, o->path[i], &c);
    }
    if (!open) {
        if (o->text[0] == 0) snprintf(o->text, sizeof o->text, "there is no such file");
        return;
    }
    char text[256] = "";
    int error = c.start(text, sizeof text);
    if (error) {
        snprintf(o->text, sizeof o->text, "%s", text);
        if (error == ENOMEM || error == EAGAIN) o->result = VK_ERROR_OUT_OF_HOST_MEMORY;
        return;
    }
    c.lock();
    uint32_t abi = c.abi();
    if (abi == VKCORE_ABI) c.context = c.attach();
    c.unlock();
    if (abi != VKCORE_ABI) {
        snprintf(o->text, sizeof o->text, "it speaks interface version %u, this library %u", abi, VKCORE_ABI);
        return;
    }
    exit_watch();
    core = c;
    atomic_store(&core_generation, fork_generation());
    o->result = VK_SUCCESS;
}

/* Opens the core unless this process has it open. */
static VkResult core_open(struct instance *instance) {
    if (atomic_load(&core_generation) == fork_generation()) return VK_SUCCESS;
    static _Atomic bool told;
    pthread_once(&start_once, start);
    struct opening *o = calloc(1, sizeof *o);
    if (!o) return VK_ERROR_OUT_OF_HOST_MEMORY;
    gate_enter();
    if (atomic_load(&core_generation) == fork_generation())
        o->result = VK_SUCCESS;
    else if (!enter(core_open_on_stack, o))
        o->result = VK_ERROR_OUT_OF_HOST_MEMORY;
    gate_leave();
    VkResult result = o->result;
    if (result != VK_SUCCESS) {
        /* A broken installation or a limit of the process: said once whatever the level, later to those who listen. */
        unsigned flags = atomic_exchange(&told, true) ? LOG_ERROR : LOG_ERROR | LOG_FATAL;
        const char *text = o->text[0] ? o->text : "out of memory";
        log_line(instance, flags, "The Vulkan loader's core cannot be used: %s", text);
        for (int i = 0; i < 2; i++)
            if (o->path[i][0]) log_line(instance, flags, "   looked for as %s", o->path[i]);
    }
    free(o);
    return result;
}

static void detach_on_stack(void *argument) {
    (void)argument;
    core.lock();
    core.detach(core.context);
    core.unlock();
}

/* The core stays; what it remembers for this spine goes (G-11). A child does not touch what it inherited. */
__attribute__((destructor)) static void stop(void) {
    if (exit_begun()) return;
    free(own_real);
    free(own_named);
    memo_drop();
    uint64_t mine = atomic_load(&core_generation);
    if (mine && mine == fork_generation()) enter(detach_on_stack, NULL);
    atomic_store(&core_generation, 0);
    for (unsigned i = 0; i < STACK_KEPT; i++) {
        void *stack = atomic_exchange(&stack_kept[i], NULL);
        if (stack) stack_drop(stack);
    }
}

/* ---- asking ----------------------------------------------------------------------------------------------------- */

struct facts {
    bool begun; /* the variables that are always read have been */
    struct wire_writer w;   /* every fact so far */
    struct wire_writer ask; /* question and facts, as sent */
};

struct facts *facts_new(void) { return calloc(1, sizeof(struct facts)); }

void facts_free(struct facts *facts) {
    if (!facts) return;
    free(facts->w.bytes);
    free(facts->ask.bytes);
    free(facts);
}

struct wire_writer *facts_writer(struct facts *facts) { return &facts->w; }

void plan_free(struct plan *plan) {
    free(plan->bytes);
    memset(plan, 0, sizeof *plan);
}

struct asking {
    const struct wire_writer *ask;
    unsigned char *answer;
    size_t room, need;
    int32_t status;
    bool remembered; /* the answer is an earlier one */
};

static void ask_on_stack(void *argument) {
    struct asking *a = argument;
    core.lock();
    a->status = core.decide(core.context, a->ask->bytes, a->ask->size, a->answer, a->room, &a->need);
    core.unlock();
}

/* The message that goes to the core: the question first, then the facts. */
static bool ask_write(struct facts *facts, const struct wire_question *question) {
    struct wire_writer *ask = &facts->ask;
    ask->size = 0;
    ask->failed = facts->w.failed;
    wire_put_question(ask, question);
    if (facts->w.size > 8) wire_raw(ask, facts->w.bytes + 8, facts->w.size - 8);
    if (ask->failed) return false;
    uint32_t total = (uint32_t)ask->size;
    memcpy(ask->bytes + 4, &total, 4);
    return true;
}

/* Reads what one record asks for; false when it is no such record. */
static bool satisfy(struct wire_writer *w, const struct wire_record *record) {
    struct wire_need_var var;
    struct wire_need_folder folder;
    struct wire_need_file file;
    struct wire_need_exists exists;
    if (wire_get_need_var(record, &var))
        read_var(w, (struct variable){var.name, var.secure});
    else if (wire_get_need_folder(record, &folder))
        read_folder(w, folder.path);
    else if (wire_get_need_file(record, &file))
        read_file(w, file.path);
    else if (wire_get_need_exists(record, &exists))
        read_exists(w, exists.path);
    else if (record->id == WIRE_NEED_EXE)
        read_exe(w);
    else
        return false;
    return true;
}

/* Asks once. VK_SUCCESS: a->answer holds a->need bytes. What was asked before with the same bytes needs no core. */
static VkResult ask_once(struct instance *instance, struct asking *a) {
    a->remembered = memo_find(a->ask->bytes, a->ask->size, &a->answer, &a->room, &a->need);
    if (a->remembered) return VK_SUCCESS;
    VkResult result = core_open(instance);
    if (result != VK_SUCCESS) return result;
    for (int i = 0; i < 8; i++) {
        if (!enter(ask_on_stack, a)) return VK_ERROR_OUT_OF_HOST_MEMORY;
        if (a->status != VKCORE_SPACE) break;
        unsigned char *grown = realloc(a->answer, a->need);
        if (!grown) return VK_ERROR_OUT_OF_HOST_MEMORY;
        a->answer = grown;
        a->room = a->need;
    }
    if (a->status == VKCORE_OK) return VK_SUCCESS;
    if (a->status == VKCORE_FAULT)
        log_line(instance, LOG_ERROR, "The Vulkan loader's core failed: %.*s",
                 (int)(a->need < a->room ? a->need : a->room), (const char *)a->answer);
    else
        log_line(instance, LOG_ERROR, "The Vulkan loader's core does not answer (status %d)", a->status);
    return VK_ERROR_INITIALIZATION_FAILED;
}

VkResult core_decide(struct instance *instance, struct facts *facts, uint32_t question, const char *layer_name,
                     bool terminator, struct plan *plan) {
    VkResult result;
    memset(plan, 0, sizeof *plan);
    struct asking a = {.ask = &facts->ask, .room = 16384};
    a.answer = malloc(a.room);
    if (!a.answer) return VK_ERROR_OUT_OF_HOST_MEMORY;
    struct wire_question q = {
        .kind = question,
        .layer_name = layer_name,
        .layer_name_len = layer_name ? (uint32_t)strnlen(layer_name, VK_MAX_EXTENSION_NAME_SIZE + 1) : 0, /* LAY-249 */
        .terminator = terminator,
    };
    if (!facts->begun) { /* what is always read saves a round */
        facts->begun = true;
#define GIVE(name, secure) read_var(&facts->w, (struct variable){name, secure});
        DECISIVE_VARIABLES(GIVE)
#undef GIVE
    }
    for (int round = 0; round < ROUNDS; round++) {
        result = ask_write(facts, &q) ? ask_once(instance, &a) : VK_ERROR_OUT_OF_HOST_MEMORY;
        if (result != VK_SUCCESS) {
            free(a.answer);
            return result;
        }
        struct wire_reader r;
        struct wire_record record;
        struct wire_answer answer;
        if (!wire_open(&r, a.answer, a.need) || !wire_next(&r, &record) || !wire_get_answer(&record, &answer)) break;
        if (!a.remembered) memo_keep(a.ask->bytes, a.ask->size, a.answer, a.need, answer.before, answer.after);
        if (answer.status == 1) {
            *plan = (struct plan){a.answer, a.need, answer.result};
            return VK_SUCCESS;
        }
        bool any = false;
        while (wire_next(&r, &record)) any |= satisfy(&facts->w, &record);
        if (!any || r.bad) break;
    }
    free(a.answer);
    log_line(instance, LOG_ERROR, "The Vulkan loader's core came to no decision");
    return VK_ERROR_INITIALIZATION_FAILED;
}
