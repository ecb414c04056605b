/* wake.h: the mutex of the one lock, which waiting threads release. Owner: gate.c. */
#ifndef VKL_WAKE_H
#define VKL_WAKE_H

#include <windows.h>

extern SRWLOCK lock_word;

#endif
