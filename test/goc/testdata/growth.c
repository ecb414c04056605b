/* growth.c: what maps and strings leave behind; below the translated growth.go.txt in one file. */
#include <stdio.h>
#include <sys/resource.h>

/* Entries and filled places of a map's table, and the most places that a key is looked for in. */
static int churn(struct goc *g, int64_t rounds)
{
    void *made;
    if (Churn(g, rounds, &made)) return 1;
    struct goc_map *m = made;
    uint32_t filled = 0, longest = 0, row = 0;
    for (uint64_t at = 0; at <= 2 * (uint64_t)m->mask; at++) { /* twice around: a row may pass the end */
        row = m->table[at & m->mask] ? row + 1 : 0;
        if (row > longest) longest = row;
        filled += at <= m->mask && row;
    }
    printf("%u %u %u %zu\n", m->count, filled, longest, goc_bytes(g));
    return 0;
}

static int gather(struct goc *g, int64_t pieces)
{
    const void *text, *others;
    size_t size, count;
    if (Gather(g, pieces, &text, &size, &others, &count)) return 1;
    printf("%zu %zu\n", size, goc_bytes(g));
    return 0;
}

int main(int argc, char **argv)
{
    struct rlimit most = {256 << 20, 256 << 20}; /* a fault does not take the machine's memory */
    if (argc != 3 || setrlimit(RLIMIT_AS, &most)) return 2;
    struct goc *g = goc_open();
    int status = (strcmp(argv[1], "churn") == 0 ? churn : gather)(g, atoll(argv[2]));
    goc_close(g);
    goc_trim();
    return status;
}
