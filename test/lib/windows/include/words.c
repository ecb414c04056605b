/* words.c: calls functions on Windows. On i386, the called function removes its arguments from the stack. */
#include "../../interface.h"

#if UINTPTR_MAX == 0xffffffff
/* Calls a function, and restores the stack pointer. */
uint64_t call_words(PFN_vkVoidFunction function, const struct passed *passed)
{
    const uint32_t *from = passed->word;
    uint32_t low, high, count = 2 * ARGUMENTS;
    __asm__ volatile("movl %%esp, %%ebx\n\t"
                     "subl $112, %%esp\n\t"
                     "andl $-16, %%esp\n\t"
                     "movl %%esp, %%edi\n\t"
                     "cld\n\t"
                     "rep movsl\n\t"
                     "call *%%eax\n\t"
                     "movl %%ebx, %%esp"
                     : "=a"(low), "=d"(high), "+S"(from), "+c"(count)
                     : "0"(function)
                     : "ebx", "edi", "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7");
    return low | (uint64_t)high << 32;
}
#endif
