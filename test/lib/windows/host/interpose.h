/* interpose.h: of the host for Windows: the functions between the loader and the system, and paths in the form of the
 * cases. */
#ifndef TEST_WINDOWS_INTERPOSE_H
#define TEST_WINDOWS_INTERPOSE_H

#include <windows.h>

void interpose(void *module); /* a module, before it has called anything */
void with_slashes(char *path);

#endif
