/* thunk_entries.c: entries of the fakes' functions on Windows. On i386, a function removes its arguments from the
 * stack: a command as many as it has, an unknown command none; the host corrects the stack after the latter. */
#include "../../fake/thunks.h"

#define T8(n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define T64(n) T8(n##0) T8(n##1) T8(n##2) T8(n##3) T8(n##4) T8(n##5) T8(n##6) T8(n##7)
#define T512(n) T64(n##0) T64(n##1) T64(n##2) T64(n##3) T64(n##4) T64(n##5) T64(n##6) T64(n##7)

#if UINTPTR_MAX == 0xffffffff
uint64_t thunk_entered(int index, const struct passed *passed, unsigned *bytes);
__attribute__((used)) uint64_t thunk_entered(int index, const struct passed *passed, unsigned *bytes)
{
    const struct signature *signature = signature_of(thunk_name[index]);
    uint64_t args[ARGUMENTS];
    passed_to(signature, passed, args);
    *bytes = passed_bytes(signature);
    return thunk_run(index, args);
}

/* The stack has the index, the return address and the arguments. The return address moves to the place of the last
 * argument. */
__asm__("thunk_common:\n\t"
        "leal 8(%esp), %eax\n\t"
        "movl (%esp), %ecx\n\t"
        "pushl $0\n\t"
        "movl %esp, %edx\n\t"
        "pushl %edx\n\t"
        "pushl %eax\n\t"
        "pushl %ecx\n\t"
        "call _thunk_entered\n\t"
        "addl $12, %esp\n\t"
        "popl %ecx\n\t"
        "pushl %eax\n\t"
        "movl 8(%esp), %eax\n\t"
        "movl %eax, 8(%esp, %ecx)\n\t"
        "popl %eax\n\t"
        "leal 4(%esp, %ecx), %esp\n\t"
        "ret");

#define X(n)                                                                                                           \
    __attribute__((naked)) static void thunk_##n(void)                                                                 \
    {                                                                                                                  \
        __asm__("pushl %0\n\tjmp thunk_common" ::"i"(0##n - 01000));                                                   \
    }
#else
#define X(n)                                                                                                           \
    static uint64_t thunk_##n(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f, uint64_t g,      \
                              uint64_t h, uint64_t i, uint64_t j)                                                      \
    {                                                                                                                  \
        uint64_t args[ARGUMENTS] = {a, b, c, d, e, f, g, h, i, j};                                                     \
        return thunk_run(0##n - 01000, args);                                                                          \
    }
#endif
T512(1)
T512(2)
#undef X
#define X(n) (PFN_vkVoidFunction) thunk_##n,
const PFN_vkVoidFunction thunks[THUNKS] = {T512(1) T512(2)};
