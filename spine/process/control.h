/* control.h: the processor's floating-point control word. The core reads numbers; a program that has changed rounding,
 * or wants to be told of inexact results, did not mean that arithmetic. */
#ifndef VKL_CONTROL_H
#define VKL_CONTROL_H

#include <stdint.h>

struct control {
    uint64_t word;
};

#if defined __SSE2__
static inline struct control control_take(void)
{
    struct control c = {__builtin_ia32_stmxcsr()};
    __builtin_ia32_ldmxcsr(0x1f80); /* to nearest, nothing is told */
    return c;
}
static inline void control_give(struct control c)
{
    __builtin_ia32_ldmxcsr((unsigned)c.word);
}
#elif defined __aarch64__
static inline struct control control_take(void)
{
    struct control c;
    __asm__ volatile("mrs %0, fpcr" : "=r"(c.word));
    __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)0));
    return c;
}
static inline void control_give(struct control c)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(c.word));
}
#else
#error "control.h does not know this machine's floating-point control word"
#endif

#endif
