/* system.h: Windows in files that are compiled for every system: the form of symbols, and constants that differ
 * between systems. */
#ifndef VKL_SYSTEM_H
#define VKL_SYSTEM_H

/* A DLL exports what its list names and nothing else. */
#define HIDDEN
/* The same on i386, where the calling convention would add to the name. */
#define SYMBOL_AS(prefix, name) __asm__(prefix name)
#define SYMBOL_WITH(prefix, name) SYMBOL_AS(prefix, name)
#define SYMBOL_TEXT(text) #text
#define SYMBOL_PREFIX(prefix) SYMBOL_TEXT(prefix)
#define SYMBOL(name) SYMBOL_WITH(SYMBOL_PREFIX(__USER_LABEL_PREFIX__), #name)
/* spine/gen/zexports.def names it. */
#define EXPORT_COMMAND(command) _Static_assert(sizeof(tramp_##command) != 0, #command)
extern const char __ImageBase[];
/* The base of the offsets in tables.S. */
#define NAMES_BASE __ImageBase
#define NAMES_FUNCTION(offset) ((void *)((uintptr_t)NAMES_BASE + (uintptr_t)(intptr_t)(offset)))

/* The section of the stubs missing_vkX. By the order of their names it lies between two others: its start and its end.
 */
#define MISSING_SECTION ".text$vkl_b"
#define MISSING_EDGE(letter, name) __asm__(".section .text$vkl_" letter ", \"xr\"\n.globl " name "\n" name ":\n.text");
#define MISSING_BEGIN MISSING_EDGE("a", SYMBOL_PREFIX(__USER_LABEL_PREFIX__) "missing_first")
#define MISSING_END MISSING_EDGE("c", SYMBOL_PREFIX(__USER_LABEL_PREFIX__) "missing_last")
/* WIN-005: nothing is read or logged while the DLL is loaded, so the first call starts the library. */
#define START_AT_FIRST_CALL() start_once_at_load()

/* asm/linux/system.h describes its effect there. Windows cancels no thread. */
#define CLAIM_UNWINDS

/* Whether the system holds its lock for loading libraries while it unloads this one. */
#define UNLOADED_UNDER_LOCK true

/* Selects one of two values: the first on Linux and macOS, the second on Windows. */
#define BY_SYSTEM(linux, windows) (windows)

#endif
