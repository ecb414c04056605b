/* record.c: linked into the library with the address sanitizer, between spine and core (-Wl,--wrap). It appends every
 * question with its answer to the file VKLOADER_RECORD, for the test that compares the answers of Go and C.
 *
 * An entry has a letter (B: a call begins, A: a message that was answered before, D: a message with its answer), the
 * process and the address of the call's memory, the core's result, the sizes of message and answer, and their bytes. */
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "goc.h"

int __real_core_go_begin(struct goc *g, void **call);
int __real_core_go_add(struct goc *g, void *call, const void *message, size_t size, bool *ok);
int __real_core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                          size_t *answer_size, bool *ok);
int __wrap_core_go_begin(struct goc *g, void **call);
int __wrap_core_go_add(struct goc *g, void *call, const void *message, size_t size, bool *ok);
int __wrap_core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                          size_t *answer_size, bool *ok);

/* Tests check the library's imported symbols, so the environment is the constructor's argument and not from getenv. */
static const char *path;

__attribute__((constructor)) static void find_path(int argc, char **argv, char **environment)
{
    (void)argc;
    (void)argv;
    static const char variable[] = "VKLOADER_RECORD=";
    for (char **e = environment; e && *e; e++)
        if (strncmp(*e, variable, sizeof variable - 1) == 0) path = *e + sizeof variable - 1;
}

/* Uses system calls only, because tests check the files that the library opens. */
static void record(char kind, const struct goc *g, int status, const void *message, size_t size, const void *answer,
                   size_t answer_size)
{
    if (!path) return;
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0) return;
    uint64_t at = (uintptr_t)g;
    uint32_t head[7] = {
        (uint32_t)kind, (uint32_t)syscall(SYS_getpid), (uint32_t)at, (uint32_t)(at >> 32), (uint32_t)status,
        (uint32_t)size, (uint32_t)answer_size};
    struct iovec parts[3] = {
        {head, sizeof head}, {(void *)(uintptr_t)message, size}, {(void *)(uintptr_t)answer, answer_size}};
    syscall(SYS_writev, file, parts, 3);
    syscall(SYS_close, file);
}

int __wrap_core_go_begin(struct goc *g, void **call)
{
    int status = __real_core_go_begin(g, call);
    record('B', g, status, NULL, 0, NULL, 0);
    return status;
}

int __wrap_core_go_add(struct goc *g, void *call, const void *message, size_t size, bool *ok)
{
    int status = __real_core_go_add(g, call, message, size, ok);
    record('A', g, status, message, size, NULL, 0);
    return status;
}

int __wrap_core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                          size_t *answer_size, bool *ok)
{
    int status = __real_core_go_decide(g, call, message, size, answer, answer_size, ok);
    bool answered = status == 0 && *ok;
    record('D', g, status == 0 && !*ok ? 3 : status, message, size, answered ? *answer : NULL,
           answered ? *answer_size : 0);
    return status;
}
