/* none.c: on Linux the loader opens no library of the system. */
#include "process/process.h"

void system_hold(void) {}

void system_drop(void) {}
