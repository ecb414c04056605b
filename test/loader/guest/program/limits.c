/* limits.c: rule G-10: in a process with little room or few rights, calls return an object or an error, and never
 * abort. */
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

/* Makes a call, and prints its result and the first error of fifty lives. Any result is right; only a crash is not. */
static void any_result(void)
{
    VkInstance instance;
    VkResult later = VK_SUCCESS, result = instance_new(&instance);
    if (result == VK_SUCCESS) instance_end(instance);
    for (int i = 0; result == VK_SUCCESS && later == VK_SUCCESS && i < 50; i++) later = life();
    printf("%d %d\n", result, later);
}

/* Sets a limit in kB, the argument, for the present and the maximum. */
static void limit_to(int what)
{
    rlim_t most = (rlim_t)atol(arguments[0]) << 10;
    CHECK(setrlimit(what, &(struct rlimit){most, most}) == 0, "setrlimit: %s", strerror(errno));
}

/* Loads the loader under the limit. Prints -1000 if it cannot be loaded. */
static void limited_life(void)
{
    void *there = dlopen(loader_path, RTLD_NOW | RTLD_LOCAL);
    if (there) {
        load();
        any_result();
    } else {
        printf("-1000 0\n");
    }
}

static void address_space(void)
{
    limit_to(RLIMIT_AS);
    limited_life();
}

static void data_size(void)
{
    limit_to(RLIMIT_DATA);
    limited_life();
}

/* The program locks all future memory. */
static void locked_memory(void)
{
    limit_to(RLIMIT_MEMLOCK);
    CHECK(setresgid(65534, 65534, 65534) == 0, "setresgid: %s", strerror(errno));
    CHECK(setresuid(54321, 54321, 54321) == 0, "setresuid: %s", strerror(errno)); /* root has no limit */
    if (mlockall(MCL_FUTURE) == 0)
        limited_life();
    else
        printf("-1000 0\n");
}

/* After the limit is lifted, the same process succeeds. */
static void limit_lifted(void)
{
    struct rlimit limit, old;
    VkInstance instance;
    load();
    getrlimit(RLIMIT_AS, &old);
    limit = old;
    limit.rlim_cur = (rlim_t)space_kb() << 10;
    setrlimit(RLIMIT_AS, &limit);
    VkResult result = instance_new(&instance);
    CHECK(result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_INCOMPATIBLE_DRIVER, "result %d", result);
    setrlimit(RLIMIT_AS, &old);
    CHECK(life() == VK_SUCCESS, "no life");
}

/* Prints the memory of a first use in kB: address space now and at its peak, resident memory. */
static void room(void)
{
    VkInstance instance;
    VkDevice device;
    load();
    CHECK(instance_new(&instance) == VK_SUCCESS, "no instance");
    CHECK(device_new(instance, &device) == VK_SUCCESS, "no device");
    printf("%ld %ld %ld %u\n", space_kb(), space_peak_kb(), resident_kb(), thread_count());
}

/* ---- forbidden system calls ---- */

static void forbid(const struct sock_filter *filter, unsigned short length)
{
    struct sock_fprog program = {.len = length, .filter = (struct sock_filter *)filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl: %s", strerror(errno));
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "seccomp: %s", strerror(errno));
}

static void forbid_threads(void)
{
    const struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAGAIN),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    forbid(filter, sizeof filter / sizeof *filter);
}

static void no_threads(void)
{
    load();
    forbid_threads();
    any_result();
}

static void few_tasks(void)
{
    load();
    /* As another user, whose tasks are limited. */
    CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(54321, 54321, 54321) == 0, "setresuid: %s", strerror(errno));
    struct rlimit limit = {atol(arguments[0]), atol(arguments[0])};
    CHECK(setrlimit(RLIMIT_NPROC, &limit) == 0, "setrlimit: %s", strerror(errno));
    any_result();
}

/* ---- missing parts of a system; needs root ---- */

static void own_mounts(void)
{
    CHECK(unshare(CLONE_NEWNS) == 0, "unshare: %s", strerror(errno));
    CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0, "mount: %s", strerror(errno));
}

static int print_result(void *unused)
{
    (void)unused;
    any_result();
    fflush(stdout);
    return 0;
}

/* Neither the process nor its forked child needs /proc. */
static void no_proc(void)
{
    own_mounts();
    load();
    CHECK(mount("none", "/proc", "tmpfs", 0, NULL) == 0, "mount: %s", strerror(errno));
    any_result();
    fflush(stdout);
    int status = in_child(print_result, NULL, 20);
    CHECK(status == 0, "status %x", (unsigned)status);
}

/* ---- the program's own resources ---- */

#ifdef LARGE
static __thread char large_storage[300 * 1024];
#else
static __thread char large_storage[101];
#endif

/* Every thread has large thread-local storage, in a variant of this program. */
static void large_tls(void)
{
    large_storage[100] = 1;
    load();
    for (int i = 0; i < 20; i++) CHECK(life() == VK_SUCCESS, "no life");
    CHECK(large_storage[100] == 1, "the program's storage has changed");
}

static int life_in_child(void *unused)
{
    (void)unused;
    return life() == VK_SUCCESS ? 0 : 1;
}

/* The descriptors after a life are those before it, also if the standard ones are closed. */
static void descriptors_same(void)
{
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

/* The process may open only the given number of further descriptors; another process has no such limit. */
static void few_descriptors(void)
{
    struct rlimit old, few;
    load();
    int first = dup(0);
    close(first);
    getrlimit(RLIMIT_NOFILE, &old);
    few = (struct rlimit){(rlim_t)(first + atoi(arguments[0])), old.rlim_max};
    CHECK(setrlimit(RLIMIT_NOFILE, &few) == 0, "setrlimit: %s", strerror(errno));
    any_result();
    setrlimit(RLIMIT_NOFILE, &old);
    CHECK(life() == VK_SUCCESS, "no life");
}

/* The program closes every descriptor that it does not know, as daemons do, and then has other files there. */
static void close_everything(void)
{
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

/* The program's environment, including its memory, is the same before and after. */
static void environment_same(void)
{
    size_t count = 0;
    while (environ[count]) count++;
    char **copy = malloc((count + 1) * sizeof *copy), **block = environ;
    memcpy(copy, environ, (count + 1) * sizeof *copy);
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    CHECK(environ == block && memcmp(copy, environ, (count + 1) * sizeof *copy) == 0, "the environment has changed");
    free(copy);
}

/* arguments: libraries with static thread-local storage, large ones first; a later one may fit where an earlier one did
 * not */
static void no_tls(void)
{
    load();
    for (char **path = arguments; *path; path++) (void)dlopen(*path, RTLD_NOW);
    any_result();
}

const struct guest_case limit_cases[] = {
    {"address-space", address_space},
    {"data-size", data_size},
    {"locked-memory", locked_memory},
    {"limit-lifted", limit_lifted},
    {"room", room},
    {"no-threads", no_threads},
    {"few-tasks", few_tasks},
    {"no-proc", no_proc},
    {"large-tls", large_tls},
    {"no-tls", no_tls},
    {"descriptors-same", descriptors_same},
    {"few-descriptors", few_descriptors},
    {"close-everything", close_everything},
    {"environment-same", environment_same},
    {0},
};
