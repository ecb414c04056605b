/* surroundings.c: rules G-5, G-6, G-7: the environment at the time of the call, the C library's own functions, bytes
 * that are not kept. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

extern char **environ;

/* ---- G-5 ---- */

static VkResult try_instance(void) {
    VkInstance instance;
    VkResult result = instance_new(&instance);
    if (result == VK_SUCCESS) instance_end(instance);
    return result;
}

static void environment_now(void) {
    const char *drivers = getenv("VK_DRIVER_FILES");
    char *keep = strdup(drivers);
    load();
    CHECK(try_instance() == VK_SUCCESS, "no instance");
    setenv("VK_DRIVER_FILES", "/nonexistent/driver.json", 1);
    setenv("VK_ICD_FILENAMES", "/nonexistent/driver.json", 1); /* what the control knows */
    CHECK(try_instance() == VK_ERROR_INCOMPATIBLE_DRIVER, "setenv is not seen");
    setenv("VK_DRIVER_FILES", keep, 1);
    setenv("VK_ICD_FILENAMES", keep, 1);
    CHECK(try_instance() == VK_SUCCESS, "setenv back is not seen");
    static char *other[] = {"VK_DRIVER_FILES=/nonexistent/driver.json", "VK_ICD_FILENAMES=/nonexistent/driver.json",
                            NULL};
    char **saved = environ;
    environ = other;
    CHECK(try_instance() == VK_ERROR_INCOMPATIBLE_DRIVER, "another environ is not seen");
    environ = saved;
    CHECK(try_instance() == VK_SUCCESS, "environ back is not seen");
    free(keep);
}

/* ---- G-6 ---- */

/* This program's own functions stand before the C library's. */
static atomic_int called[8];
enum { GETENV, SECURE, OPENDIR, READDIR, CLOSEDIR, FOPEN, FPUTS, FPUTC };
static const char *const names[] = {"getenv", "secure_getenv", "opendir", "readdir", "closedir",
                                    "fopen",  "fputs",         "fputc"};
static bool counting;
static void count(int what) {
    if (counting) called[what]++;
}

#define REAL(name) __typeof__(name) *real = (__typeof__(name) *)next(#name)
static void *next(const char *name) {
    static void *(*look)(void *, const char *);
    if (!look) look = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    return look(RTLD_NEXT, name);
}

char *secure_getenv(const char *name) {
    REAL(secure_getenv);
    count(SECURE);
    return real(name);
}
DIR *opendir(const char *path) {
    REAL(opendir);
    count(OPENDIR);
    return real(path);
}
struct dirent *readdir(DIR *dir) {
    REAL(readdir);
    count(READDIR);
    return real(dir);
}
int closedir(DIR *dir) {
    REAL(closedir);
    count(CLOSEDIR);
    return real(dir);
}
FILE *fopen(const char *path, const char *mode) {
    REAL(fopen);
    if (strcmp(mode, "rb") == 0) count(FOPEN);
    return real(path, mode);
}
int fputs(const char *text, FILE *file) {
    REAL(fputs);
    if (file == stderr) count(FPUTS);
    return real(text, file);
}
int fputc(int c, FILE *file) {
    REAL(fputc);
    if (file == stderr) count(FPUTC);
    return real(c, file);
}
char *getenv(const char *name) {
    REAL(getenv);
    count(GETENV);
    return real(name);
}

static void own_functions(void) {
    counting = true;
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    counting = false;
    for (int i = GETENV; i <= FPUTC; i++) CHECK(called[i] > 0, "%s was not called", names[i]);
}

/* The core asks the system for memory, sleep and little else: no file, no signal, no thread, no process. Calls that
 * come from its code are told by the address of the instruction. */
static void core_calls_nothing(void) {
    load();
    for (int i = 0; i < 3; i++) CHECK(life() == VK_SUCCESS, "no life");
    uintptr_t low = 0, high = 0;
    char line[4400];
    FILE *f = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, f)) {
        uintptr_t from, to;
        char rights[8];
        if (strstr(line, "libvkcore") && sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 && rights[2] == 'x') {
            low = from;
            high = to;
        }
    }
    fclose(f);
    CHECK(low && low >> 32 == (high - 1) >> 32, "the core's code is at %lx", low);
    static const unsigned allowed[] = {SYS_futex,  SYS_madvise, SYS_mmap,        SYS_munmap,    SYS_rt_sigprocmask,
                                       SYS_gettid, SYS_getpid,  SYS_sigaltstack, SYS_nanosleep, SYS_sched_yield};
    struct sock_filter filter[64];
    unsigned n = 0;
    const unsigned address = offsetof(struct seccomp_data, instruction_pointer);
    unsigned last = 6 + sizeof allowed / sizeof *allowed; /* place of the "kill" */
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, address + 4);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)(low >> 32), 0, last - 1);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, address);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)low, 0, last - 3);
    filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned)high, last - 4, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < sizeof allowed / sizeof *allowed; i++, n++)
        filter[n] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, allowed[i], last - n, 0);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl: %s", strerror(errno));
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    CHECK(result == 0, "seccomp: %ld %s", result, strerror(errno));
    for (int i = 0; i < 400; i++) CHECK(life() == VK_SUCCESS, "no life");
}

/* ---- G-10 ---- */

/* The core by itself (its path is the argument), asked by many at once, with many collections: the threads that were
 * made at opening are enough. */
static void (*crowd_lock)(void), (*crowd_unlock)(void);
static int32_t (*crowd_decide)(uint64_t, const void *, size_t, void *, size_t, size_t *);
static uint64_t crowd_context;

static void *crowd_asks(void *unused) {
    enum { SIZE = 200 * 1024, VALUE = SIZE - 32 - 24 }; /* twenty of them make a collection */
    unsigned char *question = calloc(1, SIZE), answer[65536];
    /* A question about the version, and a variable without a name, not secure, that has a long value. */
    const uint32_t version[] = {0x31574b56, SIZE, 1, 24, 1, 0xffffffff, 0, 0}, variable[] = {2, SIZE - 32, 0};
    const uint32_t length = VALUE;
    memcpy(question, version, sizeof version);
    memcpy(question + 32, variable, sizeof variable); /* the name's NUL and "secure" follow: zeros */
    memcpy(question + 32 + 12 + 1 + 4, &length, 4);
    memset(question + 32 + 12 + 1 + 4 + 4, 'x', VALUE);
    for (int i = 0; i < 60; i++) {
        size_t need = 0;
        crowd_lock();
        int32_t status = crowd_decide(crowd_context, question, SIZE, answer, sizeof answer, &need);
        crowd_unlock();
        CHECK(status == 0, "status %d", status);
    }
    free(question);
    return unused;
}

static void core_crowd(void) {
    void *core = dlopen(arguments[0], RTLD_NOW);
    CHECK(core, "%s", dlerror());
    int (*start)(char *, size_t) = (int (*)(char *, size_t))dlsym(core, "vkcore_start");
    uint64_t (*attach)(void) = (uint64_t(*)(void))dlsym(core, "vkcore_attach");
    unsigned (*threads)(unsigned *) = (unsigned (*)(unsigned *))dlsym(core, "vkcore_threads");
    crowd_lock = (void (*)(void))dlsym(core, "vkcore_lock");
    crowd_unlock = (void (*)(void))dlsym(core, "vkcore_unlock");
    crowd_decide = (int32_t(*)(uint64_t, const void *, size_t, void *, size_t, size_t *))dlsym(core, "vkcore_decide");
    CHECK(start && attach && threads && crowd_lock && crowd_unlock && crowd_decide, "%s", dlerror());
    char text[256] = "";
    CHECK(start(text, sizeof text) == 0, "%s", text);
    unsigned at_first = thread_count();
    crowd_lock();
    crowd_context = attach();
    crowd_unlock();
    pthread_t t[64];
    for (int i = 0; i < 64; i++) CHECK(pthread_create(&t[i], NULL, crowd_asks, NULL) == 0, "no thread");
    for (int i = 0; i < 64; i++) pthread_join(t[i], NULL);
    unsigned later = 77, most = threads(&later);
    printf("%u threads of %u were used\n", most, at_first - 1);
    CHECK(later == 0 && most < at_first - 1, "%u of %u threads were used, %u made later", most, at_first - 1, later);
    CHECK(thread_count() == at_first, "%u threads, were %u", thread_count(), at_first);
}

/* ---- G-7 ---- */

/* The core by itself (its path is the argument): what it was given is gone when it has answered; what it cannot use it
 * refuses, and a panic it catches. */
static void bytes_not_kept(void) {
    void *core = dlopen(arguments[0], RTLD_NOW);
    CHECK(core, "%s", dlerror());
    int (*start)(char *, size_t) = (int (*)(char *, size_t))dlsym(core, "vkcore_start");
    uint64_t (*attach)(void) = (uint64_t(*)(void))dlsym(core, "vkcore_attach");
    void (*detach)(uint64_t) = (void (*)(uint64_t))dlsym(core, "vkcore_detach");
    int32_t (*decide)(uint64_t, const void *, size_t, void *, size_t, size_t *) =
        (int32_t(*)(uint64_t, const void *, size_t, void *, size_t, size_t *))dlsym(core, "vkcore_decide");
    CHECK(start && attach && detach && decide, "%s", dlerror());
    char text[256] = "";
    CHECK(start(text, sizeof text) == 0, "%s", text);
    uint64_t context = attach();
    uint64_t other = attach(); /* another spine's, which takes nothing away (G-11) */
    CHECK(context != 0 && other != 0 && other != context, "no context of its own");
    const size_t page = 65536;
    for (int i = 0; i < 200; i++) {
        unsigned char *bytes = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        unsigned char *answer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        uint32_t question[] = {0x31574b56, 32, 1, 24, (uint32_t)(1 + i % 4), 0xffffffff, 0, 0};
        memcpy(bytes, question, sizeof question);
        size_t need = 0;
        int32_t status = decide(context, bytes, sizeof question, answer, page, &need);
        CHECK(status == 0 && need >= 8 && need <= page, "status %d, %zu bytes", status, need);
        uint32_t head[2];
        memcpy(head, answer, 8);
        CHECK(head[0] == 0x31574b56 && head[1] == need, "the answer is no message");
        /* Too little room: nothing is written, and how much is needed. */
        memset(answer, 0xaa, page);
        size_t again = 0;
        status = decide(context, bytes, sizeof question, answer, 8, &again);
        CHECK(status == 1 && again == need, "status %d, %zu bytes", status, again);
        for (size_t k = 0; k < 64; k++) CHECK(answer[k] == 0xaa, "written where there was no room");
        /* A pointer that was kept would fault from here on. */
        munmap(bytes, page);
        munmap(answer, page);
        if (i % 3 == 0) {
            unsigned char garbage[64];
            memset(garbage, i, sizeof garbage);
            unsigned char out[256];
            status = decide(context, garbage, sizeof garbage, out, sizeof out, &need);
            CHECK(status == 3, "garbage was answered with %d", status);
            status = decide(context + 100, question, sizeof question, out, sizeof out, &need);
            CHECK(status == 3, "an unknown context was answered with %d", status);
            status = decide(context, NULL, 0, out, sizeof out, &need);
            CHECK(status == 3, "no question was answered with %d", status);
            status = decide(context, question, sizeof question, out, sizeof out, NULL);
            CHECK(status == 3, "a question without a place for the size was answered with %d", status);
        }
        if (i % 50 == 0) { /* a panic: its text, as much of it as there is room for (G-9) */
            const char said[] = "a question of kind 0xffffffff was asked";
            char out[sizeof said];
            uint32_t panics[] = {0x31574b56, 32, 1, 24, 0xffffffff, 0xffffffff, 0, 0};
            for (size_t room = sizeof said; room > 0; room /= 2) {
                memset(out, 0x55, sizeof out);
                size_t size = room < sizeof said ? room : sizeof said - 1;
                status = decide(context, panics, sizeof panics, room > 1 ? out : NULL, room > 1 ? room : 0, &need);
                if (room == 1) size = 0;
                CHECK(status == 2 && need == size, "a panic was answered with %d and %zu bytes, not %zu", status, need, size);
                CHECK(memcmp(out, said, size) == 0 && out[size] == 0x55, "a panic says %.*s", (int)size, out);
            }
        }
    }
    detach(context);
    detach(other);
    uint32_t late[] = {0x31574b56, 32, 1, 24, 1, 0xffffffff, 0, 0};
    unsigned char answer[4096];
    size_t need = 0;
    CHECK(decide(context, late, sizeof late, answer, sizeof answer, &need) == 3, "a context that is gone was answered");
}

const struct guest_case surroundings_cases[] = {
    {"environment-now", environment_now},
    {"own-functions", own_functions},
    {"core-calls-nothing", core_calls_nothing},
    {"bytes-not-kept", bytes_not_kept},
    {"core-crowd", core_crowd},
    {0},
};
