/* system.c: the system functions of the probe on Linux. */
#include "system.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probe.h"

#define ASK_SECONDS 5

#ifndef SYS_close_range /* headers before Linux 5.9 */
#define SYS_close_range 436
#endif

/* Ends the process with the signal that ended another program, so that the parent sees the same end. It leaves no core
 * file and no crash report, because the other program has left them. Go cannot do this: its runtime handles these
 * signals. */
static int die(const char *number)
{
    int sig = atoi(number);
    sigset_t only;
    prctl(PR_SET_DUMPABLE, 0);
    signal(sig, SIG_DFL);
    sigemptyset(&only);
    sigaddset(&only, sig);
    sigprocmask(SIG_UNBLOCK, &only, NULL);
    kill(getpid(), sig);
    return 128 + sig; /* a signal that does not end processes */
}

/* Events go to descriptor 3, moved to a high number and closed in programs that a driver or layer starts. Without a
 * descriptor 3, as when a person runs the probe, they go to standard output. */
int system_begin(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "die")) exit(die(argv[2]));
    int own = fcntl(3, F_DUPFD_CLOEXEC, 64);
    if (own >= 0) {
        close(3);
        events = fdopen(own, "w");
        /* What the process that started this one left open is nothing for a driver. */
        syscall(SYS_close_range, 3, own - 1, 0);
        syscall(SYS_close_range, own + 1, ~0U, 0);
    }
    if (!events) events = stdout;
    return argc;
}

double system_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

void *system_open(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

const char *system_error(void)
{
    return dlerror();
}

/* Converts a pointer to an object into a function pointer, as dlsym requires. */
PFN_vkVoidFunction system_symbol(void *library, const char *name)
{
    void *found = dlsym(library, name);
    PFN_vkVoidFunction function;
    memcpy(&function, &found, sizeof function);
    return function;
}

void *system_opened(const char *path)
{
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
}

/* Returns the start in memory of the library that has this address; NULL: none has it. */
static const void *beginning(const void *address)
{
    Dl_info where;
    return address && dladdr(address, &where) ? where.dli_fbase : NULL;
}

bool system_owns(void *library, PFN_vkVoidFunction function)
{
    void *address;
    struct link_map *map = NULL;
    memcpy(&address, &function, sizeof address);
    return function && !dlinfo(library, RTLD_DI_LINKMAP, &map) && beginning(address) == beginning(map->l_ld);
}

char *system_file(PFN_vkVoidFunction function)
{
    void *address;
    Dl_info where;
    memcpy(&address, &function, sizeof address);
    if (!dladdr(address, &where) || !where.dli_fname) return NULL;
    char *real = realpath(where.dli_fname, NULL);
    return real ? real : strdup(where.dli_fname);
}

static int one_library(struct dl_phdr_info *info, size_t size, void *data)
{
    void (*each)(const char *) = *(void (**)(const char *))data;
    (void)size;
    char *real = info->dlpi_name && *info->dlpi_name ? realpath(info->dlpi_name, NULL) : NULL;
    if (real) each(real);
    free(real);
    return 0;
}

void system_libraries(void (*each)(const char *path))
{
    dl_iterate_phdr(one_library, &each);
}

const char *system_isolated(void (*function)(size_t, VkInstance, VkDevice), size_t index, VkInstance instance,
                            VkDevice device)
{
    pid_t child = fork();
    if (child == 0) {
        alarm(ASK_SECONDS);
        function(index, instance, device);
        _exit(0); /* exit handlers and destructors of libraries run only in the parent */
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) return "it could not be asked";
    if (WIFSIGNALED(status)) return WTERMSIG(status) == SIGALRM ? "it does not answer" : "it crashed when it was asked";
    return WEXITSTATUS(status) ? "it ended the process when it was asked" : NULL;
}
