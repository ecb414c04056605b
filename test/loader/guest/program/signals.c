/* signals.c: rules G-1, G-2, G-3: threads, dispositions, masks, alternate stacks, timers, faults. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

/* A signal that programs do not use. MIPS has another one. */
#ifdef SIGSTKFLT
#define SELDOM SIGSTKFLT
#else
#define SELDOM SIGEMT
#endif

/* ---- G-1 ---- */

static void look_up(void)
{
    char *before = dispositions();
    unsigned threads = thread_count();
    load();
    static const char *const names[] = {"vkCreateInstance",
                                        "vkEnumerateInstanceVersion",
                                        "vkCmdDraw",
                                        "vkNoSuchCommand",
                                        "vkEnumerateInstanceExtensionProperties",
                                        "vkGetInstanceProcAddr"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) (void)get_instance_proc(NULL, names[i]);
    (void)loader_function("vkCreateDevice");
    char *after = dispositions();
    same("dispositions", before, after);
    CHECK(thread_count() == threads, "%u threads instead of %u", thread_count(), threads);
    unload();
    free(before);
    free(after);
}

/* ---- G-2 ---- */

static void quiet_handler(int sig)
{
    (void)sig;
}

/* Sets every kind of disposition, and compares them after a whole life. */
static void keep_dispositions(void)
{
    struct sigaction act = {.sa_handler = quiet_handler};
    sigaction(SIGUSR1, &act, NULL);
    act.sa_flags = SA_RESTART;
    sigaction(SIGSEGV, &act, NULL);
    sigaction(SIGURG, &act, NULL);
    act.sa_flags = SA_ONSTACK;
    sigaction(SIGPROF, &act, NULL);
    signal(SIGPIPE, SIG_IGN);
    char *before = dispositions();
    load();
    for (int i = 0; i < 3; i++) CHECK(life() == VK_SUCCESS, "no life");
    char *after = dispositions();
    same("dispositions", before, after);
    free(before);
    free(after);
}

static atomic_bool stop_flag;

static void *keep_busy(void *p)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    while (!stop_flag) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
    return p;
}

/* A program that receives its signals through a descriptor loses none. */
static void signal_descriptor(void)
{
    static const int sigs[] = {SIGCHLD, SIGPROF, SIGURG, SELDOM, 34, SIGTERM, SIGUSR2};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++) sigaddset(&set, sigs[i]);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    int fd = signalfd(-1, &set, SFD_CLOEXEC);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct signalfd_siginfo info;
    pthread_t busy;
    pthread_create(&busy, NULL, keep_busy, NULL);
    int lost = 0;
    for (int i = 0; i < 200; i++) {
        pid_t pid = fork();
        if (pid == 0) _exit(0);
        if (poll(&p, 1, 2000) != 1)
            lost++;
        else
            CHECK(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == SIGCHLD, "signal %u",
                  info.ssi_signo);
        waitpid(pid, NULL, 0);
        if (lost > 3) break;
    }
    for (size_t i = 1; i < sizeof sigs / sizeof *sigs; i++)
        for (int n = 0; n < 50; n++) {
            kill(getpid(), sigs[i]);
            if (poll(&p, 1, 2000) != 1)
                lost++;
            else
                CHECK(read(fd, &info, sizeof info) == sizeof info && info.ssi_signo == (unsigned)sigs[i], "signal %u",
                      info.ssi_signo);
        }
    stop_flag = true;
    pthread_join(busy, NULL);
    CHECK(lost == 0, "%d signals lost", lost);
}

/* The same for a program that waits for its signals, with all signals blocked on its threads. */
static void signal_wait(void)
{
    static const int sigs[] = {SIGCHLD, SIGPROF, SIGURG, SELDOM, 34, 64, SIGTERM, SIGUSR2};
    sigset_t set, all;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++) sigaddset(&set, sigs[i]);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    pthread_t busy;
    pthread_create(&busy, NULL, keep_busy, NULL);
    const struct timespec patience = {.tv_sec = 20};
    for (int n = 0; n < 100; n++)
        for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++) {
            siginfo_t info;
            pid_t pid = 0;
            if (sigs[i] != SIGCHLD)
                kill(getpid(), sigs[i]);
            else if ((pid = fork()) == 0)
                _exit(0);
            int got = sigtimedwait(&set, &info, &patience);
            CHECK(got == sigs[i], "waited for signal %d in vain (%d)", sigs[i], got);
            if (pid) waitpid(pid, NULL, 0);
        }
    stop_flag = true;
    pthread_join(busy, NULL);
}

static atomic_int counted[65];
static void count_handler(int sig)
{
    counted[sig]++;
}

/* The loader sends no signals. */
static void sends_nothing(void)
{
    struct sigaction act = {.sa_handler = count_handler};
    for (int sig = 1; sig <= 64; sig++) sigaction(sig, &act, NULL);
    load();
    for (int i = 0; i < 300; i++) CHECK(life() == VK_SUCCESS, "no life");
    usleep(50000);
    for (int sig = 1; sig <= 64; sig++) CHECK(counted[sig] == 0, "signal %d came %d times", sig, counted[sig]);
}

/* ---- G-3 ---- */

static void *keep_state(void *p)
{
    int kind = (int)(intptr_t)p;
    sigset_t set;
    stack_t alternate = {0};
    sigemptyset(&set);
    if (kind & 1) sigaddset(&set, SIGUSR1), sigaddset(&set, SIGCHLD), sigaddset(&set, SIGSEGV);
    if (kind & 2) sigfillset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    if (kind & 4) {
        alternate.ss_size = 65536;
        alternate.ss_sp = malloc(alternate.ss_size);
        sigaltstack(&alternate, NULL);
    }
    for (int i = 0; i < 3; i++) {
        char *before = thread_state();
        CHECK((i == 0 ? enumerate() : life()) == VK_SUCCESS, "no life");
        char *after = thread_state();
        CHECK(strcmp(before, after) == 0, "thread %d: was %s, is %s", kind, before, after);
        free(before);
        free(after);
    }
    if (kind & 4) {
        alternate.ss_flags = SS_DISABLE;
        void *stack = alternate.ss_sp;
        sigaltstack(&alternate, NULL);
        free(stack);
    }
    return NULL;
}

static void thread_states(void)
{
    load();
    char *before = descriptors();
    keep_state(NULL);
    for (intptr_t kind = 0; kind < 8; kind++) {
        pthread_t t;
        pthread_create(&t, NULL, keep_state, (void *)kind);
        pthread_join(t, NULL);
    }
    char *after = descriptors();
    same("descriptors", before, after);
    free(before);
    free(after);
}

static uintptr_t stack_low, stack_high;
static atomic_long ticks, elsewhere;

/* Recurses 16 kB deep on the thread's stack, which must be its original one. */
static void deep_handler(int sig)
{
    volatile char room[16384];
    for (size_t i = 0; i < sizeof room; i += 64) room[i] = (char)sig;
    uintptr_t here = (uintptr_t)&room[0];
    if (here < stack_low || here >= stack_high) elsewhere++;
    ticks++;
}

static void timer(void)
{
    long run = number("GUEST_SECONDS", 5);
    pthread_attr_t attr;
    void *low;
    size_t size;
    pthread_getattr_np(pthread_self(), &attr);
    pthread_attr_getstack(&attr, &low, &size);
    pthread_attr_destroy(&attr);
    stack_low = (uintptr_t)low;
    stack_high = stack_low + size;
    struct sigaction act = {.sa_handler = deep_handler, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &act, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    timer_t id;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &id) == 0, "timer_create: %s", strerror(errno));
    struct itimerspec every = {.it_interval.tv_nsec = 50000, .it_value.tv_nsec = 50000};
    load();
    timer_settime(id, 0, &every, NULL);
    double end = seconds() + (double)run;
    long lives = 0;
    while (seconds() < end) {
        for (int i = 0; i < 20; i++) CHECK(enumerate() == VK_SUCCESS, "no enumeration");
        CHECK(life() == VK_SUCCESS, "no life");
        lives++;
    }
    timer_delete(id);
    printf("%ld ticks, %ld lives\n", ticks, lives);
    CHECK(ticks > run * 100, "only %ld ticks", ticks);
    CHECK(elsewhere == 0, "%ld of %ld handlers ran on another stack than the thread's", elsewhere, ticks);
}

/* A profiler: a CPU-time timer with a handler on the thread's stack, while threads start and end. */
static atomic_long samples;
static void sample_handler(int sig)
{
    volatile char room[8192];
    for (size_t i = 0; i < sizeof room; i += 64) room[i] = (char)sig;
    samples++;
}

static void *live_three_times(void *unused)
{
    for (int i = 0; i < 3; i++) CHECK(life() == VK_SUCCESS, "no life");
    return unused;
}

static void profiling_timer(void)
{
    struct sigaction act = {.sa_handler = sample_handler, .sa_flags = SA_RESTART}, now;
    sigaction(SIGPROF, &act, NULL);
    sigaction(SIGPROF, NULL, &act); /* the present action */
    struct itimerval every = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000};
    setitimer(ITIMER_PROF, &every, NULL);
    load();
    for (int round = 0; samples < 300; round++) {
        CHECK(round < 20000, "only %ld samples", samples);
        pthread_t t[4];
        for (int i = 0; i < 4; i++) pthread_create(&t[i], NULL, live_three_times, NULL);
        for (int i = 0; i < 4; i++) pthread_join(t[i], NULL);
    }
    struct itimerval left;
    CHECK(getitimer(ITIMER_PROF, &left) == 0 && left.it_interval.tv_usec == every.it_interval.tv_usec,
          "the timer has changed to %ld microseconds", (long)left.it_interval.tv_usec);
    CHECK(sigaction(SIGPROF, NULL, &now) == 0 && now.sa_handler == sample_handler && now.sa_flags == act.sa_flags,
          "the handler has changed");
}

static void *volatile fault_address;
static atomic_int faults;

static void fault_handler(int sig, siginfo_t *info, void *context)
{
    (void)context;
    CHECK(sig == SIGSEGV && info->si_addr == fault_address, "signal %d at %p", sig, info->si_addr);
    faults++;
    mprotect(fault_address, 4096, PROT_READ | PROT_WRITE);
}

/* The program's faults reach its own handler on every thread. */
static void own_handler(void)
{
    struct sigaction act = {.sa_sigaction = fault_handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &act, NULL);
    for (int i = 0; i < 4; i++) { /* before the library is loaded, and after each of its lives */
        if (i == 1) load();
        CHECK(i == 0 || life() == VK_SUCCESS, "no life");
        char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fault_address = page;
        *(volatile char *)page = 1;
        munmap(page, 4096);
    }
    CHECK(faults == 4, "%d faults", faults);
}

/* Dies by its own signal. The test checks how, and that nothing is printed. */
static void own_fault(void)
{
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    int sig = atoi(arguments[0]);
    if (sig == SIGSEGV) *(volatile char *)NULL = 1;
    if (sig == SIGABRT) abort();
    if (sig == SIGILL) __builtin_trap();
    kill(getpid(), sig);
    pause();
}

/* A fault of the program on another thread, while this one is inside the loader. */
static void *fault_soon(void *p)
{
    usleep(20000);
    *(volatile char *)p = 1;
    return NULL;
}

static void fault_beside(void)
{
    load();
    CHECK(life() == VK_SUCCESS, "no life");
    pthread_t t;
    pthread_create(&t, NULL, fault_soon, NULL);
    for (;;) enumerate();
}

const struct guest_case signal_cases[] = {
    {"look-up", look_up},
    {"keep-dispositions", keep_dispositions},
    {"signal-descriptor", signal_descriptor},
    {"signal-wait", signal_wait},
    {"profiling-timer", profiling_timer},
    {"sends-nothing", sends_nothing},
    {"thread-states", thread_states},
    {"timer", timer},
    {"own-handler", own_handler},
    {"own-fault", own_fault},
    {"fault-beside", fault_beside},
    {0},
};
