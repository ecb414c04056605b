/* A replacement for one function of the static glibc in the tool: glibc falls back to clone(2) only after ENOSYS, and
 * old filters of system calls, such as Docker's before 20.10.10, refuse clone3(2) with EPERM. Without it the tool could
 * start no thread there. Other C libraries do not use the function. */
#include <errno.h>
#include <stddef.h>

struct clone_args;

int __clone3(struct clone_args *args, size_t size, int (*function)(void *), void *argument);

int __clone3(struct clone_args *args, size_t size, int (*function)(void *), void *argument)
{
    (void)args;
    (void)size;
    (void)function;
    (void)argument;
    errno = ENOSYS;
    return -1;
}
