/* answer.c: answers messages with the library's core, which is linked in.
 *
 *   answer         reads calls from standard input: the number of messages, then for each message a letter (A: answered
 *                  before, D: to be answered), its size, and its bytes. For each D it writes the result (0, GOC_PANIC,
 *                  GOC_MEMORY, 3: malformed), the size of the answer, and its bytes to standard output.
 *   answer stack   does the same, each call on a painted stack, and prints the largest use of the stack.
 *   answer memory  prints the bytes that each call allocated. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "goc.h"

int core_go_begin(struct goc *g, void **call);
int core_go_add(struct goc *g, void *call, const void *message, size_t size, bool *ok);
int core_go_decide(struct goc *g, void *call, const void *message, size_t size, const void **answer,
                   size_t *answer_size, bool *ok);

static uint8_t *input;
static size_t size, at;

static void read_all(void)
{
    size_t room = 0;
    for (;;) {
        if (size == room) {
            room = room ? 2 * room : 1 << 20;
            input = realloc(input, room);
            if (!input) abort();
        }
        size_t n = fread(input + size, 1, room - size, stdin);
        if (n == 0) return;
        size += n;
    }
}

/* Converts a number from or to little-endian, the order of the test's messages. */
static uint32_t little(uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

static uint32_t number(void)
{
    uint32_t v;
    if (size - at < sizeof v) abort();
    memcpy(&v, input + at, sizeof v);
    at += sizeof v;
    return little(v);
}

#define MESSAGES 256

static int mode; /* 0, or the first letter of the argument */
static size_t max_used;

/* Makes one call. Each message is in a separate block, so that a sanitizer detects accesses outside. The core points
 * into all messages. */
static void answer_call(void)
{
    static uint8_t *kept[MESSAGES];
    struct goc *g = goc_open();
    void *call = NULL;
    uint32_t count = number();
    if (!g || count > MESSAGES) abort();
    int status = core_go_begin(g, &call);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind = number(), bytes = number();
        if (size - at < bytes) abort();
        kept[i] = malloc(bytes ? bytes : 1);
        if (!kept[i]) abort();
        memcpy(kept[i], input + at, bytes);
        at += bytes;
        bool ok = true;
        const void *answer = NULL;
        size_t answer_size = 0;
        if (status == 0 && kind == 'A') status = core_go_add(g, call, kept[i], bytes, &ok);
        if (status == 0 && kind == 'D') status = core_go_decide(g, call, kept[i], bytes, &answer, &answer_size, &ok);
        if (kind == 'D' && !mode) {
            size_t bytes_of_answer = status || !ok ? 0 : answer_size;
            uint32_t head[2] = {little(status ? (uint32_t)status : ok ? 0 : 3), little((uint32_t)bytes_of_answer)};
            fwrite(head, sizeof head, 1, stdout);
            if (bytes_of_answer) fwrite(answer, bytes_of_answer, 1, stdout);
        }
    }
    if (mode == 'm') printf("%zu\n", goc_bytes(g));
    goc_close(g);
    for (uint32_t i = 0; i < count; i++) free(kept[i]);
}

static void *on_stack(void *unused)
{
    (void)unused;
    answer_call();
    return NULL;
}

/* Returns the stack that a call uses, without the stack of an idle thread. */
static size_t measure(void *(*work)(void *))
{
    enum { STACK = 256 * 1024 };
    static _Alignas(4096) uint8_t stack[STACK];
    pthread_attr_t a;
    pthread_t t;
    memset(stack, 0x5a, STACK);
    if (pthread_attr_init(&a) || pthread_attr_setstack(&a, stack, STACK) || pthread_create(&t, &a, work, NULL)) abort();
    pthread_join(t, NULL);
    size_t left = 0;
    while (stack[left] == 0x5a) left++;
    return STACK - left;
}

static void *nothing(void *unused)
{
    return unused;
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1][0] : 0;
    read_all();
    size_t idle = mode == 's' ? measure(nothing) : 0;
    while (at < size) {
        if (mode == 's') {
            size_t used = measure(on_stack) - idle;
            if (used > max_used) max_used = used;
        } else {
            answer_call();
        }
    }
    if (mode == 's') printf("%zu\n", max_used);
    free(input);
    goc_trim();
    return 0;
}
