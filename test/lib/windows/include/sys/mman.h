/* sys/mman.h: memory of the process's own, by pages. */
#ifndef TEST_SYS_MMAN_H
#define TEST_SYS_MMAN_H

#include <stddef.h>

#define PROT_NONE 0
#define PROT_READ 1
#define PROT_WRITE 2
#define MAP_PRIVATE 0
#define MAP_ANONYMOUS 0
#define MAP_FAILED ((void *)-1)

void *mmap(void *at, size_t size, int rights, int kind, int file, long offset);
int mprotect(void *at, size_t size, int rights);
int munmap(void *at, size_t size);

#endif
