/* logfile.c: lines of the log in a file of the user's, for programs whose standard error nobody sees. Every line opens
 * the file and closes it: no descriptor stays, and a forked child, or a file that is removed, needs nothing.
 *
 * Many programs share the file, and its directory may be one that everybody can write to. So no symbolic link is
 * followed, only a regular file of the process's own user is written, and its size is bounded. */
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

#define SIZE_LIMIT (1 << 20) /* of the file; the one before it has as many bytes at most */
#define LINE_MAX_BYTES 700   /* a line of the log has 511 at most, besides tag and time */

/* The directory of a path, without following a link; *base is its last component. -1: there is none, or others could
 * replace the file in it. */
static int directory_of(const char *path, const char **base)
{
    int directory = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (;;) {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (directory < 0 || !path[length]) break;
        char name[NAME_MAX + 1];
        int next = -1;
        if (length <= NAME_MAX && length && !(length == 2 && path[0] == '.' && path[1] == '.')) {
            memcpy(name, path, length);
            name[length] = 0;
            next = openat(directory, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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

/* The file, to append to. -1: it is none, or not the user's own. */
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

/* A new file takes the place of one that is full. */
static int next_file(int directory, const char *base, int full, off_t *size)
{
    char before[NAME_MAX + 1];
    snprintf(before, sizeof before, "%s.1", base);
    close(full);
    if (renameat(directory, base, directory, before) != 0) return -1;
    return file_in(directory, base, size);
}

/* The time as 2026-01-31T23:59:59Z. */
static void time_text(char text[128])
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned long long since = (unsigned long long)now.tv_sec, seconds = since % 86400, days = since / 86400;
    unsigned long long shifted = days + 719468, era = shifted / 146097, day_of_era = shifted % 146097;
    unsigned long long year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    unsigned long long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    unsigned long long month = (5 * day_of_year + 2) / 153; /* from March */
    snprintf(text, 128, "%04llu-%02llu-%02lluT%02llu:%02llu:%02lluZ", year_of_era + era * 400 + (month >= 10),
             month < 10 ? month + 3 : month - 9, day_of_year - (153 * month + 2) / 5 + 1, seconds / 3600,
             seconds / 60 % 60, seconds % 60);
}

bool logfile_append(const char *path, const char *tag, const char *text)
{
    char line[LINE_MAX_BYTES], when[128];
    int cancel, error = errno;
    const char *base;
    off_t size = 0;
    bool written = false;
    time_text(when);
    int length = snprintf(line, sizeof line, "%s %ld %s%s\n", when, (long)getpid(), tag, text);
    if (length < 0) return false;
    if (length >= (int)sizeof line) {
        length = sizeof line - 1;
        line[length - 1] = '\n';
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* a thread that is cancelled leaves no descriptor */
    int directory = directory_of(path, &base);
    int file = directory < 0 ? -1 : file_in(directory, base, &size);
    if (file >= 0 && size + length > SIZE_LIMIT) file = next_file(directory, base, file, &size);
    if (file >= 0) {
        written = write(file, line, (size_t)length) == length;
        close(file);
    }
    if (directory >= 0) close(directory);
    pthread_setcancelstate(cancel, NULL);
    errno = error;
    return written;
}
