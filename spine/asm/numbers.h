/* numbers.h: numbers of commands, table slots and instance extensions. C counts them from the lists in gen/ here,
 * the assembler in numbers.inc, so a new command changes no other line there.
 */
#ifndef VKL_NUMBERS_H
#define VKL_NUMBERS_H

#include "lines.h"

/* The table of a command, by its first parameter. SHARED has a slot in all tables. */
#define COMMAND_GLOBAL 1
#define COMMAND_INSTANCE 2
#define COMMAND_PHYSDEV 3
#define COMMAND_DEVICE 4 /* device, queue, command buffer */
#define COMMAND_SHARED COMMAND_DEVICE

#ifndef __ASSEMBLER__

/* Bits of the instance extensions that the loader knows (INS-008). */
enum {
#define EXTENSION(name) EXT_##name,
#include "gen/zgates.inc"
    EXT_COUNT
};

/* Command numbers: places in names_commands. */
enum {
#define COMMAND(kind, name, ...) CMD_##name,
#define ALIAS COMMAND
#include "gen/zcommands.inc"
    CMD_COUNT
};

#define NO_SLOT(name)
/* Slots of instances' and drivers' tables; an alias has a separate slot. */
#define ISLOT_GLOBAL NO_SLOT
#define ISLOT_INSTANCE(name) ISLOT_##name,
#define ISLOT_PHYSDEV ISLOT_INSTANCE
#define ISLOT_SHARED ISLOT_INSTANCE
#define ISLOT_DEVICE NO_SLOT
enum {
#define COMMAND(kind, name, ...) ISLOT_##kind(name)
#define ALIAS COMMAND
#include "gen/zcommands.inc"
    ISLOT_COUNT
};

/* Slots of devices' tables. */
#define DSLOT_GLOBAL NO_SLOT
#define DSLOT_INSTANCE NO_SLOT
#define DSLOT_PHYSDEV NO_SLOT
#define DSLOT_SHARED DSLOT_DEVICE
#define DSLOT_DEVICE(name) DSLOT_##name,
enum {
#define COMMAND(kind, name, ...) DSLOT_##kind(name)
#define ALIAS COMMAND
#include "gen/zcommands.inc"
    DSLOT_COUNT
};

/* Device commands with a terminator (GPA-086). */
#define TSLOT_NONE NO_SLOT
#define TSLOT_WRITTEN NO_SLOT
#define TSLOT_SURFACE NO_SLOT
#define TSLOT_PHYSDEV_TERMINATOR NO_SLOT
#define TSLOT_DEVICE_WRITTEN(name) TSLOT_##name,
enum {
#define COMMAND(kind, name, trampoline, terminator, ...) TSLOT_##terminator(name)
#define ALIAS(...)
#include "gen/zcommands.inc"
    TERMINATED_SLOT_COUNT
};

#endif

#endif
