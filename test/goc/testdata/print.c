/* print.c: what translated commands print, and how they end. The library has none of it. */

#include <stdio.h>

static void goc_print_text(const char *s)
{
    fputs(s, stderr);
}
static void goc_print_string(struct goc_str s)
{
    if (s.n) fwrite(s.p, 1, (size_t)s.n, stderr);
}
static void goc_print_integer(int64_t v)
{
    fprintf(stderr, "%lld", (long long)v);
}
static void goc_print_unsigned(uint64_t v)
{
    fprintf(stderr, "%llu", (unsigned long long)v);
}
static void goc_print_pointer(const void *p)
{
    fprintf(stderr, "0x%llx", (unsigned long long)(uintptr_t)p);
}
/* Prints a number as Go's print does: with the fewest digits that distinguish it from its neighbours. */
static void goc_print_float(double v, bool narrow)
{
    if (v != v || isinf(v)) {
        fputs(v != v ? "NaN" : v > 0 ? "+Inf" : "-Inf", stderr);
        return;
    }
    char text[64];
    int digits = 1;
    do snprintf(text, sizeof text, "%.*e", digits - 1, v);
    while ((narrow ? (double)strtof(text, NULL) : strtod(text, NULL)) != v && digits++ < 17);
    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent < -4 || exponent >= 6)
        fputs(text, stderr);
    else
        fprintf(stderr, "%.*f", digits - 1 > exponent ? digits - 1 - exponent : 0, v);
}

/* A program with its name. A test file has many; the command line names those to run. */
struct goc_program {
    const char *name;
    int (*run)(struct goc *);
};

static int goc_programs(const struct goc_program *programs, int count, int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        int i = 0;
        while (i < count && strcmp(programs[i].name, argv[k]) != 0) i++;
        if (i == count) return 3;
        struct goc *g = goc_open();
        if (!g) return 3;
        fprintf(stderr, "=== %s\n", argv[k]);
        int status = programs[i].run(g);
        if (status) fprintf(stderr, "panic: %s\n", status == GOC_MEMORY ? "out of memory" : goc_text(g));
        goc_close(g);
        fflush(stderr);
    }
    goc_trim();
    return 0;
}
