/* interposed.h: whether the C library's functions for files are its own. */
#ifndef VKL_INTERPOSED_H
#define VKL_INTERPOSED_H

#include <stdbool.h>

/* Reports whether another library provides one of the C library's functions that read files. */
bool file_functions_replaced(void);

#endif
