/* library.c: a library whose parts a dynamic linker has to set up: constructors, destructors, thread-local variables,
 * pointers to data and to functions of others. */
#include <stdio.h>
#include <stdlib.h>

static const char *const words[] = {"one", "two"};
static int (*const compare)(const char *, const char *) = NULL;
static __thread int counted = 40;
static __thread int zeroed;
static int started;

__attribute__((constructor)) static void begin(void)
{
    started++;
    puts("library: begins");
}

__attribute__((destructor)) static void end(void)
{
    puts("library: ends");
}

const char *library_word(int i)
{
    return words[i];
}

int library_count(void)
{
    zeroed++;
    return started * 100 + ++counted + zeroed * 1000 + (compare != NULL);
}
