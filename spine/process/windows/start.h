/* start.h: the interface between start.c and exit.c. */
#ifndef VKL_START_H
#define VKL_START_H

#include "process/process.h"

/* Records that the process ends. */
void exit_note(void);

#endif
