/* syscall.h: the one system call of the fakes, the number of the thread, as the runner counts threads. */
#ifndef MACOS_SYSCALL_H
#define MACOS_SYSCALL_H

#include <pthread.h>
#include <unistd.h>

#define SYS_gettid 0

static inline long thread_number(void)
{
    return (long)pthread_mach_thread_np(pthread_self());
}
#define syscall(number) thread_number()

#endif
