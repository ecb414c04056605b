/* interpose.h: replaces functions between the loader and the system on Windows, and converts paths to those of the
 * cases. */
#ifndef TEST_WINDOWS_INTERPOSE_H
#define TEST_WINDOWS_INTERPOSE_H

#include <windows.h>

void interpose(void *module); /* replaces functions that a module imports, before the module has called any */
void with_slashes(char *path);

#endif
