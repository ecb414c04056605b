/* standin.c: wraps the core in a library linked with --wrap, and counts its calls at the address in GUEST_COUNTER. The
 * variable STANDIN, read at each call, replaces the core's answer: panic, memory, bad, empty, need. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct goc;
enum { MEMORY = 2 };

int __real_core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                          size_t *answer_size, bool *ok);
int __wrap_core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                          size_t *answer_size, bool *ok);

int __wrap_core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                          size_t *answer_size, bool *ok)
{
    static const uint32_t panics[] = {0x31574b56, 32, 1, 24, 0xffffffff, 0xffffffff, 0, 0};
    /* Two answers with missing facts: one without a fact, one that asks for the executable's path each time. */
    static const uint32_t empty[] = {0x31574b56, 32, 32, 24, 0, 0, 0, 0};
    static const uint32_t need[] = {0x31574b56, 48, 32, 24, 0, 0, 0, 0, 36, 16, 0, 0};
    const char *way = getenv("STANDIN"), *text = getenv("GUEST_COUNTER");
    void *counter;
    if (text && sscanf(text, "%p", &counter) == 1) ++*(atomic_int *)counter;
    if (!way) way = "";
    *ok = true;
    if (strcmp(way, "panic") == 0) {
        message = panics;
        size = sizeof panics;
    } else if (strcmp(way, "memory") == 0) {
        return MEMORY;
    } else if (strcmp(way, "bad") == 0) {
        *ok = false;
        return 0;
    } else if (strcmp(way, "empty") == 0) {
        *answer = empty;
        *answer_size = sizeof empty;
        return 0;
    } else if (strcmp(way, "need") == 0) {
        *answer = need;
        *answer_size = sizeof need;
        return 0;
    }
    return __real_core_go_decide(g, call, message, size, answer, answer_size, ok);
}
