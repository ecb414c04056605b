/* kernel.c: commands that need Linux: forks, the kernel's facts about this process, its mappings.
 */
#include "host.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t milliseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

COMMAND(fork)
{
    int ends[2], status = 0;
    struct object *object = object_find(arg_or(line, "script", "script"));
    int64_t until = milliseconds() + (int64_t)arg_int(line, "timeout", 20000);
    struct answer answer = {0};
    if (!object || object->kind != SCRIPT) return fail("no such script");
    if (pipe(ends)) return fail("%s", strerror(errno));
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) return fail("%s", strerror(errno));
    if (child == 0) {
        close(ends[0]);
        bool good = perform_object(object, &answer, (int)arg_int(line, "times", 1));
        for (size_t at = 0; at < answer.size;) {
            ssize_t n = write(ends[1], answer.text + at, answer.size - at);
            if (n <= 0) break;
            at += (size_t)n;
        }
        if (arg(line, "exit")) exit(good ? 0 : 1); /* with exit handlers and destructors */
        _exit(good ? 0 : 1);
    }
    close(ends[1]);
    char *text = NULL;
    size_t size = 0;
    bool late = false;
    for (;;) {
        struct pollfd p = {ends[0], POLLIN, 0};
        int64_t left = until - milliseconds();
        if (left <= 0 || poll(&p, 1, (int)left) == 0) {
            late = true;
            kill(child, SIGKILL);
            break;
        }
        text = realloc(text, size + 65537);
        if (!text) abort();
        ssize_t n = read(ends[0], text + size, 65536);
        if (n <= 0) break;
        size += (size_t)n;
        text[size] = 0;
    }
    close(ends[0]);
    waitpid(child, &status, 0);
    put_int("late", late);
    put_int("exit", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    put_int("signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    if (size && !late) {
        put_key("answers");
        put_raw(text);
    }
    free(text);
}

/* Runs a command that may end the process with abort() in a child: the answering process goes on. */
COMMAND(attempt)
{
    do_fork(line);
}

/* A child goes on with the lines that come, until "quit" or its end; then this process answers how it ended. So many
 * processes, each as fresh as this one, cost no start of a program. */
COMMAND(child)
{
    int status = 0;
    (void)line;
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) return fail("%s", strerror(errno));
    if (child == 0) {
        /* Written when a command is done; the end of the process may take it along. */
        setvbuf(stderr, NULL, _IOFBF, 1 << 16);
        return put_int("child", getpid());
    }
    waitpid(child, &status, 0);
    put_int("ended", child);
    put_int("exit", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    put_int("signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

COMMAND(state)
{
    (void)line;
    char buffer[256];
    int threads = 0, descriptors = 0;
    DIR *dir = opendir("/proc/self/task");
    for (struct dirent *e; dir && (e = readdir(dir));) threads += e->d_name[0] != '.';
    if (dir) closedir(dir);
    dir = opendir("/proc/self/fd");
    for (struct dirent *e; dir && (e = readdir(dir));) descriptors += e->d_name[0] != '.';
    if (dir) closedir(dir);
    put_int("threads", threads);
    put_int("descriptors", descriptors - 1);
    FILE *f = fopen("/proc/self/status", "r");
    put_open("status", '{');
    while (f && fgets(buffer, sizeof buffer, f)) {
        char *colon = strchr(buffer, ':');
        if (!colon || (strncmp(buffer, "Sig", 3) && strncmp(buffer, "Vm", 2) && strncmp(buffer, "Shd", 3))) continue;
        *colon = 0;
        char *value = colon + 1 + strspn(colon + 1, " \t");
        value[strcspn(value, "\n")] = 0;
        put_text(buffer, value);
    }
    put_close('}');
    if (f) fclose(f);
    put_open("handled", '['); /* signals whose disposition is not the default */
    for (int s = 1; s < 65; s++) {
        struct sigaction action;
        if (s == SIGKILL || s == SIGSTOP || sigaction(s, NULL, &action)) continue;
        if (action.sa_handler != SIG_DFL) put_number(s);
    }
    put_close(']');
    stack_t stack = {0};
    sigaltstack(NULL, &stack);
    put_int("altstack", !(stack.ss_flags & SS_DISABLE));
}

/* Bytes of the C library's heap that are in use; -1: it does not tell. */
#ifdef __GLIBC__
static int64_t heap_used(void)
{
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
}
#else
static int64_t heap_used(void)
{
    return -1;
}
#endif

COMMAND(heap)
{
    (void)line;
    put_int("used", heap_used());
}

COMMAND(maps)
{
    char buffer[4400], last[4400] = "";
    const char *match = arg_or(line, "match", ".so");
    bool (*closed)(const char *) = (bool (*)(const char *))dlsym(RTLD_DEFAULT, "world_closed");
    FILE *f = fopen("/proc/self/maps", "r");
    put_open("maps", '[');
    while (f && fgets(buffer, sizeof buffer, f)) {
        char *path = strchr(buffer, '/');
        if (!path || !strstr(path, match)) continue;
        path[strcspn(path, "\n")] = 0;
        if (!strcmp(path, last)) continue;
        strcpy(last, path);
        if (!closed || !closed(path)) put_text(NULL, path);
    }
    put_close(']');
    if (f) fclose(f);
}
bool loader_code(uintptr_t *from, uintptr_t *to)
{
    char buffer[4400];
    Dl_info info;
    *from = *to = 0;
    if (!dladdr((void *)(uintptr_t) export("vkCreateInstance"), &info)) return false;
    FILE *f = fopen("/proc/self/maps", "r");
    while (f && fgets(buffer, sizeof buffer, f)) {
        unsigned long begin, end;
        char rights[8];
        if (sscanf(buffer, "%lx-%lx %7s", &begin, &end, rights) != 3 || rights[2] != 'x') continue;
        if ((uintptr_t)info.dli_saddr < begin || (uintptr_t)info.dli_saddr >= end) continue;
        *from = begin;
        *to = end;
    }
    if (f) fclose(f);
    return *to != 0;
}

COMMAND(set_ids)
{
    if (setresgid((gid_t)arg_int(line, "rgid", (uint64_t)-1), (gid_t)arg_int(line, "egid", (uint64_t)-1),
                  (gid_t)arg_int(line, "sgid", (uint64_t)-1)) ||
        setresuid((uid_t)arg_int(line, "ruid", (uint64_t)-1), (uid_t)arg_int(line, "euid", (uint64_t)-1),
                  (uid_t)arg_int(line, "suid", (uint64_t)-1)))
        fail("%s", strerror(errno));
}
