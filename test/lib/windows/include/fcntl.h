/* fcntl.h: files are opened by their names in UTF-8, and their content is not converted; lines appended
 * by several threads are whole. */
#ifndef TEST_FCNTL_H
#define TEST_FCNTL_H

#include_next <fcntl.h>
#define O_CLOEXEC O_NOINHERIT

int posix_open(const char *path, int mode, ...);
#define open posix_open

#endif
