/* x86_64_windows.S: trampolines, terminators and stubs that need no signature, for x86-64 as Windows calls.
 *
 * What each does: check the first argument, find the function in a table, jump. It touches rax, r10 and r11 alone, so
 * that every argument, in registers or on the stack, passes as it is. It never calls, and never uses the stack: a
 * debugger or profiler sees the caller directly. The failing branches go to cold labels that know the command.
 *
 * Which commands: ztrampolines.inc. Offsets and magics: asm/offsets.h. What every machine has:
 * asm/entries_windows.inc.
 */
#include "entries.inc"

/* bad_handle(command) of log.c writes HND-001's message and aborts; it gets the frame of the program's own call. */
.macro cold_handle label, command
    cold
\label:
    movl    $\command, %ecx
    jmp     SYM(bad_handle)
    .text
.endm

/* Device, queue, command buffer: object -> table -> mark (HND-006). */
.macro device_trampoline name, slot, command
    begin   tramp_\name
    testq   %rcx, %rcx
    jz      .Lbad_\name
    movq    (%rcx), %rax
    testq   %rax, %rax
    jz      .Lbad_\name
    cmpl    $DEVICE_MARK, (%rax)
    jne     .Lbad_\name
    jmp     *DEVICE_SLOTS + 8 * (\slot)(%rax)
    cold_handle .Lbad_\name, \command
.endm

/* Instance and physical device: magic at +8 before anything is followed (HND-005). Align 5, here and below: what is
 * short enough lies in one block of 32 bytes, so that none of its branches crosses into another one; processors that
 * decode such branches each time take longer for it. */
.macro handle_trampoline name, slot, command, magic
    begin   tramp_\name, 5
    testq   %rcx, %rcx
    jz      .Lbad_\name
    cmpq    $\magic, HANDLE_MAGIC(%rcx)
    jne     .Lbad_\name
    movq    (%rcx), %rax
    movq    HANDLE_LOWER(%rcx), %rcx
    jmp     *INSTANCE_SLOTS + 8 * (\slot)(%rax)
    cold_handle .Lbad_\name, \command
.endm

/* Terminator: the driver's handle and the driver's function; the loader's object stays in r11 for the missing stubs. */
.macro physdev_terminator name, slot
    begin   term_\name, 5
    movq    %rcx, %r11
    movq    PHYSDEV_DRIVER(%rcx), %rax
    movq    HANDLE_LOWER(%rcx), %rcx
    jmp     *DRIVER_SLOTS + 8 * (\slot)(%rax)
.endm

/* What stands in a driver's table where the driver has nothing. */
.macro instance_missing name, command
    missing
    begin   missing_\name
    movl    $\command, %ecx
    movq    %r11, %rdx
    jmp     SYM(missing_driver_command)
    .text
.endm

/* What stands in a device's table where the chain answered NULL (GPA-016, GPA-022). */
.macro device_missing name, command
    missing
    begin   missing_\name
    movl    $\command, %edx
    jmp     SYM(missing_device_command)
    .text
.endm

#include "ztrampolines.inc"

    missing
    /* An instance-level command that the top layer answered with NULL (LAY-401). */
    begin   missing_in_chain
    jmp     SYM(missing_chain_command)
    /* Unknown physical-device command i of a driver that lacks it: r11 is the loader's object, r10 is i (UNK-007). */
    begin   missing_unknown_physdev
    movq    %r11, %rcx
    movl    %r10d, %edx
    jmp     SYM(missing_unknown_physdev_command)
    /* Unknown device command of a device that lacks it (UNK-015): returns an error. */
    begin   missing_unknown_device
    jmp     SYM(missing_unknown_device_command)
    .globl  SYM(missing_last)
SYM(missing_last):
    .text

    unknown_begin unknown_physdev_trampolines
    .rept UNKNOWN_MAX
    .p2align 5
    movq    (%rcx), %rax
    movq    HANDLE_LOWER(%rcx), %rcx
    jmp     *INSTANCE_SLOTS + 8 * ISLOT_COUNT + 8 * i(%rax)
    .set i, i + 1
    .endr

    unknown_begin unknown_physdev_terminators
    .rept UNKNOWN_MAX
    .p2align 5
    movq    %rcx, %r11
    movq    PHYSDEV_DRIVER(%rcx), %rax
    movq    HANDLE_LOWER(%rcx), %rcx
    movl    $i, %r10d
    jmp     *DRIVER_SLOTS + 8 * ISLOT_COUNT + 8 * i(%rax)
    .set i, i + 1
    .endr

    unknown_begin unknown_device_trampolines
    .rept UNKNOWN_MAX
    .p2align 5
    movq    (%rcx), %rax
    jmp     *DEVICE_SLOTS + 8 * DSLOT_COUNT + 8 * i(%rax)
    .set i, i + 1
    .endr
