/* bench.h: the common part of the benchmark programs: a Vulkan library, opened by path, and the operations measured on
 * it. The programs link no Vulkan library and know nothing of either loader; drivers and layers come from the
 * environment.
 */
#ifndef VKLOADER_BENCH_H
#define VKLOADER_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/zvk.h"
#include "interface.h"

/* How far a program has come. */
enum stage { OPENED, WITH_INSTANCE, WITH_SURFACES, WITH_DEVICE };

extern PFN_vkGetInstanceProcAddr bench_gipa;
extern const char *bench_names; /* file with a command's name a line, for the look-ups of all names */

_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bench_must(VkResult result, const char *what);

/* CLOCK_MONOTONIC in nanoseconds. */
uint64_t bench_now(void);
/* What processors have spent on this process, all its threads, in nanoseconds. */
uint64_t bench_spent(void);

/* dlopen, and the three functions that every program starts with. */
void bench_open(const char *library);
/* A function that the library exports. */
PFN_vkVoidFunction bench_export(const char *name);

/* Creates or destroys the objects of this stage: an instance (with surfaces: one with the extensions for them
 * and for messengers), a device of the first physical device, a command buffer that is being recorded. */
void bench_reach(enum stage stage);

/* The steps of a program's life, each by the functions that the library exports. */
void bench_extensions(void);
void bench_layers(void);
void bench_create(void);
void bench_list(void);
void bench_destroy(void);

/* Whether the device's own pointer to vkCmdDraw leads out of the library. */
bool bench_draw_is_the_drivers(void);

struct operation {
    const char *name;
    enum stage stage;
    unsigned batch;   /* how many are timed together */
    unsigned samples; /* how often, at most */
    void (*once)(void);
    void (*undo)(void); /* after each batch, not timed; or NULL */
    unsigned parts;     /* one operation counts as so many; 0: ask lookups */
};

/* NULL: there is none of that name. */
const struct operation *operation_find(const char *name);
/* Returns the number of named units in one operation. */
unsigned operation_parts(const struct operation *o);
/* Before the first use of an operation, at its stage. False: this device cannot do it. */
bool operation_ready(const struct operation *o);

#endif
