/* import.h: what of the system's functions the loader sees in this process. Owner: import.c. */
#ifndef TEST_WINDOWS_IMPORT_H
#define TEST_WINDOWS_IMPORT_H

#include <stdbool.h>

/* What stands in for the system's function of this name; NULL: nothing, or the case is not about it. */
void *import_for(const char *name);
/* Obeys a statement of the setup; false: it is none of these.
 *
 *   library NAME PATH   who asks for the library NAME, by whatever path, gets PATH
 *   refuse NAME ERROR   or nothing, with this error
 *   short_paths         no file opens by a path of MAX_PATH or more characters, as in most programs of Windows; Wine's
 * do
 */
bool import_obey(const char *verb, const char *first, const char *second);

#endif
