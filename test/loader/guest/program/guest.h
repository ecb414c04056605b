/* guest.h: the common part of the guest program's cases: the loader under test, one whole life with it, and
 * observations of the process. A case returns when its rule holds and calls fail() when not. */
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

extern const char *loader_path; /* what dlopen is given */
extern char **arguments;        /* of the case */

void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
#define CHECK(condition, ...) ((condition) ? (void)0 : fail(__VA_ARGS__))
double seconds(void);
/* Both texts are the same, or the case fails and says which lines are not; what: "dispositions", ... */
void same(const char *what, const char *before, const char *after);
/* The number of an environment variable, or the other value. */
long number(const char *name, long otherwise);

/* The loader: opened by load(), closed by unload(). */
extern void *loader;
void load(void);
void unload(void);
PFN_vkVoidFunction loader_function(const char *name);

extern PFN_vkGetInstanceProcAddr get_instance_proc;

/* Each returns the VkResult of the first call that failed. */
VkResult enumerate(void);                    /* version, layers, extensions */
VkResult instance_new(VkInstance *instance); /* a question that was never asked before: nothing is remembered for it */
VkResult instance_named(const char *name, VkInstance *instance); /* with a program's name of its own */
void instance_end(VkInstance instance);
VkResult device_new(VkInstance instance, VkDevice *device); /* of the first physical device, with one queue */
void device_end(VkInstance instance, VkDevice device);
VkResult life(void); /* all of that, once */

/* The process from outside. */
unsigned thread_count(void);
bool mapped(const char *part); /* a line of /proc/self/maps contains it */
long resident_kb(void);
/* Address space now, and the most that there ever was. */
long space_kb(void);
long space_peak_kb(void);
int maps_count(void);
/* Every mapping: from, to, rights and file; the caller frees it. */
char *maps(void);
/* A text with the dispositions of all signals, as the kernel has them; the caller frees it. */
char *dispositions(void);
/* Mask, alternate stack of the calling thread. */
char *thread_state(void);
/* Returns the open descriptors and their files. */
char *descriptors(void);

/* Runs a function in a forked child; its wait status, or -1 when it did not end within the seconds (then killed). */
int in_child(int (*function)(void *), void *argument, unsigned within);
int wait_child(pid_t pid, unsigned within);

#endif
