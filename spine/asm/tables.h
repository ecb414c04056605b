/* tables.h: the name table of tables.S as C sees it. Names with equal upper bits of their hash share a bucket. A
 * look-up compares the name with each of them (GPA-010).
 */
#ifndef VKL_TABLES_H
#define VKL_TABLES_H

/* tools/vkgen/emit sorts the names into as many. */
#define NAMES_BUCKETS 1024

/* Numbers of first parameters (HND-001). */
#define PARAM_NONE 0
#define PARAM_instance 1
#define PARAM_physicalDevice 2
#define PARAM_device 3
#define PARAM_queue 4
#define PARAM_commandBuffer 5
#define PARAM_externalQueue 6

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

#include "asm/numbers.h"
#include "asm/stubs.h"

struct name_record {
    int32_t tramp;   /* +0: trampoline, from NAMES_BASE */
    int32_t term;    /* +4: terminator, from NAMES_BASE; 0: none */
    int32_t missing; /* +8: stub for devices' tables, from NAMES_BASE; 0: none (other commands) */
    uint16_t name;   /* +12: offset in names_text */
    uint8_t tslot;   /* +14: TSLOT_ + 1; 0: none */
    uint8_t kind;    /* +15: COMMAND_GLOBAL and so on */
    uint8_t minor;   /* +16: core version 1.minor; 255: extension */
    uint8_t ext;     /* +17: EXT_ + 1; 0: none */
    uint8_t param;   /* +18: names_param */
};
_Static_assert(sizeof(struct name_record) == 20, "the layout of tables.S");

/* By command number: global commands, commands of instances' tables, commands of devices' tables. */
extern const struct name_record names_commands[CMD_COUNT] HIDDEN;
extern const char names_text[] HIDDEN;
/* Places in names_bucketed by bucket. */
extern const uint16_t names_starts[NAMES_BUCKETS + 1] HIDDEN;
/* Command numbers, bucket after bucket. */
extern const uint16_t names_bucketed[CMD_COUNT] HIDDEN;
/* Command numbers by TSLOT_. */
extern const uint16_t names_terminated[TERMINATED_SLOT_COUNT] HIDDEN;

/* Slots of instances' tables are command numbers from this one on. */
#define NAMES_INSTANCE (CMD_vkGetDeviceProcAddr - ISLOT_vkGetDeviceProcAddr)
/* Slots of devices' tables are command numbers from this one on. */
#define NAMES_DEVICE (CMD_vkGetDeviceProcAddr - DSLOT_vkGetDeviceProcAddr)

/* Names of first parameters, by number. */
static inline const char *names_param(unsigned number)
{
    static const char param[7][15] = {"",      "instance",      "physicalDevice", "device",
                                      "queue", "commandBuffer", "externalQueue"};
    return param[number];
}

/* Returns the bucket of a name: the upper ten bits of its 64-bit FNV-1a hash. */
static inline uint32_t names_bucket(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const unsigned char *c = (const unsigned char *)name; *c; c++) hash = (hash ^ *c) * 0x100000001b3u;
    return (uint32_t)(hash >> 54);
}

static inline const char *names_name(uint32_t command)
{
    return names_text + names_commands[command].name;
}

/* Returns the function at an offset of a record, NULL for 0. */
static inline void *names_function(int32_t offset)
{
    return offset ? NAMES_FUNCTION(offset) : NULL;
}

#endif

#endif
