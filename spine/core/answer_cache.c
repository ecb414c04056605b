/* answer_cache.c: caches the core's answers by message. The core is a function of the messages of one call, and these
 * hold every fact: variables, directories, files with all their contents. The same messages have the same answer, so
 * the core need not run again. A round is found by its parent round and its message, so no fact is stored twice.
 * Messages of equal size are compared as they are: a hash would read each of them once more.
 *
 * It reads no fact and interprets no answer. Memory is allocated and freed outside the lock. A forked child may use the
 * cache of its parent: a round is complete before it can be found, and never changes. */
#include "core/answer_cache.h"

#include <stdlib.h>
#include <string.h>

#include "process/process.h"

#define ROUNDS_MAX 64
#define BYTES_MAX ((size_t)4 * 1024 * 1024)

/* Guarded by the lock. A pointer is stored atomically, so a child forked during a store sees a valid pointer. */
static struct round *_Atomic rounds[ROUNDS_MAX];
static uint64_t now;
static _Atomic size_t last_id;

struct round *round_new(uint64_t parent, unsigned char *message, size_t size)
{
    struct round *r = calloc(1, sizeof *r);
    if (!r) {
        free(message);
        return NULL;
    }
    r->references = 1;
    r->id = atomic_fetch_add(&last_id, 1) + 1;
    r->parent = parent;
    r->message = message;
    r->message_size = size;
    return r;
}

struct round *round_hold(struct round *r)
{
    if (r) atomic_fetch_add(&r->references, 1);
    return r;
}

void round_drop(struct round *r)
{
    lock_wanted(false);
    if (!r || atomic_fetch_sub(&r->references, 1) != 1) return;
    free(r->message);
    free(r->answer);
    free(r);
}

/* Returns the first round from index *at on with the same parent and a message of the same size, held, and the index
 * behind it. NULL: none. */
static struct round *candidate(const struct round *like, unsigned *at)
{
    struct round *found = NULL;
    lock_take();
    while (!found && *at < ROUNDS_MAX) {
        struct round *r = atomic_load(&rounds[(*at)++]);
        if (r && r->parent == like->parent && r->message_size == like->message_size) found = round_hold(r);
    }
    lock_drop();
    return found;
}

struct round *answer_find(const struct round *like)
{
    unsigned at = 0;
    for (struct round *r; (r = candidate(like, &at)); round_drop(r)) {
        if (memcmp(r->message, like->message, like->message_size) != 0) continue;
        lock_take();
        r->used = ++now;
        lock_drop();
        return r;
    }
    return NULL;
}

static size_t weight(const struct round *r)
{
    return sizeof *r + r->message_size + r->answer_size;
}

/* Returns a free index for a round. Rounds removed to make room, the least recently used first, are added to gone. */
static unsigned make_room(const struct round *r, struct round *gone[ROUNDS_MAX], unsigned *count)
{
    lock_wanted(true);
    for (;;) {
        size_t bytes = weight(r);
        unsigned free_place = ROUNDS_MAX, oldest = ROUNDS_MAX;
        for (unsigned i = 0; i < ROUNDS_MAX; i++) {
            const struct round *other = atomic_load(&rounds[i]);
            if (!other) {
                free_place = i;
                continue;
            }
            bytes += weight(other);
            if (oldest == ROUNDS_MAX || other->used < atomic_load(&rounds[oldest])->used) oldest = i;
        }
        if (free_place < ROUNDS_MAX && bytes <= BYTES_MAX) return free_place;
        gone[(*count)++] = atomic_exchange(&rounds[oldest], NULL);
    }
}

void answer_keep(struct round *r)
{
    struct round *gone[ROUNDS_MAX];
    unsigned count = 0;
    if (weight(r) > BYTES_MAX / 2) return;
    lock_take();
    unsigned at = make_room(r, gone, &count);
    r->used = ++now;
    atomic_store(&rounds[at], round_hold(r));
    lock_drop();
    while (count) round_drop(gone[--count]);
}

void answers_forget(void)
{
    for (unsigned i = 0; i < ROUNDS_MAX; i++) round_drop(atomic_exchange(&rounds[i], NULL));
}
