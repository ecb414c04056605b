/* probe.h: the parts of the probe. Owners: events.c, command.c, work.c, intercepts.c. */
#ifndef PROBE_PROBE_H
#define PROBE_PROBE_H

#include <stdbool.h>
#include <stdio.h>

#include "gen/zvk.h"

extern FILE *events;
extern int round_number;

/* Reports the start and the end of a phase. If the process ends in between, the reader knows the phase. */
void begin(const char *phase);
void done(const char *phase, VkResult result);

/* Write a member of an object that the caller has begun; end_line ends the object. */
void put_text(const char *key, const char *value);
void put_number(const char *key, double value);
void put_uuid(const char *key, const uint8_t *uuid);
/* Begins a list of texts; the caller ends it with a bracket. */
void put_list(const char *key);
void put_element(uint32_t index, const char *value);
void end_line(void);

/* Opens the Vulkan library, and writes an event with its path, or with the reason why it cannot be opened (false). */
bool commands_open(const char *path);
/* Returns a command of the library. If the command is missing, it writes an event and ends the process with 3. */
PFN_vkVoidFunction command(VkInstance instance, const char *name);
#define COMMAND(instance, name) ((PFN_##name)command((instance), #name))
/* Returns a command of the library, or NULL if it is missing. */
PFN_vkVoidFunction command_if_there(VkInstance instance, const char *name);

/* Lists the extensions of a device, or of instances (NULL); the caller frees the list. */
VkResult extensions_of(VkInstance instance, VkPhysicalDevice physical, VkExtensionProperties **list, uint32_t *count);
bool is_listed(const VkExtensionProperties *list, uint32_t count, const char *name);

/* Submits an empty command buffer to the first queue of the device, and waits until it has been executed. */
VkResult submit(VkInstance instance, VkDevice device);
/* Shows frames on a headless surface, and in a window where there is an X display. */
void present(void);

/* Reads the list of names to ask for. */
bool intercepts_begin(void);
/* Asks the layers of a chain; device may be NULL. */
void intercepts(VkInstance instance, VkDevice device);

#endif
