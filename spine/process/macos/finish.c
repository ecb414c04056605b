/* finish.c: the last destructor of the library. The Makefile links this file first: destructors run from the last file
 * to the first. */
#include "process/process.h"

__attribute__((destructor)) static void forget_threads(void)
{
    if (!exit_begun()) threads_forget();
}
