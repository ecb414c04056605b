/* x86_64.S: trampolines, terminators and stubs that need no signature, for x86-64 System V.
 *
 * What each does: check the first argument, find the function in a table, jump. It touches rax, r10 and r11 alone, so
 * that every argument, in registers or on the stack, passes as it is. It never calls, and never uses the stack: a
 * debugger or profiler sees the caller directly. The failing branches go to cold labels that know the command.
 *
 * Which commands: ztrampolines.inc. Offsets and magics: asm/offsets.h. What every machine has: asm/entries.inc.
 */
#define MARK endbr64
#define PROPERTY 0xc0000002
#include "entries.inc"

/* bad_handle(command) of log.c writes HND-001's message and aborts; it gets the frame of the program's own call. */
.macro cold_handle label, command
    .pushsection .text.unlikely, "ax", %progbits
\label:
    .cfi_startproc
    movl    $\command, %edi
    jmp     bad_handle
    .cfi_endproc
    .popsection
.endm

/* Device, queue, command buffer: object -> table -> mark (HND-006). Align 6 and short branches, here and below: the
 * way of a good call lies in one line of the cache and in one block of 32 bytes, so that none of its branches crosses
 * into another one, which costs a cycle. */
.macro device_trampoline name, slot, command
    begin   tramp_\name, 6
    testq   %rdi, %rdi
    jz      1f
    movq    (%rdi), %rax
    testq   %rax, %rax
    jz      1f
    cmpl    $DEVICE_MARK, (%rax)
    jne     1f
    jmp     *DEVICE_SLOTS + 8 * (\slot)(%rax)
1:  jmp     .Lbad_\name
    finish  tramp_\name
    cold_handle .Lbad_\name, \command
.endm

/* Instance and physical device: magic at +8 before anything is followed (HND-005). */
.macro handle_trampoline name, slot, command, magic
    begin   tramp_\name, 6
    testq   %rdi, %rdi
    jz      1f
    cmpq    $\magic, HANDLE_MAGIC(%rdi)
    jne     1f
    movq    (%rdi), %rax
    movq    HANDLE_LOWER(%rdi), %rdi
    jmp     *INSTANCE_SLOTS + 8 * (\slot)(%rax)
1:  jmp     .Lbad_\name
    finish  tramp_\name
    cold_handle .Lbad_\name, \command
.endm

/* Terminator: the driver's handle and the driver's function; the loader's object stays in r11 for the missing stubs. */
.macro physdev_terminator name, slot
    begin   term_\name, 5
    movq    %rdi, %r11
    movq    PHYSDEV_DRIVER(%rdi), %rax
    movq    HANDLE_LOWER(%rdi), %rdi
    jmp     *DRIVER_SLOTS + 8 * (\slot)(%rax)
    finish  term_\name
.endm

/* What stands in a driver's table where the driver has nothing. */
.macro instance_missing name, command
    .pushsection .text.missing, "ax", %progbits
    begin   missing_\name
    movl    $\command, %edi
    movq    %r11, %rsi
    jmp     missing_driver_command
    finish  missing_\name
    .popsection
.endm

/* What stands in a device's table where the chain answered NULL (GPA-016, GPA-022). */
.macro device_missing name, command
    .pushsection .text.missing, "ax", %progbits
    begin   missing_\name
    movl    $\command, %esi
    jmp     missing_device_command
    finish  missing_\name
    .popsection
.endm

#include "ztrampolines.inc"

    .pushsection .text.missing, "ax", %progbits
    /* An instance-level command that the top layer answered with NULL (LAY-401). */
    begin   missing_in_chain
    jmp     missing_chain_command
    finish  missing_in_chain
    /* Unknown physical-device command i of a driver that lacks it: r11 is the loader's object, r10 is i (UNK-007). */
    begin   missing_unknown_physdev
    movq    %r11, %rdi
    movl    %r10d, %esi
    jmp     missing_unknown_physdev_command
    finish  missing_unknown_physdev
    /* Unknown device command of a device that lacks it (UNK-015): returns an error. */
    begin   missing_unknown_device
    jmp     missing_unknown_device_command
    finish  missing_unknown_device
    .globl  missing_last
    .hidden missing_last
missing_last:
    .popsection

    unknown_begin unknown_physdev_trampolines
    .rept UNKNOWN_MAX
    .p2align 5
    MARK
    movq    (%rdi), %rax
    movq    HANDLE_LOWER(%rdi), %rdi
    jmp     *INSTANCE_SLOTS + 8 * ISLOT_COUNT + 8 * i(%rax)
    .set i, i + 1
    .endr
    finish unknown_physdev_trampolines

    unknown_begin unknown_physdev_terminators
    .rept UNKNOWN_MAX
    .p2align 5
    MARK
    movq    %rdi, %r11
    movq    PHYSDEV_DRIVER(%rdi), %rax
    movq    HANDLE_LOWER(%rdi), %rdi
    movl    $i, %r10d
    jmp     *DRIVER_SLOTS + 8 * ISLOT_COUNT + 8 * i(%rax)
    .set i, i + 1
    .endr
    finish unknown_physdev_terminators

    unknown_begin unknown_device_trampolines
    .rept UNKNOWN_MAX
    .p2align 5
    MARK
    movq    (%rdi), %rax
    jmp     *DEVICE_SLOTS + 8 * DSLOT_COUNT + 8 * i(%rax)
    .set i, i + 1
    .endr
    finish unknown_device_trampolines
