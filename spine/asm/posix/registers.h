/* registers.h: the argument registers of Linux's and macOS's machines, for trampolines.c. A trampoline names a
 * machine's argument registers as parameters instead of its command's: a jump leaves the arguments on the stack in
 * place, also where Apple's convention packs them. REGISTERS are the parameters after the first, PASSED the same as
 * arguments. Registers that a function without arithmetic leaves alone may be missing. A machine without REGISTERS uses
 * the commands' signatures.
 */
#ifndef VKL_REGISTERS_H
#define VKL_REGISTERS_H

#include "asm/lists.h"

#if defined __x86_64__
#define REGISTERS INTEGERS_5 FLOATS_8
#define PASSED PASSED_5 FLOATED_8
#elif defined __i386__ /* all arguments lie on the stack */
#define REGISTERS
#define PASSED
#elif defined __aarch64__ || defined __riscv || defined __loongarch__
#define REGISTERS INTEGERS_7 FLOATS_8
#define PASSED PASSED_7 FLOATED_8
#elif defined __ARM_PCS_VFP
#define REGISTERS INTEGERS_3 FLOATS_8
#define PASSED PASSED_3 FLOATED_8
#elif defined __arm__
#define REGISTERS INTEGERS_3
#define PASSED PASSED_3
#elif defined __mips64 /* a place in the list has one register of either kind */
#define REGISTERS INTEGERS_7
#define PASSED PASSED_7
#elif defined                                                                                                          \
    __s390x__ /* the callee preserves the fifth integer's register; as a parameter it would prevent the jump */
#define REGISTERS INTEGERS_3 FLOATS_4
#define PASSED PASSED_3 FLOATED_4
#elif defined __powerpc64__ /* compilers make no jump through a pointer: ppc64le.S has the stubs of unknown commands   \
                             */
#define UNKNOWN_STUBS(name, i)
#else
#error "docs/porting.md tells what a machine needs"
#endif
#define COMMAND_CALL

#endif
