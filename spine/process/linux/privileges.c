/* privileges.c: whether the program has more rights than its user. */
#include <sys/auxv.h>
#include <unistd.h>

#include "process/process.h"

/* Only a process that began as root can have ids that differ without AT_SECURE. Others make no system call, because a
 * filter of system calls may end the process for it (G-10). */
bool process_privileged(void)
{
    uid_t user, effective_user, saved_user;
    gid_t group, effective_group, saved_group;
    if (getauxval(AT_SECURE)) return true;
    if (getauxval(AT_UID) != 0 && getauxval(AT_EUID) != 0) return false;
    return getresuid(&user, &effective_user, &saved_user) != 0 ||
           getresgid(&group, &effective_group, &saved_group) != 0 || user != effective_user || user != saved_user ||
           group != effective_group || group != saved_group;
}
