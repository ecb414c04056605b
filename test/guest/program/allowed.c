/* allowed.c: rule G-10: a program whose system calls are limited to a list. The list is what the distribution's loader
 * uses, and what the core uses beyond that; every other call ends the process. docs/guest-rules.md has the names. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

struct call {
    const char *name;
    unsigned number;
};
#define CALL(name) {#name, SYS_##name}

/* Of loading, reading folders and files, dlopen and memory; a program cannot do with less under any loader. */
static const struct call loading[] = {
    CALL(access), CALL(brk),    CALL(close),      CALL(exit_group), CALL(futex),   CALL(getdents64), CALL(getrandom),
    CALL(lseek),  CALL(mmap),   CALL(mprotect),   CALL(munmap),     CALL(openat),  CALL(newfstatat), CALL(pread64),
    CALL(read),   CALL(readlink), CALL(write),
};
/* Of the core: its threads, its memory, the signal mask and the alternate stack of the thread that asks. */
static const struct call core[] = {
    CALL(clone3),       CALL(getpid),         CALL(gettid),            CALL(madvise),         CALL(nanosleep),
    CALL(prlimit64),    CALL(rseq),           CALL(rt_sigaction),      CALL(rt_sigprocmask),  CALL(sched_getaffinity),
    CALL(sched_yield),  CALL(set_robust_list), CALL(sigaltstack),
};
/* Of a forked child that asks: a core of its own, by a copy in memory. */
static const struct call child[] = {CALL(memfd_create), CALL(sendfile)};
/* Of this program, to have a child. */
static const struct call forking[] = {CALL(clone), CALL(wait4)};

static struct sock_filter filter[128];
static unsigned short length;

static void add(struct sock_filter line) { filter[length++] = line; }

static void allow(const struct call *calls, size_t count) {
    for (size_t i = 0; i < count; i++) {
        add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1));
        add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* arguments: "core": its calls are allowed, too; "child": also those of a child; without, they end the process */
static void allowed_calls(void) {
    bool with_child = arguments[0] && strcmp(arguments[0], "child") == 0;
    bool with_core = with_child || (arguments[0] && strcmp(arguments[0], "core") == 0);
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    allow(loading, COUNT(loading));
    if (with_core) allow(core, COUNT(core));
    if (with_child) {
        allow(child, COUNT(child));
        allow(forking, COUNT(forking));
    }
    add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
    struct sock_fprog sent = {.len = length, .filter = filter};
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0, "prctl: %s", strerror(errno));
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &sent) == 0, "seccomp: %s", strerror(errno));
    load();
    for (int i = 0; i < 200; i++) CHECK(life() == VK_SUCCESS, "no life");
    if (with_child)
        for (int i = 0; i < 3; i++) {
            int status = 0;
            pid_t pid = fork();
            if (pid == 0) _exit(life() == VK_SUCCESS ? 0 : 1);
            CHECK(waitpid(pid, &status, 0) == pid && status == 0, "the child ended with status %x", (unsigned)status);
        }
    unload();
}

static void print_list(const char *what, const struct call *calls, size_t count) {
    printf("%s:", what);
    for (size_t i = 0; i < count; i++) printf(" `%s`", calls[i].name);
    printf("\n");
}

/* Prints the lists, a line each. */
static void list_calls(void) {
    print_list("loading", loading, COUNT(loading));
    print_list("core", core, COUNT(core));
    print_list("child", child, COUNT(child));
}

const struct guest_case allowed_cases[] = {{"allowed-calls", allowed_calls}, {"list-calls", list_calls}, {0}};
