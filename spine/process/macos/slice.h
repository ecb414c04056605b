/* slice.h: the part of a Mach-O file that is for this machine. */
#ifndef VKL_SLICE_H
#define VKL_SLICE_H

#include <mach-o/fat.h>
#include <mach-o/loader.h>
#include <stdbool.h>
#include <stdint.h>

#if defined __x86_64__
#define OWN_MACHINE CPU_TYPE_X86_64
#else
#define OWN_MACHINE CPU_TYPE_ARM64
#endif

enum slice { SLICE_NONE, SLICE_OTHER, SLICE_OWN };
/* Reports whether an open file is a Mach-O file for this machine, or a universal file with a part for it. If so, *at is
 * set to the offset of the part's header. */
enum slice slice_of(int fd, uint64_t *at, struct mach_header_64 *header);

#endif
