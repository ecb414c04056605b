/* control.h: the processor's floating-point control word. The core reads numbers; a program that has changed rounding,
 * or wants to be told of inexact results, did not mean that arithmetic. */
#ifndef VKL_CONTROL_H
#define VKL_CONTROL_H

#include <stdint.h>

struct control {
    uint64_t word;
#ifdef __i386__
    uint32_t x87[7]; /* the older unit's own: with it compilers turn integers of 64 bits into numbers */
#endif
};

#if defined __SSE2__
static inline struct control control_take(void)
{
    struct control c = {.word = __builtin_ia32_stmxcsr()};
    __builtin_ia32_ldmxcsr(0x1f80); /* to nearest, nothing is told */
#ifdef __i386__
    __asm__ volatile("fnstenv %0\n\tfldcw %1" : "=m"(c.x87) : "m"((const uint16_t){0x037f}));
#endif
    return c;
}
static inline void control_give(struct control c)
{
#ifdef __i386__
    __asm__ volatile("fldenv %0" : : "m"(c.x87)); /* and clears the exceptions since then */
#endif
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
