
/* ---- programs of their own, for tests ---------------------------------------------------------------------------- */

#include <stdio.h>

static void goc_print_text(const char *s) { fputs(s, stderr); }
static void goc_print_string(struct goc_str s) {
    if (s.n) fwrite(s.p, 1, (size_t)s.n, stderr);
}
static void goc_print_integer(int64_t v) { fprintf(stderr, "%lld", (long long)v); }
static void goc_print_unsigned(uint64_t v) { fprintf(stderr, "%llu", (unsigned long long)v); }
static void goc_print_pointer(const void *p) { fprintf(stderr, "%p", p); }
/* As Go's print writes it: +1.500000e+000. */
static void goc_print_float(double v) {
    if (v != v) {
        fputs("NaN", stderr);
        return;
    }
    if (isinf(v)) {
        fputs(v > 0 ? "+Inf" : "-Inf", stderr);
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "%+.6e", v);
    char *e = strchr(text, 'e');
    int exponent = atoi(e + 1);
    fprintf(stderr, "%.*se%c%03d", (int)(e - text), text, exponent < 0 ? '-' : '+', abs(exponent));
}

static int goc_main(void (*entry)(struct goc *)) {
    struct goc *g = goc_open();
    if (!g) return 3;
    g->base = __builtin_frame_address(0);
    if (_setjmp(g->env)) {
        fprintf(stderr, "%s: %s\n", g->status == GOC_MEMORY ? "fatal error" : "panic", g->status == GOC_MEMORY ? "out of memory" : g->text);
        goc_close(g);
        goc_trim();
        return 2;
    }
    entry(g);
    goc_close(g);
    goc_trim();
    return 0;
}
