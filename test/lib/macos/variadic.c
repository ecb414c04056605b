/* variadic.c: functions with variable arguments for code of macOS on arm64. Such code passes each variable argument in
 * 8 bytes on the stack, and its va_list is a pointer to them. Linux's calls use registers first. Source: Apple's
 * "Writing ARM64 code for Apple platforms". On x86-64, both systems have the same calls. */
#include "macho.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __aarch64__

/* The va_list of AAPCS64. Without arguments in registers, its arguments are on the stack alone. */
struct arguments {
    void *stack, *general, *vector;
    int general_bytes, vector_bytes;
};
_Static_assert(sizeof(struct arguments) == sizeof(va_list), "va_list");

#define LIST(stack)                                                                                                    \
    va_list list;                                                                                                      \
    memcpy(&list, &(struct arguments){(stack), NULL, NULL, 0, 0}, sizeof list)

/* Defines macos_NAME, which calls take_NAME with the fixed arguments and the address of the others. */
#define ENTRY(name, fixed)                                                                                             \
    void macos_##name##_entry(void);                                                                                   \
    __asm__(".text\n.type macos_" #name "_entry, %function\nmacos_" #name "_entry:\n    hint #34\n    mov x" #fixed    \
            ", sp\n    b take_" #name "\n")
#define TAKE __attribute__((used)) static int

TAKE take_printf(const char *format, void *stack)
{
    LIST(stack);
    return vprintf(format, list);
}
ENTRY(printf, 1);

TAKE take_fprintf(FILE *file, const char *format, void *stack)
{
    LIST(stack);
    return vfprintf(file, format, list);
}
ENTRY(fprintf, 2);

TAKE take_asprintf(char **out, const char *format, void *stack)
{
    LIST(stack);
    return vasprintf(out, format, list);
}
ENTRY(asprintf, 2);

TAKE take_snprintf(char *out, size_t size, const char *format, void *stack)
{
    LIST(stack);
    return vsnprintf(out, size, format, list);
}
ENTRY(snprintf, 3);

TAKE take_snprintf_chk(char *out, size_t size, int flag, size_t room, const char *format, void *stack)
{
    LIST(stack);
    (void)flag, (void)room;
    return vsnprintf(out, size, format, list);
}
ENTRY(snprintf_chk, 5);

TAKE take_sprintf(char *out, const char *format, void *stack)
{
    LIST(stack);
    return vsprintf(out, format, list);
}
ENTRY(sprintf, 2);

TAKE take_sprintf_chk(char *out, int flag, size_t room, const char *format, void *stack)
{
    (void)flag, (void)room;
    return take_sprintf(out, format, stack);
}
ENTRY(sprintf_chk, 4);

TAKE take_scanf(const char *format, void *stack)
{
    LIST(stack);
    return vscanf(format, list);
}
ENTRY(scanf, 1);

TAKE take_sscanf(const char *text, const char *format, void *stack)
{
    LIST(stack);
    return vsscanf(text, format, list);
}
ENTRY(sscanf, 2);

TAKE take_open(const char *path, int flags, const unsigned long *stack)
{
    return macos_open(path, flags, (unsigned)*stack);
}
ENTRY(open, 2);

TAKE take_openat(int directory, const char *path, int flags, const unsigned long *stack)
{
    return macos_openat(directory, path, flags, (unsigned)*stack);
}
ENTRY(openat, 3);

TAKE take_fcntl(int fd, int command, const long *stack)
{
    return macos_fcntl(fd, command, *stack);
}
ENTRY(fcntl, 2);

const struct system_function variadic_functions[] = {
    {"_printf", macos_printf_entry},
    {"_fprintf", macos_fprintf_entry},
    {"_asprintf", macos_asprintf_entry},
    {"_snprintf", macos_snprintf_entry},
    {"___snprintf_chk", macos_snprintf_chk_entry},
    {"_vsnprintf", take_snprintf},
    {"___vsnprintf_chk", take_snprintf_chk},
    {"_sprintf", macos_sprintf_entry},
    {"___sprintf_chk", macos_sprintf_chk_entry},
    {"_scanf", macos_scanf_entry},
    {"_sscanf", macos_sscanf_entry},
    {"_open", macos_open_entry},
    {"_openat", macos_openat_entry},
    {"_fcntl", macos_fcntl_entry},
    {NULL, NULL},
};

#else

const struct system_function variadic_functions[] = {{NULL, NULL}};

#endif
