/* bench.h: the common part of the benchmark programs: a Vulkan library opened by its path, and the measured operations.
 * The programs are not linked with a Vulkan library, and treat all loaders alike. Drivers and layers come from the
 * environment. */
#ifndef VKLOADER_BENCH_H
#define VKLOADER_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/zvk.h"
#include "interface.h"

/* The steps that a program has taken. */
enum stage { OPENED, WITH_INSTANCE, WITH_SURFACES, WITH_DEVICE };

extern PFN_vkGetInstanceProcAddr bench_gipa;
extern const char *bench_names; /* a file with the names of commands, one a line, to look up */

_Noreturn void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bench_must(VkResult result, const char *what);

/* Returns CLOCK_MONOTONIC in nanoseconds. */
uint64_t bench_now(void);
/* Returns the CPU time of all threads of this process in nanoseconds. */
uint64_t bench_spent(void);

/* Opens the library and looks up the three functions with which every program starts. */
void bench_open(const char *library);
/* Returns a function that the library exports. */
PFN_vkVoidFunction bench_export(const char *name);

/* Creates or destroys the objects for a stage: an instance (for surfaces, with the extensions for them and for
 * messengers), a device of the first physical device, and a command buffer in the recording state. */
void bench_reach(enum stage stage);

/* The steps of a program's life, each with functions that the library exports. */
void bench_extensions(void);
void bench_layers(void);
void bench_create(void);
void bench_list(void);
void bench_destroy(void);

/* Reports whether the pointer to vkCmdDraw from vkGetDeviceProcAddr leads out of the library. */
bool bench_draw_is_the_drivers(void);

struct operation {
    const char *name;
    enum stage stage;
    unsigned batch;   /* operations that are timed together */
    unsigned samples; /* batches, at most */
    void (*once)(void);
    void (*undo)(void); /* called after each batch, not timed; may be NULL */
    unsigned parts;     /* units in one operation; 0: operation_parts counts them */
};

/* Returns the operation with a name, or NULL. */
const struct operation *operation_find(const char *name);
/* Returns the number of named units in one operation. */
unsigned operation_parts(const struct operation *o);
/* Prepares an operation at its stage, before its first use. Returns false if the device does not support it. */
bool operation_ready(const struct operation *o);

#endif
