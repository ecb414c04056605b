/* limits.c: rule G-10: a process without the room or the rights that the core needs gets an error and a message, and
 * never an abort; and what it has keeps working when the rights go away afterwards. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

/* The one call of the argument; its result is printed. Any result is right, dying is not. */
static void any_result(void) {
    VkInstance instance;
    VkResult result = instance_new(&instance);
    printf("%d\n", result);
    if (result == VK_SUCCESS) instance_end(instance);
    if (result != VK_SUCCESS) return;
    /* What fits once fits on: no abort later. */
    for (int i = 0; i < 50; i++) {
        VkResult later = life();
        CHECK(later == VK_SUCCESS, "result %d in the life number %d", later, i);
    }
}

static void address_space(void) {
    struct rlimit limit = {.rlim_cur = (rlim_t)atol(arguments[0]) << 20, .rlim_max = RLIM_INFINITY};
    load();
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit: %s", strerror(errno));
    any_result();
}

static void data_size(void) {
    struct rlimit limit = {.rlim_cur = (rlim_t)atol(arguments[0]) << 20, .rlim_max = RLIM_INFINITY};
    load();
    CHECK(setrlimit(RLIMIT_DATA, &limit) == 0, "setrlimit: %s", strerror(errno));
    any_result();
}

/* A program that keeps all of its memory in memory; the argument: how many kB it may, or nothing. Where it may not
 * have that many, as little as it may have. */
static void locked_memory(void) {
    struct rlimit limit;
    if (arguments[0]) {
        getrlimit(RLIMIT_MEMLOCK, &limit);
        limit.rlim_cur = (rlim_t)atol(arguments[0]) << 10;
        if (limit.rlim_cur > limit.rlim_max && setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){limit.rlim_cur, limit.rlim_cur}))
            limit.rlim_cur = limit.rlim_max;
        CHECK(setrlimit(RLIMIT_MEMLOCK, &limit) == 0, "setrlimit: %s", strerror(errno));
        CHECK(setresgid(65534, 65534, 65534) == 0, "setresgid: %s", strerror(errno));
        CHECK(setresuid(54321, 54321, 54321) == 0, "setresuid: %s", strerror(errno)); /* root has no limit */
    }
    load();
    CHECK(mlockall(MCL_FUTURE | (arguments[0] ? 0 : MCL_CURRENT)) == 0, "mlockall: %s", strerror(errno));
    long before = resident_kb();
    any_result();
    printf("%ld kB\n", resident_kb() - before);
}

/* After the limit is lifted the same process is served. */
static void limit_lifted(void) {
    struct rlimit limit, old;
    VkInstance instance;
    load();
    getrlimit(RLIMIT_AS, &old);
    limit = old;
    limit.rlim_cur = 600u << 20;
    setrlimit(RLIMIT_AS, &limit);
    VkResult result = instance_new(&instance);
    CHECK(result == VK_ERROR_OUT_OF_HOST_MEMORY, "result %d", result);
    setrlimit(RLIMIT_AS, &old);
    CHECK(life() == VK_SUCCESS, "no life");
}

/* ---- system calls that are forbidden ---- */

static void forbid(const struct sock_filter *filter, unsigned short length) {
    struct sock_fprog program = {.len = length, .filter = (struct sock_filter *)filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl: %s", strerror(errno));
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "seccomp: %s", strerror(errno));
}

static void forbid_threads(void) {
    const struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    forbid(filter, sizeof filter / sizeof *filter);
}

static void no_threads(void) {
    load();
    forbid_threads();
    any_result();
}

/* Some threads, but not enough: a limit of tasks as containers have it, counted by the program itself. */
static void *enumerate_on(void *p) {
    for (int i = 0; i < 100; i++) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    return p;
}

static pthread_barrier_t barrier;
static void *enumerate_later(void *p) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return enumerate_on(p);
}

static void no_threads_later(void) {
    pthread_t t[16];
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    pthread_barrier_init(&barrier, NULL, 17);
    for (int i = 0; i < 16; i++) CHECK(pthread_create(&t[i], NULL, enumerate_later, NULL) == 0, "no thread");
    pthread_barrier_wait(&barrier);
    /* The filter is for this thread and those that it makes; the runtime makes its threads where it happens to be. */
    const struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = (struct sock_filter *)filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl: %s", strerror(errno));
    long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    CHECK(result == 0, "seccomp: %ld", result);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 30; i++) CHECK(life() == VK_SUCCESS, "no life");
    for (int i = 0; i < 16; i++) pthread_join(t[i], NULL);
}

static void few_tasks(void) {
    load();
    /* As another user, whose tasks are counted. */
    CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(54321, 54321, 54321) == 0, "setresuid: %s", strerror(errno));
    struct rlimit limit = {atol(arguments[0]), atol(arguments[0])};
    CHECK(setrlimit(RLIMIT_NPROC, &limit) == 0, "setrlimit: %s", strerror(errno));
    any_result();
}

/* ---- surroundings that lack something; these need root ---- */

static void own_mounts(void) {
    CHECK(unshare(CLONE_NEWNS) == 0, "unshare: %s", strerror(errno));
    CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount: %s", strerror(errno));
}

static int print_result(void *unused) {
    (void)unused;
    any_result();
    fflush(stdout);
    return 0;
}

/* The process itself needs no /proc; its forked child does, and says so. */
static void no_proc(void) {
    own_mounts();
    load();
    CHECK(mount("none", "/proc", "tmpfs", 0, NULL) == 0, "mount: %s", strerror(errno));
    any_result();
    fflush(stdout);
    int status = in_child(print_result, NULL, 20);
    CHECK(status == 0, "status %x", (unsigned)status);
}

/* argument: a folder with the loader and its core, that is made not executable after the loader is open */
static void no_exec(void) {
    own_mounts();
    CHECK(mount(arguments[0], arguments[0], NULL, MS_BIND, NULL) == 0, "mount: %s", strerror(errno));
    load();
    CHECK(mount("none", arguments[0], NULL, MS_REMOUNT | MS_BIND | MS_NOEXEC, NULL) == 0, "mount: %s", strerror(errno));
    any_result();
}

/* ---- the program's own ---- */

#ifdef LARGE
static __thread char large_storage[300 * 1024];
#else
static __thread char large_storage[101];
#endif

/* Storage of every thread, the core's too: in a variant of this program. */
static void large_tls(void) {
    large_storage[100] = 1;
    load();
    for (int i = 0; i < 20; i++) CHECK(life() == VK_SUCCESS, "no life");
    CHECK(large_storage[100] == 1, "the program's storage has changed");
}

static int life_in_child(void *unused) {
    (void)unused;
    return life() == VK_SUCCESS ? 0 : 1;
}

/* Descriptors after a life are those before, also when the standard ones are closed. */
static void descriptors_same(void) {
    bool closed = arguments[0] && strcmp(arguments[0], "closed") == 0;
    if (closed) {
        close(0);
        close(1);
    }
    load();
    char *before = descriptors();
    for (int i = 0; i < 100; i++) CHECK(life() == VK_SUCCESS, "no life");
    char *after = descriptors();
    same("descriptors", before, after);
    usleep(50000);
    free(after);
    after = descriptors();
    same("descriptors", before, after);
    free(before);
    free(after);
}

/* A program that closes everything it does not know, as daemons do, and has files of its own there afterwards. */
static void close_everything(void) {
    load();
    for (int round = 0; round < 3; round++) {
        CHECK(life() == VK_SUCCESS, "no life");
        CHECK(close_range(3, ~0u, 0) == 0, "close_range: %s", strerror(errno));
        int own[8];
        for (int i = 0; i < 8; i++) CHECK((own[i] = open("/dev/null", O_RDWR)) == 3 + i, "descriptor %d", own[i]);
        char *before = descriptors();
        CHECK(life() == VK_SUCCESS, "no life with other files at the descriptors");
        VkInstance instance;
        CHECK(instance_new(&instance) == VK_SUCCESS, "no instance");
        CHECK(in_child(life_in_child, NULL, 20) == 0, "no life in a child");
        close_range(3, ~0u, 0);
        instance_end(instance);
        for (int i = 0; i < 8; i++) CHECK((own[i] = open("/dev/null", O_RDWR)) == 3 + i, "descriptor %d", own[i]);
        char *after = descriptors();
        same("descriptors", before, after);
        free(before);
        free(after);
    }
}

extern char **environ;

/* Variables of Go's do nothing; the program's own environment is the same before and after, block and all. */
static void environment_same(void) {
    size_t count = 0;
    while (environ[count]) count++;
    char **copy = malloc((count + 1) * sizeof *copy), **block = environ;
    memcpy(copy, environ, (count + 1) * sizeof *copy);
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    CHECK(environ == block && memcmp(copy, environ, (count + 1) * sizeof *copy) == 0, "the environment has changed");
    printf("%u threads\n", thread_count());
    free(copy);
}

/* arguments: libraries that take static thread-local storage, large ones first; what one cannot have a later one may */
static void no_tls(void) {
    load();
    for (char **path = arguments; *path; path++) (void)dlopen(*path, RTLD_NOW);
    any_result();
}

static void just_life(void) {
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    printf("%u threads, %ld kB\n", thread_count(), resident_kb());
}

const struct guest_case limit_cases[] = {
    {"address-space", address_space},
    {"data-size", data_size},
    {"locked-memory", locked_memory},
    {"limit-lifted", limit_lifted},
    {"no-threads", no_threads},
    {"no-threads-later", no_threads_later},
    {"few-tasks", few_tasks},
    {"no-proc", no_proc},
    {"no-exec", no_exec},
    {"large-tls", large_tls},
    {"no-tls", no_tls},
    {"descriptors-same", descriptors_same},
    {"close-everything", close_everything},
    {"environment-same", environment_same},
    {"life", just_life},
    {0},
};
