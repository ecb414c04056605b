/* wake.h: the word of the one lock, which threads that wait give up. Owner: gate.c. */
#ifndef VKL_WAKE_H
#define VKL_WAKE_H

#include <windows.h>

extern SRWLOCK lock_word;

#endif
