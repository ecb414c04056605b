/* tables.S: the name table (znames.inc) and the places of the stubs of unknown commands. Data alone, so one file serves
 * every machine; tables.inc of the system says how its object files express it.
 */
#include "asm/offsets.h"
#include "zslots.h"
#include "tables.inc"

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

    CONSTANTS
#include "znames.inc"
    stubs unknown_physdev_trampolines, unknown_physdev_trampoline_
    stubs unknown_physdev_terminators, unknown_physdev_terminator_
    stubs unknown_device_trampolines, unknown_device_trampoline_
