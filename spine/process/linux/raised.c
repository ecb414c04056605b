/* raised.c: whether the program has more rights than its user. */
#include <sys/auxv.h>
#include <unistd.h>

#include "process/process.h"

bool process_raised(void)
{
    uid_t user, effective_user, saved_user;
    gid_t group, effective_group, saved_group;
    return getauxval(AT_SECURE) || getresuid(&user, &effective_user, &saved_user) != 0 ||
           getresgid(&group, &effective_group, &saved_group) != 0 || user != effective_user || user != saved_user ||
           group != effective_group || group != saved_group;
}
