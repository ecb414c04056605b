/* with.c: runs a program with variables. Wine does not pass variables that begin with VK_ to programs that are started
 * from Linux.
 *
 *   with NAME=VALUE... PROGRAM ARGUMENT...
 *
 * The exit code is the program's, or 127 if it cannot be started.
 */
#include <process.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int first = 1;
    for (; first < argc && strchr(argv[first], '='); first++) _putenv(argv[first]);
    if (first == argc) return 127;
    intptr_t code = _spawnv(_P_WAIT, argv[first], (const char *const *)&argv[first]);
    if (code == -1) perror(argv[first]);
    return code == -1 ? 127 : (int)code;
}
