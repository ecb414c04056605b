/* lock_check.h: in the builds with sanitizers every file of the spine is compiled with it in front (Makefile): a
 * function that takes locks of the C library's own, waits for a file system or another process, or runs code of the
 * program's ends the process when it is called with the lock. test/source compares the list with the library's calls.
 */
#ifndef VKL_LOCK_CHECK_H
#define VKL_LOCK_CHECK_H

#include <stdbool.h>

#define CHECK_LOCK
void lock_wanted(bool taken);

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define __cxa_atexit(...) (lock_wanted(false), __cxa_atexit(__VA_ARGS__))
#define access(...) (lock_wanted(false), access(__VA_ARGS__))
#define asprintf(...) (lock_wanted(false), asprintf(__VA_ARGS__))
#define calloc(...) (lock_wanted(false), calloc(__VA_ARGS__))
#define close(...) (lock_wanted(false), close(__VA_ARGS__))
#define closedir(...) (lock_wanted(false), closedir(__VA_ARGS__))
#define connect(...) (lock_wanted(false), connect(__VA_ARGS__))
#define dirfd(...) (lock_wanted(false), dirfd(__VA_ARGS__))
#define dl_iterate_phdr(...) (lock_wanted(false), dl_iterate_phdr(__VA_ARGS__))
#define dladdr(...) (lock_wanted(false), dladdr(__VA_ARGS__))
#define dlinfo(...) (lock_wanted(false), dlinfo(__VA_ARGS__))
#define dlclose(...) (lock_wanted(false), dlclose(__VA_ARGS__))
#define dlerror(...) (lock_wanted(false), dlerror(__VA_ARGS__))
#define dlopen(...) (lock_wanted(false), dlopen(__VA_ARGS__))
#define dlsym(...) (lock_wanted(false), dlsym(__VA_ARGS__))
#define dup3(...) (lock_wanted(false), dup3(__VA_ARGS__))
#define fclose(...) (lock_wanted(false), fclose(__VA_ARGS__))
#define fcntl(...) (lock_wanted(false), fcntl(__VA_ARGS__))
#define fflush(...) (lock_wanted(false), fflush(__VA_ARGS__))
#define fileno(...) (lock_wanted(false), fileno(__VA_ARGS__))
#define flockfile(...) (lock_wanted(false), flockfile(__VA_ARGS__))
#define fopen(...) (lock_wanted(false), fopen(__VA_ARGS__))
#define fputc(...) (lock_wanted(false), fputc(__VA_ARGS__))
#define fputs(...) (lock_wanted(false), fputs(__VA_ARGS__))
#define fread(...) (lock_wanted(false), fread(__VA_ARGS__))
#define free(...) (lock_wanted(false), free(__VA_ARGS__))
#define fseek(...) (lock_wanted(false), fseek(__VA_ARGS__))
#define fstat(...) (lock_wanted(false), fstat(__VA_ARGS__))
#define ftell(...) (lock_wanted(false), ftell(__VA_ARGS__))
#define funlockfile(...) (lock_wanted(false), funlockfile(__VA_ARGS__))
#define getenv(...) (lock_wanted(false), getenv(__VA_ARGS__))
#define getsockopt(...) (lock_wanted(false), getsockopt(__VA_ARGS__))
#define lseek(...) (lock_wanted(false), lseek(__VA_ARGS__))
#define lstat(...) (lock_wanted(false), lstat(__VA_ARGS__))
#define malloc(...) (lock_wanted(false), malloc(__VA_ARGS__))
#define open(...) (lock_wanted(false), open(__VA_ARGS__))
#define openat(...) (lock_wanted(false), openat(__VA_ARGS__))
#define opendir(...) (lock_wanted(false), opendir(__VA_ARGS__))
#define poll(...) (lock_wanted(false), poll(__VA_ARGS__))
#define pread(...) (lock_wanted(false), pread(__VA_ARGS__))
#define pthread_atfork(...) (lock_wanted(false), pthread_atfork(__VA_ARGS__))
#define pthread_key_create(...) (lock_wanted(false), pthread_key_create(__VA_ARGS__))
#define qsort(...) (lock_wanted(false), qsort(__VA_ARGS__))
#define read(...) (lock_wanted(false), read(__VA_ARGS__))
#define readdir(...) (lock_wanted(false), readdir(__VA_ARGS__))
#define readlink(...) (lock_wanted(false), readlink(__VA_ARGS__))
#define realloc(...) (lock_wanted(false), realloc(__VA_ARGS__))
#define realpath(...) (lock_wanted(false), realpath(__VA_ARGS__))
#define recvmsg(...) (lock_wanted(false), recvmsg(__VA_ARGS__))
#define renameat(...) (lock_wanted(false), renameat(__VA_ARGS__))
#define secure_getenv(...) (lock_wanted(false), secure_getenv(__VA_ARGS__))
#define send(...) (lock_wanted(false), send(__VA_ARGS__))
#define setvbuf(...) (lock_wanted(false), setvbuf(__VA_ARGS__))
#define socket(...) (lock_wanted(false), socket(__VA_ARGS__))
#define stat(...) (lock_wanted(false), stat(__VA_ARGS__))
#define strdup(...) (lock_wanted(false), strdup(__VA_ARGS__))
#define strndup(...) (lock_wanted(false), strndup(__VA_ARGS__))
#define strerror(...) (lock_wanted(false), strerror(__VA_ARGS__))
#define write(...) (lock_wanted(false), write(__VA_ARGS__))

#endif
