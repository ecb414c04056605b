/* memo.c: remembers the core's answers. The core is a function of the bytes that it is asked with, and those hold every
 * fact: variables, listings, files with all their contents. So the same bytes have the same answer, and the core need
 * not be entered to get it. The one thing that the core itself keeps between questions, the settings that the global
 * functions fall back on (SET-15), has a number: an answer counts only while the number is what it was.
 *
 * It reads no fact and reads no answer. A forked child may use what was remembered before: an entry is complete before
 * it can be found, and is never changed. */
#include "memo.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "spine.h"

#define ENTRIES 32
#define BYTES_ALL ((size_t)768 * 1024)
#define BYTES_ONE (BYTES_ALL / 4)

struct entry {
    _Atomic uint64_t used; /* when, by the clock below */
    uint32_t number;
    size_t size, need;     /* of the question and of the answer, which follow each other */
    unsigned char bytes[];
};

/* All under the lock; pointers are stored at once, so that a child forked in the middle finds none half written. */
static struct entry *_Atomic entries[ENTRIES];
static _Atomic uint64_t now;
static uint32_t number;     /* of what the core of this process remembers */
static uint64_t generation; /* the process that the number belongs to */

/* A child's core has nothing to fall back on yet. */
static uint32_t number_now(void) {
    if (generation != fork_generation()) {
        generation = fork_generation();
        number = 0;
    }
    return number;
}

static struct entry *find(const void *question, size_t size) {
    uint32_t current = number_now();
    for (unsigned i = 0; i < ENTRIES; i++) {
        struct entry *e = atomic_load(&entries[i]);
        if (e && e->number == current && e->size == size && memcmp(e->bytes, question, size) == 0) return e;
    }
    return NULL;
}

bool memo_find(const void *question, size_t size, unsigned char **answer, size_t *room, size_t *need) {
    bool found = false;
    for (;;) { /* once more where the answer was too long */
        lock_take();
        struct entry *e = find(question, size);
        size_t wanted = e ? e->need : 0;
        found = e && wanted <= *room;
        if (found) {
            memcpy(*answer, e->bytes + size, wanted);
            *need = wanted;
            e->used = ++now;
        }
        lock_drop();
        if (!e || found) return found;
        unsigned char *to = realloc(*answer, wanted);
        if (!to) return false;
        *answer = to;
        *room = wanted;
    }
}

/* Takes out the entry that was used longest ago; adds it to what is to be freed. */
static void evict(struct entry *gone[ENTRIES], unsigned *count) {
    unsigned oldest = ENTRIES;
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < ENTRIES; i++) {
        struct entry *e = atomic_load(&entries[i]);
        if (!e || e->used >= least) continue;
        oldest = i;
        least = e->used;
    }
    if (oldest < ENTRIES) gone[(*count)++] = atomic_exchange(&entries[oldest], NULL);
}

/* A free place for so many bytes more, ENTRIES when one has to be made first. */
static unsigned place(size_t bytes) {
    unsigned free_place = ENTRIES;
    for (unsigned i = 0; i < ENTRIES; i++) {
        struct entry *e = atomic_load(&entries[i]);
        if (e)
            bytes += e->size + e->need;
        else
            free_place = i;
    }
    return bytes <= BYTES_ALL ? free_place : ENTRIES;
}

void memo_keep(const void *question, size_t size, const void *answer, size_t need, uint32_t before, uint32_t after) {
    struct entry *e = NULL, *gone[ENTRIES];
    unsigned count = 0;
    if (before == after && size <= BYTES_ONE && need <= BYTES_ONE - size) e = malloc(sizeof *e + size + need);
    if (e) {
        e->number = after;
        e->size = size;
        e->need = need;
        memcpy(e->bytes, question, size);
        memcpy(e->bytes + size, answer, need);
    }
    lock_take();
    if (after > number_now()) number = after;
    if (e && e->number == number && !find(question, size)) {
        unsigned at;
        while ((at = place(size + need)) == ENTRIES) evict(gone, &count);
        e->used = ++now;
        atomic_store(&entries[at], e);
        e = NULL;
    }
    lock_drop();
    free(e);
    while (count) free(gone[--count]);
}

void memo_drop(void) {
    for (unsigned i = 0; i < ENTRIES; i++) free(atomic_exchange(&entries[i], NULL));
}
