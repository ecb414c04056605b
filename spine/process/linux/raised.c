/* raised.c: whether the program has more rights than its user. */
#include <sys/auxv.h>
#include <unistd.h>

#include "process/process.h"

/* Without AT_SECURE, ids differ in a process that began as root, or that has ambient capabilities. Only the first
 * kind makes the system calls, because a filter may end the process for them (G-10); the second kind counts as an
 * ordinary process. */
bool process_raised(void)
{
    uid_t user, effective_user, saved_user;
    gid_t group, effective_group, saved_group;
    if (getauxval(AT_SECURE)) return true;
    if (getauxval(AT_UID) != 0 && getauxval(AT_EUID) != 0) return false;
    return getresuid(&user, &effective_user, &saved_user) != 0 ||
           getresgid(&group, &effective_group, &saved_group) != 0 || user != effective_user || user != saved_user ||
           group != effective_group || group != saved_group;
}
