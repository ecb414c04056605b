/* step.c: performs a call on Windows one instruction at a time, by the exceptions of the processor's trap flag. At
 * every instruction inside the loader it unwinds the stack, until the loader has jumped elsewhere. On x86-64 the system
 * unwinds; it assumes that a function without a table never moves the stack pointer. i386 has no tables, so the return
 * address must be where the stack pointer points. The file counts, and judges nothing.
 */
#include "../../host/host.h"
#include <dlfcn.h>
#include <windows.h>

#if defined __x86_64__
#define COUNTER Rip
#define STEPS_BEGIN() __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc")
#else
#define COUNTER Eip
#define STEPS_BEGIN() __asm__ volatile("pushfl; orl $0x100, (%%esp); popfl" ::: "memory", "cc")
#endif
#define TRAP_FLAG 0x100u

static uintptr_t library_from, library_to, caller;
static volatile int steps, unwound;
static volatile uintptr_t first_bad;
static volatile uint64_t trap_count;

#if defined __x86_64__
/* Reports whether unwinding from here finds the frame of stepped(). */
static bool finds_caller(const CONTEXT *at)
{
    CONTEXT frame = *at;
    for (int depth = 0; depth < 64 && frame.Rip; depth++) {
        DWORD64 base, establisher;
        void *data;
        RUNTIME_FUNCTION *function = RtlLookupFunctionEntry(frame.Rip, &base, NULL);
        if (!function && depth) return false; /* callees and callers of the loader have tables */
        if (!function) {
            frame.Rip = *(const DWORD64 *)frame.Rsp;
            frame.Rsp += sizeof(DWORD64);
            continue;
        }
        if (base + function->BeginAddress == caller) return true;
        RtlVirtualUnwind(UNW_FLAG_NHANDLER, base, frame.Rip, function, &frame, &data, &establisher, NULL);
    }
    return false;
}
#else
static uintptr_t returns_to; /* the caller's return address at the loader's first instruction */

static bool finds_caller(const CONTEXT *at)
{
    uintptr_t top = *(const uintptr_t *)(uintptr_t)at->Esp;
    if (steps == 1) returns_to = top;
    return top == returns_to && (top < library_from || top >= library_to);
}
#endif

static LONG CALLBACK on_trap(EXCEPTION_POINTERS *trap)
{
    CONTEXT *context = trap->ContextRecord;
    uintptr_t at = (uintptr_t)context->COUNTER;
    if (trap->ExceptionRecord->ExceptionCode != (DWORD)EXCEPTION_SINGLE_STEP) return EXCEPTION_CONTINUE_SEARCH;
    trap_count++;
    bool inside = at >= library_from && at < library_to;
    if (inside || !steps)
        context->EFlags |= TRAP_FLAG;
    else
        context->EFlags &= ~TRAP_FLAG; /* the loader has jumped elsewhere */
    if (!inside) return EXCEPTION_CONTINUE_EXECUTION;
    steps++;
    if (finds_caller(context))
        unwound++;
    else if (!first_bad)
        first_bad = at;
    return EXCEPTION_CONTINUE_EXECUTION;
}

/* Performs the call. Unwinding has to find its frame. */
static __attribute__((noinline)) uint64_t stepped(const struct signature *signature, PFN_vkVoidFunction function,
                                                  const uint64_t *a)
{
    STEPS_BEGIN();
    uint64_t value = call_by(signature, function, a);
    __asm__ volatile("" ::: "memory"); /* so that the call above is not turned into a jump */
    return value;
}

/* step name= via= instance= device= arg=...: like call, with at most six arguments. */
COMMAND(step)
{
    uint64_t instance = arg_ref(line, "instance", 0), device = arg_ref(line, "device", 0), a[ARGUMENTS] = {0};
    static unsigned char room[6][4096];
    Dl_info info;
    PFN_vkVoidFunction found = command(line, arg_or(line, "name", ""), instance, device);
    for (int i = 0; i < arg_count(line, "arg") && i < 6; i++) {
        const char *value = arg_nth(line, "arg", i);
        a[i] = !strcmp(value, "out") ? (uint64_t)(uintptr_t)room[i] : resolve(value);
    }
    if (now->failed) return;
    if (!loader_code(&library_from, &library_to)) return fail("no library");
    void *handler = AddVectoredExceptionHandler(1, on_trap);
    caller = (uintptr_t)stepped;
    steps = unwound = 0;
    first_bad = 0;
    trap_count = 0;
    uint64_t value = stepped(signature_of(arg_or(line, "name", "")), found, a);
    RemoveVectoredExceptionHandler(handler);
    put_int("result", (int32_t)value);
    put_int("traps", (int64_t)trap_count);
    put_int("steps", steps);
    put_int("unwound", unwound);
    if (first_bad && dladdr((void *)first_bad, &info)) {
        put_text("bad", info.dli_sname ? info.dli_sname : "?");
        put_int("bad_offset", (int64_t)(first_bad - (uintptr_t)info.dli_fbase));
    }
}
