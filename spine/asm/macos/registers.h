/* registers.h: the argument registers of macOS's machines, for trampolines.c. A trampoline names a machine's argument
 * registers as parameters instead of its command's: a jump leaves the arguments on the stack in place, also where
 * Apple's convention packs them. REGISTERS are the parameters after the first, PASSED the same as arguments.
 */
#ifndef VKL_REGISTERS_H
#define VKL_REGISTERS_H

#include "asm/lists.h"

#if defined __x86_64__
#define REGISTERS INTEGERS_5 FLOATS_8
#define PASSED PASSED_5 FLOATED_8
#elif defined __aarch64__
#define REGISTERS INTEGERS_7 FLOATS_8
#define PASSED PASSED_7 FLOATED_8
#else
#error "docs/porting.md tells what a machine needs"
#endif
#define COMMAND_CALL

#endif
