/* system.h: how symbols are made for Linux, where libraries are ELF files. */
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

#endif
