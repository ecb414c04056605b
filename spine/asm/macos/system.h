/* system.h: macOS in files that are compiled for every system: the form of symbols, and constants that differ between
 * systems. */
#ifndef VKL_SYSTEM_H
#define VKL_SYSTEM_H

#define HIDDEN __attribute__((visibility("hidden")))
/* The compiler adds the underscore that tables.S has. */
#define SYMBOL(name)
/* Makes the exported symbol of a command whose trampoline is written in C. The compiler has no aliases for Mach-O. */
#define EXPORT_COMMAND(command)                                                                                        \
    __asm__(".globl _" #command "\n.set _" #command ", _tramp_" #command);                                             \
    _Static_assert(sizeof(tramp_##command) != 0, #command)
/* Offsets in tables.S lead to pointers to functions: assemblers for Mach-O files compute no distance to another file.
 */
extern void *const names_pointers[] HIDDEN;
#define NAMES_FUNCTION(offset) (*(void *const *)((const char *)names_pointers + (offset)))

/* Linkers put all code into one section, in the order of the file: two functions enclose the stubs missing_vkX. */
#define MISSING_SECTION "__TEXT,__text,regular,pure_instructions"
#define MISSING_EDGE(name)                                                                                             \
    HIDDEN void edge_##name(void) __asm__("_" #name);                                                                  \
    void edge_##name(void) {}
#define MISSING_BEGIN MISSING_EDGE(missing_first)
#define MISSING_END MISSING_EDGE(missing_last)

/* The library's constructor starts it. */
#define START_AT_FIRST_CALL() ((void)0)

/* asm/linux/system.h describes its effect there. macOS cancels threads without an unwinder. */
#define CLAIM_UNWINDS

/* Flags for opening a directory without reading its entries. */
#define DIRECTORY_ONLY (O_RDONLY | O_DIRECTORY | O_CLOEXEC)
/* The member of struct stat has another name. */
#define st_mtim st_mtimespec

/* Whether the system holds its lock for loading libraries while it unloads this one. */
#define UNLOADED_UNDER_LOCK false

/* Selects one of two values: the first on Linux and macOS, the second on Windows. */
#define BY_SYSTEM(linux, windows) (linux)

#endif
