/* command.h: see command.c. */
#ifndef PROBE_COMMAND_H
#define PROBE_COMMAND_H

#include <stdbool.h>

#include "gen/zvk.h"

/* Opens a library. Returns NULL if it cannot be opened, and writes an event with the reason. */
void *library_open(const char *path);
/* Opens the Vulkan library, and writes an event with its path, or with the reason why it cannot be opened (false). */
bool commands_open(const char *path);
/* Returns a command of the library. If the command is missing, it writes an event and ends the process with 3. */
PFN_vkVoidFunction command(VkInstance instance, const char *name);
#define COMMAND(instance, name) ((PFN_##name)command((instance), #name))
/* Returns a command of the library, or NULL if it is missing. */
PFN_vkVoidFunction command_if_there(VkInstance instance, const char *name);

#endif
