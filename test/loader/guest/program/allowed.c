/* allowed.c: rule G-10: a program whose system calls are limited to those that the distribution's loader makes. Any
 * other call ends the process. docs/guest-rules.md lists the calls. */
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
/* clang-format would format #name like a directive. */
/* clang-format off */
#define CALL(name) {#name, SYS_##name}
/* clang-format on */

/* Calls for loading, reading directories and files, dlopen and memory, which a program needs with any loader. */
static const struct call loading[] = {
    CALL(brk),     CALL(close),    CALL(exit_group), CALL(futex),  CALL(getdents64), CALL(getrandom),
#if __SIZEOF_POINTER__ == 4 /* The C library does the same by calls of other names. */
    CALL(_llseek), CALL(mmap2),    CALL(mprotect),   CALL(munmap), CALL(openat),     CALL(statx),
    CALL(pread64), CALL(read),
#else
    CALL(lseek),     CALL(mmap),       CALL(mprotect),   CALL(munmap), CALL(openat),     CALL(newfstatat),
    CALL(pread64),   CALL(read),
#endif
    CALL(write),
#if defined(SYS_fstat) && __SIZEOF_POINTER__ == 8 /* since glibc 2.39 */
    CALL(fstat),
#endif
#ifdef SYS_access
    CALL(access),  CALL(readlink),
#else /* newer machines have only the calls with a directory argument */
    CALL(faccessat), CALL(readlinkat),
#endif
};
/* For a process that began as root, whose ids may differ later. */
#ifdef SYS_getresuid32
static const struct call ids[] = {CALL(getresuid32), CALL(getresgid32)};
#else
static const struct call ids[] = {CALL(getresuid), CALL(getresgid)};
#endif
/* Calls with which this program makes a child. */
static const struct call forking[] = {CALL(clone), CALL(set_robust_list), CALL(rt_sigprocmask), CALL(wait4)};

static struct sock_filter filter[128];
static unsigned short length;

static void add(struct sock_filter line)
{
    filter[length++] = line;
}

static void allow(const struct call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        add((struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1));
        add((struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    }
}

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* arguments: "child": forking is also allowed; "less": directories cannot be listed, which every loader needs */
static void allowed_calls(void)
{
    bool with_child = arguments[0] && strcmp(arguments[0], "child") == 0;
    bool less = arguments[0] && strcmp(arguments[0], "less") == 0;
    add((struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)));
    for (size_t i = 0; i < COUNT(loading); i++)
        if (!less || loading[i].number != SYS_getdents64) allow(&loading[i], 1);
    if (getuid() == 0) allow(ids, COUNT(ids));
    if (with_child) allow(forking, COUNT(forking));
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

/* Prints the list. */
static void list_calls(void)
{
    for (size_t i = 0; i < COUNT(loading); i++) printf("%s`%s`", i ? " " : "", loading[i].name);
    printf("\n");
}

const struct guest_case allowed_cases[] = {{"allowed-calls", allowed_calls}, {"list-calls", list_calls}, {0}};
