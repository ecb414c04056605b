/* guest.h: the common part of the cases: the loader under test, a whole life with it, and observations of the process.
 * A case returns if its rule holds, and otherwise calls fail(). */
#ifndef GUEST_H
#define GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "../../../lib/vulkan.h"

struct guest_case {
    const char *name;
    void (*run)(void);
};
extern const struct guest_case signal_cases[], fork_cases[], limit_cases[], closing_cases[], thread_cases[],
    surroundings_cases[], allowed_cases[], asked_cases[], hostile_cases[];

extern const char *loader_path; /* the path for dlopen */
extern char **arguments;        /* of the case */

void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define CHECK(condition, ...) ((condition) ? (void)0 : fail(__VA_ARGS__))
double seconds(void);
/* Fails, and prints the differing lines, unless both texts are equal. what: "dispositions", ... */
void same(const char *what, const char *before, const char *after);
/* Returns the number in a variable, or otherwise. */
long number(const char *name, long otherwise);

/* The loader's handle, from load() to unload(). */
extern void *loader;
void load(void);
void unload(void);
PFN_vkVoidFunction loader_function(const char *name);

extern PFN_vkGetInstanceProcAddr get_instance_proc;

/* Each returns the result of the first call that failed. */
VkResult enumerate(void);                    /* version, layers, extensions */
VkResult instance_new(VkInstance *instance); /* with a new question, for which no answer is cached */
VkResult instance_named(const char *name, VkInstance *instance); /* with an application name */
void instance_end(VkInstance instance);
VkResult device_new(VkInstance instance, VkDevice *device); /* of the first physical device, with one queue */
void device_end(VkInstance instance, VkDevice device);
VkResult life(void); /* all of these, once */

/* Observations of the process. */
unsigned thread_count(void);
bool mapped(const char *part); /* reports whether a line of /proc/self/maps contains the text */
long resident_kb(void);
/* Return the present address space, and its peak. */
long space_kb(void);
long space_peak_kb(void);
int maps_count(void);
/* Returns every mapping with its range, permissions and file; the caller frees it. */
char *maps(void);
/* Returns the dispositions of all signals, as the kernel has them; the caller frees it. */
char *dispositions(void);
/* Returns the calling thread's signal mask and alternate stack. */
char *thread_state(void);
/* Returns the open descriptors and their files. */
char *descriptors(void);

/* Runs a function in a forked child. Returns its wait status, or -1 if it did not end within the seconds; then it is
 * killed. */
int in_child(int (*function)(void *), void *argument, unsigned within);
int wait_child(pid_t pid, unsigned within);

#endif
