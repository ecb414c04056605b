/* privileges.c: whether the program has more rights than its user. */
#include <unistd.h>

#include "process/process.h"

/* MAC-013: the ids are compared at each call. */
bool process_privileged(void)
{
    return issetugid() || getuid() != geteuid() || getgid() != getegid();
}
