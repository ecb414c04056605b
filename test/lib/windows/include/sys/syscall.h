/* sys/syscall.h: the one call of the system that is made by its number. */
#ifndef TEST_SYS_SYSCALL_H
#define TEST_SYS_SYSCALL_H

#define SYS_gettid 1
long syscall(long number); /* the calling thread's id; that of the first one is the process's */

#endif
