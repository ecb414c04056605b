/* with.c: runs a program with variables: Wine keeps those whose names begin with VK_ from the programs that are started
 * from outside, as they are its own side's.
 *
 *   with NAME=VALUE... PROGRAM ARGUMENT...
 *
 * Its exit code is the program's, 127 when that cannot be started.
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
