/* logfile.c: appends lines of the log to a file of the user's, for programs without a visible standard error. The file
 * is opened and closed for every line, so no descriptor stays open, a forked child needs no care, and the file may be
 * removed.
 *
 * Many programs write to the file, and any user may be able to write to its directory. So no symbolic link is followed,
 * only a regular file of the process's user is written, and its size is limited. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "process/process.h"

/* Opens the directory of a path without following a link, and sets *base to the last component. Returns -1 on failure,
 * or if others could replace the file in the directory. */
static int directory_of(const char *path, const char **base)
{
    int directory = open("/", DIRECTORY_ONLY);
    for (;;) {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (directory < 0 || !path[length]) break;
        char name[NAME_MAX + 1];
        int next = -1;
        if (length <= NAME_MAX && length && !(length == 2 && path[0] == '.' && path[1] == '.')) {
            memcpy(name, path, length);
            name[length] = 0;
            next = openat(directory, name, DIRECTORY_ONLY | O_NOFOLLOW);
        }
        close(directory);
        directory = next;
        path += length;
    }
    struct stat is;
    *base = path;
    if (directory >= 0 && *path && strlen(path) + 3 <= NAME_MAX && fstat(directory, &is) == 0 &&
        (is.st_uid == 0 || is.st_uid == geteuid()) && (!(is.st_mode & (S_IWGRP | S_IWOTH)) || is.st_mode & S_ISVTX))
        return directory;
    if (directory >= 0) close(directory);
    return -1;
}

/* Opens the file for appending. Returns -1 on failure, or if it is not a regular file of the user's. */
static int file_in(int directory, const char *base, off_t *size)
{
    struct stat is;
    int file =
        openat(directory, base, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (file < 0) return -1;
    if (fstat(file, &is) != 0 || !S_ISREG(is.st_mode) || is.st_uid != geteuid() || is.st_nlink != 1) {
        close(file);
        return -1;
    }
    *size = is.st_size;
    return file;
}

/* Renames a full file and opens a new one. */
static int next_file(int directory, const char *base, int full, off_t *size)
{
    char before[NAME_MAX + 1];
    snprintf(before, sizeof before, "%s.1", base);
    close(full);
    if (renameat(directory, base, directory, before) != 0) return -1;
    return file_in(directory, base, size);
}

bool logfile_append(const char *path, const char *tag, const char *text)
{
    char line[LOGFILE_LINE_MAX];
    struct timespec now = {0};
    int cancel, error = errno;
    const char *base;
    off_t size = 0;
    bool written = false;
    clock_gettime(CLOCK_REALTIME, &now);
    int length = logfile_line(line, (unsigned long long)now.tv_sec, (long)getpid(), tag, text);
    if (length < 0) return false;
    /* a thread cancelled here would leave a descriptor open */
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    int directory = directory_of(path, &base);
    int file = directory < 0 ? -1 : file_in(directory, base, &size);
    if (file >= 0 && size + length > LOGFILE_SIZE_MAX) file = next_file(directory, base, file, &size);
    if (file >= 0) {
        written = write(file, line, (size_t)length) == length;
        close(file);
    }
    if (directory >= 0) close(directory);
    pthread_setcancelstate(cancel, NULL);
    errno = error;
    return written;
}
