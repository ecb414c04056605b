/* privileges.c: reports whether the process is elevated: it has more rights than its user (GEN-5). */
#include <sys/auxv.h>
#include <unistd.h>

#include "process/process.h"

/* Compares the process's ids. Without AT_SECURE, they differ only in a process that began as root, or that has ambient
 * capabilities. Only the former makes the system calls here, since a seccomp filter may end a process for them (G-10).
 * The latter counts as an ordinary process. */
bool process_elevated(void)
{
    uid_t user, effective_user, saved_user;
    gid_t group, effective_group, saved_group;
    if (getauxval(AT_SECURE)) return true;
    if (getauxval(AT_UID) != 0 && getauxval(AT_EUID) != 0) return false;
    return getresuid(&user, &effective_user, &saved_user) != 0 ||
           getresgid(&group, &effective_group, &saved_group) != 0 || user != effective_user || user != saved_user ||
           group != effective_group || group != saved_group;
}
