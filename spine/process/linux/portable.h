/* portable.h: "make PORTABLE=1" compiles every C file with this in front. Functions with an older version in the C
 * library use that version, and new functions are not used, so that the result needs no symbol that is newer than
 * GLIBC_2.17, and runs in images that are older than the machine it was built on. test/loader/library reads it back.
 *
 * Before glibc 2.34 the functions of dlfcn.h and pthread.h were in libdl.so.2 and libpthread.so.0. The Makefile has the
 * linker name these two, which every glibc still has. */
#ifndef VKL_PORTABLE_H
#define VKL_PORTABLE_H

#ifndef __ASSEMBLER__

#define VKL_PORTABLE

#include <features.h>

/* As glibc 2.38 and later would have it, sscanf and strtol are new functions, for C23's binary numbers. */
#undef __GLIBC_USE_C2X_STRTOL
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#define __GLIBC_USE_C23_STRTOL 0

#include <sys/stat.h>

/* Each machine has the C library since another version. */
#if defined __x86_64__
#define SINCE_DLOPEN "GLIBC_2.2.5"
#define SINCE_CLOCKS "GLIBC_2.3.3"
#define SINCE_TIMED "GLIBC_2.2.5"
#define SINCE_FIRST "GLIBC_2.2.5"
#define STAT_VERSION 1
#elif defined __i386__
#define SINCE_DLOPEN "GLIBC_2.1"
#define SINCE_CLOCKS "GLIBC_2.3.3"
#define SINCE_TIMED "GLIBC_2.2"
#define SINCE_FIRST "GLIBC_2.0"
#define STAT_VERSION 3
#elif defined __aarch64__
#define SINCE_DLOPEN "GLIBC_2.17"
#define SINCE_CLOCKS "GLIBC_2.17"
#define SINCE_TIMED "GLIBC_2.17"
#define SINCE_FIRST "GLIBC_2.17"
#define STAT_VERSION 0
#endif

#define SINCE(function, version) __asm__(".symver " #function "," #function "@" version)
SINCE(dladdr, SINCE_FIRST);
SINCE(dlclose, SINCE_FIRST);
SINCE(dlerror, SINCE_FIRST);
SINCE(dlinfo, SINCE_CLOCKS);
SINCE(dlopen, SINCE_DLOPEN);
SINCE(dlsym, SINCE_FIRST);
#ifdef __i386__
/* With files of 64 bits fcntl is fcntl64, which is new. Locks, the one thing that it is for, are not taken here. */
__asm__(".symver fcntl64,fcntl@" SINCE_FIRST);
#endif
SINCE(pthread_condattr_setclock, SINCE_CLOCKS);
SINCE(pthread_getcpuclockid, SINCE_TIMED);
SINCE(pthread_getspecific, SINCE_FIRST);
SINCE(pthread_key_create, SINCE_FIRST);
SINCE(pthread_key_delete, SINCE_FIRST);
SINCE(pthread_mutex_timedlock, SINCE_TIMED);
SINCE(pthread_mutex_trylock, SINCE_FIRST);
SINCE(pthread_setspecific, SINCE_FIRST);

/* Before glibc 2.33 stat and its like were these. The version says which struct stat is meant: today's. */
#ifdef __i386__
#define OF_64_BITS(function) __asm__(#function "64")
#else
#define OF_64_BITS(function)
#endif
int __fxstat(int version, int fd, struct stat *s) OF_64_BITS(__fxstat);
int __lxstat(int version, const char *path, struct stat *s) OF_64_BITS(__lxstat);
int __xstat(int version, const char *path, struct stat *s) OF_64_BITS(__xstat);
#define fstat(fd, s) __fxstat(STAT_VERSION, fd, s)
#define lstat(path, s) __lxstat(STAT_VERSION, path, s)
#define stat(path, s) __xstat(STAT_VERSION, path, s)
#define STAT __xstat
#define LSTAT __lxstat

#endif
#endif
