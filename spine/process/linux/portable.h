/* portable.h: "make PORTABLE=1" includes this before every C file, so that the result needs no symbol newer than
 * GLIBC_2.17 and runs on systems older than the build machine. Functions that glibc has in several versions are bound
 * to the old version. Functions that are new in glibc are not used. A test in test/loader/library checks the symbols of
 * the result.
 *
 * Before glibc 2.34, the functions of dlfcn.h and pthread.h were in libdl.so.2 and libpthread.so.0. The Makefile links
 * with both, which every later glibc still has. */
#ifndef VKL_PORTABLE_H
#define VKL_PORTABLE_H

#ifndef __ASSEMBLER__

#define VKL_PORTABLE

#include <features.h>

/* glibc 2.38 and later redirect sscanf and strtol to new functions, which read C23's binary numbers. */
#undef __GLIBC_USE_C2X_STRTOL
#undef __GLIBC_USE_C23_STRTOL
#define __GLIBC_USE_C2X_STRTOL 0
#define __GLIBC_USE_C23_STRTOL 0

#include <sys/stat.h>

/* The first version of glibc on each machine. */
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
/* With 64-bit file offsets, fcntl is fcntl64, which is a new symbol. They differ only for file locks, which the spine
 * does not use. */
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

/* Before glibc 2.33, stat and the like were inline functions that call these. The first argument is the version of
 * struct stat. */
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
