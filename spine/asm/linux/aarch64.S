/* aarch64.S: trampolines, terminators and stubs that need no signature, for arm64 (AAPCS64).
 *
 * What each does: check the first argument, find the function in a table, jump. It touches x0 where the next one down
 * knows the object by another handle, and x9, x16 and x17, which carry no argument: every argument, in registers or on
 * the stack, passes as it is. It never calls, and never uses the stack or x30: a debugger or profiler sees the caller
 * directly. Jumps go by x16, which a "bti c" on the other side admits. The failing branches go to cold labels that know
 * the command.
 *
 * Which commands: ztrampolines.inc. Offsets and magics: asm/offsets.h. What every machine has: asm/entries.inc.
 */
#define MARK bti c
#define PROPERTY 0xc0000000
#include "entries.inc"

/* bad_handle(command) of log.c writes HND-001's message and aborts; it gets the frame of the program's own call. */
.macro cold_handle label, command
    .pushsection .text.unlikely, "ax", %progbits
\label:
    .cfi_startproc
    mov     w0, #\command
    b       bad_handle
    .cfi_endproc
    .popsection
.endm

/* w9 = value, of 32 bits. */
.macro constant value
    movz    w9, #(\value) & 0xffff
    movk    w9, #(\value) >> 16, lsl #16
.endm

/* Device, queue, command buffer: object -> table -> mark (HND-006). */
.macro device_trampoline name, slot, command
    begin   tramp_\name
    cbz     x0, .Lbad_\name
    ldr     x16, [x0]
    cbz     x16, .Lbad_\name
    ldr     w17, [x16]
    constant DEVICE_MARK
    cmp     w17, w9
    b.ne    .Lbad_\name
    ldr     x16, [x16, #DEVICE_SLOTS + POINTER_SIZE * (\slot)]
    br      x16
    finish  tramp_\name
    cold_handle .Lbad_\name, \command
.endm

/* Instance and physical device: magic at +8 before anything is followed (HND-005). */
.macro handle_trampoline name, slot, command, magic
    begin   tramp_\name
    cbz     x0, .Lbad_\name
    ldr     x17, [x0, #HANDLE_MAGIC]
    constant \magic
    cmp     x17, x9
    b.ne    .Lbad_\name
    ldr     x16, [x0]
    ldr     x0, [x0, #HANDLE_LOWER]
    ldr     x16, [x16, #INSTANCE_SLOTS + POINTER_SIZE * (\slot)]
    br      x16
    finish  tramp_\name
    cold_handle .Lbad_\name, \command
.endm

/* Terminator: the driver's handle and the driver's function; the loader's object stays in x17 for the missing stubs. */
.macro physdev_terminator name, slot
    begin   term_\name
    mov     x17, x0
    ldr     x16, [x0, #PHYSDEV_DRIVER]
    ldr     x0, [x0, #HANDLE_LOWER]
    ldr     x16, [x16, #DRIVER_SLOTS + POINTER_SIZE * (\slot)]
    br      x16
    finish  term_\name
.endm

/* What stands in a driver's table where the driver has nothing. */
.macro instance_missing name, command
    .pushsection .text.missing, "ax", %progbits
    begin   missing_\name
    mov     w0, #\command
    mov     x1, x17
    b       missing_driver_command
    finish  missing_\name
    .popsection
.endm

/* What stands in a device's table where the chain answered NULL (GPA-016, GPA-022). */
.macro device_missing name, command
    .pushsection .text.missing, "ax", %progbits
    begin   missing_\name
    mov     w1, #\command
    b       missing_device_command
    finish  missing_\name
    .popsection
.endm

#include "ztrampolines.inc"

    .pushsection .text.missing, "ax", %progbits
    /* An instance-level command that the top layer answered with NULL (LAY-401). */
    begin   missing_in_chain
    b       missing_chain_command
    finish  missing_in_chain
    /* Unknown physical-device command i of a driver that lacks it: x17 is the loader's object, w9 is i (UNK-007). */
    begin   missing_unknown_physdev
    mov     x0, x17
    mov     w1, w9
    b       missing_unknown_physdev_command
    finish  missing_unknown_physdev
    /* Unknown device command of a device that lacks it (UNK-015): returns an error. */
    begin   missing_unknown_device
    b       missing_unknown_device_command
    finish  missing_unknown_device
    .globl  missing_last
    .hidden missing_last
missing_last:
    .popsection

    unknown_begin unknown_physdev_trampolines
    .rept UNKNOWN_MAX
    .p2align 5
    MARK
    ldr     x16, [x0]
    ldr     x0, [x0, #HANDLE_LOWER]
    ldr     x16, [x16, #INSTANCE_SLOTS + POINTER_SIZE * ISLOT_COUNT + POINTER_SIZE * i]
    br      x16
    .set i, i + 1
    .endr
    finish unknown_physdev_trampolines

    unknown_begin unknown_physdev_terminators
    .rept UNKNOWN_MAX
    .p2align 5
    MARK
    mov     x17, x0
    ldr     x16, [x0, #PHYSDEV_DRIVER]
    ldr     x0, [x0, #HANDLE_LOWER]
    mov     w9, #i
    ldr     x16, [x16, #DRIVER_SLOTS + POINTER_SIZE * ISLOT_COUNT + POINTER_SIZE * i]
    br      x16
    .set i, i + 1
    .endr
    finish unknown_physdev_terminators

    unknown_begin unknown_device_trampolines
    .rept UNKNOWN_MAX
    .p2align 5
    MARK
    ldr     x16, [x0]
    ldr     x16, [x16, #DEVICE_SLOTS + POINTER_SIZE * DSLOT_COUNT + POINTER_SIZE * i]
    br      x16
    .set i, i + 1
    .endr
    finish unknown_device_trampolines
