/* wide.h: text between the system, which takes UTF-16, and the spine, which has UTF-8. */
#ifndef VKL_WIDE_H
#define VKL_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

/* Convert a text; the results are for free(). NULL: no memory, or text without such a form (WIN-023); out_of_memory()
 * tells which. */
WCHAR *wide_of(const char *text);
char *utf8_of(const WCHAR *text);
/* Converts a text of length characters, which may contain NULs. *bytes: the length of the result. */
char *utf8_with_length(const WCHAR *text, size_t length, uint32_t *bytes);
/* Reports whether lack of memory was the reason that the last of these functions, of the functions built on them, or of
 * the system's failed. */
bool out_of_memory(void);
/* Calls malloc and, on failure, sets the error that out_of_memory() reads. */
void *room_of(size_t size);
/* Converts a path, with backslashes as separators. */
WCHAR *wide_path(const char *path);
/* Joins two texts, for free(). NULL: no memory. */
WCHAR *wide_join(const WCHAR *text, const WCHAR *after);
/* Returns the form of a path of MAX_PATH or more characters that the system accepts from all programs, for free().
 * NULL: the path is shorter or has that form already, or no memory (out_of_memory() tells). */
WCHAR *long_path(const WCHAR *path);
/* Opens an existing file. If that fails, a long path is tried again in the form of long_path (WIN-079). */
HANDLE open_file(const WCHAR *path, DWORD rights, DWORD flags);
/* The same for GetFileAttributes and FindFirstFile. */
DWORD path_attributes(const WCHAR *path);
HANDLE search_begin(const WCHAR *pattern, WIN32_FIND_DATAW *first);
/* Returns the full path of a module, or of the program for NULL; for free(). */
char *module_path(HMODULE module);
/* Opens a DLL of the system directory (WIN-007, WIN-008). NULL: there is none. name: a constant, which is not copied.
 */
HMODULE system_library(const WCHAR *name);
/* Reports whether code lies in the system's library of this name. */
bool system_code(const WCHAR *name, const void *code);
/* Ends a use of system_library. module: may be NULL. */
void system_library_done(HMODULE module);
/* Reads the integrity level of the process's token. Returns false on failure. */
BOOL process_level(DWORD *level);
/* Reports whether the process has integrity level High or above (WIN-051, WIN-057). An unreadable level counts as lower
 * (WIN-058). */
bool process_elevated(void);

#endif
