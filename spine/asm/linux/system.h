/* system.h: what files that every system has need to know of Linux: how symbols are made, where libraries are ELF
 * files, and constants that differ between systems. */
#ifndef VKL_SYSTEM_H
#define VKL_SYSTEM_H

/* Of what the assembler makes. */
#define HIDDEN __attribute__((visibility("hidden")))
/* The name by which the assembler knows a function that is written in C. */
#define SYMBOL(name)
/* Makes the exported symbol of a command whose trampoline is written in C. */
#define EXPORT_COMMAND(command)                                                                                        \
    extern __attribute__((visibility("default"))) __typeof__(tramp_##command) command                                  \
        __attribute__((alias("tramp_" #command)))
/* What the offsets in znames.inc count from. */
#define NAMES_BASE names_commands

/* The library's constructor starts it. */
#define START_AT_FIRST_CALL() ((void)0)

/* The first statement of a function that calls out under its thread's newest claim, and is not inlined. A thread that
 * is cancelled in the call, or leaves it by an exception, gives up the claim: the unwinder calls claim_unwinds for the
 * function's frame. The compiler's cleanup attribute would need libgcc, which programs need not have. */
#define CLAIM_UNWINDS __asm__ volatile(".cfi_personality 0x1b, claim_unwinds"); /* relative to its place, 4 bytes */

/* Does the system hold its lock for loading libraries while it unloads this one? */
#define UNLOADED_UNDER_LOCK false

/* The one of two constants that is this system's. */
#define BY_SYSTEM(linux, windows) (linux)

#endif
