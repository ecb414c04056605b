/* cycles.c: repeats one operation on one Vulkan library, and prints the memory of the process: blocks and bytes of the
 * heap, and resident memory. None of them may grow.
 *
 *   cycles LIBRARY OPERATION COUNT [WARM-UP]      WARM-UP: by default a tenth of COUNT
 *
 * Prints three lines "after N blocks BLOCKS bytes BYTES resident KB": after the warm-up, after half of COUNT and after
 * all of it. Blocks are those of malloc in this process, of every caller: loader, driver, layers, the C library. At
 * these moments, no object of the operation exists, only the objects that it needs.
 *
 * Variable: BENCH_NAMES, as for measure. */
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench.h"

/* ---- counting the heap: these functions replace the C library's in the whole process ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static atomic_long blocks, bytes;

static void *taken(void *p)
{
    if (p) {
        atomic_fetch_add(&blocks, 1);
        atomic_fetch_add(&bytes, (long)malloc_usable_size(p));
    }
    return p;
}

static void given(void *p)
{
    if (p) {
        atomic_fetch_sub(&blocks, 1);
        atomic_fetch_sub(&bytes, (long)malloc_usable_size(p));
    }
}

void *malloc(size_t size)
{
    return taken(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return taken(__libc_calloc(count, size));
}

void *realloc(void *old, size_t size)
{
    long had = old ? (long)malloc_usable_size(old) : 0;
    void *p = __libc_realloc(old, size);
    if (p || (old && size == 0)) { /* otherwise the old block still exists */
        atomic_fetch_add(&blocks, (p != NULL) - (old != NULL));
        atomic_fetch_add(&bytes, (p ? (long)malloc_usable_size(p) : 0) - had);
    }
    return p;
}

void *memalign(size_t alignment, size_t size)
{
    return taken(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    void *block = memalign(alignment, size);
    if (!block) return ENOMEM;
    *p = block;
    return 0;
}

void free(void *p)
{
    int kept = errno;
    given(p);
    __libc_free(p);
    errno = kept;
}

/* ---- */

static long resident(void)
{
    char text[128] = "";
    FILE *f = fopen("/proc/self/statm", "re");
    long pages = 0;
    if (f && fgets(text, sizeof(text), f)) sscanf(text, "%*d %ld", &pages);
    if (f) fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void say(unsigned long after)
{
    long b = atomic_load(&blocks), size = atomic_load(&bytes);
    printf("after %lu blocks %ld bytes %ld resident %ld\n", after, b, size, resident());
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5) {
        fputs("usage: cycles LIBRARY OPERATION COUNT [WARM-UP]\n", stderr);
        return 2;
    }
    static char buffer[4096];
    setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
    /* Otherwise the kernel could replace many small pages by 2 MB pages at any time. */
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    bench_names = getenv("BENCH_NAMES");
    const struct operation *o = operation_find(argv[2]);
    if (!o) bench_die("there is no operation \"%s\"", argv[2]);
    unsigned long count = strtoul(argv[3], NULL, 10);
    unsigned long warm = argc == 5 ? strtoul(argv[4], NULL, 10) : count / 10;
    bench_open(argv[1]);
    bench_reach(o->stage);
    if (!operation_ready(o)) bench_die("this device has no %s", o->name);
    for (unsigned long i = 1; i <= count; i++) {
        o->once();
        if (o->undo && i % o->batch == 0) o->undo();
        if (i == warm || i == count / 2 || i == count) say(i);
    }
    bench_reach(OPENED);
    return 0;
}
