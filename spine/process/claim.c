/* claim.c: the list of what threads have claimed while they call out, so that others wait for them. A forked child has
 * none of its parent's threads, and so none of their claims.
 */
#include "process/process.h"

static struct claim *claims;       /* under the lock */
static uint64_t claims_generation; /* of the process */

static struct claim *find(const void *what, const void *whose)
{
    lock_wanted(true);
    if (claims_generation != fork_generation()) {
        claims_generation = fork_generation();
        claims = NULL;
    }
    for (struct claim *c = claims; c; c = c->next)
        if (c->what == what && c->whose == whose) return c;
    return NULL;
}

bool claim_wait(const void *what, const void *whose)
{
    struct claim *other;
    while ((other = find(what, whose))) {
        if (other->thread == thread_now()) return false;
        lock_wait();
    }
    return true;
}

bool claim_take(struct claim *claim, const void *what, const void *whose)
{
    if (!claim_wait(what, whose)) return false;
    *claim = (struct claim){claims, what, whose, thread_now()};
    claims = claim;
    return true;
}

void claim_drop(struct claim *claim)
{
    lock_wanted(true);
    if (claims_generation == fork_generation()) {
        struct claim **at = &claims;
        while (*at && *at != claim) at = &(*at)->next;
        if (*at) *at = claim->next;
    }
    lock_wake();
}
