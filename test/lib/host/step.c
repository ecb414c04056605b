/* step.c: a call performed one instruction at a time; at every instruction inside the loader the stack is unwound. It
 * needs x86's trap flag, and the unwinder of a compiler that was made for this C library: Debian's was for glibc.
 * Judges nothing: it counts. */
#include "host.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#if defined __x86_64__ && defined __GLIBC__
#define COUNTER(context) ((context)->uc_mcontext.gregs[REG_RIP])
#define STEPS_BEGIN() __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc")
#define STEPS_END() __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc")
#elif defined __i386__ && defined __GLIBC__
#define COUNTER(context) ((context)->uc_mcontext.gregs[REG_EIP])
#define STEPS_BEGIN() __asm__ volatile("pushfl; orl $0x100, (%%esp); popfl" ::: "memory", "cc")
#define STEPS_END() __asm__ volatile("pushfl; andl $~0x100, (%%esp); popfl" ::: "memory", "cc")
#else
#define COUNTER(context) (0)
#define STEPS_BEGIN() fail("programs of this machine do not step by themselves")
#define STEPS_END() (void)0
#define NO_STEPS
#endif

static uintptr_t library_from, library_to, caller;
static volatile int steps, unwound;
static volatile uintptr_t first_bad;
static volatile uint64_t trap_count;

#ifndef NO_STEPS
#include <unwind.h>

static volatile int depth;

static _Unwind_Reason_Code look(struct _Unwind_Context *context, void *data)
{
    bool *found = data;
    uintptr_t function = (uintptr_t)_Unwind_FindEnclosingFunction((void *)(_Unwind_GetIP(context) - 1));
    if (function == caller) *found = true;
    return *found || ++depth > 64 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Does unwinding from here find the frame of stepped()? */
static bool finds_caller(void)
{
    bool found = false;
    depth = 0;
    _Unwind_Backtrace(look, &found);
    return found;
}
#else
static bool finds_caller(void)
{
    return false;
}
#endif

static void on_trap(int signal, siginfo_t *info, void *data)
{
    ucontext_t *context = data;
    uintptr_t at = (uintptr_t)COUNTER(context);
    (void)signal, (void)info, (void)context;
    trap_count++;
    if (at < library_from || at >= library_to) return;
    steps++;
    if (finds_caller())
        unwound++;
    else if (!first_bad)
        first_bad = at;
}

/* The frame that unwinding has to find. */
static __attribute__((noinline)) uint64_t stepped(const struct signature *signature, PFN_vkVoidFunction function,
                                                  const uint64_t *a)
{
    uint64_t value;
    STEPS_BEGIN();
    value = call_by(signature, function, a);
    STEPS_END();
    return value;
}

/* step name= via= instance= device= arg=...: like call, with up to six arguments. */
COMMAND(step)
{
    uint64_t instance = arg_ref(line, "instance", 0), device = arg_ref(line, "device", 0), a[ARGUMENTS] = {0};
    static unsigned char room[6][4096];
    struct sigaction action = {0}, before;
    Dl_info info;
    PFN_vkVoidFunction found = command(line, arg_or(line, "name", ""), instance, device);
    for (int i = 0; i < arg_count(line, "arg") && i < 6; i++) {
        const char *value = arg_nth(line, "arg", i);
        a[i] = !strcmp(value, "out") ? (uint64_t)(uintptr_t)room[i] : resolve(value);
    }
    if (now->failed) return;
    if (!loader_code(&library_from, &library_to)) return fail("no library");
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGTRAP, &action, &before);
    caller = (uintptr_t)stepped;
    steps = unwound = 0;
    first_bad = 0;
    trap_count = 0;
    uint64_t value = stepped(signature_of(arg_or(line, "name", "")), found, a);
    sigaction(SIGTRAP, &before, NULL);
    put_int("result", (int32_t)value);
    put_int("traps", (int64_t)trap_count);
    put_int("steps", steps);
    put_int("unwound", unwound);
    if (first_bad && dladdr((void *)first_bad, &info)) {
        put_text("bad", info.dli_sname ? info.dli_sname : "?");
        put_int("bad_offset", (int64_t)(first_bad - (uintptr_t)info.dli_fbase));
    }
}
