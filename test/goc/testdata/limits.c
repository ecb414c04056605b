/* limits.c: behavior with little memory or stack; it follows translated programs in one file, with malloc, calloc
 * and free replaced by the command line. */
#undef malloc
#undef calloc
#undef free
#include <pthread.h>

static long live, calls, fail;

void *limited_malloc(size_t size)
{
    if (++calls == fail) return NULL;
    void *p = malloc(size);
    live += p != NULL;
    return p;
}
void *limited_calloc(size_t n, size_t size)
{
    if (++calls == fail) return NULL;
    void *p = calloc(n, size);
    live += p != NULL;
    return p;
}
void limited_free(void *p)
{
    live -= p != NULL;
    free(p);
}

/* Fails one allocation after the other, until there are no more of them. Prints how many there were. */
static int memory(int (*run)(struct goc *))
{
    for (fail = 1;; fail++) {
        calls = 0;
        struct goc *g = goc_open();
        int status = g ? run(g) : GOC_MEMORY;
        goc_close(g);
        goc_trim();
        if (live) return fprintf(stderr, "at %ld: %ld blocks are left\n", fail, live), 1;
        if (calls < fail) return fprintf(stderr, "%ld allocations, then %d\n", calls, status), status != 0;
        if (status != GOC_MEMORY) return fprintf(stderr, "at %ld: status %d\n", fail, status), 1;
    }
}

static int (*deep)(struct goc *);
static int deep_status;

static void *on_small_stack(void *unused)
{
    (void)unused;
    struct goc *g = goc_open();
    deep_status = deep(g);
    if (strcmp(goc_text(g), "nested too deeply") != 0) deep_status = 100;
    goc_close(g);
    goc_trim();
    return NULL;
}

/* Calls on a stack of 16 kB. */
static int depth(int (*run)(struct goc *))
{
    static _Alignas(4096) char stack[16384 + 4096];
    pthread_attr_t a;
    pthread_t t;
    deep = run;
    memset(stack, 0x5a, sizeof stack);
    if (pthread_attr_init(&a) || pthread_attr_setstack(&a, stack, sizeof stack) ||
        pthread_create(&t, &a, on_small_stack, NULL))
        return 1;
    pthread_join(t, NULL);
    size_t left = 0;
    while (stack[left] == 0x5a) left++;
    fprintf(stderr, "status %d, %zu bytes of stack\n", deep_status, sizeof stack - left);
    return deep_status != GOC_PANIC;
}

/* Calls on the stack of the process. */
static int whole(int (*run)(struct goc *))
{
    struct goc *g = goc_open();
    int status = run(g);
    if (status) fprintf(stderr, "status %d: %s\n", status, goc_text(g));
    goc_close(g);
    goc_trim();
    return status;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof programs / sizeof programs[0]; i++) {
        if (strcmp(programs[i].name, argv[2]) != 0) continue;
        if (strcmp(argv[1], "whole") == 0) return whole(programs[i].run);
        return (strcmp(argv[1], "memory") == 0 ? memory : depth)(programs[i].run);
    }
    return 3;
}
