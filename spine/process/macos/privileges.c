/* privileges.c: reports whether the process is elevated: it has more rights than its user (MAC-013). */
#include <unistd.h>

#include "process/process.h"

/* MAC-013: the ids are compared at each call. */
bool process_elevated(void)
{
    return issetugid() || getuid() != geteuid() || getgid() != getegid();
}
