/* posix.h: functions of Linux's C library that the tests' host and fakes use and mingw lacks. It is included before all
 * else; where whole headers are missing, those beside it stand in. Paths and variables are UTF-8. */
#ifndef TEST_POSIX_H
#define TEST_POSIX_H

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

ssize_t getline(char **text, size_t *room, FILE *file);
int setenv(const char *name, const char *value, int replace);
int unsetenv(const char *name);
/* To be freed as any block; an alignment that the heap does not have is not given. */
int posix_memalign(void **memory, size_t alignment, size_t size);
/* The file with the new name moves away first: Windows replaces no loaded library, but renames it. */
int posix_rename(const char *from, const char *to);
#define rename posix_rename
/* Says so first, in a file beside that of WORLD_SETUP: on a busy machine Wine may kill what takes a second to end. */
__attribute__((noreturn)) void posix_abort(void);
#define abort posix_abort
char *realpath(const char *path, char *real);
int pipe(int ends[2]);
/* The system gives a thread the stack that the program's file names: of a thread that wants less, the rest is used up.
 */
int posix_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *data);
#define pthread_create posix_thread_create
int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until);

#define _SC_PAGESIZE 1
long sysconf(int what);

/* The same text in UTF-16; to be freed. */
wchar_t *posix_wide(const char *text);

#endif
