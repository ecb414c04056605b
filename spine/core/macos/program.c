/* program.c: facts about the program and its libraries: its path, whether a library fits it. It decides nothing. */
#include <fcntl.h>
#include <libproc.h>
#include <string.h>
#include <unistd.h>

#include "core/facts.h"
#include "process/macos/slice.h"

#define EXE_MAX 1024 /* MAC-022: a path of this many bytes or more counts as unknown */

void read_exe(struct wire_writer *w)
{
    char path[EXE_MAX];
    int length = proc_pidpath(getpid(), path, sizeof path);
    struct wire_exe r = {0};
    if (length > 0 && length < EXE_MAX) {
        r.path = path;
        r.path_len = (uint32_t)length;
    }
    wire_put_exe(w, &r);
}

void read_foreign(struct wire_writer *w, const char *path)
{
    uint64_t at;
    struct mach_header_64 header;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    bool foreign = fd >= 0 && slice_of(fd, &at, &header) == SLICE_OTHER;
    if (fd >= 0) close(fd);
    wire_put_foreign(w, &(struct wire_foreign){WIRE_STR(path, path), .yes = foreign});
}
