/* files.c: libSystem's functions for files, directories and errors, whose structures and numbers differ from Linux's.
 * Sources: Apple's sys/stat.h, sys/dirent.h, sys/fcntl.h, sys/errno.h, sys/mman.h, time.h, unistd.h. */
#include "macho.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* ---- errors -------------------------------------------------------------------------------------------------------
 */

/* Pairs of numbers that differ. Below 35, all but two numbers are the same. */
static const int errors[][2] = {
    {EDEADLK, 11},      {EAGAIN, 35},       {EINPROGRESS, 36},  {EALREADY, 37},      {ENOTSOCK, 38},
    {EDESTADDRREQ, 39}, {EMSGSIZE, 40},     {EPROTOTYPE, 41},   {ENOPROTOOPT, 42},   {EPROTONOSUPPORT, 43},
    {EOPNOTSUPP, 102},  {EAFNOSUPPORT, 47}, {EADDRINUSE, 48},   {EADDRNOTAVAIL, 49}, {ENETDOWN, 50},
    {ENETUNREACH, 51},  {ECONNABORTED, 53}, {ECONNRESET, 54},   {ENOBUFS, 55},       {EISCONN, 56},
    {ENOTCONN, 57},     {ETIMEDOUT, 60},    {ECONNREFUSED, 61}, {ELOOP, 62},         {ENAMETOOLONG, 63},
    {EHOSTUNREACH, 65}, {ENOTEMPTY, 66},    {EDQUOT, 69},       {ESTALE, 70},        {ENOLCK, 77},
    {ENOSYS, 78},       {EOVERFLOW, 84},    {ECANCELED, 89},    {EIDRM, 90},         {ENOMSG, 91},
    {EILSEQ, 92},       {EBADMSG, 94},      {EPROTO, 100},      {EOWNERDEAD, 105},   {ENOTRECOVERABLE, 104},
};

int error_to_macos(int number)
{
    for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i][0] == number) return errors[i][1];
    return number;
}

int error_from_macos(int number)
{
    for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i][1] == number) return errors[i][0];
    return number;
}

/* The value of glibc's errno while no function has failed since the last reading. */
#define NO_NEWS (-4242)
static __thread int last_error;

static int *error_place(void)
{
    if (errno != NO_NEWS) last_error = error_to_macos(errno);
    errno = NO_NEWS;
    return &last_error;
}

static char *error_text(int number)
{
    return strerror(error_from_macos(number));
}

/* ---- stat ---------------------------------------------------------------------------------------------------------
 */

struct macos_stat {
    int32_t device;
    uint16_t mode, links;
    uint64_t inode;
    uint32_t user, group;
    int32_t special;
    struct timespec accessed, modified, changed, born;
    int64_t size, blocks;
    int32_t block_size;
    uint32_t flags, generation;
    int32_t spare;
    int64_t spares[2];
};
_Static_assert(sizeof(struct macos_stat) == 144, "struct stat with 64-bit inodes");

static int stat_out(int result, const struct stat *s, struct macos_stat *m)
{
    if (result == 0)
        *m = (struct macos_stat){.device = (int32_t)s->st_dev,
                                 .mode = (uint16_t)s->st_mode,
                                 .links = (uint16_t)s->st_nlink,
                                 .inode = s->st_ino,
                                 .user = s->st_uid,
                                 .group = s->st_gid,
                                 .special = (int32_t)s->st_rdev,
                                 .accessed = s->st_atim,
                                 .modified = s->st_mtim,
                                 .changed = s->st_ctim,
                                 .size = s->st_size,
                                 .blocks = s->st_blocks,
                                 .block_size = (int32_t)s->st_blksize};
    return result;
}

static int macos_stat(const char *path, struct macos_stat *m)
{
    struct stat s;
    return stat_out(stat(path, &s), &s, m);
}

static int macos_lstat(const char *path, struct macos_stat *m)
{
    struct stat s;
    return stat_out(lstat(path, &s), &s, m);
}

static int macos_fstat(int fd, struct macos_stat *m)
{
    struct stat s;
    return stat_out(fstat(fd, &s), &s, m);
}

/* ---- open ---------------------------------------------------------------------------------------------------------
 */

static int open_flags(int flags)
{
    static const int pairs[][2] = {{0x4, O_NONBLOCK},       {0x8, O_APPEND},       {0x80, O_SYNC},  {0x100, O_NOFOLLOW},
                                   {0x200, O_CREAT},        {0x400, O_TRUNC},      {0x800, O_EXCL}, {0x20000, O_NOCTTY},
                                   {0x100000, O_DIRECTORY}, {0x1000000, O_CLOEXEC}};
    int out = flags & 3, known = 3;
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        known |= pairs[i][0];
        if (flags & pairs[i][0]) out |= pairs[i][1];
    }
    if (flags & ~known) {
        fprintf(stderr, "macos: open with the unknown flags %#x\n", flags & ~known);
        abort();
    }
    return out;
}

int macos_open(const char *path, int flags, ...)
{
    va_list l;
    va_start(l, flags);
    unsigned mode = flags & 0x200 ? va_arg(l, unsigned) : 0;
    va_end(l);
    return open(path, open_flags(flags), mode);
}

#define MACOS_AT_FDCWD (-2)
static int at(int directory)
{
    return directory == MACOS_AT_FDCWD ? AT_FDCWD : directory;
}

int macos_openat(int directory, const char *path, int flags, ...)
{
    va_list l;
    va_start(l, flags);
    unsigned mode = flags & 0x200 ? va_arg(l, unsigned) : 0;
    va_end(l);
    return openat(at(directory), path, open_flags(flags), mode);
}

static int macos_renameat(int from, const char *old, int to, const char *new)
{
    return renameat(at(from), old, at(to), new);
}

int macos_fcntl(int fd, int command, long argument)
{
    switch (command) { /* commands without a structure */
    case 0: return fcntl(fd, F_DUPFD, argument);
    case 1: return fcntl(fd, F_GETFD);
    case 2: return fcntl(fd, F_SETFD, argument);
    case 4: return fcntl(fd, F_SETFL, open_flags((int)argument));
    case 67: return fcntl(fd, F_DUPFD_CLOEXEC, argument);
    default: fprintf(stderr, "macos: fcntl with the unknown command %d\n", command); abort();
    }
}

/* ---- directories --------------------------------------------------------------------------------------------------
 */

struct macos_dirent {
    uint64_t inode, offset;
    uint16_t length, name_length;
    uint8_t type;
    char name[1024];
};

static struct macos_dirent *macos_readdir(DIR *d)
{
    static __thread struct macos_dirent m;
    struct dirent *e = readdir(d);
    if (!e) return NULL;
    m.inode = e->d_ino;
    m.type = e->d_type;
    m.name_length = (uint16_t)strlen(e->d_name);
    m.length = sizeof m;
    memcpy(m.name, e->d_name, m.name_length + 1u);
    return &m;
}

/* ---- memory and time ----------------------------------------------------------------------------------------------
 */

static void *macos_mmap(void *where, size_t size, int protection, int flags, int fd, off_t offset)
{
    int out = flags & 3; /* MAP_SHARED, MAP_PRIVATE */
    if (flags & 0x10) out |= MAP_FIXED;
    if (flags & 0x40) out |= MAP_NORESERVE;
    if (flags & 0x1000) out |= MAP_ANONYMOUS;
    if (flags & ~0x1053) {
        fprintf(stderr, "macos: mmap with the unknown flags %#x\n", flags);
        abort();
    }
    return mmap(where, size, protection, out, fd, offset);
}

static int macos_clock_gettime(int clock, struct timespec *t)
{
    static const struct {
        int there, here;
    } clocks[] = {
        {0, CLOCK_REALTIME},  {6, CLOCK_MONOTONIC}, {4, CLOCK_MONOTONIC_RAW},       {5, CLOCK_MONOTONIC_RAW},
        {8, CLOCK_MONOTONIC}, {9, CLOCK_MONOTONIC}, {12, CLOCK_PROCESS_CPUTIME_ID}, {16, CLOCK_THREAD_CPUTIME_ID}};
    for (unsigned i = 0; i < sizeof clocks / sizeof *clocks; i++)
        if (clocks[i].there == clock) return clock_gettime(clocks[i].here, t);
    errno = EINVAL;
    return -1;
}

static long macos_sysconf(int name)
{
    switch (name) {
    case 29: return sysconf(_SC_PAGESIZE);
    case 57: return sysconf(_SC_NPROCESSORS_CONF);
    case 58: return sysconf(_SC_NPROCESSORS_ONLN);
    default: fprintf(stderr, "macos: sysconf of the unknown name %d\n", name); abort();
    }
}

/* The suffix of names whose structures have inodes of 64 bits; on arm64, all have them. */
#ifdef __aarch64__
#define INODE64 ""
#else
#define INODE64 "$INODE64"
#endif

const struct system_function file_functions[] = {
    {"___error", error_place},
    {"_strerror", error_text},
    {"_stat" INODE64, macos_stat},
    {"_lstat" INODE64, macos_lstat},
    {"_fstat" INODE64, macos_fstat},
    {"_open", macos_open},
    {"_openat", macos_openat},
    {"_renameat", macos_renameat},
    {"_fcntl", macos_fcntl},
    {"_opendir" INODE64, opendir},
    {"_readdir" INODE64, macos_readdir},
    {"_closedir", closedir},
    {"_mmap", macos_mmap},
    {"_clock_gettime", macos_clock_gettime},
    {"_sysconf", macos_sysconf},
    {NULL, NULL},
};
