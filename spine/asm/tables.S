/* tables.S: the name table (tables.h) and the places of the stubs of unknown commands. Data alone, so one file serves
 * every machine; tables.inc of the system says how its object files express it. Functions are 32-bit offsets, so
 * nothing is relocated at load.
 */
#include "asm/offsets.h"
#include "asm/numbers.inc"
#include "asm/tables.h"
#include "tables.inc"

    CONSTANTS

    TABLE names_text
LOCAL(text):
.macro text name
    .set LOCAL(TEXT_\name), . - LOCAL(text)
    .asciz "\name"
.endm
#define COMMAND(kind, name, ...) text name
#define ALIAS COMMAND
#include "gen/zcommands.inc"
    TABLE_END names_text

    TABLE names_commands
    .set LOCAL(terminated), 0
.macro record name, function, terminator, kind, minor, extension, parameter
    NAME_END tramp_\function
    .ifc \terminator,NONE
    NAME_END 0
    .else
    NAME_END term_\function
    .endif
    .if \kind == COMMAND_DEVICE
    NAME_END missing_\name
    .else
    NAME_END 0
    .endif
    .short LOCAL(TEXT_\name)
    .ifc \terminator,DEVICE_WRITTEN
    .set LOCAL(terminated), LOCAL(terminated) + 1
    .byte LOCAL(terminated)
    .else
    .byte 0
    .endif
    .byte \kind, \minor, LOCAL(EXT_\extension) + 1, \parameter, 0
.endm
#define COMMAND(kind, name, trampoline, terminator, minor, extension, parameter) \
    record name, name, terminator, COMMAND_##kind, minor, extension, PARAM_##parameter
#define ALIAS(kind, name, core, extension, parameter) \
    record name, core, WRITTEN, COMMAND_##kind, 255, extension, PARAM_##parameter
#include "gen/zcommands.inc"
    TABLE_END names_commands

    TABLE names_terminated
.macro terminated name, terminator
    .ifc \terminator,DEVICE_WRITTEN
    .short LOCAL(CMD_\name)
    .endif
.endm
#define COMMAND(kind, name, trampoline, terminator, ...) terminated name, terminator
#define ALIAS(...)
#include "gen/zcommands.inc"
    TABLE_END names_terminated

    TABLE names_starts
    .set LOCAL(buckets), 0
    .set LOCAL(names), 0
.macro start bucket
    .fill \bucket + 1 - LOCAL(buckets), 2, LOCAL(names)
    .set LOCAL(buckets), \bucket + 1
    .set LOCAL(names), LOCAL(names) + 1
.endm
#define NAME(bucket, name) start bucket
#include "gen/znames.inc"
    .fill NAMES_BUCKETS + 1 - LOCAL(buckets), 2, LOCAL(names)
    TABLE_END names_starts

    TABLE names_bucketed
#define NAME(bucket, name) .short LOCAL(CMD_##name)
#include "gen/znames.inc"
    TABLE_END names_bucketed

/* The offsets of 250 stubs, whose names end in three digits. */
.macro stubs table, name
    TABLE \table
    .irp h, 0, 1
    .irp t, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    .irp u, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    NAME_END \name\h\t\u
    .endr
    .endr
    .endr
    .irp t, 0, 1, 2, 3, 4
    .irp u, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    NAME_END \name\()2\t\u
    .endr
    .endr
    TABLE_END \table
.endm
    stubs unknown_physdev_trampolines, unknown_physdev_trampoline_
    stubs unknown_physdev_terminators, unknown_physdev_terminator_
    stubs unknown_device_trampolines, unknown_device_trampoline_
