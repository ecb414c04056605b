/* registers.h: the argument registers of Windows's machines, for trampolines.c. A trampoline names a machine's argument
 * registers as parameters instead of its command's: a jump leaves the arguments on the stack in place. REGISTERS are
 * the parameters after the first, PASSED the same as arguments. Registers that a function without arithmetic leaves
 * alone may be missing. A machine without REGISTERS uses the commands' signatures.
 */
#ifndef VKL_REGISTERS_H
#define VKL_REGISTERS_H

#include "asm/lists.h"

#if defined __x86_64__ /* a place in the list has one register of either kind */
#define REGISTERS INTEGERS_3
#define PASSED PASSED_3
#elif defined __i386__ /* all arguments lie on the stack, and functions remove them */
#define REGISTERS
#define PASSED
#define CALLEE_CLEANS
#define COMMAND_CALL __attribute__((stdcall))
#elif defined __aarch64__
#define REGISTERS INTEGERS_7 FLOATS_8
#define PASSED PASSED_7 FLOATED_8
#else
#error "docs/porting.md tells what a machine needs"
#endif
#ifndef COMMAND_CALL
#define COMMAND_CALL
#endif

#endif
