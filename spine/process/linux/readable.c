/* readable.c: copies memory of unknown length. Writing it to a pipe tells how far it is mapped. The system calls are
 * made directly, because a wrapper may read the memory itself, and because some wrappers are cancellation points. */
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/process.h"

size_t memory_read(void *to, const void *from, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), done = 0;
    int ends[2];
    if (syscall(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK) != 0) return 0;
    while (done < size) { /* memory is readable up to the end of its page, and a pipe holds a page */
        const char *at = (const char *)from + done;
        size_t part = page - (uintptr_t)at % page;
        if (part > size - done) part = size - done;
        if (syscall(SYS_write, ends[1], at, part) != (long)part) break;
        if (syscall(SYS_read, ends[0], (char *)to + done, part) != (long)part) break;
        done += part;
    }
    syscall(SYS_close, ends[0]);
    syscall(SYS_close, ends[1]);
    return done;
}
