/* system.h: the probe's system functions. Owner: linux/system.c, windows/system.c. */
#ifndef PROBE_SYSTEM_H
#define PROBE_SYSTEM_H

#include <stdbool.h>

#include "gen/zvk.h"

/* Opens the events, removes their arguments, and returns the number of remaining arguments. */
int system_begin(int argc, char **argv);
double system_now(void); /* in microseconds */

void *system_open(const char *path);
const char *system_error(void); /* the reason why system_open failed */
PFN_vkVoidFunction system_symbol(void *library, const char *name);
/* Returns a library of this process by the name under which it was opened; NULL: it is not loaded. */
void *system_opened(const char *path);
/* Returns whether a function is in a library that system_opened returned. */
bool system_owns(void *library, PFN_vkVoidFunction function);
/* Returns the path of a function's library; the caller frees it. */
char *system_file(PFN_vkVoidFunction function);
void system_libraries(void (*each)(const char *path));

/* Calls a function, in a separate process with a time limit where the system can. Returns why it did not return,
 * or NULL if it did. */
const char *system_isolated(void (*function)(size_t, VkInstance, VkDevice), size_t index, VkInstance instance,
                            VkDevice device);

#endif
