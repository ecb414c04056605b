/* import.h: replacements of the system's functions in this process. Owner: import.c. */
#ifndef TEST_WINDOWS_IMPORT_H
#define TEST_WINDOWS_IMPORT_H

#include <stdbool.h>
#include <windows.h>

/* The replacements; the setup decides about their results. */
HMODULE WINAPI import_load(const wchar_t *path);
HMODULE WINAPI import_load_by(const wchar_t *path, HANDLE file, DWORD flags);
BOOL WINAPI import_let_go(HMODULE module);
FARPROC WINAPI import_function(HMODULE module, const char *name);
HANDLE WINAPI import_find(const wchar_t *pattern, WIN32_FIND_DATAW *found);
DWORD WINAPI import_attributes(const wchar_t *path);
HANDLE WINAPI import_open_file(const wchar_t *path, DWORD rights, DWORD share, SECURITY_ATTRIBUTES *security, DWORD how,
                               DWORD flags, HANDLE like);
DWORD WINAPI import_variable(const wchar_t *name, wchar_t *value, DWORD room);
LONG WINAPI import_open_key(HKEY above, const wchar_t *name, DWORD options, REGSAM rights, HKEY *key);
void WINAPI import_debugger(const wchar_t *text);

/* Executes a statement of the setup. Returns false for an unknown one.
 *
 *   library NAME PATH   a load of the library NAME, by any path, loads PATH instead
 *   refuse NAME ERROR   a load of the library NAME fails with this error
 *   calls PATH          the calls of these functions are logged to a file, one on each line: "function argument"
 *   package FAMILY PATH an app package that is installed at PATH. "unwritten": the function reports success and does
 *                       not write the path; "unended": the path has no terminating zero
 *   short_paths         no file can be opened by a path of MAX_PATH or more characters, or by one with "." after the
 *                       prefix \\?\, as on Windows; Wine opens both
 */
bool import_obey(const char *verb, const char *first, const char *second);

#endif
