/* waiting.h: functions of the system for gate.c: waiting for a mutex with a time limit, and a number that tells a
 * forked child's thread from its parent's. */
#ifndef VKL_WAITING_H
#define VKL_WAITING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Locks a mutex. Returns false if that takes longer than the limit. */
bool mutex_lock_for(pthread_mutex_t *mutex, unsigned seconds);
/* Returns a number that differs between a thread and its copy in a forked child. */
uint64_t thread_self(void);

#endif
