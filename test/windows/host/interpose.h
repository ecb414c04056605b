/* interpose.h: of the host for Windows: what stands between the loader and the system, and paths as cases have them. */
#ifndef TEST_WINDOWS_INTERPOSE_H
#define TEST_WINDOWS_INTERPOSE_H

#include <windows.h>

void interpose(void *module); /* a module, before it has called anything */
void with_slashes(char *path);

#endif
