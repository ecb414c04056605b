/* sizes.c: asks size_of_array for sizes around those that a block can have. */
#include <stdio.h>

#include "process/process.h"

static int wrong;

static void fits(size_t head, uint64_t count, size_t each, size_t want)
{
    size_t size = 0;
    if (size_of_array(head, count, each, &size) && size == want) return;
    printf("%zu + %llu * %zu: %zu, want %zu\n", head, (unsigned long long)count, each, size, want);
    wrong = 1;
}

static void wraps(size_t head, uint64_t count, size_t each)
{
    size_t size;
    if (!size_of_array(head, count, each, &size)) return;
    printf("%zu + %llu * %zu is taken for %zu\n", head, (unsigned long long)count, each, size);
    wrong = 1;
}

int main(void)
{
    const size_t most = PTRDIFF_MAX;
    fits(0, 0, 260, 0);
    fits(16, 3, 260, 796);
    fits(0, most, 1, most);
    fits(1, most / 2, 2, most);
    wraps(0, (uint64_t)most + 1, 1);
    wraps(1, most, 1);
    wraps(0, SIZE_MAX / 260 + 1, 260);
    wraps(0, UINT64_MAX, 2);
    wraps(0, UINT64_MAX / 2 + 2, 2);
    wraps(SIZE_MAX, 1, 8);
    if (sizeof(size_t) == 4) wraps(0, 16519105, 260); /* four bytes */
    return wrong;
}
