/* file.c: the identity of the file at a path, and the form of paths. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/file.h"
#include "system.h"

static struct file_identity identity_of(const struct stat *s)
{
    return (struct file_identity){s->st_dev,
                                  s->st_ino,
                                  (uint64_t)s->st_size,
                                  {s->st_mtim.tv_sec, s->st_mtim.tv_nsec},
                                  !S_ISREG(s->st_mode) && !S_ISDIR(s->st_mode),
                                  0};
}

bool file_identify(const char *path, struct file_identity *out)
{
    struct stat s;
    *out = (struct file_identity){0};
    if (stat(path, &s) != 0) return false;
    *out = identity_of(&s);
    return true;
}

bool file_identify_open(int fd, struct file_identity *out)
{
    struct stat s;
    if (fstat(fd, &s) != 0) return false;
    *out = identity_of(&s);
    return true;
}

uint64_t file_head(const char *path)
{
    unsigned char *head = malloc(FILE_HEAD);
    int fd = head ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    ssize_t size = fd >= 0 ? pread(fd, head, FILE_HEAD, 0) : 0;
    if (fd >= 0) close(fd);
    uint64_t hash = size > 0 ? file_hash(head, (size_t)size) : 0;
    free(head);
    return hash;
}

bool file_overwritten(const char *path, const struct file_identity *now, const struct file_identity *then)
{
    return file_same_inode(now, then) && !file_same(now, then) &&
           (now->size != then->size || !then->head || file_head(path) != then->head);
}

bool file_is_special(const char *path)
{
    struct file_identity now;
    return file_identify(path, &now) && now.special;
}

bool path_has_directory(const char *path)
{
    return strchr(path, '/') != NULL;
}

char *path_other_than(const char *path, const char *real)
{
    char *wanted = realpath(path, NULL);
    if (wanted && strcmp(wanted, real) != 0) return wanted;
    free(wanted);
    return NULL;
}
