/* answer_cache.h: messages to the core and the answers that they were given. Owner: answer_cache.c. */
#ifndef VKL_ANSWER_CACHE_H
#define VKL_ANSWER_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message and its answer; never changed once it can be found. Everybody who has a pointer holds a reference. */
struct round {
    _Atomic uint32_t references;
    uint64_t id;                     /* no other round has had it */
    uint64_t parent;                 /* id of the round before it in its call, 0: none */
    uint64_t hash;                   /* of the message */
    uint64_t used;                   /* when, by the cache's clock */
    unsigned char *message, *answer; /* malloc */
    size_t message_size, answer_size;
    bool remembers, speaks; /* the answer has something for later calls; steps about the log */
};

/* A round without an answer, held once; takes the message over. NULL: no memory, and the message is freed. */
struct round *round_new(uint64_t parent, unsigned char *message, size_t size);
struct round *round_hold(struct round *r);
void round_drop(struct round *r);

/* The round that followed parent with exactly the new round's message, held; NULL: it is not remembered. */
struct round *answer_find(const struct round *like);
/* Remembers a round that has its answer, as long as there is room. */
void answer_keep(struct round *r);
/* Forgets everything. */
void answers_forget(void);

#endif
