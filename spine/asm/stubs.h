/* stubs.h: the assembler's stubs, which stand where a function is missing or nobody knows the command. */
#ifndef VKL_STUBS_H
#define VKL_STUBS_H

#include <stdbool.h>

#include "system.h"

/* How a C function takes its arguments to which the assembler jumps: in registers, also on i386, where the stack holds
 * the arguments of the call that failed. */
#ifdef __i386__
#define FROM_ASSEMBLER __attribute__((regparm(3)))
#else
#define FROM_ASSEMBLER
#endif

extern const char missing_first[] HIDDEN;
extern const char missing_last[] HIDDEN;
/* Is p one of the stubs missing_vkX? Looking names up does little else, so this is no call. */
static inline bool is_missing(const void *p)
{
    return (const char *)p >= missing_first && (const char *)p < missing_last;
}

void missing_in_chain(void);
void missing_unknown_physdev(void);
void missing_unknown_device(void);
void unknown_physdev_trampolines(void);
void unknown_physdev_terminators(void);
void unknown_device_trampolines(void);

#endif
