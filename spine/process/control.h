/* control.h: saves, sets and restores the processor's floating-point control word. The core parses numbers with the
 * default rounding and without exceptions, regardless of the program's settings. */
#ifndef VKL_CONTROL_H
#define VKL_CONTROL_H

#include <stdint.h>

struct control {
    uint64_t word;
#ifdef __i386__
    uint32_t x87[7]; /* the state of the x87 unit, with which compilers convert 64-bit integers to floating point */
#endif
};

#if defined __SSE2__
static inline struct control control_take(void)
{
    struct control c = {.word = __builtin_ia32_stmxcsr()};
    __builtin_ia32_ldmxcsr(0x1f80); /* round to nearest, all exceptions masked */
#ifdef __i386__
    __asm__ volatile("fnstenv %0\n\tfldcw %1" : "=m"(c.x87) : "m"((const uint16_t){0x037f}));
#endif
    return c;
}
static inline void control_give(struct control c)
{
#ifdef __i386__
    __asm__ volatile("fldenv %0" : : "m"(c.x87)); /* clears the exceptions raised since then, too */
#endif
    __builtin_ia32_ldmxcsr((unsigned)c.word);
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
#else
/* The type of the control word, and the instructions that read and write it. Zero means: round to nearest, no
 * exceptions. */
#if defined __aarch64__
typedef uint64_t control_word;
#define CONTROL_READ "mrs %0, fpcr"
#define CONTROL_WRITE "msr fpcr, %0"
#elif defined __riscv /* RISC-V has exception flags only, and no traps */
typedef unsigned long control_word;
#define CONTROL_READ "frrm %0"
#define CONTROL_WRITE "fsrm %0"
#elif defined __s390x__
typedef uint32_t control_word;
#define CONTROL_READ "efpc %0"
#define CONTROL_WRITE "sfpc %0"
#elif defined __arm__ && defined __ARM_FP
typedef uint32_t control_word;
#define CONTROL_READ "vmrs %0, fpscr"
#define CONTROL_WRITE "vmsr fpscr, %0"
#elif defined __SOFTFP__ /* software arithmetic rounds to nearest */
typedef uint32_t control_word;
#define CONTROL_READ "mov %0, #0"
#define CONTROL_WRITE ""
#elif defined __mips_hard_float
typedef uint32_t control_word;
#define CONTROL_READ "cfc1 %0, $31"
#define CONTROL_WRITE "ctc1 %0, $31"
#elif defined __loongarch__
typedef uint32_t control_word;
#define CONTROL_READ "movfcsr2gr %0, $fcsr0"
#define CONTROL_WRITE "movgr2fcsr $fcsr0, %0"
#else
#error "control.h does not know this machine's floating-point control word"
#endif
static inline struct control control_take(void)
{
    control_word word;
    __asm__ volatile(CONTROL_READ : "=r"(word));
    __asm__ volatile(CONTROL_WRITE : : "r"((control_word)0));
    return (struct control){word};
}
static inline void control_give(struct control c)
{
    __asm__ volatile(CONTROL_WRITE : : "r"((control_word)c.word));
}
#endif

#endif
