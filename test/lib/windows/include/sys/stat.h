/* sys/stat.h: a file's type, with the times and the number that identify it. */
#ifndef TEST_SYS_STAT_H
#define TEST_SYS_STAT_H

#include <stdint.h>
#include <time.h>

struct posix_stat {
    uint64_t st_ino;
    int64_t st_size;
    struct timespec st_mtim;
};
int posix_stat(const char *path, struct posix_stat *is);
#define stat posix_stat

#endif
