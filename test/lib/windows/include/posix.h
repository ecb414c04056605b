/* posix.h: declares functions of Linux's C library that the tests' host and fakes use and mingw lacks. It is included
 * first. The directory has replacements for missing headers. Paths and variables are UTF-8. */
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
/* free() frees the block. Alignments above that of the heap are ignored. */
int posix_memalign(void **memory, size_t alignment, size_t size);
/* Moves an existing file of the new name away first: Windows cannot replace a loaded library, but can rename it. */
int posix_rename(const char *from, const char *to);
#define rename posix_rename
/* Writes a note to a file beside that of WORLD_SETUP and aborts: on a busy machine, Wine may kill a process that takes
 * a second to end. */
__attribute__((noreturn)) void posix_abort(void);
#define abort posix_abort
char *realpath(const char *path, char *real);
int pipe(int ends[2]);
/* Windows gives each thread the stack size in the program's file. For a smaller stack, the thread first uses up the
 * rest. */
int posix_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *data);
#define pthread_create posix_thread_create
int pthread_timedjoin_np(pthread_t thread, void **value, const struct timespec *until);

#define _SC_PAGESIZE 1
long sysconf(int what);

/* Returns the text in UTF-16, which the caller frees. */
wchar_t *posix_wide(const char *text);

#endif
