/* stack_x86_64.S: runs a function on another stack, on the same thread. The unwinder sees through the change. It keeps
 * nothing and never returns anywhere else. */
    .text
    .globl  stack_run
    .hidden stack_run
    .type   stack_run, @function
    .balign 16
/* void stack_run(void (*function)(void *), void *argument, void *top): top is 16-byte aligned. */
stack_run:
    .cfi_startproc
    endbr64
    pushq   %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq    %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq    %rdi, %rax
    movq    %rsi, %rdi
    movq    %rdx, %rsp
    call    *%rax
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size   stack_run, . - stack_run

    .section .note.GNU-stack, "", @progbits
