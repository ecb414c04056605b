/* system.h: the probe's system functions. Owner: linux/system.c, windows/system.c. */
#ifndef PROBE_SYSTEM_H
#define PROBE_SYSTEM_H

#include <stdbool.h>

#include "gen/zvk.h"

/* Opens the events, removes the arguments for that, and returns the number of remaining ones. */
int system_begin(int argc, char **argv);
double system_now(void); /* in microseconds */
void system_usage(long *resident_kb, long *threads);

void *system_open(const char *path);
const char *system_error(void); /* the reason why system_open failed */
PFN_vkVoidFunction system_symbol(void *library, const char *name);
/* A library that is in the process, by the name by which it was opened; NULL: it is not. */
void *system_opened(const char *path);
/* Whether a function is of a library that system_opened gave. */
bool system_owns(void *library, PFN_vkVoidFunction function);
/* The path of the library of a function; for free(). */
char *system_file(PFN_vkVoidFunction function);
void system_libraries(void (*each)(const char *path));

/* Calls a function, where the system can in a process of its own with a time limit; gives why it did not come back,
 * NULL when it did. */
const char *system_isolated(void (*function)(size_t, VkInstance, VkDevice), size_t index, VkInstance instance,
                            VkDevice device);

#endif
