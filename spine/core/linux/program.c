/* program.c: facts about the program and its libraries: its path, whether a library fits it, whether it interposes the
 * C library's functions. It decides nothing. */
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/facts.h"
#include "process/process.h"

#ifndef STAT /* portable.h defines it as the symbol of older C libraries */
#define STAT stat
#endif

#define EXE_MAX 1024 /* GEN-13: a path of this many bytes or more counts as unknown */

bool file_access_is_replaced(void)
{
    static _Atomic signed char known; /* -1: no, 1: yes */
    if (atomic_load(&known)) return atomic_load(&known) > 0;
    const void *const functions[] = {(const void *)getauxval, (const void *)fopen, (const void *)fread,
                                     (const void *)STAT,      (const void *)open,  NULL};
    bool all = gate_same_object(functions);
    atomic_store(&known, all ? -1 : 1);
    return !all;
}

void read_exe(struct wire_writer *w)
{
    char path[EXE_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    struct wire_exe r = {0};
    if (length > 0 && length < EXE_MAX) {
        r.path = path;
        r.path_len = (uint32_t)length;
    }
    wire_put_exe(w, &r);
}

/* The ELF header of this library, as the linker names it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static bool is_foreign(const char *path)
{
    ElfW(Ehdr) other = {0};
    ssize_t length = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0) {
        length = pread(fd, &other, sizeof other, 0);
        close(fd);
    }
    if (length < 20 || memcmp(other.e_ident, ELFMAG, SELFMAG) != 0) return false;
    return other.e_ident[EI_CLASS] != __ehdr_start.e_ident[EI_CLASS] ||
           other.e_ident[EI_DATA] != __ehdr_start.e_ident[EI_DATA] || other.e_machine != __ehdr_start.e_machine;
}

void read_foreign(struct wire_writer *w, const char *path)
{
    wire_put_foreign(w, &(struct wire_foreign){WIRE_STR(path, path), .yes = is_foreign(path)});
}
