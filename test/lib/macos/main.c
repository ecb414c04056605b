/* main.c: "macos PROGRAM ARGUMENT..." runs a Mach-O program for this machine. */
#include "macho.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("usage: macos PROGRAM ARGUMENT...\n", stderr);
        return 2;
    }
    struct image *i = macos_program(argv[1]);
    if (!i) {
        fprintf(stderr, "macos: %s\n", macos_dlerror());
        return 127;
    }
    static const char *apple[] = {NULL};
    typedef int program(int, char **, char **, const char **);
    exit(((program *)(i->header + i->entry))(argc - 1, argv + 1, environ, apple));
}
