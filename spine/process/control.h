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
#elif defined __riscv
static inline struct control control_take(void)
{
    struct control c;
    __asm__ volatile("fsrm %0, zero" : "=r"(c.word)); /* to nearest; exceptions are flags alone there */
    return c;
}
static inline void control_give(struct control c)
{
    __asm__ volatile("fsrm %0" : : "r"(c.word));
}
#elif defined __s390x__
static inline struct control control_take(void)
{
    uint32_t word;
    __asm__ volatile("efpc %0" : "=d"(word));
    __asm__ volatile("sfpc %0" : : "d"(0));
    return (struct control){word};
}
static inline void control_give(struct control c)
{
    __asm__ volatile("sfpc %0" : : "d"((uint32_t)c.word));
}
#elif defined __powerpc64__
static inline struct control control_take(void)
{
    double word;
    __asm__ volatile("mffs %0" : "=d"(word));
    __asm__ volatile("mtfsf 0xff, %0" : : "d"(0.0));
    struct control c;
    __builtin_memcpy(&c.word, &word, 8);
    return c;
}
static inline void control_give(struct control c)
{
    double word;
    __builtin_memcpy(&word, &c.word, 8);
    __asm__ volatile("mtfsf 0xff, %0" : : "d"(word));
}
#elif defined __arm__ && defined __ARM_FP
static inline struct control control_take(void)
{
    uint32_t word;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(word));
    __asm__ volatile("vmsr fpscr, %0" : : "r"(0));
    return (struct control){word};
}
static inline void control_give(struct control c)
{
    __asm__ volatile("vmsr fpscr, %0" : : "r"((uint32_t)c.word));
}
#elif defined __SOFTFP__ /* software arithmetic rounds to nearest */
static inline struct control control_take(void)
{
    return (struct control){0};
}
static inline void control_give(struct control c)
{
    (void)c;
}
#elif defined __mips_hard_float
static inline struct control control_take(void)
{
    uint32_t word;
    __asm__ volatile("cfc1 %0, $31" : "=r"(word));
    __asm__ volatile("ctc1 $0, $31");
    return (struct control){word};
}
static inline void control_give(struct control c)
{
    __asm__ volatile("ctc1 %0, $31" : : "r"((uint32_t)c.word));
}
#elif defined __loongarch__
static inline struct control control_take(void)
{
    uint32_t word;
    __asm__ volatile("movfcsr2gr %0, $fcsr0" : "=r"(word));
    __asm__ volatile("movgr2fcsr $fcsr0, $zero");
    return (struct control){word};
}
static inline void control_give(struct control c)
{
    __asm__ volatile("movgr2fcsr $fcsr0, %0" : : "r"((uint32_t)c.word));
}
#else
#error "control.h does not know this machine's floating-point control word"
#endif

#endif
