/* answer_cache.h: messages to the core with their answers. Owner: answer_cache.c. */
#ifndef VKL_ANSWER_CACHE_H
#define VKL_ANSWER_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message and its answer. A round in the cache never changes. Every owner of a pointer holds a reference. */
struct round {
    _Atomic uint32_t references;
    uint64_t id;                     /* unique */
    uint64_t parent;                 /* id of the round before it in its call, 0: none */
    uint64_t used;                   /* the cache's clock at the last use */
    unsigned char *message, *answer; /* malloc */
    size_t message_size, answer_size;
    bool remembers, speaks; /* the answer has a record for later calls; it has log steps */
};

/* Returns a round without an answer, held once, and takes ownership of message. NULL: no memory; message is freed. */
struct round *round_new(uint64_t parent, unsigned char *message, size_t size);
struct round *round_hold(struct round *r);
void round_drop(struct round *r);

/* Returns the cached round with the same parent and the same message, held; NULL: none. */
struct round *answer_find(const struct round *like);
/* Caches a round with its answer, unless it is larger than half the cache. The least recently used rounds make room. */
void answer_keep(struct round *r);
/* Removes every round from the cache. */
void answers_forget(void);

#endif
