/* owner.c: checks which users could have created a socket (PRO-008). A service is accepted if only root or the
 * program's user can change the socket's path. The owner of the process at the other end is no better evidence: in a
 * user namespace (rootless containers, sandboxes), root of the machine has no user id.
 *
 * It reads modes and owners, and opens only the map of user ids. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/service.h"

#define OVERFLOW_USER 65534u /* the id that the kernel shows for a user without an id in the namespace */

/* Reports whether some users of the machine have no id in this process's user namespace. */
static bool has_hidden_users(void)
{
    char text[128];
    unsigned inside = 0, outside = 0, count = 0;
    int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
    ssize_t size = fd >= 0 ? pread(fd, text, sizeof text - 1, 0) : -1;
    if (fd >= 0) close(fd);
    if (size < 0) return false;
    text[size] = '\0';
    return sscanf(text, "%u %u %u", &inside, &outside, &count) != 3 || inside || outside || count != UINT32_MAX;
}

/* Reports whether users other than its owner may add entries to a directory. */
static bool is_open_to_others(const struct stat *s)
{
    if (!S_ISDIR(s->st_mode)) return false;
    return s->st_mode & S_IWOTH || (s->st_mode & S_IWGRP && s->st_gid != 0 && s->st_gid != getegid());
}

/* Reports whether a file's owner is root or the program's user. A user without an id may be root of the machine, and is
 * accepted unless the parent directory is open to other users (shared): there any user could own the file. Otherwise
 * the owner of the directory, or the user who mounted it, has created the file. */
static bool is_ours(const struct stat *s, bool shared, bool hidden)
{
    return s->st_uid == 0 || s->st_uid == geteuid() || (s->st_uid == OVERFLOW_USER && hidden && !shared);
}

struct path_check {
    bool hidden; /* some users have no id */
    bool shared; /* the parent directory is open to other users */
};

/* Reports whether the next file or directory of a path is accepted. */
static bool accept_component(struct path_check *check, const char *path)
{
    struct stat s;
    if (lstat(path, &s) != 0 || S_ISLNK(s.st_mode) || !is_ours(&s, check->shared, check->hidden)) return false;
    check->shared = is_open_to_others(&s);
    return !check->shared || s.st_mode & S_ISVTX;
}

bool owner_counts(char *path)
{
    struct path_check check = {.hidden = has_hidden_users()};
    bool counts = accept_component(&check, "/");
    for (char *end = path; counts && end;) {
        end = strchr(end + 1, '/');
        if (end) *end = '\0';
        counts = accept_component(&check, path);
        if (end) *end = '/';
    }
    return counts;
}
