/* trail.h: calls that were decided before, and what they asked the system on the way. Owner: linux/trail.c. */
#ifndef VKL_TRAIL_H
#define VKL_TRAIL_H

#include "core/facts.h"
#include "core/memo.h"

#define TRAIL_ROUNDS_MAX 8

/* What a call begins with, before the system is asked for anything. */
struct call_start {
    const unsigned char *bytes; /* the message so far, with what the program has said */
    size_t size;
    const struct wire_question *question;
    const struct wire_remembered *told; /* what an earlier call has left; path NULL: nothing */
};

/* The rounds of an earlier call that began like this one, when everything that it asked for is as it was then. The
 * system is asked the same questions in the same order. Returns how many rounds there are, each held once for the
 * caller; the last one has the decision. 0: there is no such call; call looks_end before using looks again. */
uint32_t trail_follow(const struct call_start *start, struct looks *looks, struct round *rounds[TRAIL_ROUNDS_MAX]);
/* Remembers the rounds of a call, when all that it asked for is known by stamps. bytes need not be there any more. */
void trail_keep(const struct call_start *start, struct round *const *rounds, uint32_t count);
/* Forgets everything. */
void trail_forget(void);

#endif
