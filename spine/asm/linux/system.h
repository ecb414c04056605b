/* system.h: Linux in files that are compiled for every system: the form of symbols in ELF libraries, and constants that
 * differ between systems. */
#ifndef VKL_SYSTEM_H
#define VKL_SYSTEM_H

#define HIDDEN __attribute__((visibility("hidden")))
/* Gives a function of C the name that tables.S uses. */
#define SYMBOL(name)
/* Makes the exported symbol of a command whose trampoline is written in C. */
#define EXPORT_COMMAND(command)                                                                                        \
    extern __attribute__((visibility("default"))) __typeof__(tramp_##command) command                                  \
        __attribute__((alias("tramp_" #command)))
/* The base of the offsets in tables.S. */
#define NAMES_BASE names_commands
#define NAMES_FUNCTION(offset) ((void *)((uintptr_t)NAMES_BASE + (uintptr_t)(intptr_t)(offset)))

/* The section of the stubs missing_vkX. The linker defines its start and its end. */
#define MISSING_SECTION "vkl_missing"
#define MISSING_BEGIN
#define MISSING_END
#define missing_first __start_vkl_missing
#define missing_last __stop_vkl_missing

/* The library's constructor starts it. */
#define START_AT_FIRST_CALL() ((void)0)

/* The first statement of a function that calls out under its thread's newest claim, and is not inlined. A thread that
 * is cancelled in the call, or leaves it by an exception, gives up the claim: the unwinder calls claim_unwinds for the
 * function's frame. The compiler's cleanup attribute would need libgcc, which programs need not have. */
#ifdef __ARM_EABI__ /* ehabi.c */
#define CLAIM_UNWINDS __asm__ volatile(".personality claim_unwinds_arm");
#else
#define CLAIM_UNWINDS __asm__ volatile(".cfi_personality 0x1b, claim_unwinds"); /* relative to its place, 4 bytes */
#endif

/* Flags for opening a directory without reading its entries. */
#define DIRECTORY_ONLY (O_PATH | O_DIRECTORY | O_CLOEXEC)

/* Whether the system holds its lock for loading libraries while it unloads this one. */
#define UNLOADED_UNDER_LOCK false

/* Selects one of two values: the first on Linux and macOS, the second on Windows. */
#define BY_SYSTEM(linux, windows) (linux)

#endif
