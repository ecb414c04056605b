/* i386_windows.S: trampolines, terminators and stubs that need no signature, for 32-bit x86 as Windows calls (stdcall).
 *
 * What each does: check the first argument, find the function in a table, jump. All arguments are on the stack and stay
 * there; the first is written over where the next one down knows the object by another handle: the place of an argument
 * belongs to the function that is called. It touches eax, ecx and edx alone, never calls, and never moves the stack
 * pointer: a debugger or profiler sees the caller directly. The failing branches go to cold labels that know the
 * command; what these jump to takes its arguments in eax and edx (FROM_ASSEMBLER).
 *
 * Which commands: ztrampolines.inc. Offsets and magics: asm/offsets.h. What every machine has:
 * asm/entries_windows.inc.
 */
#include "entries.inc"

/* Where the first argument is, on entry. */
#define FIRST 4(%esp)

/* bad_handle(command) of log.c writes HND-001's message and aborts; it gets the frame of the program's own call. */
.macro cold_handle label, command
    cold
\label:
    movl    $\command, %eax
    jmp     SYM(bad_handle)
    .text
.endm

/* Device, queue, command buffer: object -> table -> mark (HND-006). */
.macro device_trampoline name, slot, command
    begin   tramp_\name
    movl    FIRST, %eax
    testl   %eax, %eax
    jz      .Lbad_\name
    movl    (%eax), %eax
    testl   %eax, %eax
    jz      .Lbad_\name
    cmpl    $DEVICE_MARK, (%eax)
    jne     .Lbad_\name
    jmp     *DEVICE_SLOTS + POINTER_SIZE * (\slot)(%eax)
    cold_handle .Lbad_\name, \command
.endm

/* Instance and physical device: magic at +8 before anything is followed (HND-005). */
.macro handle_trampoline name, slot, command, magic
    begin   tramp_\name
    movl    FIRST, %ecx
    testl   %ecx, %ecx
    jz      .Lbad_\name
    cmpl    $\magic, HANDLE_MAGIC(%ecx)
    jne     .Lbad_\name
    cmpl    $0, HANDLE_MAGIC + 4(%ecx)
    jne     .Lbad_\name
    movl    (%ecx), %eax
    movl    HANDLE_LOWER(%ecx), %ecx
    movl    %ecx, FIRST
    jmp     *INSTANCE_SLOTS + POINTER_SIZE * (\slot)(%eax)
    cold_handle .Lbad_\name, \command
.endm

/* Terminator: the driver's handle and the driver's function; the loader's object stays in ecx for the missing stubs. */
.macro physdev_terminator name, slot
    begin   term_\name
    movl    FIRST, %ecx
    movl    PHYSDEV_DRIVER(%ecx), %eax
    movl    HANDLE_LOWER(%ecx), %edx
    movl    %edx, FIRST
    jmp     *DRIVER_SLOTS + POINTER_SIZE * (\slot)(%eax)
.endm

/* What stands in a driver's table where the driver has nothing. */
.macro instance_missing name, command
    missing
    begin   missing_\name
    movl    $\command, %eax
    movl    %ecx, %edx
    jmp     SYM(missing_driver_command)
    .text
.endm

/* What stands in a device's table where the chain answered NULL (GPA-016, GPA-022). */
.macro device_missing name, command
    missing
    begin   missing_\name
    movl    FIRST, %eax
    movl    $\command, %edx
    jmp     SYM(missing_device_command)
    .text
.endm

#include "ztrampolines.inc"

    missing
    /* An instance-level command that the top layer answered with NULL (LAY-401). */
    begin   missing_in_chain
    jmp     SYM(missing_chain_command)
    /* Unknown physical-device command i of a driver that lacks it: ecx is the loader's object, edx is i (UNK-007). */
    begin   missing_unknown_physdev
    movl    %ecx, %eax
    jmp     SYM(missing_unknown_physdev_command)
    /* Unknown device command of a device that lacks it (UNK-015). Its arguments would have to be taken from the stack,
     * and nobody knows how many there are: the process ends after the message. */
    begin   missing_unknown_device
    movl    FIRST, %eax
    call    SYM(missing_unknown_device_command)
    call    SYM(abort)
    .globl  SYM(missing_last)
SYM(missing_last):
    .text

    unknown_begin unknown_physdev_trampolines
    .rept UNKNOWN_MAX
    .p2align 5
    movl    FIRST, %ecx
    movl    (%ecx), %eax
    movl    HANDLE_LOWER(%ecx), %ecx
    movl    %ecx, FIRST
    jmp     *INSTANCE_SLOTS + POINTER_SIZE * ISLOT_COUNT + POINTER_SIZE * i(%eax)
    .set i, i + 1
    .endr

    unknown_begin unknown_physdev_terminators
    .rept UNKNOWN_MAX
    .p2align 5
    movl    FIRST, %ecx
    movl    PHYSDEV_DRIVER(%ecx), %eax
    movl    HANDLE_LOWER(%ecx), %edx
    movl    %edx, FIRST
    movl    $i, %edx
    jmp     *DRIVER_SLOTS + POINTER_SIZE * ISLOT_COUNT + POINTER_SIZE * i(%eax)
    .set i, i + 1
    .endr

    unknown_begin unknown_device_trampolines
    .rept UNKNOWN_MAX
    .p2align 5
    movl    FIRST, %eax
    movl    (%eax), %eax
    jmp     *DEVICE_SLOTS + POINTER_SIZE * DSLOT_COUNT + POINTER_SIZE * i(%eax)
    .set i, i + 1
    .endr
