/* wide.h: text between the system, which takes UTF-16, and the spine, which has UTF-8. */
#ifndef VKL_WIDE_H
#define VKL_WIDE_H

#include <stdbool.h>
#include <stdint.h>
#include <windows.h>

/* Copies, for free(). NULL: no memory, or text that has no such form (WIN-023); out_of_memory() tells these apart. */
WCHAR *wide_of(const char *text);
char *utf8_of(const WCHAR *text);
/* Of a text with NULs in it; length: in units, and of the copy in bytes. */
char *utf8_counted(const WCHAR *text, size_t length, uint32_t *bytes);
/* Is no memory why the last of these functions, of those that are made of them, or of the system's has given nothing?
 */
bool out_of_memory(void);
/* As malloc, which does not say so. */
void *room_of(size_t size);
/* A path with the system's own separators. */
WCHAR *wide_path(const char *path);
/* The two texts as one, for free(); NULL: no memory. */
WCHAR *wide_joined(const WCHAR *text, const WCHAR *after);
/* A path of MAX_PATH or more as the system takes it from all programs, for free(). NULL: it is shorter, it is such a
 * path already, or there is no memory, which out_of_memory() tells. */
WCHAR *long_path(const WCHAR *path);
/* Opens a file that there is. A long path that fails is tried once more as that (WIN-079). */
HANDLE open_file(const WCHAR *path, DWORD rights, DWORD flags);
/* The same for the attributes of a file, and for a search in a directory. */
DWORD path_attributes(const WCHAR *path);
HANDLE search_begin(const WCHAR *pattern, WIN32_FIND_DATAW *first);
/* The file of a module, whole; NULL of the program's own. */
char *module_path(HMODULE module);
/* A DLL of the system's own directory and of no other (WIN-007, WIN-008); NULL: there is none. name: a constant. */
HMODULE system_library(const WCHAR *name);
/* Is code that of this library? */
bool system_code(const WCHAR *name, const void *code);
/* Its user is done with it; NULL is none. */
void system_library_done(HMODULE module);
/* The integrity level of the process's token; false: it cannot be read. */
BOOL process_level(DWORD *level);
/* Does the process run with integrity level High or above (WIN-051, WIN-057)? What cannot be read is not elevated
 * (WIN-058). */
BOOL process_elevated(void);

#endif
