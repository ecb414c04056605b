/* stubs.h: the stubs of trampolines.c, for missing functions and unknown commands. */
#ifndef VKL_STUBS_H
#define VKL_STUBS_H

#include <stdbool.h>
#include <stdint.h>

#include "asm/offsets.h"
#include "system.h"

/* The reports of missing functions take their arguments in registers, so that a stub with one argument on the stack
 * jumps there. */
#ifdef __i386__
#define REPORT_CALL __attribute__((regparm(2)))
#else
#define REPORT_CALL
#endif

extern const char missing_first[] HIDDEN;
extern const char missing_last[] HIDDEN;
/* Reports whether p is one of the stubs missing_vkX. Looking names up does little else, so this is no call. */
static inline bool is_missing(const void *p)
{
    return (const char *)p >= missing_first && (const char *)p < missing_last;
}

/* The stub of a command that the top layer lacks, in an instance's table. */
void missing_in_chain(void) HIDDEN;
/* The stub of an unknown command that the device lacks, in its table (UNK-015). */
int32_t missing_unknown_device(const void *object) HIDDEN;
/* Forwarding stubs of unknown commands, by number (UNK-019): offsets for names_function(). */
extern const int32_t unknown_physdev_trampolines[UNKNOWN_MAX] HIDDEN;
extern const int32_t unknown_physdev_terminators[UNKNOWN_MAX] HIDDEN;
extern const int32_t unknown_device_trampolines[UNKNOWN_MAX] HIDDEN;

#endif
