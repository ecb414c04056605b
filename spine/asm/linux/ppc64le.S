/* ppc64le.S: the stubs of unknown commands. Compilers make no jump through a pointer here, because the callee may have
 * another table of contents (r2). The caller of a stub, which called through a pointer, has saved its own r2. A missing
 * command ends the process, so its report computes this library's r2 with the link register.
 */
#include "asm/offsets.h"
#include "asm/numbers.inc"

.macro entry name
    .p2align 4
    .globl  \name
    .hidden \name
    .type   \name, @function
\name:
    .cfi_startproc
.endm

.macro jump name
    mtctr   12
    bctr
    .cfi_endproc
    .size   \name, . - \name
.endm

    .text
    entry   missing_unknown_physdev
    bcl     20, 31, 1f
1:  mflr    12
    addis   2, 12, .TOC. - 1b@ha
    addi    2, 2, .TOC. - 1b@l
    mr      3, 11
    mr      4, 0
    b       missing_unknown_physdev_command
    .cfi_endproc
    .size   missing_unknown_physdev, . - missing_unknown_physdev

    .set i, 0
.macro stubs h, t, u
    entry   unknown_physdev_trampoline_\h\t\u
    ld      12, 0(3)
    ld      3, HANDLE_LOWER(3)
    ld      12, INSTANCE_SLOTS + 8 * (LOCAL(ISLOT_COUNT) + i)(12)
    jump    unknown_physdev_trampoline_\h\t\u

    entry   unknown_physdev_terminator_\h\t\u
    mr      11, 3
    li      0, i
    ld      12, PHYSDEV_DRIVER(3)
    ld      12, DRIVER_SLOTS + 8 * (LOCAL(ISLOT_COUNT) + i)(12)
    cmpdi   12, 0
    beq     missing_unknown_physdev
    ld      3, HANDLE_LOWER(3)
    jump    unknown_physdev_terminator_\h\t\u

    entry   unknown_device_trampoline_\h\t\u
    ld      12, 0(3)
    ld      12, DEVICE_SLOTS + 8 * (LOCAL(DSLOT_COUNT) + i)(12)
    jump    unknown_device_trampoline_\h\t\u
    .set i, i + 1
.endm

    .irp h, 0, 1
    .irp t, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    .irp u, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    stubs   \h, \t, \u
    .endr
    .endr
    .endr
    .irp t, 0, 1, 2, 3, 4
    .irp u, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    stubs   2, \t, \u
    .endr
    .endr

    .section .note.GNU-stack, "", %progbits
