/* growth.c: what strings leave behind; below the translated growth.go.txt in one file. */
#include <stdio.h>
#include <sys/resource.h>

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
    if (argc != 2 || setrlimit(RLIMIT_AS, &most)) return 2;
    struct goc *g = goc_open();
    int status = gather(g, atoll(argv[1]));
    goc_close(g);
    goc_trim();
    return status;
}
