/* system.c: functions of libSystem that are the same on Linux, and the list of all known functions. Each name was
 * compared with Apple's manual pages and headers: glibc's function has the same arguments, result and structures.
 */
#include "macho.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern void *__memcpy_chk(void *, const void *, size_t, size_t);
extern void *__memmove_chk(void *, const void *, size_t, size_t);
extern void *__memset_chk(void *, int, size_t, size_t);
extern char *__strcpy_chk(char *, const char *, size_t);
extern char *__strncpy_chk(char *, const char *, size_t, size_t);
extern char *__strcat_chk(char *, const char *, size_t);
extern char *__strncat_chk(char *, const char *, size_t, size_t);
extern int __snprintf_chk(char *, size_t, int, size_t, const char *, ...);
extern int __vsnprintf_chk(char *, size_t, int, size_t, const char *, va_list);
extern int __sprintf_chk(char *, int, size_t, const char *, ...);

static void pattern(void *to, const void *word, size_t size, size_t each)
{
    for (size_t i = 0; i < size; i++) ((char *)to)[i] = ((const char *)word)[i % each];
}

static void pattern4(void *to, const void *word, size_t size)
{
    pattern(to, word, size, 4);
}

static void pattern8(void *to, const void *word, size_t size)
{
    pattern(to, word, size, 8);
}

static void pattern16(void *to, const void *word, size_t size)
{
    pattern(to, word, size, 16);
}

/* Returns 1 if the tests' interposer simulates an elevated program by this variable. */
static int macos_issetugid(void)
{
    for (char **e = environ; e && *e; e++)
        if (strcmp(*e, "WORLD_ELEVATED=1") == 0) return 1;
    return 0;
}

static void bad_stack(void)
{
    fputs("macos: the stack is overwritten\n", stderr);
    abort();
}

static unsigned long stack_guard = 0x5bd1e995cafe00ull;

#define SAME(name)                                                                                                     \
    {                                                                                                                  \
        "_" #name, name                                                                                                \
    }
static const struct system_function same[] = {
    SAME(abort),
    SAME(access),
    SAME(asprintf),
    SAME(bsearch),
    SAME(calloc),
    SAME(close),
    SAME(exit),
    SAME(_exit),
    SAME(fclose),
    SAME(feof),
    SAME(ferror),
    SAME(fflush),
    SAME(fgets),
    SAME(fileno),
    SAME(flockfile),
    SAME(fprintf),
    SAME(fputc),
    SAME(fputs),
    SAME(fread),
    SAME(free),
    SAME(fseek),
    SAME(ftell),
    SAME(funlockfile),
    SAME(fwrite),
    SAME(getegid),
    SAME(getenv),
    SAME(geteuid),
    SAME(getgid),
    SAME(getpagesize),
    SAME(getpid),
    SAME(getppid),
    SAME(getuid),
    SAME(lseek),
    SAME(malloc),
    SAME(memchr),
    SAME(memcmp),
    SAME(memcpy),
    SAME(memmove),
    SAME(memset),
    SAME(mprotect),
    SAME(munmap),
    SAME(nanosleep),
    SAME(pread),
    SAME(printf),
    SAME(putchar),
    SAME(puts),
    SAME(qsort),
    SAME(raise),
    SAME(read),
    SAME(realloc),
    SAME(setenv),
    SAME(unsetenv),
    SAME(setvbuf),
    SAME(snprintf),
    SAME(sprintf),
    SAME(scanf),
    SAME(sscanf),
    SAME(strcasecmp),
    SAME(strcat),
    SAME(strchr),
    SAME(strcmp),
    SAME(strcpy),
    SAME(strcspn),
    SAME(strdup),
    SAME(strlen),
    SAME(strncasecmp),
    SAME(strncat),
    SAME(strncmp),
    SAME(strncpy),
    SAME(strndup),
    SAME(strnlen),
    SAME(strpbrk),
    SAME(strrchr),
    SAME(strspn),
    SAME(strstr),
    SAME(strtol),
    SAME(strtoll),
    SAME(strtoul),
    SAME(strtoull),
    SAME(strtod),
    SAME(strtok_r),
    SAME(time),
    SAME(unlink),
    SAME(usleep),
    SAME(vsnprintf),
    SAME(write),
    SAME(rand),
    SAME(rename),
    SAME(getcwd),
    SAME(readlink),
    SAME(mkdir),
    SAME(rmdir),
    SAME(isatty),
    SAME(getline),
    SAME(atoi),
    SAME(__memcpy_chk),
    SAME(__memmove_chk),
    SAME(__memset_chk),
    SAME(__strcpy_chk),
    SAME(__strncpy_chk),
    SAME(__strcat_chk),
    SAME(__strncat_chk),
    SAME(__snprintf_chk),
    SAME(__vsnprintf_chk),
    SAME(__sprintf_chk),
    SAME(_setjmp),
    SAME(longjmp),
    {"__longjmp", longjmp},
    {"___bzero", bzero},
    {"_bzero", bzero},
    {"_memset_pattern4", pattern4},
    {"_memset_pattern8", pattern8},
    {"_memset_pattern16", pattern16},
    {"_realpath$DARWIN_EXTSN", realpath},
    {"_fopen$DARWIN_EXTSN", fopen},
    {"_fopen", fopen},
    {"_fdopen$DARWIN_EXTSN", fdopen},
    {"_issetugid", macos_issetugid},
    {"___stderrp", &stderr},
    {"___stdoutp", &stdout},
    {"___stdinp", &stdin},
    {"_environ", &environ},
    {"___stack_chk_fail", bad_stack},
    {"___stack_chk_guard", &stack_guard},
    {NULL, NULL},
};

void *system_symbol(const char *name)
{
    static const struct system_function *const lists[] = {variadic_functions, dyld_functions, file_functions,
                                                          thread_functions, same};
    for (unsigned l = 0; l < sizeof lists / sizeof *lists; l++)
        for (const struct system_function *f = lists[l]; f->name; f++)
            if (strcmp(f->name, name) == 0) return f->function;
    return NULL;
}
