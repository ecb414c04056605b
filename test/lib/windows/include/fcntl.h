/* fcntl.h: opens files by names in UTF-8, without conversion of their content. Lines that several threads append are
 * whole. */
#ifndef TEST_FCNTL_H
#define TEST_FCNTL_H

#include_next <fcntl.h>
#define O_CLOEXEC O_NOINHERIT

int posix_open(const char *path, int mode, ...);
#define open posix_open

#endif
