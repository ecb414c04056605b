/* slice.c: finds the part of a Mach-O file that is for this machine. It reads only headers, each within bounds. */
#include "process/macos/slice.h"

#include <libkern/OSByteOrder.h>
#include <unistd.h>

#define SLICES_MAX 16

static bool header_at(int fd, uint64_t at, struct mach_header_64 *header)
{
    return at <= INT64_MAX && pread(fd, header, sizeof *header, (off_t)at) == (ssize_t)sizeof *header;
}

/* Numbers of a universal file's header are big-endian. */
static enum slice slice_in_universal(int fd, uint32_t count, bool wide, uint64_t *at, struct mach_header_64 *header)
{
    for (uint32_t i = 0; i < count && i < SLICES_MAX; i++) {
        struct fat_arch_64 part = {0};
        struct fat_arch narrow = {0};
        off_t place = (off_t)(sizeof(struct fat_header) + i * (wide ? sizeof part : sizeof narrow));
        if (wide ? pread(fd, &part, sizeof part, place) != (ssize_t)sizeof part
                 : pread(fd, &narrow, sizeof narrow, place) != (ssize_t)sizeof narrow)
            return SLICE_NONE;
        uint32_t machine = OSSwapBigToHostInt32((uint32_t)(wide ? part.cputype : narrow.cputype));
        if (machine != OWN_MACHINE) continue;
        *at = wide ? OSSwapBigToHostInt64(part.offset) : OSSwapBigToHostInt32(narrow.offset);
        return header_at(fd, *at, header) && header->magic == MH_MAGIC_64 ? SLICE_OWN : SLICE_NONE;
    }
    return SLICE_OTHER;
}

enum slice slice_of(int fd, uint64_t *at, struct mach_header_64 *header)
{
    struct fat_header fat;
    *at = 0;
    if (pread(fd, &fat, sizeof fat, 0) != (ssize_t)sizeof fat) return SLICE_NONE;
    if (fat.magic == FAT_CIGAM || fat.magic == FAT_CIGAM_64)
        return slice_in_universal(fd, OSSwapBigToHostInt32(fat.nfat_arch), fat.magic == FAT_CIGAM_64, at, header);
    if (fat.magic == MH_MAGIC) return SLICE_OTHER; /* of 32 bits */
    if (fat.magic != MH_MAGIC_64 || !header_at(fd, 0, header)) return SLICE_NONE;
    return header->cputype == OWN_MACHINE ? SLICE_OWN : SLICE_OTHER;
}
